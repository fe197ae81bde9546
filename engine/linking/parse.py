"""The graph that the owner wrote: entities and relations from notes, links, tags, attributes and properties.

Reads what the index stores, never the source; needs no model. Incremental: a note's facts are made anew when its text
or what its links lead to has changed, all of them in one transaction. What models read out of a note stays as long as
the note still says it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import Cancelled
from engine.job import Job
from engine.knowledge.facts import MENTIONS, Fact, NameKind, Naming, NoteFacts, Thing, slug, thing
from engine.linking.collector import held_back
from engine.linking.names import SourceNames, Target, source_names
from engine.linking.quotes import QUOTE_LIMIT, property_quote, quote_around, quote_of, stands_in, written_at
from engine.linking.values import ALIAS_ATTRIBUTES, Value, attribute_values, parents_of, property_values
from engine.model import Anchor, Evidence, Link, LinkKind, NoteKey, Origin, Passage, PassageKind, Source, SourceId
from engine.store.index import IndexStore, NoteRow
from engine.text import roam
from engine.text.inline import shown_name

PARSER_VERSION = "2"
"""Part of every stamp: raise it when the same note would now give other facts."""
NOTES_PER_BATCH = 2000
LABEL_LIMIT = 60


@dataclass(frozen=True, slots=True)
class ParseReport:
    source: SourceId
    notes: int
    """Notes of the source."""
    parsed: int
    """Notes whose facts were made anew."""
    removed: int
    """Notes that are gone, with their facts."""
    facts: int
    """Facts written in this run."""
    unknown_blocks: int
    """References to blocks that no note holds."""
    seconds: float


def parse_source(store: IndexStore, source: Source, job: Job) -> ParseReport:
    """Bring the written part of a source's graph in line with its index. A second run writes nothing."""
    with held_back():
        return _parse(store, source, job)


def _parse(store: IndexStore, source: Source, job: Job) -> ParseReport:
    started = time.monotonic()
    job.report("graph", 0)
    notes = store.notes()
    links: dict[NoteKey, list[Link]] = {}
    for key, link in store.all_links():
        links.setdefault(key, []).append(link)
    referred = {link.target for own in links.values() for link in own if link.kind is LinkKind.BLOCK}
    blocks = store.graph.notes_of_uids(referred) if referred else {}
    names = source_names(source, notes, (link for own in links.values() for link in own), blocks)
    stamps = {note.key: _stamp(note, links.get(note.key, ()), names) for note in notes}
    known = store.graph.stamps()
    gone = [key for key in known if key not in stamps]
    if gone:
        store.graph.remove_notes(gone)
    stale = [note for note in notes if known.get(note.key) != stamps[note.key]]
    written = 0
    for start in range(0, len(stale), NOTES_PER_BATCH):
        job.check()
        job.report("graph", start, len(stale))
        batch = stale[start : start + NOTES_PER_BATCH]
        written += _write(store, batch, links, names, stamps)
    job.report("graph", len(stale), len(stale))
    unknown = len(referred - blocks.keys())
    return ParseReport(source.id, len(notes), len(stale), len(gone), written, unknown, time.monotonic() - started)


def parse_after_index(store: IndexStore, source: Source, job: Job) -> None:
    """``parse_source`` at the end of an index run: stopping it is no failure, the next run goes on from there."""
    with contextlib.suppress(Cancelled):
        parse_source(store, source, job)


def _write(
    store: IndexStore,
    batch: Sequence[NoteRow],
    links: Mapping[NoteKey, Sequence[Link]],
    names: SourceNames,
    stamps: Mapping[NoteKey, str],
) -> int:
    keys = [note.key for note in batch]
    passages = store.graph.passages_of(keys)
    inferred = store.graph.inferred(names.source.id, keys)
    found = []
    for note in batch:
        own = passages.get(note.key, [])
        facts, called = note_facts(note, own, links.get(note.key, ()), names)
        kept = _still_said(inferred.get(note.key, ()), own)
        found.append(NoteFacts(note.key, stamps[note.key], (*facts, *kept), called))
    store.graph.write_notes(found)
    return sum(len(one.facts) for one in found)


def _stamp(note: NoteRow, links: Sequence[Link], names: SourceNames) -> str:
    said = [f"{PARSER_VERSION}\0{note.revision}\0{names.notes[note.key].id}".encode()]
    said.extend(target.mark for link in links for target in names.targets(link, note.key))
    return hashlib.sha256(b"".join(said)).hexdigest()[:32]


