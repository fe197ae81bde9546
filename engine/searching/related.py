"""Notes near a note, a passage or a piece of text, and pairs of notes that say nearly the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadRequest, UnknownNote
from engine.model import DuplicatePair, NoteHits, NoteKey, NoteLink, RelatedNote, SearchRequest, SourceId
from engine.ranking.fusion import Fused, Ranking, rrf
from engine.ranking.words import Mask
from engine.searching import filters, hits, legs
from engine.searching.query import Query
from engine.store.index import Facets, NoteRow
from engine.store.live import LiveIndex
from engine.text.words import fold

Vector = NDArray[np.float32]
NoteId = tuple[SourceId, NoteKey]

DUPLICATES_FROM = 0.8
"""Cosine of two note vectors from which a pair is worth a look. No threshold tells rewrites from mere relatives (real
rewrites measure 0.78 to 0.87, unrelated neighbours up to 0.90), hence a ranked list and a second measure."""

MUTUAL = 3


def related(
    live: LiveIndex,
    key: NoteKey | None,
    indexes: Sequence[LiveIndex],
    *,
    vector: Vector | None = None,
    passage_id: int | None = None,
    folder: str = "",
    limit: int = 20,
    pinned: Collection[NoteId] = (),
    hidden: Collection[NoteId] = (),
) -> tuple[RelatedNote, ...]:
    """The notes nearest to a note (``key``), one of its passages, or a given ``vector``; itself left out, best first.

    Only indexes of the same model can be compared. Pinned notes come first, hidden ones are left out; notes that are
    linked already are marked. Raises ``UnknownNote``, or ``BadRequest`` for a note without vectors or a limit below 1.
    """
    check_limit(limit)
    comparable = [index for index in indexes if index.model_id == live.model_id]
    wanted = vector if vector is not None else note_vector(live, key, passage_id)
    masks = [_allowed(index, live, key, folder, hidden) for index in comparable]
    ranking = legs.meaning_leg({live.model_id: wanted}, comparable, masks, 12 * limit)
    rows = _rows(rrf([ranking]), ranking, comparable, limit + len(pinned))
    linked = linked_notes(live, key) if key is not None else frozenset()
    found = [
        RelatedNote(row, row.source == live.source.id and row.note in linked, (row.source, row.note) in pinned)
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: not one.is_pinned)[:limit])


def check_limit(limit: int) -> None:
    """Raises ``BadRequest`` for a number of rows that asks for none."""
    if limit < 1:
        raise BadRequest(f"{limit} is no number of rows to show.", "Ask for 1 or more.")


def note_vector(live: LiveIndex, key: NoteKey | None, passage_id: int | None = None) -> Vector:
    """The mean of a note's passage vectors, or one passage's vector; L2-normalised."""
    if passage_id is not None:
        ids = np.array([passage_id], np.int32)
    else:
        rows = live.store.note_passages(key) if key is not None else []
        if not rows and (key is None or live.store.note(key) is None):
            raise UnknownNote(f"'{live.source.name}' has no note '{key}'.", "Index it again if it is new.")
        ids = np.array([row.id for row in rows], np.int32)
    total = live.vectors.vectors(ids).sum(axis=0)
    length = float(np.linalg.norm(total))
    if not length:
        raise BadRequest(f"'{key}' has no vectors yet.", f"Finish indexing '{live.source.name}' first.")
    return np.asarray(total / length, np.float32)


def linked_notes(live: LiveIndex, key: NoteKey) -> frozenset[NoteKey]:
    """Notes that this one links to or that link to it, by name."""
    return frozenset(link.note for link in note_links(live, key))


def note_links(live: LiveIndex, key: NoteKey) -> tuple[NoteLink, ...]:
    """The notes that a note links to, then those that link to it, each once, by title."""
    notes = {note.key: note for note in live.facets.notes}
    note = notes.get(key)
    if note is None:
        return ()
    names = _names(notes.values())
    outgoing = {k for link in live.store.links(note.key) for k in names.get(_stem(link.target), ())}
    own = {fold(name) for name in (note.title, *note.aliases)} | {fold(note.key), _stem(note.key)}
    incoming = {source for source, _ in live.store.backlinks(sorted(own))}
    return tuple(
        NoteLink(k, notes[k].title, is_incoming=way is incoming)
        for way in (outgoing, incoming)
        for k in sorted(way - {note.key}, key=lambda k: notes[k].title.casefold())
        if k in notes
    )


def _names(notes: Iterable[NoteRow]) -> dict[str, list[NoteKey]]:
    names: dict[str, list[NoteKey]] = {}
    for note in notes:
        for name in {_stem(note.key), fold(note.title)}:
            names.setdefault(name, []).append(note.key)
    return names


def _stem(path: str) -> str:
    name = PurePosixPath(path).name
    return fold(name.removesuffix(".md"))


def _allowed(
    index: LiveIndex, live: LiveIndex, key: NoteKey | None, folder: str, hidden: Collection[NoteId]
) -> Mask | None:
    facets = index.facets
    out = {note for source, note in hidden if source == index.source.id}
    if index is live and key is not None:
        out.add(key)
    if not out and not folder:
        return None
    keep = [note.key not in out and (not folder or filters.in_folder(note.key, folder)) for note in facets.notes]
    return mask_of_notes(facets, np.array(keep, np.bool_))


def mask_of_notes(facets: Facets, keep: NDArray[np.bool_]) -> Mask:
    """From a verdict per note to a mask by passage id."""
    mask = np.zeros(int(facets.passage_ids[-1]) + 1 if len(facets.passage_ids) else 0, np.bool_)
    mask[facets.passage_ids] = keep[facets.note]
    return mask


def _rows(fused: Fused, ranking: Ranking, indexes: Sequence[LiveIndex], limit: int) -> tuple[NoteHits, ...]:
    """Note rows whose score is the cosine: with one leg it says more than a rank."""
    cosines = dict(zip(ranking.ids.tolist(), ranking.scores.tolist(), strict=True))
    scored = dataclasses.replace(fused, scores=np.array([cosines[n] for n in fused.ids.tolist()], np.float32))
    request = SearchRequest("", limit=limit)
    nothing_asked = legs.Asked((), ())
    return hits.load(scored, nothing_asked, legs.no_statistics(), indexes, request, Query(""))


# --- near-duplicates ----------------------------------------------------------------------------------------------


def duplicates(
    indexes: Sequence[LiveIndex], *, limit: int = 50, check: Callable[[], None]
) -> tuple[DuplicatePair, ...]:
    """Pairs of notes whose mean vectors are near and that share words, the likeliest first. ``check`` may raise
    ``Cancelled``; it is called between blocks of notes. Raises ``BadRequest`` for a limit below 1."""
    check_limit(limit)
    pairs: list[DuplicatePair] = []
    for model_id in sorted({index.model_id for index in indexes}):
        same = [index for index in indexes if index.model_id == model_id]
        pairs += _near_pairs(same, 4 * limit, check)
    pairs.sort(key=lambda pair: -(pair.cosine + pair.shared_words))
    return tuple(pairs[:limit])


def near_notes(
    indexes: Sequence[LiveIndex], *, limit: int = 400, check: Callable[[], None]
) -> tuple[DuplicatePair, ...]:
    """Pairs of notes each of which is among the ``MUTUAL`` nearest of the other, the nearest first; those that say
    nearly the same left out. No cosine tells relatives from strangers, being nearest both ways does."""
    pairs: list[DuplicatePair] = []
    for model_id in sorted({index.model_id for index in indexes}):
        owners, vectors = _notes_with_vectors([index for index in indexes if index.model_id == model_id])
        nearest, cosines = _nearest(vectors, check)
        both = {(min(a, b), max(a, b)) for a, row in enumerate(nearest.tolist()) for b in row if a in nearest[b]}
        for one, other in both:
            cosine = float(cosines[one][nearest[one] == other][0])
            if cosine < DUPLICATES_FROM:
                pairs.append(_pair(owners[one], owners[other], cosine, words=False))
    pairs.sort(key=lambda pair: (-pair.cosine, pair.note, pair.other_note))
    return tuple(pairs[:limit])


def _nearest(vectors: NDArray[np.float32], check: Callable[[], None]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(n, ``MUTUAL``) numbers of the nearest others, and their cosines."""
    count = min(MUTUAL, max(0, len(vectors) - 1))
    found = np.zeros((len(vectors), count), np.int64)
    cosines = np.zeros((len(vectors), count), np.float32)
    for start in range(0, len(vectors) if count else 0, 512):
        check()
        rows = vectors[start : start + 512] @ vectors.T
        own = np.arange(len(rows))
        rows[own, own + start] = -2.0
        best = np.argpartition(-rows, count - 1, axis=1)[:, :count]
        found[start : start + len(rows)], cosines[start : start + len(rows)] = best, rows[own[:, None], best]
    return found, cosines


