"""The JSON that the command line prints: one function per value, so that the shape is stable by itself.

Every document has ``"version": 1``. Fields may be added; they are never renamed or removed within a version.
Times are ISO 8601 in UTC or null. ``tests/engine/frontends/schemas`` holds the JSON Schema of each document.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from engine.model import (
    Anchor,
    Discovered,
    DuplicatePair,
    Hit,
    IndexReport,
    Leg,
    LegHealth,
    LegPlace,
    NoteHits,
    Problem,
    RelatedNote,
    SearchAge,
    SearchResult,
    Source,
    SourceId,
    SourceStatus,
    WhyNot,
)

if TYPE_CHECKING:
    from engine.errors import EngineError
    from engine.net.ledger import Connection

VERSION = 1
Json = dict[str, Any]


def document(**content: Any) -> Json:
    return {"version": VERSION, **content}


def failure(error: EngineError) -> Json:
    return document(error={"kind": type(error).__name__, "message": error.message, "remedy": error.remedy})


def moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError, OSError):
        return None


def source(value: Source) -> Json:
    return {
        "id": value.id,
        "name": value.name,
        "kind": value.kind.value,
        "location": value.location,
        "search_by_default": value.options.search_by_default,
        "daily_notes": value.options.daily_notes,
    }


def status(value: SourceStatus) -> Json:
    return {
        "source": source(value.source),
        "state": value.state,
        "notes": value.notes,
        "passages": value.passages,
        "vectors": value.vectors,
        "skipped": value.skipped,
        "failed": value.failed,
        "warnings": value.warnings,
        "indexed_at": moment(value.indexed_at),
        "behind_by": value.behind_by,
        "model": value.model,
        "bytes_on_disk": value.bytes_on_disk,
        "languages": _counts(value.languages),
        "encrypted": value.encrypted,
        "detail": value.detail,
    }


def discovered(value: Discovered) -> Json:
    return {
        "kind": value.kind.value,
        "name": value.name,
        "location": value.location,
        "registered": value.registered,
        "notes": value.notes,
        "detail": value.detail,
    }


def problem(value: Problem) -> Json:
    return {
        "severity": value.severity.value,
        "note": value.note,
        "line": value.line or None,
        "code": value.code,
        "reason": value.reason,
    }


def report(value: IndexReport, name: str) -> Json:
    return {
        "source": name,
        "outcome": value.outcome.value,
        "notes": value.notes,
        "added": value.added,
        "changed": value.changed,
        "unchanged": value.unchanged,
        "moved": value.moved,
        "removed": value.removed,
        "skipped": value.skipped,
        "failed": value.failed,
        "warnings": value.warnings,
        "passages": value.passages,
        "embedded": value.embedded,
        "reused": value.reused,
        "omitted": _counts(value.omitted),
        "trimmed": _counts(value.trimmed),
        "problems": [problem(p) for p in value.problems],
        "seconds": round(value.seconds, 3),
        "embed_seconds": round(value.embed_seconds, 3),
        "detail": value.detail,
    }


def anchor(value: Anchor) -> Json:
    return {
        "note": value.note,
        "uid": value.uid or None,
        "headings": list(value.headings),
        "first_line": value.first_line or None,
        "last_line": value.last_line or None,
        "block_id": value.block_id or None,
    }


def leg(value: Leg) -> Json:
    return {"name": value.name, "rank": value.rank, "score": round(value.score, 4), "share": round(value.share, 6)}


def hit(value: Hit) -> Json:
    shape: Json = {
        "source": value.source_name,
        "kind": value.kind.value,
        "anchor": anchor(value.anchor),
        "title": value.title,
        "breadcrumb": list(value.breadcrumb),
        "text": value.text,
        "snippet": value.snippet,
        "spans": [list(span) for span in value.spans],
        "score": round(value.score, 6),
        "strength": value.strength.value,
        "legs": [leg(one) for one in value.legs],
        "created": moment(value.created),
        "modified": moment(value.modified),
        "freshness": value.freshness.value,
        "tags": list(value.tags),
        "is_daily": value.is_daily,
    }
    if value.explanation is not None:
        shape["explanation"] = {
            "matched": [
                {"term": term, "field": field, "contribution": round(part, 4)}
                for term, field, part in value.explanation.matched
            ],
            "missing": list(value.explanation.missing),
            "fusion": value.explanation.fusion,
        }
    return shape


def row(value: NoteHits) -> Json:
    return {
        "note": value.note,
        "title": value.title,
        "score": round(value.score, 6),
        "hits": [hit(one) for one in value.hits],
    }


def health(value: LegHealth) -> Json:
    return {"name": value.name, "state": value.state.value, "why": value.why}


def age(value: SearchAge) -> Json:
    return {
        "source": value.source_name,
        "indexed_at": moment(value.indexed_at),
        "behind_by": value.behind_by,
        "refresh": value.refresh or None,
        "detail": value.detail,
    }


def result(value: SearchResult, query: str) -> Json:
    return document(
        query=query,
        rows=[row(one) for one in value.rows],
        legs=[health(one) for one in value.legs],
        notices=list(value.notices),
        corrected=[{"typed": typed, "searched": searched} for typed, searched in value.corrected],
        hidden=None
        if value.hidden is None
        else {
            "passages": value.hidden.passages,
            "best_title": value.hidden.best_title,
            "best_score": round(value.hidden.best_score, 6),
            "better_outside": value.hidden.better_outside,
        },
        ages=[age(one) for one in value.ages],
        total=value.total,
        seconds=round(value.seconds, 4),
        nothing_relevant=value.nothing_relevant,
    )


def why(value: WhyNot, query: str) -> Json:
    return document(
        query=query,
        note=value.note,
        source=value.source_name or None,
        is_known=value.is_known,
        state=value.state or None,
        indexed_at=moment(value.indexed_at),
        freshness=value.freshness.value,
        passages=value.passages,
        vectors=value.vectors,
        rank=value.rank or None,
        reasons=list(value.reasons),
        places=[place(one) for one in value.places],
        near=list(value.near),
    )


def place(value: LegPlace) -> Json:
    return {
        "leg": value.name,
        "rank": value.rank or None,
        "score": round(value.score, 6),
        "best_title": value.best_title or None,
        "best_score": round(value.best_score, 6),
    }


def related(value: RelatedNote) -> Json:
    return {**row(value.row), "is_linked": value.is_linked, "is_pinned": value.is_pinned}


def pair(value: DuplicatePair, names: Mapping[SourceId, str]) -> Json:
    return {
        "source": names[value.source],
        "note": value.note,
        "title": value.title,
        "other_source": names[value.other_source],
        "other_note": value.other_note,
        "other_title": value.other_title,
        "cosine": round(value.cosine, 6),
        "shared_words": round(value.shared_words, 6),
    }


def connection(value: Connection) -> Json:
    return {
        "at": moment(value.time),
        "service": value.service,
        "host": value.host,
        "why": value.why,
        "outcome": value.outcome,
        "sent": value.sent,
        "received": value.received,
        "seconds": round(value.seconds, 3),
    }


def _counts(value: Mapping[str, int]) -> Json:
    return {name: value[name] for name in sorted(value)}
