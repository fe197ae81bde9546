"""Hits as text for other programs: links in the source's own syntax, Markdown, CSV and JSON. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.model import Hit


class Form(StrEnum):
    LINKS = "links"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


FIELDS = ("source", "title", "breadcrumb", "modified", "strength", "link", "text")


def as_text(hits: Sequence[Hit], links: Sequence[str], form: Form) -> str:
    """``hits`` in ``form``; ``links`` are their addresses, in the same order."""
    pairs = list(zip(hits, links, strict=True))
    if form is Form.LINKS:
        return "\n".join(links)
    if form is Form.MARKDOWN:
        return "\n".join(_markdown(hit, link) for hit, link in pairs)
    # These modules are not for the window's start.
    import csv
    import io
    import json

    rows = [_row(hit, link) for hit, link in pairs]
    if form is Form.JSON:
        return json.dumps(rows, ensure_ascii=False, indent=2)
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _markdown(hit: Hit, link: str) -> str:
    label = " › ".join(hit.breadcrumb) or hit.title
    for letter in "\\[]":
        label = label.replace(letter, f"\\{letter}")
    return f"- [{' '.join(label.split())}]({link}): {' '.join(hit.snippet.split())}"


def _row(hit: Hit, link: str) -> dict[str, str]:
    from datetime import UTC, datetime

    seconds = hit.modified or hit.created
    return {
        "source": hit.source_name,
        "title": hit.title,
        "breadcrumb": " › ".join(hit.breadcrumb),
        "modified": datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds") if seconds else "",
        "strength": hit.strength.value if hit.is_ranked else "",
        "link": link,
        "text": hit.text,
    }


def _harmless(value: str) -> str:
    """Spreadsheets run what begins like a formula; an apostrophe before it makes it text."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
