"""Which notes of a vault are daily notes: by Obsidian's own setting, or by a name that is a plain date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_PLAIN_DATE = re.compile(r"(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})")
_TOKENS = re.compile(
    r"\[[^\]]*\]|YYYY|YY|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D|dddd|ddd|dd|d|gggg|GGGG|ww|wo|w|WW|Wo|W|Qo|Q|E|e|."
)
_PATTERNS = {
    "YYYY": r"\d{4}",
    "gggg": r"\d{4}",
    "GGGG": r"\d{4}",
    "YY": r"\d{2}",
    "MM": r"\d{2}",
    "DD": r"\d{2}",
    "DDDD": r"\d{3}",
    "ww": r"\d{2}",
    "WW": r"\d{2}",
    **dict.fromkeys(("M", "D", "DDD", "w", "W", "Q", "E", "e", "d"), r"\d{1,3}"),
    **dict.fromkeys(("Mo", "Do", "wo", "Wo", "Qo"), r"\d{1,2}\w{0,4}\.?"),
    # Names of months and days come in the language of the person.
    **dict.fromkeys(("MMMM", "MMM", "dddd", "ddd", "dd"), r"[^\W\d_]+\.?"),
}


@dataclass(frozen=True, slots=True)
class DailyRule:
    folder: str = ""
    pattern: re.Pattern[str] | None = None
    """For the path below ``folder``, without ``.md``; None when the vault says nothing."""

    def matches(self, key: str) -> bool:
        path = key.removesuffix(".md")
        if is_plain_date(path.rsplit("/", 1)[-1]):
            return True
        if self.pattern is None:
            return False
        below = f"{self.folder}/" if self.folder else ""
        return path.startswith(below) and self.pattern.fullmatch(path[len(below) :]) is not None


def daily_rule(settings: object) -> DailyRule:
    """The rule in ``daily-notes.json``; with no or odd settings only plain dates count."""
    if not isinstance(settings, dict):
        return DailyRule()
    folder, form = settings.get("folder"), settings.get("format")
    folder = folder.strip().strip("/") if isinstance(folder, str) else ""
    form = form.strip() if isinstance(form, str) and form.strip() else "YYYY-MM-DD"
    has_date = re.search(r"[YMDdgGwWQ]", re.sub(r"\[[^\]]*\]", "", form))
    return DailyRule(folder, re.compile(_pattern(form)) if has_date and len(form) <= 200 else None)


def _pattern(form: str) -> str:
    return "".join(
        re.escape(token[1:-1]) if token.startswith("[") and len(token) > 1 else _PATTERNS.get(token, re.escape(token))
        for token in _TOKENS.findall(form)
    )


def is_plain_date(name: str) -> bool:
    found = _PLAIN_DATE.fullmatch(name)
    if not found:
        return False
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True
