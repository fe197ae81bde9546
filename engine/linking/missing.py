"""Links that the notes do not have yet: a note speaks of a thing by name without a link to it, or two notes are nearest
to each other in meaning with nothing between them.

Only proposes, and keeps what the owner decides about a proposal. Nothing is ever written into the notes: a proposal
carries the text of the link, to be copied.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from engine.job import Job
from engine.knowledge.graph import KnowledgeGraph, NoteId
from engine.linking.graph import Opened
from engine.model import (
    Anchor,
    DuplicatePair,
    Entity,
    Evidence,
    Link,
    NoteKey,
    Origin,
    Passage,
    Source,
    SourceId,
    SourceKind,
)
from engine.store.decisions import DecisionStore, Mark, MarkKind
from engine.text.inline import shown_name

NearNotes = Callable[[Job], Sequence[DuplicatePair]]
"""Pairs of notes that are nearest to each other in meaning, the nearest first."""

LEAST_LETTERS = 3
MOST_NOTES = 0.05
"""A name that stands unlinked in a larger part of the notes, and in more than ``FEW``, is an everyday word."""
FEW = 8
PER_ENTITY = 5
QUOTE = 240
_NOTES_PER_READ = 500
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_MARKUP = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\[\[(?:[^\[\]]|\[\[[^\[\]]*\]\])*\]\]|\[[^\]\n]*\]\([^)\n]*\)|\(\([\w-]+\)\)"
    r"|\w+://\S+|#[\w/-]+|\A[^:\n`]{1,60}::",
    re.DOTALL,
)
"""Links, code, addresses and the name of an attribute: what stands there is no plain mention."""


@dataclass(frozen=True, slots=True)
class MissingLink:
    source: SourceId
    note: NoteKey
    title: str
    entity: Entity
    """What the note could link to."""
    link: str
    """Text of the link, as the source's own app writes it."""
    evidence: Evidence
    by_meaning: bool
    score: float
    """0 to 1: how rare the name is, or how near the notes are."""


def subject_of(entity: str) -> str:
    """How a decision names the thing that a note could link to."""
    return f"link:{entity}"


def missing_links(
    graph: KnowledgeGraph, opened: Sequence[Opened], decisions: DecisionStore, near: NearNotes, job: Job, limit: int
) -> list[MissingLink]:
    """The likeliest missing links that nothing was decided about, those by name first, up to ``limit`` of each sort."""
    linked = _linked(graph)
    decided = {
        (mark.source, mark.note, mark.uid)
        for kind in (MarkKind.ACCEPTED, MarkKind.REJECTED)
        for mark in decisions.marks(kind)
    }
    found = by_name(graph, opened, linked, job)
    named = {(one.source, one.note, one.entity.id) for one in found}
    alike = [one for one in by_meaning(graph, opened, linked, near(job)) if _id_of(one) not in named]
    kept = (
        [one for one in some if (one.source, one.note, subject_of(one.entity.id)) not in decided][:limit]
        for some in (found, alike)
    )
    return [one for some in kept for one in some]


def decide(decisions: DecisionStore, source: SourceId, note: NoteKey, subject: str, verdict: str) -> None:
    """Keep what the owner said of a proposal: ``accepted``, ``rejected``, or nothing, which takes it back."""
    for kind in (MarkKind.ACCEPTED, MarkKind.REJECTED):
        decisions.set_mark(Mark(kind, source, note, subject), on=kind.value == verdict)


def decided(decisions: DecisionStore) -> list[tuple[Mark, str]]:
    """Everything that was decided about proposals, with the verdict."""
    kinds = (MarkKind.ACCEPTED, MarkKind.REJECTED)
    return [(mark, kind.value) for kind in kinds for mark in decisions.marks(kind)]


def _id_of(one: MissingLink) -> tuple[SourceId, NoteKey, str]:
    return one.source, one.note, one.entity.id


def _linked(graph: KnowledgeGraph) -> Mapping[NoteId, set[str]]:
    """Of each note, the entities that it is about or has a link to."""
    found: dict[NoteId, set[str]] = defaultdict(set)
    for note, entity in graph.by_note.items():
        found[note].add(entity)
    for relation in graph.relations:
        for proof in relation.evidence:
            if proof.origin is Origin.WRITTEN:
                found[proof.source, proof.note] |= {relation.subject, relation.object}
    return found