def _still_said(facts: Sequence[Fact], passages: Sequence[Passage]) -> Iterator[Fact]:
    """Inferred facts whose quote still stands in the note, at the place where it stands now."""
    for fact in facts:
        uid = fact.evidence.anchor.uid
        homes = [p for p in passages if p.anchor.uid == uid] if uid else passages
        home = next((p for p in homes if stands_in(fact.evidence.quote, p)), None)
        if home is not None:
            evidence = dataclasses.replace(fact.evidence, anchor=home.anchor)
            yield dataclasses.replace(fact, evidence=evidence)


# --- one note -----------------------------------------------------------------------------------------------------


def note_facts(
    note: NoteRow, passages: Sequence[Passage], links: Sequence[Link], names: SourceNames
) -> tuple[tuple[Fact, ...], tuple[Naming, ...]]:
    """What one note says: its facts, and the names it gives to things; each once."""
    reader = _NoteReader(note, passages, links, names)
    facts: list[Fact] = []
    called = [reader.title()]
    for link in links:
        targets = names.targets(link, note.key)
        if targets:
            facts.extend(reader.link_facts(link, targets))
            called.extend(reader.link_names(link, targets))
    for value in reader.values():
        if value.attribute.casefold() in ALIAS_ATTRIBUTES:
            called.append(reader.alias(value.text, value.passage))
        else:
            facts.append(reader.value_fact(value))
    called.extend(reader.alias(alias, None) for alias in note.aliases)
    # Told apart by their ends, place and words: hashing whole values would cost more than making them.
    own: dict[tuple[str, str, str, str, int, str], Fact] = {}
    for fact in facts:
        proof = fact.evidence
        key = (fact.subject.id, fact.predicate, fact.object.id, proof.anchor.uid, proof.anchor.first_line, proof.quote)
        if key[0] != key[2]:
            own[key] = fact
    return tuple(own.values()), tuple(dict.fromkeys(called))


