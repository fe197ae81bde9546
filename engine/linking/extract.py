"""Reads facts out of passages with a language model and keeps those that the passage proves.

One call a passage, or one for several where the model has room for them; each fact still belongs to one passage.

Replies are cached as they come, facts are written a few passages at a time: stopping loses nothing and starting again
asks for nothing twice. Passages that are too short, or hold nothing but links, are left out.
"""

from __future__ import annotations

import dataclasses
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from engine.errors import BadRequest, Cancelled
from engine.job import Job
from engine.knowledge.facts import MODEL_TYPES, Fact, thing
from engine.linking.batches import Room, ask_together, grouped
from engine.linking.cached_chat import CachedChat, Prompt
from engine.linking.proof import Refusal, prove
from engine.linking.quotes import written_at
from engine.linking.replies import Claim, read_claims
from engine.model import (
    Anchor,
    Choice,
    Evidence,
    ExtractReport,
    Origin,
    Outcome,
    Passage,
    PassageKind,
    Problem,
    Severity,
    Source,
)
from engine.net.chat import ReplyError
from engine.prompts import extract as prompt
from engine.store.index import Facets, IndexStore, PassageRow
from engine.store.replies import CachedReply

PROMPT = Prompt(prompt.VERSION, prompt.SYSTEM, "read facts out of passages", prompt.SCHEMA)
LEAST_CHARACTERS = 24
PLACES_PER_WRITE = 20
FAILURES_IN_A_ROW = 5
"""So many passages without a usable answer, one after the other, are the model's fault, not the passages'."""

_PASSAGES_PER_READ = 500
_ADDRESS = re.compile(r"\w+://\S+")
_ATTRIBUTE_HEAD = re.compile(r"\A[^\n:]{1,60}:")
_PROSE = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

Place = list[PassageRow]
"""Passages at one place of a note: one, or the windows of one long line."""


def qualifies(passage: Passage) -> bool:
    """Whether a passage can state a fact: it can be cited, is long enough, and holds more than links."""
    anchor = passage.anchor
    if passage.kind is PassageKind.PAGE or not (anchor.uid or anchor.first_line):
        return False
    text = " ".join(passage.text.split())
    if len(text) < LEAST_CHARACTERS:
        return False
    rest = _ADDRESS.sub(" ", text)
    for concept in sorted(passage.concepts, key=len, reverse=True):
        rest = rest.replace(concept, " ")
    if "::" in passage.raw:
        rest = _ATTRIBUTE_HEAD.sub("", rest)
    return _PROSE.search(rest) is not None


def qualifying(store: IndexStore, choice: Choice) -> list[Place]:
    """The chosen passages that qualify, by place, notes by key. Raises ``BadRequest`` for an unknown sub-tree, folder
    or tag."""
    facets = store.load_facets()
    chosen = _chosen(facets, choice)
    rows: list[PassageRow] = []
    for start in range(0, len(chosen), _PASSAGES_PER_READ):
        rows.extend(store.passages(chosen[start : start + _PASSAGES_PER_READ]))
    if choice.subtree:
        rows = _beneath(rows, choice.subtree)
    _require(rows, choice)
    if choice.tag:
        rows = [row for row in rows if _has_tag(row, choice.tag)]
        _require(rows, choice)
    places = [list(group) for _, group in groupby(filter(lambda row: qualifies(row.passage), rows), key=_place)]
    return places[: choice.limit] if choice.limit else places


def user_text(passage: Passage) -> str:
    return prompt.user_text(passage.breadcrumb, passage.text)


def waiting(places: Sequence[Place], known: Mapping[str, CachedReply]) -> list[str]:
    """The texts that a model has to be asked about, each once, in order."""
    texts = (user_text(row.passage) for place in places for row in place)
    return [text for text in dict.fromkeys(texts) if text not in known]