# --- by name --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Names:
    """What is looked for in one source, by the first word; names in scripts without spaces by themselves."""

    by_word: Mapping[str, Sequence[tuple[tuple[str, ...], Entity]]]
    unspaced: Mapping[str, Entity]
    pattern: re.Pattern[str] | None


def by_name(
    graph: KnowledgeGraph, opened: Sequence[Opened], linked: Mapping[NoteId, set[str]], job: Job
) -> list[MissingLink]:
    """Mentions without a link, the rarest names first; each note and thing once, where it is first spoken of."""
    found: list[tuple[Source, NoteKey, str, Entity, str, Evidence]] = []
    notes = 0
    for source, store in opened:
        names = _names(graph, source)
        titles = {note.key: note.title for note in store.notes()}
        shown = _link_texts(store.all_links()) if source.kind is SourceKind.OBSIDIAN else {}
        keys = list(titles)
        notes += len(keys)
        for start in range(0, len(keys), _NOTES_PER_READ):
            job.check()
            job.report("links", start, len(keys), source.name)
            for key, passages in store.graph.passages_of(keys[start : start + _NOTES_PER_READ]).items():
                known = linked.get((source.id, key), set())
                for entity, said, proof in _spoken(source, key, passages, names, shown.get(key, ())):
                    if entity.id not in known:
                        found.append((source, key, titles[key], entity, said, proof))
    counts = Counter(entity.id for _, _, _, entity, _, _ in found)
    most = max(FEW, MOST_NOTES * notes)
    rows = [
        MissingLink(source.id, key, title, entity, link_text(graph, source, entity, said), proof, False,
                    1 / counts[entity.id])
        for source, key, title, entity, said, proof in found
        if counts[entity.id] <= most
    ]  # fmt: skip
    rows.sort(key=lambda one: (-one.score * (1 + len(one.entity.name.split())), one.entity.name, one.title))
    return list(_at_most(rows, PER_ENTITY))


def _at_most(rows: Iterable[MissingLink], most: int) -> Iterator[MissingLink]:
    seen: Counter[str] = Counter()
    for one in rows:
        seen[one.entity.id] += 1
        if seen[one.entity.id] <= most:
            yield one


def _names(graph: KnowledgeGraph, source: Source) -> _Names:
    """Names of what can be linked to in a source: its notes and pages, days left out."""
    by_word: dict[str, list[tuple[tuple[str, ...], Entity]]] = defaultdict(list)
    unspaced: dict[str, Entity] = {}
    for entity in graph.entities.values():
        if source.id not in entity.sources or entity.is_daily or not (entity.notes or entity.type == "page"):
            continue
        for name in dict.fromkeys((entity.name, *entity.aliases)):
            words = tuple(_WORD.findall(name))
            if _UNSPACED.search(name):
                unspaced.setdefault(name, entity)
            elif _is_telling(words):
                by_word[words[0].casefold()].append((words, entity))
    for found in by_word.values():
        found.sort(key=lambda one: -len(one[0]))
    longest = sorted((name for name in unspaced if len(name) > 1), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest))) if longest else None
    return _Names(by_word, unspaced, pattern)


def _is_telling(words: tuple[str, ...]) -> bool:
    """Several words, or one that begins with a capital letter: a small word alone is no name."""
    letters = sum(len(word) for word in words if not word.isdigit())
    return letters >= LEAST_LETTERS and (len(words) > 1 or not words[0][0].islower())


def _spoken(
    source: Source, key: NoteKey, passages: Iterable[Passage], names: _Names, links: Iterable[str]
) -> Iterator[tuple[Entity, str, Evidence]]:
    seen: set[str] = set()
    for passage in passages:
        text = passage.raw or passage.text
        plain = _without_links(text, links)
        for start, end, entity in _mentions(plain, names):
            if entity.id not in seen:
                seen.add(entity.id)
                quote, at = _line(text, start, end), passage.modified or passage.created
                yield entity, text[start:end], Evidence(source.id, key, passage.anchor, quote, Origin.WRITTEN, at=at)


