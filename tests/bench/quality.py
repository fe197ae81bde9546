"""How well words, meaning and their fusions find what is asked for, on the sets of ../shared/data/retrieval.

    python3 packaging/dev.py bench quality [--sets NAME ...] [--choose] [--calibrate] [--json FILE]

Passages, words, vectors and fusion are the product's own; a document counts by its best passage. Prints nDCG@10,
Recall@10 and MRR for each leg and fusion, beside the table that the sets came with, and the gain of the default over
reciprocal rank with a 95 % interval (paired bootstrap over questions, every set the same weight).

``--choose`` repeats the choice of the three constants of ``fusion.by_trust``: for each set the grid's best on the
other sets, and what that gives on the set left out. ``--calibrate`` repeats the measurement behind
``ranking/calibration.py``. Vectors are kept in bench-results/vectors, so that a second run takes a minute.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.inference.base import Embedder
from engine.inference.catalog import open_embedder
from engine.model import Anchor, NoteKey, Passage, PassageKind
from engine.paths import find_home
from engine.ranking import calibration, fusion
from engine.ranking.fusion import Fused, Meaning, Ranking, by_trust, rrf
from engine.ranking.vectors import VectorIndex
from engine.ranking.words import Statistics, Word, WordIndex, coverage, posting_batch
from engine.text.chunks import windows
from engine.text.embed_input import embed_hash, finish
from engine.text.language import detect_language, question_language
from engine.text.markdown import parse_note
from engine.text.markdown_passages import Frame, build_passages
from engine.text.words import count_terms, query_words

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = CHECKOUT.parent / "shared" / "data" / "retrieval"
CACHE = CHECKOUT / "bench-results" / "vectors"
SETS = ("cranfield", "cacm", "xquad-en", "xquad-de", "xquad-zh", "xquad-en2de", "vault-desc-en")
POOL = 200
"""Passages that each leg brings to the fusion, as in the product."""

PUBLISHED = {
    "cranfield": (0.385, 0.398, 0.427, 0.432),
    "cacm": (0.492, 0.412, 0.549, 0.540),
    "xquad-en": (0.968, 0.943, 0.969, 0.980),
    "xquad-de": (0.940, 0.704, 0.853, 0.944),
    "xquad-zh": (0.963, 0.243, 0.604, 0.947),
    "xquad-en2de": (0.523, 0.687, 0.682, 0.705),
    "vault-desc-en": (0.885, 0.846, 0.895, 0.919),
}
"""nDCG@10 of other programs on these sets: words (BM25), meaning, reciprocal rank, best mix of scores."""

Row = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Collection:
    """One set, indexed as the product does it."""

    name: str
    documents: list[str]
    document_of: NDArray[np.int32]
    """Position in ``documents`` of each passage."""
    words: WordIndex
    vectors: VectorIndex
    language: str
    questions: list[str]
    query_vectors: NDArray[np.float32]
    relevant: list[dict[int, int]]
    """For each question: document -> grade."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The legs of one question, scored for every passage that either of them found."""

    word: Ranking
    note: Ranking
    meaning: Ranking
    mean: float
    deviation: float
    coverage: float
    knows: bool

    def by_trust(self) -> Fused:
        meaning = Meaning(self.meaning, self.mean, self.deviation, self.knows)
        return by_trust(self.word, self.note, [meaning], self.coverage)

    def by_words(self) -> Fused:
        """What a search by words alone gives: passages and their notes."""
        return by_trust(self.word, self.note, [], self.coverage)

    def by_rank(self) -> Fused:
        return rrf([_own(self.word), _own(self.meaning)])


def _own(leg: Ranking) -> Ranking:
    return Ranking(leg.name, leg.ids[: leg.ranked], leg.scores[: leg.ranked])


# --- building


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def passages_of(name: str, document: dict[str, str], embedder: Embedder) -> list[Passage]:
    title, text = document["title"], document["text"]
    breadcrumb = (title,) if title else ()
    key = NoteKey(document["id"])
    if name.startswith("vault"):
        found, _ = build_passages(parse_note(text).sections, Frame(key, title), embedder.token_spans)
    else:
        cuts = windows(text, embedder.token_spans([text])[0])
        found = [
            finish(Passage(PassageKind.SECTION, n, Anchor(key), text[start:end].strip(), breadcrumb))
            for n, (start, end) in enumerate(cuts)
        ]
    return found or [finish(Passage(PassageKind.PAGE, 0, Anchor(key), title, breadcrumb))]


