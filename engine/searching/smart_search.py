"""Searching a vault on the vectors of its Smart Connections index: the four tools, as other programs know them.

Answers are JSON-compatible. Nothing is written, and no vector is compared with one of another model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadRequest, EngineError, ModelUnavailable, UnknownNote
from engine.inference.base import Embedder
from engine.model import Freshness
from engine.searching.smart_coverage import counts_of_coverage
from engine.sources.smart_files import LARGEST_IMPORT
from engine.sources.smart_groups import Item
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.smart_models import SmartModel
from engine.sources.smart_records import SourceRecord

Vector = NDArray[np.float32]
EmbedQuery = Callable[[SmartModel, str], Vector]
"""A question's vector by the very model and recipe that made an index; raises ``ModelUnavailable``."""

EXCERPT = 1200
MARKER = "\n[… cut here]"
_LONGEST_QUERY = 8192
_HEAD_BYTES = 1 << 16
_PARAGRAPH = re.compile(r"\{\d+\}")
_SCOPES = ("auto", "notes", "blocks")


def search_notes(
    vault: SmartVault,
    embed_query: EmbedQuery,
    *,
    query: object,
    limit: object = None,
    min_score: object = None,
    scope: object = None,
    folder: object = None,
) -> dict[str, Any]:
    """The notes nearest to a question, one row each, its best score.

    ``limit`` 10 (1 to 100), ``min_score`` 0.5 (-1 to 1), ``scope`` auto, notes or blocks; ``folder`` (one or several)
    is applied before ranking, and ``scoped_out`` says what it kept away. Raises ``BadRequest`` naming the field.
    """
    if not isinstance(query, str) or not query.strip() or len(query) > _LONGEST_QUERY:
        raise BadRequest(f"query takes a text of 1 to {_LONGEST_QUERY:,} characters.")
    rows = int(_number("limit", limit, 10, 1, 100))
    least = _number("min_score", min_score, 0.5, -1, 1)
    chosen_scope = "auto" if scope is None else scope
    if chosen_scope not in _SCOPES:
        raise BadRequest(f"scope takes one of {', '.join(_SCOPES)}.")
    folders = _folders(folder)
    index = vault.index()
    scores = index.group.vectors @ embed_query(index.group.model, query)
    best = _best_by_note(index, scores, str(chosen_scope), least)
    inside = [found for found in best if in_folders(found.item.path, folders)]
    answer: dict[str, Any] = {"query": query, "model": index.group.model.key}
    answer["results"] = [_row(vault, index, found) for found in inside[:rows]]
    if folders:
        answer["scoped_out"] = _scoped_out(index, best, inside, folders)
    return answer


def related_notes(
    vault: SmartVault, *, path: object, limit: object = None, min_score: object = None, folder: object = None
) -> dict[str, Any]:
    """The notes nearest to a note, itself left out. Needs no model.

    Connections that the owner hid in the plugin stay away; pinned ones come first.
    """
    if not isinstance(path, str) or not path.strip():
        raise BadRequest("path takes the path of a note inside the vault.")
    rows = int(_number("limit", limit, 10, 1, 100))
    least = _number("min_score", min_score, 0.0, -1, 1)
    folders = _folders(folder)
    index = vault.index()
    record = find_record(index, path)
    own = next((n for n, item in enumerate(index.group.items) if item.is_note and item.path == record.path), None)
    if own is None:
        raise BadRequest(f"'{record.path}' has no vector in the index.", "Let the plugin embed it first.")
    scores = index.group.vectors @ index.group.vectors[own]
    best = _best_by_note(index, scores, "auto", -1, leave_out=record.hidden | {record.path})
    wanted = [found for found in best if found.score >= least or found.item.path in record.pinned]
    inside = [found for found in wanted if in_folders(found.item.path, folders)]
    inside.sort(key=lambda found: found.item.path not in record.pinned)
    answer: dict[str, Any] = {"path": record.path, "model": index.group.model.key, "results": []}
    for found in inside[:rows]:
        mark = {"pinned": True} if found.item.path in record.pinned else {}
        answer["results"].append({**_row(vault, index, found), **mark})
    if folders:
        answer["scoped_out"] = _scoped_out(index, wanted, inside, folders)
    return answer


