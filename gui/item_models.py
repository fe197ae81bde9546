"""What lists and trees show: the results (notes, further passages beneath) and the sources. No widgets, no colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QDate,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from engine.model import Freshness, Strength
from gui import plural, tr

if TYPE_CHECKING:
    from engine.model import Hit, NoteHits, SourceStatus

Index = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    HIT = Qt.ItemDataRole.UserRole + 1
    MORE = Qt.ItemDataRole.UserRole + 2
    """Number of further passages of the note; 0 on the passages themselves."""
    STATUS = Qt.ItemDataRole.UserRole + 3
    IS_BUSY = Qt.ItemDataRole.UserRole + 4
    HEADING = Qt.ItemDataRole.UserRole + 5
    """Name of the group whose first row this is; otherwise empty."""
    LIVE = Qt.ItemDataRole.UserRole + 6
    """Whether a graph is up to date, or its window open."""


class Grouping(StrEnum):
    NONE = "none"
    SOURCE = "source"
    FOLDER = "folder"
    DATE = "date"


def date_text(seconds: float | None) -> str:
    """``12 Mar 2025`` in the person's language, or nothing."""
    if not seconds:
        return ""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(seconds)).date(), "d MMM yyyy")


def strength_text(hit: Hit) -> str:
    """Empty where only conditions were asked for: nothing says how well the hit fits."""
    if not hit.is_ranked:
        return ""
    match hit.strength:
        case Strength.STRONG:
            return tr("strong match")
        case Strength.LIKELY:
            return tr("likely match")
        case Strength.WEAK:
            return tr("weak match")


def freshness_text(freshness: Freshness) -> str:
    match freshness:
        case Freshness.CHANGED:
            return tr("changed since")
        case Freshness.GONE:
            return tr("no longer there")
        case _:
            return ""


def breadcrumb_text(hit: Hit) -> str:
    """What stands between the title and the passage; the title itself is shown already."""
    trail = list(hit.breadcrumb)
    while trail and trail[0] == hit.title:  # Many notes repeat their title as the first heading.
        del trail[0]
    return " › ".join(trail)


def leg_name(leg: str) -> str:
    match leg:
        case "word":
            return tr("words")
        case "meaning":
            return tr("meaning")
        case "note":
            return tr("note")
        case _:
            return leg


def spoken(hit: Hit, more: int) -> str:
    """The whole row as a screen reader says it."""
    legs = hit.legs if hit.is_ranked else ()
    ranks = ", ".join(tr("{leg} rank {n}").format(leg=leg_name(leg.name), n=leg.rank) for leg in legs)
    parts = [
        hit.title,
        breadcrumb_text(hit),
        " ".join(hit.snippet.split()),
        tr("in {source}").format(source=hit.source_name),
        date_text(hit.modified or hit.created),
        strength_text(hit),
        freshness_text(hit.freshness),
        ranks,
        plural(more, "{n} more passage", "{n} more passages") if more else "",
    ]
    return ". ".join(part.rstrip(".") for part in parts if part)


def group_name(row: NoteHits, grouping: Grouping, today: QDate) -> str:
    """The group that a row of the results belongs to, as the person reads it."""
    best = row.hits[0]
    if grouping is Grouping.SOURCE:
        return best.source_name
    if grouping is Grouping.FOLDER:
        folder = "" if best.source_kind.is_roam else str(row.note).rpartition("/")[0]
        return folder or (tr("Pages") if best.source_kind.is_roam else tr("Top folder"))
    if grouping is Grouping.DATE:
        return _age_name(best.modified or best.created, today)
    return ""


def _age_name(seconds: float | None, today: QDate) -> str:
    if not seconds:
        return tr("Without a date")
    day = QDateTime.fromSecsSinceEpoch(int(seconds)).date()
    days = day.daysTo(today)
    if days < 1:
        return tr("Today")
    if days < 7:
        return tr("The last seven days")
    if (day.year(), day.month()) == (today.year(), today.month()):
        return tr("This month")
    return tr("This year") if day.year() == today.year() else str(day.year())


def grouped(rows: Sequence[NoteHits], grouping: Grouping, today: QDate) -> list[tuple[str, NoteHits]]:
    """Rows with the names of their groups, those of one group together: the group of the best row comes first, or the
    latest day."""
    groups: dict[str, list[NoteHits]] = {}
    for row in rows:
        groups.setdefault(group_name(row, grouping, today), []).append(row)
    names = list(groups)
    if grouping is Grouping.DATE:
        names.sort(key=lambda name: -max(row.hits[0].modified or row.hits[0].created or 0.0 for row in groups[name]))
    return [(name, row) for name in names for row in groups[name]]