def _notes_with_vectors(indexes: Sequence[LiveIndex]) -> tuple[list[tuple[LiveIndex, NoteRow]], NDArray[np.float32]]:
    owners: list[tuple[LiveIndex, NoteRow]] = []
    matrices: list[NDArray[np.float32]] = []
    for index in indexes:
        notes, matrix = _note_matrix(index)
        owners += [(index, note) for note in notes]
        matrices.append(matrix)
    return owners, np.concatenate(matrices) if matrices else np.zeros((0, 1), np.float32)


def _near_pairs(indexes: Sequence[LiveIndex], limit: int, check: Callable[[], None]) -> list[DuplicatePair]:
    owners, vectors = _notes_with_vectors(indexes)
    found: list[tuple[float, int, int]] = []
    for start in range(0, len(vectors), 512):
        check()
        cosines = vectors[start : start + 512] @ vectors.T
        rows, columns = np.nonzero(cosines >= DUPLICATES_FROM)
        ahead = columns > rows + start
        found += [(float(cosines[r, c]), r + start, int(c)) for r, c in zip(rows[ahead], columns[ahead], strict=True)]
    found.sort(reverse=True)
    return [_pair(owners[a], owners[b], cosine) for cosine, a, b in found[:limit]]


def _note_matrix(index: LiveIndex) -> tuple[list[NoteRow], NDArray[np.float32]]:
    """One unit vector for each note that has any."""
    facets = index.facets
    vectors = index.vectors.vectors(facets.passage_ids)
    totals = np.zeros((len(facets.notes), vectors.shape[1]), np.float32)
    np.add.at(totals, facets.note, vectors)
    lengths = np.linalg.norm(totals, axis=1)
    kept = np.flatnonzero(lengths > 0)
    return [facets.notes[int(n)] for n in kept], totals[kept] / lengths[kept, None]


def _pair(
    one: tuple[LiveIndex, NoteRow], two: tuple[LiveIndex, NoteRow], cosine: float, *, words: bool = True
) -> DuplicatePair:
    """With ``words``, the notes are read to see how many words they share."""
    shared = _shared_words(one, two) if words else 0.0
    return DuplicatePair(
        one[0].source.id, one[1].key, one[1].title, two[0].source.id, two[1].key, two[1].title, cosine, shared
    )


def _shared_words(one: tuple[LiveIndex, NoteRow], two: tuple[LiveIndex, NoteRow]) -> float:
    words = [_words(index, note.key) for index, note in (one, two)]
    smaller = min(len(words[0]), len(words[1]))
    return len(words[0] & words[1]) / smaller if smaller else 0.0


def _words(index: LiveIndex, key: NoteKey) -> frozenset[str]:
    return frozenset(w for row in index.store.note_passages(key) for w in fold(row.passage.text).split())