def get_note(vault: SmartVault, *, path: object, max_chars: object = None) -> dict[str, Any]:
    """The text of a note; what is cut off is marked within the budget. Needs neither model nor index.

    ``max_chars`` 100,000 (1 to 400,000). Raises ``BadRequest``, ``NotAllowed`` or ``UnknownNote``.
    """
    budget = int(_number("max_chars", max_chars, 100_000, 1, 400_000))
    text = vault.files.text(path)
    if len(text) <= budget:
        return {"path": path, "text": text, "truncated": False, "total_chars": len(text)}
    marker = MARKER[:budget]
    return {"path": path, "text": text[: budget - len(marker)] + marker, "truncated": True, "total_chars": len(text)}


# --- ranking ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    item: Item
    score: float


def _best_by_note(
    index: SmartIndex, scores: Vector, scope: str, least: float, leave_out: Iterable[str] = ()
) -> list[Found]:
    """Each note's best item at or above ``least``, best first; level scores keep the note before its blocks."""
    items = index.group.items
    is_block = np.fromiter((not item.is_note for item in items), np.bool_, len(items))
    allowed = np.isfinite(scores) & (scores >= least)
    if scope != "auto":
        allowed &= is_block if scope == "blocks" else ~is_block
    if index.settings.hides_front_matter:
        allowed &= ~np.fromiter((item.is_front_matter for item in items), np.bool_, len(items))
    seen = set(leave_out)
    best: list[Found] = []
    for row in np.lexsort((is_block, -scores)):
        item = items[row]
        if allowed[row] and item.path not in seen:
            seen.add(item.path)
            best.append(Found(item, float(scores[row])))
    return best


def _row(vault: SmartVault, index: SmartIndex, found: Found) -> dict[str, Any]:
    item, record = found.item, index.records[found.item.path]
    first, last, is_stale = _whereabouts(vault, item, record)
    row: dict[str, Any] = {
        "path": item.path,
        "score": round(found.score, 4),
        "matched": "note" if item.is_note else "block",
    }
    if not item.is_note:
        row["section"] = section_of(item.block)
        if first:
            row["lines"] = [first, last]
    if is_stale:
        row["stale"] = True
    row["excerpt"] = excerpt(vault, item, first, last)
    return row


def _whereabouts(vault: SmartVault, item: Item, record: SourceRecord) -> tuple[int, int, bool]:
    try:
        return vault.files.whereabouts(item, record)
    except (EngineError, OSError):
        return item.first, item.last, True


def section_of(block: str) -> str:
    """The headings of a block's key, outermost first; the numbers of its paragraphs say nothing to a reader."""
    return " > ".join(part for part in block.split("#") if part and not _PARAGRAPH.fullmatch(part))


def excerpt(vault: SmartVault, item: Item, first: int, last: int) -> str:
    """At most 1,200 characters of what was found; front matter only where there is nothing else. Empty when the file
    is gone."""
    try:
        if item.is_note:
            head = vault.files.head(item.path, _HEAD_BYTES)
            text = _without_front_matter(head)
            text = text if text.strip() else head
        elif first:
            text = vault.files.lines(item.path, first, last or first, 4 * EXCERPT)
        else:
            return ""
    except (EngineError, OSError):
        return ""
    text = text.replace("\r\n", "\n").strip()
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1].rstrip() + "…"