class ResultsModel(QAbstractItemModel):
    """Rows are notes, shown by their best passage; children are the note's other passages."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[NoteHits, ...] = ()
        self._headings: tuple[str, ...] = ()
        self._shown = 0

    def show(
        self, rows: Sequence[NoteHits], grouping: Grouping = Grouping.NONE, *, at_first: int | None = None
    ) -> None:
        """With ``at_first`` only so many notes now; the others when ``show_more`` is called."""
        pairs = grouped([row for row in rows if row.hits], grouping, QDate.currentDate())
        names = [name for name, _ in pairs]
        self.beginResetModel()
        self._rows = tuple(row for _, row in pairs)
        self._headings = tuple("" if at and names[at - 1] == name else name for at, name in enumerate(names))
        self._shown = len(pairs) if at_first is None else min(at_first, len(pairs))
        self.endResetModel()

    def show_more(self, count: int) -> bool:
        """Show ``count`` notes more; whether some are left."""
        upto = min(self._shown + count, len(self._rows))
        if upto > self._shown:
            self.beginInsertRows(QModelIndex(), self._shown, upto - 1)
            self._shown = upto
            self.endInsertRows()
        return upto < len(self._rows)

    @property
    def rows(self) -> tuple[NoteHits, ...]:
        return self._rows

    def hit(self, index: Index) -> Hit | None:
        if not index.isValid():
            return None
        parent = index.internalId()
        if parent == 0:
            return self._rows[index.row()].hits[0]
        return self._rows[parent - 1].hits[index.row() + 1]

    def find(self, passage_id: int, source: str) -> QModelIndex:
        """Where a passage stands, which is shown by then; an invalid index when it was not found."""
        for row, note in enumerate(self._rows):
            if note.source != source:
                continue
            for position, hit in enumerate(note.hits):
                if hit.passage_id == passage_id:
                    self.show_more(row + 1 - self._shown)
                    top = self.index(row, 0)
                    return top if position == 0 else self.index(position - 1, 0, top)
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own default
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(int(index.internalId()) - 1, 0, 0)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if not parent.isValid():
            return self._shown
        return len(self._rows[parent.row()].hits) - 1 if parent.internalId() == 0 else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        hit = self.hit(index)
        if hit is None:
            return None
        more = self.rowCount(index)
        if role == Role.HIT:
            return hit
        if role == Role.MORE:
            return more
        heading = "" if index.internalId() else self._headings[index.row()]
        if role == Role.HEADING:
            return heading
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ". ".join(part for part in (heading, spoken(hit, more)) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return " › ".join(hit.breadcrumb)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags


def state_text(status: SourceStatus, is_busy: bool) -> str:
    if is_busy:
        return tr("indexing")
    if status.behind_by and status.state != "braked":
        return plural(status.behind_by, "{n} note changed since", "{n} notes changed since")
    if status.state == "partial" and not status.notes:
        return tr("not indexed yet")
    return {
        "new": tr("not indexed yet"),
        "indexed": tr("indexed"),
        "partial": tr("partly indexed"),
        "offline": tr("offline"),
        "indexdamaged": tr("damaged"),
        "wrongkey": tr("locked"),
        "passphraseneeded": tr("locked"),
        "keychainunavailable": tr("locked"),
        "librarybusy": tr("open elsewhere"),
        "braked": tr("waits for your decision"),
    }.get(status.state, tr("cannot be opened"))


def counts_text(status: SourceStatus) -> str:
    if status.state == "new" and not status.notes:
        return ""
    return plural(status.notes, "{n} note", "{n} notes")


class SourcesModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._statuses: tuple[SourceStatus, ...] = ()
        self._busy = ""
        self._windows: Mapping[str, str] = {}
        """Location of a graph -> whether its window is open, in words."""
        self._refreshes: dict[str, tuple[str, str]] = {}
        """Source id -> whether it is up to date, and why not."""

    def show(self, statuses: Sequence[SourceStatus]) -> None:
        same = [s.source.id for s in statuses] == [s.source.id for s in self._statuses]
        if same:  # Keeps the selection while counts change.
            self._statuses = tuple(statuses)
            self._touch()
            return
        self.beginResetModel()
        self._statuses = tuple(statuses)
        self.endResetModel()

    def set_busy(self, source_id: str) -> None:
        """The source that is being indexed now, or an empty string."""
        if source_id != self._busy:
            self._busy = source_id
            self._touch()

    def set_windows(self, windows: Mapping[str, str]) -> None:
        self._windows = windows
        self._touch()

    def set_refresh(self, source_id: str, words: str, why: str) -> None:
        self._refreshes[source_id] = (words, why)
        self._touch()

    def _live_text(self, status: SourceStatus) -> str:
        """What is known of a graph beside its index: how the last refresh went, else its window."""
        refresh, _ = self._refreshes.get(status.source.id, ("", ""))
        return refresh or self._windows.get(status.source.location, "")

    @property
    def statuses(self) -> tuple[SourceStatus, ...]:
        return self._statuses

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._statuses)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        status = self._statuses[index.row()]
        is_busy = status.source.id == self._busy
        if role == Role.STATUS:
            return status
        if role == Role.IS_BUSY:
            return is_busy
        if role == Role.LIVE:
            return self._live_text(status)
        if role == Qt.ItemDataRole.DisplayRole:
            return status.source.name
        why = self._refreshes.get(status.source.id, ("", ""))[1]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = (state_text(status, is_busy), self._live_text(status), counts_text(status))
            return ", ".join(part for part in (status.source.name, *state, status.detail, why) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            window = self._windows.get(status.source.location, "")
            return "\n".join(part for part in (status.source.location, window, why or status.detail) if part)
        return None

    def _touch(self) -> None:
        if self._statuses:
            self.dataChanged.emit(self.index(0), self.index(len(self._statuses) - 1))