def _mentions(text: str, names: _Names) -> Iterator[tuple[int, int, Entity]]:
    words = [(found.group(), found.start(), found.end()) for found in _WORD.finditer(text)]
    taken = 0
    for at, (word, start, _end) in enumerate(words):
        if start < taken:
            continue
        for wanted, entity in names.by_word.get(word.casefold(), ()):
            spoken = words[at : at + len(wanted)]
            if _is_same(wanted, [one[0] for one in spoken]) and text[start : spoken[-1][2]].count("\n") == 0:
                taken = spoken[-1][2]
                yield start, taken, entity
                break
    if names.pattern is not None:
        for found in names.pattern.finditer(text):
            yield found.start(), found.end(), names.unspaced[found.group()]


def _is_same(wanted: tuple[str, ...], spoken: Sequence[str]) -> bool:
    """One word must have the same capitals: ``Attention`` is a page, ``attention`` a word."""
    if len(wanted) == 1:
        return wanted[0] == spoken[0]
    return len(wanted) == len(spoken) and all(a.casefold() == b.casefold() for a, b in zip(wanted, spoken, strict=True))


def _link_texts(links: Iterable[tuple[NoteKey, Link]]) -> dict[NoteKey, set[str]]:
    """What the links of each note look like in its text."""
    found: dict[NoteKey, set[str]] = defaultdict(set)
    for key, link in links:
        if text := shown_name(link):
            found[key].add(text)
    return found


def _without_links(text: str, links: Iterable[str]) -> str:
    """The same length, with blanks where links and code stand."""
    plain = _MARKUP.sub(lambda found: "\n" * len(found.group()), text)
    for link in sorted(links, key=len, reverse=True):
        plain = plain.replace(link, "\n" * len(link))
    return plain


def _line(text: str, start: int, end: int) -> str:
    """The line around a mention, cut to what can be read at a glance."""
    left, right = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    right = len(text) if right < 0 else right
    if right - left > QUOTE:
        left, right = max(left, start - QUOTE // 2), min(right, end + QUOTE // 2)
    return text[left:right].strip()


# --- by meaning -----------------------------------------------------------------------------------------------------


def by_meaning(
    graph: KnowledgeGraph, opened: Sequence[Opened], linked: Mapping[NoteId, set[str]], pairs: Iterable[DuplicatePair]
) -> list[MissingLink]:
    """Pairs of one source with no link either way, the nearest first."""
    sources = {source.id: source for source, _ in opened}
    found = []
    for pair in pairs:
        one, other = (pair.source, pair.note), (pair.other_source, pair.other_note)
        entity = graph.entities.get(graph.by_note.get(other, ""))
        mine = graph.by_note.get(one, "")
        if entity is None or not mine or pair.source != pair.other_source or pair.source not in sources:
            continue
        if entity.is_daily or graph.entities[mine].is_daily or entity.id == mine:
            continue
        if entity.id in linked.get(one, ()) or mine in linked.get(other, ()):
            continue
        link = link_text(graph, sources[pair.source], entity, "")
        proof = Evidence(pair.source, pair.note, Anchor(pair.note), pair.title, Origin.WRITTEN)
        found.append(MissingLink(pair.source, pair.note, pair.title, entity, link, proof, True, pair.cosine))
    return found


def link_text(graph: KnowledgeGraph, source: Source, entity: Entity, said: str) -> str:
    """``[[Name]]`` as the source's app resolves it; with the words of the note where those differ and the app can."""
    own = [key for place, key in entity.notes if place == source.id]
    if source.kind is not SourceKind.OBSIDIAN:
        return f"[[{entity.name}]]"
    target = PurePosixPath(own[0]).name.removesuffix(".md") if own else entity.name
    namesakes = sum(PurePosixPath(key).name.removesuffix(".md") == target for place, key in graph.by_note
                    if place == source.id)  # fmt: skip
    if own and namesakes > 1:
        target = str(own[0]).removesuffix(".md")
    return f"[[{target}|{said}]]" if said and said != target else f"[[{target}]]"