def extract(
    store: IndexStore,
    source: Source,
    chat: CachedChat,
    job: Job,
    choice: Choice | None = None,
    *,
    room: Room | None = None,
) -> ExtractReport:
    """Bring what a model reads out of the chosen passages into the graph; a second run changes nothing.

    ``room``: what one question may hold; one passage unless it says otherwise. Raises what ``ChatApi.ask`` raises when
    no question can be answered; what was done until then is kept.
    """
    started = time.monotonic()
    places = qualifying(store, choice or Choice())
    known = chat.known(PROMPT, [user_text(row.passage) for place in places for row in place])
    groups = {text: group for group in grouped(waiting(places, known), room or Room()) for text in group}
    run = _Run(store, source, chat, known, groups)
    outcome = Outcome.COMPLETE
    try:
        for done, place in enumerate(places):
            job.check()
            job.report("extract", done, len(places), place[0].note.title)
            run.read(place, job)
        job.report("extract", len(places), len(places))
    except Cancelled:
        outcome = Outcome.CANCELLED
    finally:
        run.write()
    total = sum(len(place) for place in places)
    return dataclasses.replace(
        run.report(), outcome=outcome, passages=total, seconds=round(time.monotonic() - started, 3)
    )


@dataclass(slots=True)
class _Run:
    """One extraction as it goes along."""

    store: IndexStore
    source: Source
    chat: CachedChat
    known: dict[str, CachedReply]
    """Replies that need no call, by the text that was asked about."""
    groups: dict[str, tuple[str, ...]]
    """For each text that needs one, those to be asked about in the same call."""
    fresh: set[str] = field(default_factory=set)
    """Texts that were answered in this run and not read yet."""
    calls: int = 0
    called: int = 0
    cached: int = 0
    facts: int = 0
    written: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    failures: int = 0
    """Passages without a usable answer since the last good one."""
    refused: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    waiting: list[tuple[Place, list[Fact]]] = field(default_factory=list)

    def read(self, place: Place, job: Job) -> None:
        """Ask about each passage of a place. When one gets no answer, what the graph holds of the place stays."""
        facts: list[Fact] = []
        for row in place:
            try:
                facts.extend(self._facts(row, job))
                self.failures = 0
            except ReplyError as error:
                self.calls += 1
                self.failures += 1
                self.problems.append(_problem(row, error))
                if self.failures >= FAILURES_IN_A_ROW:
                    raise
                return
        self.facts += len(facts)
        self.waiting.append((place, facts))
        if len(self.waiting) >= PLACES_PER_WRITE:
            self.write()

    def _facts(self, row: PassageRow, job: Job) -> Iterator[Fact]:
        facts, refused = passage_facts(self._reply(row.passage, job), row, self.source, self.chat.model)
        self.refused.update(refused)
        return iter(facts)

    def _reply(self, passage: Passage, job: Job) -> str:
        text = user_text(passage)
        while text not in self.known and len(self.groups[text]) > 1:
            self._ask_group(self.groups[text], job)
        if text not in self.known:
            said = self.chat.say(PROMPT, text, read_claims, job, self.source.id)
            self._take({text: said.reply}, is_new=not said.is_cached)
        if text in self.fresh:
            self.fresh.discard(text)
            self.called += 1
        else:
            self.cached += 1
        return self.known[text].text

    def _ask_group(self, group: tuple[str, ...], job: Job) -> None:
        """Ask about several passages at once; when that yields nothing, the halves are to be tried."""
        try:
            self._take(ask_together(self.chat, PROMPT, group, job, self.source.id), is_new=True)
        except ReplyError:
            self.calls += 1
            half = len(group) // 2
            for part in (group[:half], group[half:]):
                self.groups.update(dict.fromkeys(part, part))

    def _take(self, replies: Mapping[str, CachedReply], *, is_new: bool) -> None:
        self.known.update(replies)
        if is_new:
            self.calls += 1
            self.fresh.update(replies)
            self.tokens_in += sum(reply.tokens_in for reply in replies.values())
            self.tokens_out += sum(reply.tokens_out for reply in replies.values())

    def write(self) -> None:
        """Put what was read into the graph, as far as it differs from what is there.

        A passage that an index run changed meanwhile is passed over: the next extraction asks about its new words.
        """
        keys = list(dict.fromkeys(place[0].passage.anchor.note for place, _ in self.waiting))
        known = self.store.graph.inferred(self.source.id, keys) if keys else {}
        now = self.store.graph.passages_of(keys) if keys else {}
        standing = {(_at(passage.anchor), passage.text) for own in now.values() for passage in own}
        anchors, facts = [], []
        for place, found in self.waiting:
            anchor = place[0].passage.anchor
            if any((_at(anchor), row.passage.text) not in standing for row in place):
                continue
            there = {fact for fact in known.get(anchor.note, ()) if _at(fact.evidence.anchor) == _at(anchor)}
            if there != set(found):
                anchors.append(anchor)
                facts.extend(found)
        if anchors:
            self.store.graph.replace_inferred(anchors, facts)
        self.written += len(anchors)
        self.waiting.clear()

    def report(self) -> ExtractReport:
        return ExtractReport(
            self.source.id,
            Outcome.COMPLETE,
            called=self.called,
            cached=self.cached,
            facts=self.facts,
            refused=dict(self.refused.most_common()),
            written=self.written,
            problems=tuple(self.problems),
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            calls=self.calls,
        )


