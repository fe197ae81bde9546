"""What the owner decided about one source, as a JSON-compatible document, and back: to keep, or to carry elsewhere.

Knows the decisions alone; names notes by key and uid, so a document fits every index of the same source.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from engine.errors import BadRequest
from engine.model import NoteKey, Source
from engine.store import rows
from engine.store.decisions import DecisionStore, Feedback, Mark, MarkKind, SavedSearch

FORMAT = "lamplight-decisions"
VERSION = 1


def export_decisions(store: DecisionStore, source: Source) -> dict[str, Any]:
    """Pins, hides and feedback of ``source``, and every saved search that is not bound to other sources alone."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": source.name,
        "marks": [
            {"kind": mark.kind.value, "note": mark.note, "uid": mark.uid}
            for kind in MarkKind
            for mark in store.marks(kind)
            if mark.source == source.id
        ],
        "searches": [
            {"name": search.name, "request": search.request}
            for search in store.searches()
            if _concerns(search.request, source)
        ],
        "feedback": [
            {"query": one.query, "note": one.note, "uid": one.uid, "is_useful": one.is_useful}
            for one in store.feedback()
            if one.source == source.id
        ],
    }


def import_decisions(store: DecisionStore, source: Source, document: Mapping[str, Any]) -> int:
    """Take over a document for ``source``; what is known already stays once. Returns how many entries it held.

    Nothing is written unless all of it is understood. Raises ``BadRequest`` naming the entry that is not.
    """
    if document.get("format") != FORMAT:
        raise BadRequest("This is not a file of exported decisions.", "Make one with: lamplight export SOURCE")
    if document.get("version") != VERSION:
        raise BadRequest(f"These decisions are of version {document.get('version')!r}; this program reads {VERSION}.")
    marks = [Mark(_kind(entry), source.id, _key(entry), _text(entry, "uid")) for entry in _entries(document, "marks")]
    searches = [
        SavedSearch(_text(entry, "name"), dict(_mapping(entry, "request"))) for entry in _entries(document, "searches")
    ]
    feedback = [
        Feedback(_text(entry, "query"), source.id, _key(entry), _text(entry, "uid"), _flag(entry))
        for entry in _entries(document, "feedback")
    ]
    for mark in marks:
        store.set_mark(mark)
    for search in searches:
        store.save_search(search)
    for one in feedback:
        store.add_feedback(one)
    return len(marks) + len(searches) + len(feedback)


def _concerns(request: Mapping[str, Any], source: Source) -> bool:
    named = request.get("sources") or ()
    return not named or source.id in named or source.name in named


def _entries(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    entries = document.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise BadRequest(f"'{name}' of the decisions is not a list of objects.")
    return entries


def _key(entry: Mapping[str, Any]) -> NoteKey:
    """The key of a note: what a file may be called on this system, of which not all is text."""
    key = _string(entry, "note")
    try:
        os.fsencode(key)
    except UnicodeEncodeError:
        raise BadRequest(f"'note' of a decision is not text: {key!r}.") from None
    return NoteKey(key)


def _text(entry: Mapping[str, Any], name: str) -> str:
    return rows.clean(_string(entry, name))


def _string(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name, "")
    if not isinstance(value, str):
        raise BadRequest(f"'{name}' of a decision is not text: {value!r}.")
    return value


def _mapping(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = entry.get(name)
    if not isinstance(value, Mapping):
        raise BadRequest(f"'{name}' of a saved search is not an object.")
    return value


def _flag(entry: Mapping[str, Any]) -> bool:
    value = entry.get("is_useful")
    if not isinstance(value, bool):
        raise BadRequest("'is_useful' of a judgement is neither true nor false.")
    return value


def _kind(entry: Mapping[str, Any]) -> MarkKind:
    try:
        return MarkKind(entry.get("kind", ""))
    except ValueError:
        raise BadRequest(f"There is no decision of kind {entry.get('kind')!r}.") from None
