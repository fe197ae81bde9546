"""What may be proposed in the review, in words, and what accepting or rejecting it asks of the library. No widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.model import Anchor, DuplicatePair, Evidence, NoteKey, Origin, SourceId
from gui import tr
from gui.panels.graph_asks import Document
from gui.panels.graph_index import GraphIndex
from gui.panels.graph_text import evidence_of, quote_text
from gui.scene.looks import kind_name

Call = tuple[str, Mapping[str, Any]]
"""A command of the graph with its options."""
SORTS = ("merge", "name", "meaning", "alike")


@dataclass(frozen=True, slots=True)
class Proposal:
    key: str
    """Stays the same from one look to the next."""
    sort: str
    title: str
    below: str
    spoken: str
    accept: Call | None
    reject: Call
    entities: tuple[str, ...] = ()
    """Ids, to be looked at on the map."""
    places: tuple[Evidence, ...] = ()
    link: str = ""
    """Text that accepting copies."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that the owner decided before, with what takes it back."""

    text: str
    below: str
    undo: Call


def heading_text(sort: str, count: int) -> str:
    texts = {
        "merge": tr("May be one thing ({n})"),
        "name": tr("Spoken of without a link ({n})"),
        "meaning": tr("Near in meaning, not linked ({n})"),
        "alike": tr("Say nearly the same ({n})"),
        "later": tr("Put off ({n})"),
        "decided": tr("Decided by you ({n})"),
    }
    return texts[sort].format(n=count)


# --- proposals ----------------------------------------------------------------------------------------------------


def merge_proposals(document: Document) -> list[Proposal]:
    return [_merge(one) for one in document["proposals"]]


def _merge(one: Document) -> Proposal:
    ids = [member["id"] for member in one["members"]]
    names = " = ".join(member["name"] for member in one["members"])
    kinds = ", ".join(kind_name(member["type"]) for member in one["members"])
    return Proposal(
        "merge:" + ",".join(sorted(ids)),
        "merge",
        f"{names}?",
        f"{kinds} · {'; '.join(one['why'][:3])}",
        tr("Are these one thing? {names}").format(names=names),
        ("merges", {"action": "same", "names": ids}),
        ("merges", {"action": "never", "names": ids}),
        tuple(ids),
    )


def link_proposals(document: Document) -> list[Proposal]:
    return [_link(one) for one in document["links"]]


def _link(one: Document) -> Proposal:
    place, name = evidence_of(one["evidence"]), one["entity"]["name"]
    subject = {"source": one["source"], "note": one["note"], "subject": one["subject"]}
    alike = tr("{n} % alike").format(n=round(100 * one["score"]))
    below = alike if one["by_meaning"] else quote_text(place.quote)
    return Proposal(
        f"{one['source']}:{one['note']}:{one['subject']}",
        "meaning" if one["by_meaning"] else "name",
        f"{one['title']} → {name}",
        f"{below} · {one['link']}",
        tr("{note} has no link to {name}. {below}").format(note=one["title"], name=name, below=below),
        ("review", {**subject, "verdict": "accepted"}),
        ("review", {**subject, "verdict": "rejected"}),
        (one["entity"]["id"],),
        (place,),
        one["link"],
    )


def alike_proposals(
    pairs: Sequence[DuplicatePair], decided: Sequence[Document], index: GraphIndex | None
) -> list[Proposal]:
    """Pairs of notes that are not one thing already and about which nothing was decided."""
    gone = {(one["source"], one["note"], one["subject"]) for one in decided}
    found = []
    for pair in pairs:
        notes = (pair.source, pair.note), (pair.other_source, pair.other_note)
        ids = [index.about.get(note, "") for note in notes] if index is not None else ["", ""]
        if (pair.source, pair.note, _alike(pair)) not in gone and (not ids[0] or ids[0] != ids[1]):
            found.append(_pair(pair, tuple(ids) if all(ids) else ()))
    return found


def _alike(pair: DuplicatePair) -> str:
    return f"alike:{pair.other_source}:{pair.other_note}"


def _pair(pair: DuplicatePair, ids: tuple[str, ...]) -> Proposal:
    shared = tr("{n} % alike, {m} % of the words shared").format(
        n=round(100 * pair.cosine), m=round(100 * pair.shared_words)
    )
    subject = {"source": pair.source, "note": pair.note, "subject": _alike(pair)}
    places = (
        _beginning(pair.source, pair.note, pair.title),
        _beginning(pair.other_source, pair.other_note, pair.other_title),
    )
    return Proposal(
        f"{pair.source}:{pair.note}:{_alike(pair)}",
        "alike",
        f"{pair.title} ≈ {pair.other_title}",
        shared,
        f"{pair.title}, {pair.other_title}, {shared}",
        ("merges", {"action": "same", "names": list(ids)}) if ids else None,
        ("review", {**subject, "verdict": "rejected"}),
        ids,
        places,
    )


def _beginning(source: SourceId, note: NoteKey, title: str) -> Evidence:
    return Evidence(source, note, Anchor(note), title, Origin.WRITTEN)


# --- decisions ----------------------------------------------------------------------------------------------------


def said_of(proposal: Proposal, document: Document) -> str:
    """What was decided, in words."""
    if "decided" in document:
        return _entry_text(document["decided"])
    if document["verdict"] == "accepted":
        return tr("Copied {link}: paste it into {note}.").format(
            link=proposal.link, note=proposal.title.split(" → ")[0]
        )
    return tr("Not proposed again: {what}.").format(what=proposal.title)


def undo_of(proposal: Proposal, document: Document) -> Call:
    """What takes the decision back."""
    if "decided" in document:
        return "merges", {"action": "undo", "names": [str(document["decided"]["id"])]}
    return "review", {**proposal.reject[1], "verdict": ""}


def decisions(merges: Document, links: Document, index: GraphIndex | None) -> list[Decision]:
    """What the owner has decided so far, the newest first as far as that is known."""
    own = [one for one in merges.get("merges", ()) if one["who"] == "owner"]
    found = [
        Decision(_entry_text(one), (one["at"] or "")[:10], ("merges", {"action": "undo", "names": [str(one["id"])]}))
        for one in reversed(own)
    ]
    return found + [_reviewed(one, index) for one in links.get("decided", ())]


def _entry_text(entry: Document) -> str:
    names = ", ".join(member["name"] for member in entry["members"])
    texts = {
        "merge": tr("One thing: {names}."),
        "apart": tr("Never one thing: {names}."),
        "split": tr("Taken apart: {names}."),
    }
    return texts[entry["kind"]].format(names=names)


def _reviewed(one: Document, index: GraphIndex | None) -> Decision:
    sort, _, what = one["subject"].partition(":")
    note, other = one["note"], what
    if index is not None:
        note = index.titles.get((one["source"], one["note"]), note)
        source, _, key = what.partition(":")
        entity = index.entities.get(index.members.get(what, what))
        other = entity.name if entity is not None else index.titles.get((SourceId(source), NoteKey(key)), what)
    arrow = "→" if sort == "link" else "≈"
    below = tr("link copied") if one["verdict"] == "accepted" else tr("not proposed again")
    subject = {"source": one["source"], "note": one["note"], "subject": one["subject"]}
    return Decision(f"{note} {arrow} {other}", below, ("review", {**subject, "verdict": ""}))