def embed(name: str, texts: Sequence[str], embedder: Embedder, *, questions: bool = False) -> NDArray[np.float32]:
    """Vectors of ``texts``; those of an earlier run are taken from the cache."""
    file = CACHE / f"{embedder.model_id.replace('/', '-')}.{name}.{'questions' if questions else 'passages'}.npz"
    hashes = [embed_hash(text) for text in texts]
    known: dict[str, NDArray[np.float32]] = {}
    if file.is_file():
        with np.load(file) as stored:
            known = dict(zip(stored["hashes"].tolist(), stored["vectors"], strict=True))
    missing = {h: text for h, text in zip(hashes, texts, strict=True) if h not in known}
    if missing:
        print(f"embedding {len(missing)} texts of {name} ...", flush=True)
        made = (
            np.stack([embedder.embed_query(text) for text in missing.values()])
            if questions
            else embedder.embed_documents(list(missing.values()))
        )
        known |= dict(zip(missing, made, strict=True))
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, hashes=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[h] for h in hashes]).astype(np.float32)


def load(name: str, embedder: Embedder) -> Collection:
    folder = DATA / name
    corpus = read_lines(folder / "corpus.jsonl")
    queries = read_lines(folder / "queries.jsonl")
    passages = [passages_of(name, document, embedder) for document in corpus]
    document_of = np.repeat(np.arange(len(corpus), dtype=np.int32), [len(found) for found in passages])
    surfaces: dict[str, str] = {}
    languages: Counter[str] = Counter()
    counts = []
    for found in passages:
        language = detect_language(" ".join(passage.text for passage in found))
        languages[language] += 1
        for p in found:
            fields = (p.text, "\n".join(p.breadcrumb), "\n".join(p.concepts), "\n".join(p.tags), p.context)
            counts.append(count_terms(fields, language, surfaces))
    ids = np.arange(len(counts), dtype=np.int32)
    words = WordIndex()
    words.add(posting_batch(counts, surfaces), ids)
    matrix = embed(name, [p.embed_input for found in passages for p in found], embedder)
    number = {document["id"]: position for position, document in enumerate(corpus)}
    relevant: dict[str, dict[int, int]] = {query["id"]: {} for query in queries}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if document in number and int(grade) > 0:
            relevant[query][number[document]] = int(grade)
    asked = [query["text"] for query in queries]
    return Collection(
        name,
        [document["id"] for document in corpus],
        document_of,
        words,
        VectorIndex(embedder.dimensions, ids, matrix.astype(np.float16)),
        languages.most_common(1)[0][0],
        asked,
        embed(name, asked, embedder, questions=True),
        [relevant[query["id"]] for query in queries],
    )


# --- asking


def ask(collection: Collection, text: str, vector: NDArray[np.float32], known: frozenset[str]) -> Answer:
    language = question_language(text, [collection.language])
    times = Counter(word.terms for word in query_words(text, [collection.language], language) if not word.is_stop)
    words = [Word(terms, float(said)) for terms, said in times.items()]
    statistics = collection.words.statistics(words)
    by_word, word_scores = collection.words.search(words, POOL, statistics)
    by_meaning, cosines = collection.vectors.search(vector, POOL)
    also_word, also_meaning = np.setdiff1d(by_meaning, by_word), np.setdiff1d(by_word, by_meaning)
    every = np.concatenate([by_word, also_word])
    contributions = collection.words.scores(words, every, statistics)
    mean, deviation = collection.vectors.spread(vector)
    return Answer(
        word=_leg("word", every, np.concatenate([word_scores, contributions[len(by_word) :].sum(axis=1)]), by_word),
        note=Ranking("note", every.astype(np.int64), _note_scores(collection, words, every, statistics)),
        meaning=_leg(
            "meaning",
            np.concatenate([by_meaning, also_meaning]),
            np.concatenate([cosines, collection.vectors.cosines(vector, also_meaning)]),
            by_meaning,
        ),
        mean=mean,
        deviation=deviation,
        coverage=coverage(contributions, words, statistics),
        knows=not known or not language or language in known,
    )


