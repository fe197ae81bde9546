"""Which files of a vault are notes, and why the others are not. Pure but for reading the vault's settings."""

from __future__ import annotations

import fnmatch
import functools
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import regex

from engine.files import read_ordinary
from engine.model import SourceOptions
from engine.sources.daily_notes import DailyRule, daily_rule

_NOTE_ENDINGS = (".md", ".canvas")
_TEMPORARY = re.compile(
    r"~\$.*|#.*#|.*~|.*\.(?:md|canvas)\.(?:tmp|temp|swp|swo|bak|part|crdownload|\d+\.tmp)|\.#.*",
    re.DOTALL | re.IGNORECASE,
)
_ICLOUD_STUB = re.compile(r"\.(.+\.(?:md|canvas))\.icloud", re.DOTALL | re.IGNORECASE)
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})

_PATTERN_SECONDS = 0.05
_REPEAT = re.compile(r"\{(\d*)(?:,(\d*))?\}")
_MOST_COPIES = 10_000
"""More would take gigabytes to compile."""

Reason = tuple[str, str]
"""(code, sentence)."""


def is_note_name(name: str) -> bool:
    return name.lower().endswith(_NOTE_ENDINGS)


def is_temporary(name: str) -> bool:
    """Left by an editor or a program that is writing."""
    return _TEMPORARY.fullmatch(name) is not None


def concerns_notes(name: str) -> bool:
    """Whether a file that is not read should be accounted for: it is Markdown, or was about to be."""
    lowered = name.lower()
    return lowered.endswith(_NOTE_ENDINGS) or ".md" in lowered


def stub_of(name: str) -> str:
    """The note's name that an iCloud stub stands for; empty when the name is no stub."""
    found = _ICLOUD_STUB.fullmatch(name)
    return found[1] if found else ""


@dataclass(frozen=True, slots=True)
class VaultRules:
    """What the vault's own settings and the owner's options leave out."""

    ignored: tuple[Callable[[str], bool], ...]
    include: tuple[re.Pattern[str], ...]
    exclude: tuple[re.Pattern[str], ...]
    keep_daily: bool
    daily: DailyRule

    def reason_to_skip(self, key: str) -> Reason | None:
        # Each search asks this of every file, and most vaults have no such rules.
        if self.ignored and any(matches(key) for matches in self.ignored):
            return "ignored-by-obsidian", "Obsidian's own excluded files name it."
        if self.exclude and any(pattern.fullmatch(key) for pattern in self.exclude):
            return "excluded", "An exclusion of this source names it."
        if self.include and not any(pattern.fullmatch(key) for pattern in self.include):
            return "not-included", "No inclusion of this source names it."
        if not self.keep_daily and self.daily.matches(key):
            return "daily-note", "Daily notes are left out of this source."
        return None


def read_rules(root: Path, options: SourceOptions) -> VaultRules:
    """The rules of the vault now; settings that cannot be read count as absent."""
    app = _read_json(root / ".obsidian" / "app.json")
    filters = app.get("userIgnoreFilters") if isinstance(app, dict) else None
    texts = [text for text in filters if isinstance(text, str)] if isinstance(filters, list) else []
    return VaultRules(
        tuple(matcher for text in texts if (matcher := ignore_filter(text)) is not None),
        tuple(pattern for glob in options.include for pattern in glob_patterns(glob)),
        tuple(pattern for glob in options.exclude for pattern in glob_patterns(glob)),
        options.daily_notes,
        daily_rule(_read_json(root / ".obsidian" / "daily-notes.json")),
    )


def _read_json(file: Path) -> object:
    try:
        return json.loads(read_ordinary(file))
    except (OSError, ValueError, RecursionError):
        return None


def ignore_filter(text: str) -> Callable[[str], bool] | None:
    """One entry of ``userIgnoreFilters``: ``/regex/`` anywhere in the path, else the beginning of the path."""
    text = text.strip()
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        if _copies(text) > _MOST_COPIES:
            return None
        try:
            pattern = regex.compile(text[1:-1], regex.IGNORECASE)
        except (regex.error, RecursionError, OverflowError):
            return None
        return functools.partial(_is_found, pattern)
    prefix = text.lower()
    return (lambda key: key.lower().startswith(prefix)) if prefix else None


def _copies(pattern: str) -> int:
    """How often counted repeats make the compiler write their insides, all of them taken as nested."""
    counts = [
        max(int(number.lstrip("0")[:9] or 0) for number in found if number)
        for found in _REPEAT.findall(pattern)
        if any(found)
    ]
    return math.prod(max(count, 1) for count in counts)


def _is_found(pattern: regex.Pattern[str], key: str) -> bool:
    """The vault may come from anyone, and so may a pattern that takes years: one that takes too long fits nothing."""
    try:
        return pattern.search(key, timeout=_PATTERN_SECONDS) is not None
    except TimeoutError:
        return False


def glob_patterns(glob: str) -> Sequence[re.Pattern[str]]:
    """A glob on paths, and everything below the folder that it names: ``Tmp``, ``Tmp/`` and ``/Tmp`` are the same.

    A glob without ``/`` and with a wildcard fits file names in any folder.
    """
    bare = glob.strip().strip("/")
    if not bare:
        return ()
    globs = [bare, f"{bare}/*"]
    if "/" not in bare and any(char in bare for char in "*?["):
        globs += [f"*/{bare}"]
    if bare.startswith("**/"):
        globs += [bare[3:], f"{bare[3:]}/*"]
    return [re.compile(fnmatch.translate(text), re.IGNORECASE) for text in globs]
