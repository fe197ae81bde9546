"""The Smart Connections index of a vault, read whole at one revision, while the plugin may be rewriting it.

Read-only. What is read is either of one moment or refused; a damaged part is counted and said, never silently lost.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.backoff import BackOff
from engine.errors import NotASource, RetryError
from engine.sources.smart_files import VaultFiles
from engine.sources.smart_formats import Format, Place, Stamp, find_place, read_records, signature
from engine.sources.smart_groups import Group, choose, resolve_inline, resolve_packed
from engine.sources.smart_log import Tally
from engine.sources.smart_models import models_by_fingerprint
from engine.sources.smart_records import SourceRecord
from engine.sources.smart_settings import PluginSettings, read_settings

ATTEMPTS = 4
AGAIN = BackOff(0.15, 1.0)
"""Rests between them: the plugin is left the time to finish."""


class IndexChanging(RetryError):
    """The plugin rewrote its index under every attempt to read it."""


@dataclass(frozen=True, slots=True)
class SmartIndex:
    """One revision of the index. ``group`` holds the vectors to search on."""

    place: Place
    settings: PluginSettings
    records: Mapping[str, SourceRecord]
    """By path, as the plugin spells it."""
    group: Group
    others: tuple[Group, ...]
    """Vectors of other models, which are not searched."""
    tally: Tally
    retries: int
    warnings: tuple[str, ...]
    loaded_at: float

    @property
    def unresolvable(self) -> int:
        return self.group.unresolvable + sum(group.unresolvable for group in self.others)


class SmartVault:
    """A vault and the newest revision of its index. Safe from any thread: who come together share one reading."""

    def __init__(self, root: Path, *, pause: Callable[[float], object] = time.sleep) -> None:
        self.root = root
        self.files = VaultFiles(root)
        self._pause = pause
        self._lock = threading.Lock()
        self._loaded: tuple[tuple[Stamp, ...], SmartIndex] | None = None

    def index(self) -> SmartIndex:
        """The index as it is now; read again only when a file of it has changed.

        Raises ``NotASource`` when there is none that can be searched, ``IndexChanging`` when it never holds still.
        """
        with self._lock:
            place = _place(self.root)
            stamp = signature(place)
            if self._loaded is None or self._loaded[0] != stamp:
                self._loaded = None
                self._loaded = _read_steadily(self.root, self._pause)
                self.files.forget_folders()
            return self._loaded[1]


def _place(root: Path) -> Place:
    place = find_place(root)
    if place is None:
        raise NotASource(
            f"The vault '{root.name}' has no Smart Connections index.", "Lamplight can index the vault by itself."
        )
    return place


def _read_steadily(root: Path, pause: Callable[[float], object]) -> tuple[tuple[Stamp, ...], SmartIndex]:
    for attempt in range(ATTEMPTS):
        if attempt:
            pause(AGAIN.seconds(attempt))
        place = _place(root)
        before = signature(place)
        try:
            index = _read(place, attempt)
        except OSError as error:
            if signature(place) == before:
                raise RetryError(
                    f"The Smart Connections index in {place.folder.name} cannot be read ({error.strerror}).",
                    "Check that its files are on this machine and may be read.",
                ) from error
            continue
        if signature(place) == before:
            return before, index
    raise IndexChanging(
        f"The Smart Connections index changed under each of {ATTEMPTS} attempts to read it.",
        "Obsidian is embedding notes; try again when it has finished.",
    )


def _read(place: Place, retries: int) -> SmartIndex:
    tally = Tally()
    settings = read_settings(place.folder)
    records = read_records(place, tally)
    if place.format is Format.PACKED:
        groups = resolve_packed(records.values(), place.folder, models_by_fingerprint(settings.records))
    else:
        groups = resolve_inline(records.values())
    chosen = choose(groups, settings.configured)
    if chosen is None:
        raise NotASource(_why_empty(groups, records), "Let the plugin embed the vault, or let Lamplight index it.")
    others = tuple(group for group in groups if group is not chosen)
    warnings = tuple(_warnings(place, settings, chosen, others, tally))
    return SmartIndex(place, settings, records, chosen, others, tally, retries, warnings, time.time())


def _why_empty(groups: tuple[Group, ...], records: Mapping[str, SourceRecord]) -> str:
    if not groups:
        return f"The Smart Connections index knows {len(records):,} notes but holds no vectors."
    names = ", ".join(_described(group) for group in groups)
    return f"None of the vectors that the Smart Connections index names can be found or understood ({names})."


def _described(group: Group) -> str:
    return group.model.key or f"unknown model {group.name}"


def _warnings(
    place: Place, settings: PluginSettings, chosen: Group, others: tuple[Group, ...], tally: Tally
) -> list[str]:
    found = [place.notice] if place.notice else []
    if settings.configured and chosen.model.key != settings.configured:
        found.append(
            f"The plugin is set to {settings.configured}, but the vectors that can be used were made by "
            f"{_described(chosen)}."
        )
    found += [
        f"{len(group.items):,} vectors of {_described(group)} are not used: vectors of two models cannot be compared."
        for group in others
        if group.items
    ]
    found += [
        f"{group.unresolvable:,} vectors are of a model that is not known here ({group.name})."
        for group in (chosen, *others)
        if not group.model.key and group.unresolvable
    ]
    if missing := sum(group.unresolvable for group in (chosen, *others)):
        found.append(f"{missing:,} pointers lead to vectors that are not there.")
    if tally.malformed:
        found.append(f"{tally.malformed:,} lines of the index are damaged and were passed over.")
    return found
