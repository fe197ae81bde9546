"""Which entities are one: rules merge what is certain, a model sorts what is ambiguous, the owner has the last word.

Every merge is an entry of the ledger. What rules and models said is derived: a run brings it in line with the graph, so
a second run changes nothing. What the owner decided is kept, and neither a rule nor a model goes against it.

Titles keep their case: two notes of one source are never merged by a rule, whatever their names.
"""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.errors import EngineError
from engine.job import Job
from engine.knowledge.blocking import Pair, Similar, candidate_pairs, clusters
from engine.knowledge.facts import NOTE_TYPES, NameKind, Thing
from engine.knowledge.merging import (
    Arbitrate,
    Card,
    EntityRef,
    EntryKind,
    LedgerEntry,
    Partition,
    Who,
    checked_groups,
    in_sync,
    refused,
    replay,
)
from engine.linking.graph import LoadedFacts, Opened, load_facts
from engine.linking.names import is_daily_name
from engine.model import Source, SourceId
from engine.store.decisions import DecisionStore

QUOTES_PER_CARD = 3
SHORTEST_ALIAS = 3
"""Characters; a shorter alias merges nothing by itself."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Entities that may be one, for a model or the owner to sort."""

    members: tuple[EntityRef, ...]
    why: tuple[str, ...]
    """``name ~ name (reason)``, strongest first."""


@dataclass(frozen=True, slots=True)
class ResolveReport:
    entities: int
    merged: int
    """Entities that became part of another."""
    added: tuple[LedgerEntry, ...]
    withdrawn: tuple[LedgerEntry, ...]
    proposals: tuple[Proposal, ...]
    """Groups that stay open: no model was asked, or it could not answer."""
    asked: int
    failed: tuple[str, ...]
    """Why questions were not answered."""
    seconds: float


def resolve(
    opened: Sequence[Opened],
    decisions: DecisionStore,
    job: Job,
    *,
    arbitrate: Arbitrate | None = None,
    similar: Similar | None = None,
    preview: bool = False,
) -> ResolveReport:
    """Bring the ledger in line with the graph. With ``preview`` nothing is written. Without ``arbitrate`` ambiguous
    groups stay as they are and are returned as proposals; what a model merged before stays."""
    started = time.monotonic()
    loaded = load_facts(opened)
    ledger = decisions.merges()
    resolver = _Resolver(loaded, [source for source, _ in opened], ledger)
    job.report("resolve", 0)
    ruled = resolver.merge_by_rules()
    job.check()
    questions = resolver.questions(similar)
    judged: list[LedgerEntry] = []
    open_: list[Proposal] = []
    failed: list[str] = []
    if arbitrate is None:
        open_, judged = questions, resolver.judged_before()
    for number, proposal in enumerate(questions if arbitrate else ()):
        assert arbitrate is not None
        job.check()
        job.report("resolve", number, len(questions))
        try:
            judged += resolver.ask(proposal, arbitrate)
        except EngineError as error:
            failed.append(str(error))
            open_.append(proposal)
            judged += [entry for entry in resolver.judged_before() if _is_about(entry, proposal)]
    derived = [entry for entry in ledger if entry.who is not Who.OWNER]
    added, withdrawn = in_sync(derived, [*ruled, *judged])
    withdrawn = [entry for entry in withdrawn if resolver.concerns(entry)]
    if preview:
        last = max((entry.id for entry in ledger), default=0)
        added = [dataclasses.replace(entry, id=last + 1 + i) for i, entry in enumerate(added)]
    else:
        added = decisions.change_merges(added, [entry.id for entry in withdrawn])
    gone = {entry.id for entry in withdrawn}
    final = replay([*(entry for entry in ledger if entry.id not in gone), *added], resolver.refs)
    return ResolveReport(
        entities=len(loaded.things),
        merged=sum(len(group) - 1 for group in final.all_groups()),
        added=tuple(added),
        withdrawn=tuple(withdrawn),
        proposals=tuple(one for one in open_ if not _is_settled(one, final)),
        asked=len(questions) if arbitrate else 0,
        failed=tuple(failed),
        seconds=time.monotonic() - started,
    )


def follow_rules(loaded: LoadedFacts, sources: Sequence[Source], decisions: DecisionStore) -> list[LedgerEntry]:
    """Bring only the entries that rules made in line with the graph, and return the ledger; nothing is asked."""
    ledger = decisions.merges()
    resolver = _Resolver(loaded, sources, ledger)
    made = [entry for entry in ledger if entry.who is Who.RULE]
    added, withdrawn = in_sync(made, resolver.merge_by_rules())
    gone = [entry.id for entry in withdrawn if resolver.concerns(entry)]
    if not added and not gone:
        return ledger
    decisions.change_merges(added, gone)
    return decisions.merges()