def _leg(name: str, ids: NDArray[np.int32], scores: NDArray[np.float32], own: NDArray[np.int32]) -> Ranking:
    return Ranking(name, ids.astype(np.int64), scores, len(own))


def _note_scores(
    collection: Collection, words: Sequence[Word], passages: NDArray[np.int32], statistics: Statistics
) -> NDArray[np.float32]:
    """For each passage the score of its whole document."""
    documents, place = np.unique(collection.document_of[passages], return_inverse=True)
    members = np.flatnonzero(np.isin(collection.document_of, documents)).astype(np.int32)
    notes = np.searchsorted(documents, collection.document_of[members]).astype(np.int32)
    scores = collection.words.note_scores(words, members, notes, len(collection.documents), statistics)
    return scores[place] if len(place) else np.zeros(0, np.float32)


def answers_of(collection: Collection, known: frozenset[str]) -> list[Answer]:
    pairs = zip(collection.questions, collection.query_vectors, strict=True)
    return [ask(collection, text, vector, known) for text, vector in pairs]


# --- measuring


def documents_of(collection: Collection, passages: NDArray[np.int64]) -> list[int]:
    """Documents by their best passage, best first."""
    return list(dict.fromkeys(collection.document_of[passages].tolist()))[:10]


def measure(collection: Collection, rankings: Sequence[NDArray[np.int64]]) -> Row:
    """Shape (questions with an answer, 3): nDCG@10, Recall@10, reciprocal rank."""
    discounts = 1 / np.log2(np.arange(2, 12))
    rows = []
    for passages, relevant in zip(rankings, collection.relevant, strict=True):
        if not relevant:
            continue
        grades = np.array([relevant.get(document, 0) for document in documents_of(collection, passages)], float)
        ideal = np.array(sorted(relevant.values(), reverse=True)[:10], float)
        gain = (grades * discounts[: len(grades)]).sum() / (ideal * discounts[: len(ideal)]).sum()
        first = np.flatnonzero(grades)
        rows.append((gain, (grades > 0).sum() / len(relevant), 1 / (first[0] + 1) if len(first) else 0.0))
    return np.array(rows)


WAYS: dict[str, Callable[[Answer], NDArray[np.int64]]] = {
    "word": lambda answer: answer.by_words().ids,
    "meaning": lambda answer: _own(answer.meaning).ids,
    "rrf": lambda answer: answer.by_rank().ids,
    "default": lambda answer: answer.by_trust().ids,
}


def bootstrap(differences: Sequence[Row], rounds: int = 10_000) -> tuple[float, float, float]:
    """Mean over sets of the mean difference, and its 95 % interval."""
    random = np.random.default_rng(0)
    means = np.zeros(rounds)
    for difference in differences:
        for start in range(0, rounds, 1000):
            means[start : start + 1000] += random.choice(difference, (1000, len(difference))).mean(axis=1)
    means /= len(differences)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(np.mean([d.mean() for d in differences])), float(low), float(high)


def choose(collections: Sequence[Collection], answers: Sequence[Sequence[Answer]]) -> None:
    """The constants that are best on all sets but one, and what they give on that one."""
    grid = list(itertools.product((4.0, 5.0, 6.0, 8.0), (1.0, 1 / 2, 1 / 3), (0.3, 0.5, 0.7)))
    table = []
    for fusion.FULL_DEVIATIONS, fusion.UNKNOWN_LANGUAGE, fusion.NOTE_SHARE in grid:
        table.append(
            [
                measure(c, [answer.by_trust().ids for answer in found])[:, 0].mean()
                for c, found in zip(collections, answers, strict=True)
            ]
        )
        print(
            f"deviations {fusion.FULL_DEVIATIONS:g}, unknown language {fusion.UNKNOWN_LANGUAGE:.2f},",
            f"note {fusion.NOTE_SHARE:g}: {np.mean(table[-1]):.4f}",
        )
    values = np.array(table)
    fusion.FULL_DEVIATIONS, fusion.UNKNOWN_LANGUAGE, fusion.NOTE_SHARE = grid[int(values.mean(axis=1).argmax())]
    for column, collection in enumerate(collections):
        best = int(np.delete(values, column, axis=1).mean(axis=1).argmax())
        print(f"left out {collection.name:14} chosen {grid[best]}  gives {values[best, column]:.4f}")