def _without_front_matter(text: str) -> str:
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return text
    end = next((number for number, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    return text if end is None else "\n".join(lines[end + 1 :])


def find_record(index: SmartIndex, path: str) -> SourceRecord:
    """The record of a note by its exact path, else without regard to case. Raises ``UnknownNote``."""
    wanted = path.replace("\\", "/")
    found = index.records.get(wanted)
    if found is None:
        same = (record for known, record in index.records.items() if known.casefold() == wanted.casefold())
        found = next(same, None)
    if found is None:
        raise UnknownNote(f"The Smart Connections index has no note '{path}'.", "Check the spelling of its path.")
    return found


# --- folders ------------------------------------------------------------------------------------------------------


def in_folders(path: str, folders: Sequence[str]) -> bool:
    """Whether a note lies in one of the folders (whole names, any case); no folders: everywhere."""
    folded = path.casefold()
    return not folders or any(folded.startswith(f"{folder.casefold()}/") for folder in folders)


def _folders(value: object) -> tuple[str, ...]:
    given = [value] if isinstance(value, str) else value
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise BadRequest("folder takes the path of a folder, or a list of them.")
    return tuple(bare for one in given if (bare := one.replace("\\", "/").strip().strip("/")))


def _scoped_out(
    index: SmartIndex, best: Sequence[Found], inside: Sequence[Found], folders: Sequence[str]
) -> dict[str, Any]:
    outside = [found for found in best if not in_folders(found.item.path, folders)]
    if not inside and not any(in_folders(path, folders) for path in index.records):
        known = ", ".join(folder["path"] for folder in list_folders(index.records)) or "none"
        raise BadRequest(f"The vault has no folder '{', '.join(folders)}'.", f"Folders: {known}.")
    top = max(outside, key=lambda found: found.score, default=None)
    inner = max((found.score for found in inside), default=-math.inf)
    told: dict[str, Any] = {
        "notes_hidden_by_folder": len(outside),
        "best_hidden": {"path": top.item.path, "score": round(top.score, 4)} if top else None,
        "better_match_outside_folder": top is not None and top.score > inner,
    }
    if told["better_match_outside_folder"]:
        told["hint"] = "A better match lies outside this folder; search again without it to see it."
    return told


def list_folders(paths: Iterable[str], limit: int = 60) -> list[dict[str, Any]]:
    """Folders of one or two levels with their number of notes, fullest first."""
    counts: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[:-1]
        counts.update("/".join(parts[:depth]) for depth in (1, 2) if len(parts) >= depth)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"path": path, "notes": count} for path, count in ordered[:limit]]


def _number(name: str, value: object, default: float, low: float, high: float) -> float:
    """A number within its limits; numbers written as text are taken. Raises ``BadRequest`` naming the field."""
    if value is None:
        return default
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
        if not math.isfinite(number):
            raise ValueError
    except (ValueError, OverflowError) as error:
        raise BadRequest(f"{name} takes a number from {low:g} to {high:g}, not {str(value)[:40]!r}.") from error
    return min(high, max(low, number))


# --- status -------------------------------------------------------------------------------------------------------


def index_status(vault: SmartVault, embedder_for: Callable[[SmartModel], Embedder]) -> dict[str, Any]:
    """What the index holds, how fresh it is by the files themselves, and what is wrong with it."""
    index = vault.index()
    group = index.group
    states = {path: vault.files.freshness(record) for path, record in index.records.items()}
    stale = [item for item in group.items if item.is_stale or states[item.path] is Freshness.CHANGED]
    query_embedder, reason = _query_embedder(group.model, embedder_for)
    notes = sum(item.is_note for item in group.items)
    return {
        "vault": vault.root.name,
        "format": index.place.format.value,
        "embedded_notes": notes,
        "embedded_blocks": len(group.items) - notes,
        "stale_notes": sum(item.is_note for item in stale),
        "stale_blocks": sum(not item.is_note for item in stale),
        "deletion_tombstones_applied": index.tally.tombstones,
        "unresolvable_pointers": index.unresolvable,
        "load_retries_from_concurrent_reindex": index.retries,
        "embedding_files_in_use": list(group.files),
        "model": group.model.key,
        "dims": group.model.dimensions,
        "multifiles": multifiles(index),
        "index_loaded_at": index.loaded_at,
        "notes_missing_on_disk": sum(state is Freshness.GONE for state in states.values()),
        "folders": list_folders(index.records),
        "note": "Scores are cosines: below 0.60 is noise, from 0.65 a real relation, from 0.80 a strong one.",
        "coverage": counts_of_coverage(vault, index),
        "coverage_note": (
            "A note's vector sees about its first 1,900 characters, blocks shorter than 200 are not embedded, and of "
            f"files above {LARGEST_IMPORT:,} bytes only the head is."
        ),
        "query_embedder": query_embedder,
        "model_matches_query_embedder": query_embedder is not None,
        "warnings": [*index.warnings, *_status_warnings(index, reason)],
    }


def multifiles(index: SmartIndex) -> dict[str, int]:
    """Vector files that records point to, by collection."""
    groups = (index.group, *index.others)
    return dict(Counter(file.partition("/")[0] for group in groups for file in group.files))


def _status_warnings(index: SmartIndex, reason: str) -> list[str]:
    several = [f"{name} holds {count} vector files." for name, count in multifiles(index).items() if count > 1]
    return [*several, *([reason] if reason else [])]


def _query_embedder(model: SmartModel, embedder_for: Callable[[SmartModel], Embedder]) -> tuple[str | None, str]:
    try:
        return embedder_for(model).model_id, ""
    except ModelUnavailable as error:
        return None, str(error)