def _is_about(entry: LedgerEntry, proposal: Proposal) -> bool:
    return {ref.id for ref in proposal.members}.issuperset(ref.id for ref in entry.members)


def _is_settled(proposal: Proposal, partition: Partition) -> bool:
    return len({partition.group(ref.id)[0] for ref in proposal.members}) < 2


# --- one run ------------------------------------------------------------------------------------------------------


class _Resolver:
    """One run over loaded facts. ``partition`` starts as what the owner decided and grows by what rules add."""

    def __init__(self, loaded: LoadedFacts, sources: Sequence[Source], ledger: Sequence[LedgerEntry]) -> None:
        self.loaded = loaded
        self.ledger = ledger
        self.source_names = {source.id: source.name for source in sources}
        self.refs = loaded.refs()
        self.partition = replay((entry for entry in ledger if entry.who is Who.OWNER), self.refs)
        self.partition.apart |= refused(ledger, self.refs)
        self.things = {one.id: one for one in loaded.things if not is_daily_name(one.name)}
        self.weight = Counter(one.id for fact in loaded.facts for one in (fact.subject, fact.object))
        self.called: dict[NameKind, dict[str, list[str]]] = {kind: {} for kind in NameKind}
        for naming in loaded.names:
            self.called[naming.kind].setdefault(naming.thing.id, []).append(naming.name)

    def concerns(self, entry: LedgerEntry) -> bool:
        """Whether this run can tell if an entry still holds: all its sources are here."""
        return all(ref.source in self.source_names for ref in entry.members)

    # --- rules

    def merge_by_rules(self) -> list[LedgerEntry]:
        """Equal names, then aliases: one entry per rule and group."""
        exact = self._joined(self._exact(), "exact", self._may_join)
        return exact + self._joined(self._by_alias(), "alias", self.partition.may_join)

    def _joined(
        self, links: Iterable[tuple[str, str, str]], why: str, may_join: Callable[[str, str], bool]
    ) -> list[LedgerEntry]:
        """Merge linked things where nothing forbids it; the entries that say so."""
        found = Partition()
        evidence: dict[str, list[str]] = {}
        for one, other, name in links:
            if other in self.partition.group(one) or not may_join(one, other):
                continue
            self.partition.merge([one, other])
            found.merge([one, other])
            evidence.setdefault(one, []).append(name)
            evidence.setdefault(other, []).append(name)
        entries = []
        for group in found.all_groups():
            ordered = sorted(group, key=self._rank)
            names = tuple(sorted({name for one in group for name in evidence.get(one, ())}))
            entries.append(LedgerEntry(EntryKind.MERGE, self._members(ordered), Who.RULE, why, names))
        return entries

    def _may_join(self, one: str, other: str) -> bool:
        """Two titles of one source are two things, unless the owner says otherwise."""
        if not self.partition.may_join(one, other):
            return False
        ends = [
            [self._home(each) for each in self.partition.group(end) if self._is_title(each)] for end in (one, other)
        ]
        return not set(ends[0]) & set(ends[1])

    def _exact(self) -> Iterator[tuple[str, str, str]]:
        """Titles of equal spelling and case over the sources; what is no title joins the one title that it names."""
        titles: dict[str, list[str]] = {}
        folded: dict[str, list[str]] = {}
        for one in self._ordered(self.things.values()):
            if self._is_title(one.id):
                titles.setdefault(one.name, []).append(one.id)
                folded.setdefault(one.name.casefold(), []).append(one.id)
        for name, own in titles.items():
            yield from ((own[0], other, name) for other in own[1:])
        first: dict[str, str] = {}
        for one in self._ordered(self.things.values()):
            if self._is_title(one.id):
                continue
            named = titles.get(one.name) or folded.get(one.name.casefold(), [])
            at_home = [each for each in named if self._home(each) == self._home(one.id)] or named
            if one.type == "tag" and at_home is not named:
                continue  # a tag and a note of one vault are two things of one name
            heads = {self.partition.group(each)[0] for each in at_home}
            if len(heads) == 1:
                yield at_home[0], one.id, one.name
            elif not heads:
                key = first.setdefault(one.name.casefold(), one.id)
                if key != one.id:
                    yield key, one.id, one.name

    def _by_alias(self) -> Iterator[tuple[str, str, str]]:
        """A declared alias that one entity claims, and what goes by that name without a note of its own."""
        claims: dict[str, set[str]] = {}
        for thing_id, names in self.called[NameKind.ALIAS].items():
            for name in names if thing_id in self.things else ():
                if len(name) >= SHORTEST_ALIAS or not name.isascii():
                    claims.setdefault(name.casefold(), set()).add(thing_id)
        for one in self._ordered(self.things.values()):
            claimed = claims.get(one.name.casefold(), set())
            heads = {self.partition.group(each)[0] for each in claimed}
            if len(heads) == 1 and not self.called[NameKind.TITLE].get(one.id):
                yield min(claimed, key=self._rank), one.id, one.name

    # --- what is ambiguous

    def questions(self, similar: Similar | None) -> list[Proposal]:
        """Clusters of entities that may be one, after rules and the owner."""
        # The first of a group's members that is here stands for it.
        named = [one for one in self._ordered(self.things.values()) if one.type != "tag"]
        heads = list({self.partition.group(one.id)[0]: one for one in reversed(named)}.values())[::-1]
        units = [self._names(one.id) for one in heads]
        pairs = [
            pair
            for pair in candidate_pairs(units, similar)
            if self.partition.may_join(heads[pair.first].id, heads[pair.second].id)
        ]
        by_unit: dict[int, list[Pair]] = {}
        for pair in pairs:
            by_unit.setdefault(pair.first, []).append(pair)
        proposals = []
        for group in clusters(len(units), pairs):
            inside = set(group)
            own = [pair for unit in group for pair in by_unit.get(unit, ()) if pair.second in inside]
            own.sort(key=lambda pair: -pair.weight)
            why = tuple(f"{pair.names[0]} ~ {pair.names[1]} ({pair.why})" for pair in own)
            proposals.append(Proposal(self._members([heads[unit].id for unit in group]), why))
        return proposals

    def ask(self, proposal: Proposal, arbitrate: Arbitrate) -> list[LedgerEntry]:
        """The merges that a model's verdict makes."""
        cards = self._cards(proposal.members)
        verdict = arbitrate(cards)
        by_label = {card.label: ref for card, ref in zip(cards, proposal.members, strict=True)}
        entries = []
        for group in checked_groups(list(by_label), verdict.groups):
            members = tuple(by_label[label] for label in group)
            if all(self.partition.may_join(a.id, b.id) for a, b in combinations(members, 2)):
                why = verdict.why or "the model says they are one"
                evidence = tuple(one for one in proposal.why if any(ref.name in one for ref in members))
                entries.append(
                    LedgerEntry(
                        EntryKind.MERGE, members, Who.MODEL, why, evidence, verdict.model, verdict.prompt_version
                    )
                )
                self.partition.merge([ref.id for ref in members])
        return entries

    def judged_before(self) -> list[LedgerEntry]:
        """What models said in earlier runs about entities that are still there."""
        said = [entry for entry in self.ledger if entry.who is Who.MODEL and entry.undone_at is None]
        return [entry for entry in said if all(self.refs.find(ref) for ref in entry.members)]

    def _cards(self, members: Sequence[EntityRef]) -> list[Card]:
        names = Counter(ref.name for ref in members)
        seen: Counter[str] = Counter()
        cards = []
        for ref in members:
            seen[ref.name] += 1
            label = ref.name if names[ref.name] == 1 else f"{ref.name} ({seen[ref.name]})"
            others = tuple(name for name in self._names(ref.id) if name != ref.name)
            source = self.source_names.get(ref.source, ref.source)
            cards.append(Card(label, ref.type, source, others, self._quotes(ref.id)))
        return cards

    def _quotes(self, one: str) -> tuple[str, ...]:
        group = set(self.partition.group(one))
        found = (f.evidence.quote for f in self.loaded.facts if f.subject.id in group or f.object.id in group)
        return tuple(dict.fromkeys(found))[:QUOTES_PER_CARD]

    # --- things

    def _names(self, head: str) -> tuple[str, ...]:
        """All names of a group, its own first: titles, aliases and labels."""
        group = self.partition.group(head)
        found = [self.things[one].name for one in group if one in self.things]
        for kind in (NameKind.ALIAS, NameKind.LABEL):
            found += [name for one in group for name in self.called[kind].get(one, ()) if len(name) >= SHORTEST_ALIAS]
        return tuple(dict.fromkeys(found))

    def _is_title(self, one: str) -> bool:
        """A note, a page, or a name that could become one."""
        return one in self.things and self.things[one].type in NOTE_TYPES

    def _home(self, one: str) -> SourceId:
        return self.loaded.homes[one]

    def _rank(self, one: str) -> tuple[object, ...]:
        """Whose name a group takes: a note's, a title's, the one most spoken of, the longest."""
        name = self.things[one].name
        has_note = bool(self.called[NameKind.TITLE].get(one))
        return not has_note, not self._is_title(one), -self.weight[one], -len(name), name, one

    def _ordered(self, things: Iterable[Thing]) -> list[Thing]:
        return sorted(things, key=lambda one: self._rank(one.id))

    def _members(self, ids: Sequence[str]) -> tuple[EntityRef, ...]:
        return tuple(self.loaded.ref(self.things[one]) for one in ids)