def calibrate(collections: Sequence[Collection], answers: Sequence[Sequence[Answer]], known: frozenset[str]) -> None:
    """Share of right hits by score, and best scores of questions that a collection can and cannot answer."""
    scores, right = [], []
    for collection, found in zip(collections, answers, strict=True):
        best = []
        for answer, relevant in zip(found, collection.relevant, strict=True):
            fused = answer.by_trust()
            best.append(fused.scores[0] if len(fused.ids) else 0.0)
            scores += fused.scores[:10].tolist()
            right += [int(d) in relevant for d in collection.document_of[fused.ids[:10]]]
        below = np.mean(np.array(best) < calibration.NOTHING_BELOW)
        print(f"{collection.name:14} answerable, best hit below the 'nothing' limit: {below:.3f}")
    values, hits = np.array(scores), np.array(right)
    edges = (0.0, calibration.LIKELY, calibration.STRONG, 9.0)
    for name, low, high in zip(("weak", "likely", "strong"), edges, edges[1:], strict=False):
        inside = (values >= low) & (values < high)
        print(f"{name:8} {inside.sum():6} hits, right {hits[inside].mean():.3f}")
    for one, other in itertools.permutations([c for c in collections if c.language in ("en", "")], 2):
        if one.name.startswith("xquad") and other.name.startswith("xquad"):
            continue
        asked = list(zip(other.questions, other.query_vectors, strict=True))[:200]
        tops = [ask(one, text, vector, known).by_trust().scores[:1] for text, vector in asked]
        below = np.mean([not len(top) or top[0] < calibration.NOTHING_BELOW for top in tops])
        print(f"{other.name:14} asked of {one.name:14} called nothing relevant: {below:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--model", default="", help="id of the catalogue; default the built-in one")
    parser.add_argument("--choose", action="store_true", help="repeat the choice of the constants")
    parser.add_argument("--calibrate", action="store_true", help="repeat the calibration of scores")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The sets are not here: {DATA}")
    embedder = open_embedder(options.model, find_home())
    collections = [load(name, embedder) for name in options.sets]
    answers = [answers_of(collection, embedder.languages) for collection in collections]
    if options.choose:
        choose(collections, answers)
    print(f"{'set':14} {'passages':>8}  " + "  ".join(f"{way:^17}" for way in WAYS) + "  others: word mean rrf mix")
    result: dict[str, dict[str, list[float]]] = {}
    measured: dict[str, list[Row]] = {way: [] for way in WAYS}
    for collection, found in zip(collections, answers, strict=True):
        for way, order in WAYS.items():
            measured[way].append(measure(collection, [order(answer) for answer in found]))
        means = {way: rows[-1].mean(axis=0) for way, rows in measured.items()}
        result[collection.name] = {way: values.round(4).tolist() for way, values in means.items()}
        cells = "  ".join("{:.3f} {:.3f} {:.3f}".format(*values) for values in means.values())
        others = " ".join(f"{value:.3f}" for value in PUBLISHED[collection.name])
        print(f"{collection.name:14} {len(collection.document_of):8}  {cells}  {others}", flush=True)
    means = {way: np.mean([rows.mean(axis=0) for rows in found], axis=0) for way, found in measured.items()}
    print(f"{'mean':14} {'':8}  " + "  ".join("{:.3f} {:.3f} {:.3f}".format(*values) for values in means.values()))
    gain = bootstrap([d[:, 0] - r[:, 0] for d, r in zip(measured["default"], measured["rrf"], strict=True)])
    print("default over rrf, nDCG@10: {:+.4f}, 95 % interval {:+.4f} to {:+.4f}".format(*gain))
    if options.calibrate:
        calibrate(collections, answers, embedder.languages)
    result["mean"] = {way: values.round(4).tolist() for way, values in means.items()}
    print(json.dumps(result))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