class _NoteReader:
    """Turns the links and values of one note into facts about it."""

    def __init__(self, note: NoteRow, passages: Sequence[Passage], links: Sequence[Link], names: SourceNames) -> None:
        self.note = note
        self.links = links
        self.names = names
        self.passages = passages
        self.thing = names.notes[note.key]
        self.is_roam = names.source.kind.is_roam
        self.parents = parents_of(passages) if self.is_roam else []
        self.times: dict[int, float | None] = {}
        self.by_ordinal = {passage.ordinal: index for index, passage in enumerate(passages)}

    def title(self) -> Naming:
        return self._naming(self.thing, self.note.title, NameKind.TITLE, self._first_anchor(), self.note.title)

    def alias(self, name: str, passage: Passage | None) -> Naming:
        """Another name of the note."""
        if passage is not None:
            return self._naming(self.thing, name, NameKind.ALIAS, passage.anchor, passage.raw or passage.text, passage)
        quote = self._property("aliases", name) if "aliases" in self.note.properties else self._property("alias", name)
        return self._naming(self.thing, name, NameKind.ALIAS, self._first_anchor(), quote)

    def link_facts(self, link: Link, targets: Sequence[Target]) -> Iterator[Fact]:
        passage = self._passage(link)
        quote = self._quote(link, passage)
        anchor = self._anchor(link, passage)
        subject = self._subject(link, passage) if link.attribute else self.thing
        predicate = slug(link.attribute) if link.attribute else MENTIONS
        for target in targets:
            evidence = self._evidence(anchor, quote, passage, target.state.value, target.confidence)
            yield Fact(subject, predicate, target.thing, evidence)

    def link_names(self, link: Link, targets: Sequence[Target]) -> Iterator[Naming]:
        """The label shown in place of a link, as a name of what it leads to."""
        target = targets[0].thing
        if link.label and (link.kind is LinkKind.LINK or link.kind is LinkKind.EMBED):
            label = " ".join(link.label.split())
            if len(label) <= LABEL_LIMIT and label != target.name and any(c.isalpha() for c in label):
                passage = self._passage(link)
                quote = self._quote(link, passage)
                yield self._naming(target, label, NameKind.LABEL, self._anchor(link, passage), quote, passage)
        if link.attribute and link.attribute.casefold() in ALIAS_ATTRIBUTES:
            yield self.alias(target.name, self._passage(link))

    def values(self) -> Iterator[Value]:
        if self.is_roam:
            return attribute_values(self.passages, self.parents)
        return property_values(self.note.properties, self.passages)

    def value_fact(self, value: Value) -> Fact:
        """A plain value names a thing, though nobody linked to it."""
        passage = value.passage
        index = self.by_ordinal[passage.ordinal] if passage and self.is_roam else -1
        if passage is not None:
            quote = quote_around(passage, (f":: {value.text}", value.text))
        else:
            quote = self._property(value.attribute, value.text)
        anchor = passage.anchor if passage else self._first_anchor()
        named = thing(self.names.source.id, "concept", value.text)
        subject = self._subject_above(index, value.attribute) if index >= 0 else self.thing
        evidence = self._evidence(anchor, quote, passage, "unresolved")
        return Fact(subject, slug(value.attribute), named, evidence)

    # --- places

    def _passage(self, link: Link) -> Passage | None:
        index = self.by_ordinal.get(link.passage)
        return None if index is None else self.passages[index]

    def _quote(self, link: Link, passage: Passage | None) -> str:
        if passage is not None:
            return quote_of(passage, link)
        return self._property(link.attribute, link.target) if link.attribute else link.target

    def _property(self, name: str, value: str) -> str:
        """The words of the front matter that give a property this value; of an older index, the value alone."""
        return property_quote(self.note.front_matter, name, value) or value

    def _anchor(self, link: Link, passage: Passage | None) -> Anchor:
        return passage.anchor if passage else Anchor(self.note.key, first_line=link.line, last_line=link.line)

    def _first_anchor(self) -> Anchor:
        """The page itself (Roam), or the note."""
        return Anchor(self.note.key, uid=self.note.key if self.is_roam else "")

    def _evidence(
        self, anchor: Anchor, quote: str, passage: Passage | None, state: str = "resolved", confidence: float = 1.0
    ) -> Evidence:
        ordinal = passage.ordinal if passage else -1
        if ordinal not in self.times:
            self.times[ordinal] = written_at(self.note, passage)
        at = self.times[ordinal]
        source = self.names.source.id
        return Evidence(source, self.note.key, anchor, quote, Origin.WRITTEN, confidence, at=at, state=state)

    def _naming(
        self, named: Thing, name: str, kind: NameKind, anchor: Anchor, quote: str, passage: Passage | None = None
    ) -> Naming:
        shown = " ".join(name.split())
        return Naming(named, shown, kind, self._evidence(anchor, quote[:QUOTE_LIMIT].strip() or shown, passage))

    # --- who a fact is about

    def _subject(self, link: Link, passage: Passage | None) -> Thing:
        if passage is None:
            return self.thing
        if self.is_roam:
            return self._subject_above(self.by_ordinal[passage.ordinal], link.attribute)
        return self._subject_of_line(link, passage)

    def _subject_above(self, index: int, attribute: str) -> Thing:
        """The page, or what the block above the attribute names when it is nothing but a link."""
        parent = self.parents[index]
        if self.passages[index].text.partition(":")[0].strip() != attribute and parent >= 0:
            parent = self.parents[parent]  # the value stands in a block of its own beneath the attribute
        if parent < 0 or self.passages[parent].kind is not PassageKind.BLOCK:
            return self.thing
        raw = self.passages[parent].raw.strip()
        whole = next((ref for ref in roam.references(raw) if (ref.start, ref.end) == (0, len(raw))), None)
        if whole is None:
            return self.thing
        named = self.names.targets(Link(whole.kind, whole.target), self.note.key)
        return named[0].thing if named else self.thing

    def _subject_of_line(self, link: Link, passage: Passage) -> Thing:
        """The note, or the link that opens the line in which a bracketed field stands."""
        lead = f"{link.attribute}:: "
        line = next((one for one in passage.text.split("\n") if lead in one and shown_name(link) in one), "")
        shown = line.partition(lead)[0].rstrip(" -–:,")
        plain = (one for one in self.links if one.passage == link.passage and not one.attribute)
        opening = next((one for one in plain if one.kind is LinkKind.LINK and shown_name(one) == shown), None)
        if not shown or opening is None:
            return self.thing
        named = self.names.targets(opening, self.note.key)
        return named[0].thing if named else self.thing