def passage_facts(reply: str, row: PassageRow, source: Source, model: str) -> tuple[list[Fact], Counter[str]]:
    """The facts in a reply that the passage proves, each once, and why the others were refused."""
    read = read_claims(reply)
    refused: Counter[str] = Counter({"a part is missing": read.incomplete} if read.incomplete else {})
    facts: dict[tuple[str, str, str], Fact] = {}
    for claim in read.claims:
        proven = prove(claim, row.passage, row.note.language)
        if isinstance(proven, Refusal):
            refused[proven.value] += 1
            continue
        fact = _fact(proven, row, source, model)
        facts.setdefault((fact.subject.id, fact.predicate, fact.object.id), fact)
    return list(facts.values()), refused


def _fact(claim: Claim, row: PassageRow, source: Source, model: str) -> Fact:
    evidence = Evidence(
        source.id,
        row.note.key,
        row.passage.anchor,
        claim.quote,
        Origin.INFERRED,
        claim.confidence,
        model,
        prompt.VERSION,
        written_at(row.note, row.passage),
    )
    subject = thing(source.id, _type(claim.subject_type), claim.subject)
    return Fact(subject, claim.predicate, thing(source.id, _type(claim.object_type), claim.object), evidence)


def _type(given: str) -> str:
    return given if given in MODEL_TYPES else "concept"


def _problem(row: PassageRow, error: ReplyError) -> Problem:
    anchor = row.passage.anchor
    return Problem(Severity.FAILED, row.note.title, str(error), type(error).__name__, anchor.first_line)


# --- which passages -----------------------------------------------------------------------------------------------


def _chosen(facets: Facets, choice: Choice) -> list[int]:
    """Ids of the passages in the chosen folder, page titles left out, in an order that outlives a rebuilt index."""
    folder = choice.folder.strip("/")
    keys = [note.key for note in facets.notes]
    found = [
        (keys[note], int(number))
        for number, note in zip(facets.passage_ids[~facets.is_page], facets.note[~facets.is_page], strict=True)
        if not folder or keys[note].startswith(f"{folder}/")
    ]
    return [number for _, number in sorted(found)]


def _beneath(rows: Sequence[PassageRow], subtree: str) -> list[PassageRow]:
    """The passages of the note of this title or key, or the block with this uid and those beneath it."""
    whole = [row for row in rows if subtree in (row.note.key, row.note.title)]
    if whole:
        return whole
    for start, first in enumerate(rows):
        if first.passage.anchor.uid == subtree:
            end = start + 1
            while end < len(rows) and rows[end].note.key == first.note.key:
                if rows[end].passage.depth <= first.passage.depth:
                    break
                end += 1
            return list(rows[start:end])
    return []


def _has_tag(row: PassageRow, tag: str) -> bool:
    wanted = tag.removeprefix("#").casefold()
    given = (*row.note.tags, *row.passage.tags, *row.passage.concepts)
    return any(one.casefold() == wanted or one.casefold().startswith(f"{wanted}/") for one in given)


def _require(rows: Sequence[PassageRow], choice: Choice) -> None:
    if not rows and (choice.subtree or choice.folder or choice.tag):
        asked = choice.subtree or choice.folder or choice.tag
        raise BadRequest(f"No passage stands beneath '{asked}'.", "Check the name: titles and folders keep their case.")


def _place(row: PassageRow) -> tuple[object, ...]:
    return _at(row.passage.anchor)


def _at(anchor: Anchor) -> tuple[object, ...]:
    return anchor.note, anchor.uid, anchor.first_line, anchor.last_line
