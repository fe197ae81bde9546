"""Obsidian vaults, and any folder of Markdown: finds notes and canvases and reads them into passages.

Read-only without exception: no file of the vault is created, changed, renamed or locked. One note that cannot
be read is a ``NoteError``; one that is odd is a note with a warning.
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import os
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import NotAllowed, NoteError, SourceOffline
from engine.files import read_whole
from engine.job import Job
from engine.model import Link, LinkKind, Note, NoteKey, NoteRef, Passage, Problem, Scan, Severity, SourceOptions
from engine.sources.base import TokenSpanner
from engine.sources.note_keys import key_of, note_path, shown, title_of
from engine.sources.vault_rules import VaultRules, concerns_notes, is_note_name, is_temporary, read_rules, stub_of
from engine.sources.vault_walk import NOT_DOWNLOADED, FoundFile, FoundFolder, is_in_the_cloud, walk
from engine.text.canvas import parse_canvas
from engine.text.markdown import Document, parse_note, parse_text
from engine.text.markdown_passages import Frame, build_passages

PARSER_VERSION = 2
"""Part of every revision: raise it when the same file would now be read differently."""
MAX_BYTES = 200 * 1024 * 1024

_CREATED = ("created", "date created", "date_created", "created_at", "creation date", "date")


class ObsidianReader:
    """Reads one vault; see ``SourceReader``. Keys are paths below the root, see ``note_keys``."""

    def __init__(self, root: Path, options: SourceOptions, token_spans: TokenSpanner) -> None:
        self._root = root
        self._options = options
        self._token_spans = token_spans
        self._rules = read_rules(root, options)

    def scan(self, job: Job) -> Scan:
        self._rules = read_rules(self._root, self._options)
        found = _Findings(self._rules)
        try:
            for item in walk(self._root, job):
                found.take(item)
        except OSError as error:
            raise SourceOffline(
                f"The folder {shown(str(self._root))!r} cannot be read ({error.strerror}).",
                "Is its drive connected? The index stays as it is.",
            ) from error
        return found.as_scan()

    def read(self, ref: NoteRef) -> Note:
        data, info = self._load(ref.key)
        text, warning = decode(data)
        note = Note(
            ref.key,
            title_of(ref.key),
            revision_of(info),
            hashlib.sha256(data).hexdigest(),
            created=getattr(info, "st_birthtime", None),
            modified=info.st_mtime,
            is_daily=self._rules.daily.matches(ref.key),
            size=info.st_size,
            problems=(_problem(ref.key, Severity.WARNING, "bad-encoding", warning),) if warning else (),
        )
        if ref.key.lower().endswith(".canvas"):
            return _with_canvas(note, text, self._token_spans)
        return _with_markdown(note, parse_note(text), self._token_spans)

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _load(self, key: NoteKey) -> tuple[bytes, os.stat_result]:
        try:
            path = note_path(self._root, key)
            return read_whole(path, MAX_BYTES, follow=False)
        except FileNotFoundError as error:
            raise NoteError(
                "The note vanished while the vault was read.", "It counts again at the next run."
            ) from error
        except NotAllowed as error:
            raise NoteError(error.message) from error
        except OSError as error:
            if error.errno == errno.E2BIG:
                size = f"Larger than {MAX_BYTES // 1024 // 1024} MB."
                raise NoteError(size, "Split the note to have it indexed.") from error
            if error.errno == errno.EAGAIN:
                raise NoteError("The note is being written.", "It is read at the next run.") from error
            if error.errno in NOT_DOWNLOADED:
                raise NoteError(
                    "The note is not downloaded to this machine.", "Open it once, then index again."
                ) from error
            raise NoteError(f"The note cannot be read ({error.strerror}).", "Check the file's permissions.") from error


def revision_of(info: os.stat_result) -> str:
    return f"{info.st_mtime_ns}-{info.st_size}-{PARSER_VERSION}"


def decode(data: bytes) -> tuple[str, str]:
    """The text of a file, and a warning when it is not clean UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), "Written in UTF-16 instead of UTF-8."
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return data.decode("utf-8-sig", "replace"), f"Bytes that are not UTF-8 were replaced, first in line {line}."
    return text, "Holds NUL characters; they were replaced." if "\0" in text else ""


class _Findings:
    """What a walk brought in, sorted into notes, problems and notes that cannot be read now."""

    def __init__(self, rules: VaultRules) -> None:
        self._rules = rules
        self._refs: list[NoteRef] = []
        self._problems: list[Problem] = []
        self._kept: set[NoteKey] = set()
        self._complete = True

    def as_scan(self) -> Scan:
        return Scan(tuple(self._refs), tuple(self._problems), self._complete, frozenset(self._kept))

    def take(self, item: FoundFile | FoundFolder) -> None:
        if isinstance(item, FoundFile):
            self._take_file(item)
        elif item.skipped:
            self._skip(key_of(item.relative), "skipped-folder", "Folders of this name hold programs, not notes.")
        else:
            self._complete = False
            self._problems.append(
                _problem(
                    item.relative, Severity.FAILED, "unreadable-folder", f"The folder cannot be read ({item.reason})."
                )
            )

    def _skip(self, key: NoteKey, code: str, reason: str) -> None:
        self._problems.append(_problem(key, Severity.SKIPPED, code, reason))

    def _take_file(self, file: FoundFile) -> None:
        key = key_of(file.relative)
        if stub := stub_of(file.name):
            self._keep(key_of(file.relative[: -len(file.name)] + stub))
        elif is_temporary(file.name):
            if concerns_notes(file.name):
                self._skip(key, "temporary", "Left by an editor while it was writing.")
        elif file.name.startswith("."):
            if is_note_name(file.name):
                self._skip(key, "hidden", "Hidden files are not notes.")
        elif is_note_name(file.name):
            self._take_note(key, file)

    def _keep(self, key: NoteKey) -> None:
        if reason := self._rules.reason_to_skip(key):
            self._skip(key, *reason)
            return
        self._kept.add(key)
        self._skip(key, "not-downloaded", "Not downloaded to this machine; what was indexed before stays.")

    def _take_note(self, key: NoteKey, file: FoundFile) -> None:
        if reason := self._rules.reason_to_skip(key):
            self._skip(key, *reason)
        elif file.info is None:
            self._skip(key, "symlink", "Obsidian does not follow links to single files.")
        elif not stat.S_ISREG(file.info.st_mode):
            self._skip(key, "not-a-file", "Not an ordinary file.")
        elif is_in_the_cloud(file.path, file.info):
            self._keep(key)
        else:
            info = file.info
            revision = revision_of(info)
            self._refs.append(NoteRef(key, revision, info.st_mtime, info.st_size, title_of(key), shown(key)))


def _problem(key: str, severity: Severity, code: str, reason: str, line: int = 0) -> Problem:
    return Problem(severity, shown(key_of(key)), reason, code, line)


def _empty(key: NoteKey, reason: str) -> Problem:
    return _problem(key, Severity.SKIPPED, "empty", reason)


def _with_markdown(note: Note, document: Document, token_spans: TokenSpanner) -> Note:
    created = _created(document.properties) or note.created
    frame = Frame(note.key, note.title, document.tags, created, note.modified)
    passages, links = build_passages(document.sections, frame, token_spans)
    problems = list(note.problems)
    front = document.front_matter
    if front.problem:
        reason = (
            f"The properties are not valid YAML: {front.problem}. The note is indexed without them where they break."
        )
        problems.append(_problem(note.key, Severity.WARNING, "bad-yaml", reason, front.problem_line))
    if not passages:
        problems.append(_empty(note.key, _why_empty(note, document)))
    all_links = (*document.property_links, *links)
    return replace(
        note,
        passages=tuple(passages),
        links=all_links,
        aliases=_aliases(note.title, document),
        tags=_all_tags(document.tags, all_links),
        properties=document.properties,
        created=created,
        problems=tuple(problems),
        trimmed=document.trimmed,
        front_matter=front.raw,
    )


def _why_empty(note: Note, document: Document) -> str:
    if document.trimmed:
        return "Nothing is left when drawings, queries and embedded files are taken out."
    if not note.size:
        return "The file is empty."
    return "It has properties but no text." if document.front_matter.body_line else "It holds no text."


def _aliases(title: str, document: Document) -> tuple[str, ...]:
    other = next((value for name, value in document.properties.items() if name.lower() == "title"), None)
    names = [*([other.strip()] if isinstance(other, str) else []), *document.aliases]
    return tuple(dict.fromkeys(name for name in names if name and name != title))


def _all_tags(tags: tuple[str, ...], links: tuple[Link, ...]) -> tuple[str, ...]:
    """Tags of the front matter, then those in the text, once each whatever their case."""
    unique = {tag.casefold(): tag for tag in reversed(tags)}
    ordered = {tag.casefold(): unique[tag.casefold()] for tag in tags}
    for link in links:
        if link.kind is LinkKind.TAG:
            ordered.setdefault(link.target.casefold(), link.target)
    return tuple(ordered.values())


def _created(properties: Mapping[str, object]) -> float | None:
    by_name = {name.lower(): value for name, value in properties.items()}
    for name in _CREATED:
        value = by_name.get(name)
        if isinstance(value, str) and (moment := _moment(value.strip().strip("[]"))) is not None:
            return moment
    return None


def _moment(text: str) -> float | None:
    """Seconds since the epoch of a date or a date and time; one without a zone is in UTC on every machine alike."""
    try:
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _with_canvas(note: Note, text: str, token_spans: TokenSpanner) -> Note:
    canvas = parse_canvas(text)
    passages: list[Passage] = []
    links: list[Link] = list(canvas.links)
    trimmed: Counter[str] = Counter()
    for card in canvas.cards:
        document = parse_text(card.text)
        within = (card.group,) if card.group else ()
        frame = Frame(note.key, note.title, (), note.created, note.modified, card.id, within)
        more, found = build_passages(document.sections, frame, token_spans, len(passages))
        passages.extend(more)
        links.extend(replace(link, line=0) for link in found)
        trimmed.update(document.trimmed)
    empty = () if passages else (_empty(note.key, "The canvas has no card with text."),)
    return replace(
        note,
        passages=tuple(passages),
        links=tuple(links),
        tags=_all_tags((), tuple(links)),
        problems=(*note.problems, *empty),
        trimmed=trimmed,
    )
