"""Searching a small library: operators in both legs, hidden hits, corrections, health, sorting, paging."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRequest, ModelUnavailable, UnknownSource
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Freshness, LegState, Mode, NoteKey, Scope, SearchRequest, SearchResult, SourceId
from engine.paths import Home
from engine.searching.query import ALIASES, OPERATORS

DAY = 86400
NOTES = {
    "Bees.md": "---\ntags: [animals/insects]\nrating: 8\ncreated: 2025-03-01\n---\n# Hives\nThe colony swarmed over "
    "the garden wall.\n\n# Honey\nForty jars of lime honey from the garden.\n",
    "craft/Lens.md": "---\ntags: light\nrating: 3\n---\nA Fresnel lens throws the light of one lamp over the garden.\n"
    "- [ ] polish the prisms\n",
    "craft/deep/Lamp.md": "---\nstatus: done\n---\nThe lamp in the garden house. #light/oil\n- [x] trim the wick\n"
    "- [ ] buy oil\n",
    "crafts/Chisel.md": "Sharpen the chisel before the garden gate is built. Müller lent the stone.\n",
    "2025-06-01.md": "A walk through the garden at dusk.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("library")
    for number, (name, text) in enumerate(NOTES.items()):
        path = root / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (1_700_000_000 + number * DAY,) * 2)
    with Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder(dimensions=128)) as opened:
        opened.add(str(root / "vault"), name="Main")
        opened.index("Main", Job())
        yield opened


def ask(library: Library, text: str, **more: object) -> SearchResult:
    return library.search(SearchRequest(text, **more))  # type: ignore[arg-type]


def notes(result: SearchResult) -> set[str]:
    return {row.title for row in result.rows}


ALL = {"Bees", "Lens", "Lamp", "Chisel", "2025-06-01"}


@pytest.mark.parametrize("mode", ["word", "meaning"])
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("tag:light", {"Lens", "Lamp"}),
        ("tag:#light/oil", {"Lamp"}),
        ("#animals", {"Bees"}),
        ("tag:anim", set()),
        ("-tag:light", {"Bees", "Chisel", "2025-06-01"}),
        ("folder:craft", {"Lens", "Lamp"}),
        ("folder:CRAFT/", {"Lens", "Lamp"}),
        ("folder:deep", {"Lamp"}),
        ("folder:/deep", set()),
        ("folder:/craft/deep", {"Lamp"}),
        ("path:craft", {"Lens", "Lamp", "Chisel"}),
        ("file:lamp", {"Lamp"}),
        ("page:bees", {"Bees"}),
        ("[rating]", {"Bees", "Lens"}),
        ("[rating:>5]", {"Bees"}),
        ("[rating:<=3]", {"Lens"}),
        ("[rating:5..9]", {"Bees"}),
        ("[rating:3..8]", {"Bees", "Lens"}),
        ("[rating:..5]", {"Lens"}),
        ("[rating:9..]", set()),
        ("[rating:>0.5e1]", {"Bees"}),
        ("[rating:>1e999]", set()),
        ("[rating:<1e999]", set()),
        ("[rating:=1e999]", set()),
        ("[rating:<many]", set()),
        ("[created:2025..2025-03]", {"Bees"}),
        ("[created:2025..2025-02]", set()),
        ("[status:done]", {"Lamp"}),
        ("[created:>2025]", {"Bees"}),
        ("section:honey", {"Bees"}),
        ("task:todo", {"Lens", "Lamp"}),
        ("task:todo -task:done", {"Lens"}),
        ("task:done", {"Lamp"}),
        ("task:any", {"Lens", "Lamp"}),
        ("daily:yes", {"2025-06-01"}),
        ("daily:no", ALL - {"2025-06-01"}),
        ('"lime honey"', {"Bees"}),
        ('"Lime  HONEY"', {"Bees"}),
        ('"honey lime"', set()),
        ('"muller lent"', {"Chisel"}),
        ("-lamp", {"Bees", "Chisel", "2025-06-01"}),
        ("chisel OR colony", {"Chisel", "Bees"}),
        ("(lamp lens)", {"Lens"}),
        ("-(lamp lens)", ALL - {"Lens"}),
        ("created:2025-03", {"Bees"}),
        ("modified:2023-11-15..2023-11-16", {"Lens", "Lamp"}),
        ("on:2025-03-01", {"Bees"}),
        ("on:2025-06-01", {"2025-06-01"}),
        ("on:2025-06", {"2025-06-01"}),
        ("vault:Main", ALL),
    ],
)
def test_operators_restrict_both_legs(library: Library, mode: str, condition: str, expected: set[str]) -> None:
    result = ask(library, f"garden {condition} mode:{mode}")
    assert notes(result) == expected
    assert result.notices == ()


def test_a_condition_alone_lists_newest_first(library: Library) -> None:
    result = ask(library, "path:craft")
    assert [row.title for row in result.rows] == ["Chisel", "Lamp", "Lens"]


def test_what_the_filter_hid_is_said(library: Library) -> None:
    hidden = ask(library, "chisel folder:craft").hidden
    assert hidden is not None
    assert (hidden.passages, hidden.best_title, hidden.better_outside) == (4, "Chisel", True)


def test_better_outside_only_when_true(library: Library) -> None:
    hidden = ask(library, "fresnel lens folder:craft mode:word").hidden
    assert hidden is not None
    assert not hidden.better_outside


def test_no_filter_hides_nothing(library: Library) -> None:
    assert ask(library, "garden").hidden is None


@pytest.mark.parametrize(("typed", "meant"), [("chisle", "chisel"), ("fresnle", "fresnel"), ("swarmd", "swarmed")])
def test_slips_are_forgiven_and_said(library: Library, typed: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeEmbedder, "token_spans", lambda *_: [[(0, 1), (1, 2)]])
    result = ask(library, f"{typed} mode:word")
    assert result.corrected == ((typed, meant),)
    assert result.rows


def test_the_meaning_leg_embeds_the_corrected_words(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeEmbedder, "token_spans", lambda *_: [[(0, 1), (1, 2)]])
    slipped, meant = (ask(library, f"{text} mode:meaning") for text in ("The fresnle, fresnle lens!", FRESNEL))
    assert slipped.corrected == (("fresnle", "fresnel"),)
    assert scores_of(slipped) == pytest.approx(scores_of(meant))


FRESNEL = "The fresnel, fresnel lens!"


def scores_of(result: SearchResult) -> dict[str, float]:
    return {row.title: row.score for row in result.rows}


@pytest.mark.parametrize("text", ["lamps", "garden", "lam", "1234"])
def test_words_that_exist_and_short_ones_are_never_corrected(library: Library, text: str) -> None:
    assert ask(library, f"{text} mode:word").corrected == ()


@pytest.mark.parametrize(("text", "expected"), [("fres", {"Lens"}), ("the coL", {"Bees"}), ("garden lam", ALL)])
def test_the_last_word_may_be_unfinished(library: Library, text: str, expected: set[str]) -> None:
    result = ask(library, text, typing=True)
    assert notes(result) == expected
    assert [(leg.name, leg.state) for leg in result.legs] == [("word", LegState.USED), ("meaning", LegState.SKIPPED)]


def test_a_dead_model_is_said_and_words_still_answer(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: FakeEmbedder, text: str) -> None:
        raise ModelUnavailable("The model is gone.", "Bring it back.")

    monkeypatch.setattr(FakeEmbedder, "embed_query", fail)
    result = ask(library, "colony")
    assert notes(result) == {"Bees"}
    failed = [leg for leg in result.legs if leg.state is LegState.FAILED]
    assert [(leg.name, leg.why) for leg in failed] == [("meaning", "The model is gone. Bring it back.")]


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_model_of_other_dimensions_is_refused(library: Library, is_loaded: bool) -> None:
    if is_loaded:
        assert notes(ask(library, "colony mode:meaning"))
    live = library._held.index_of("Main")
    held = live.store.vector_dimensions(live.model_id)
    assert live.checked(FakeEmbedder(dimensions=held)).dimensions == held
    with pytest.raises(ModelUnavailable, match=f"gives vectors of {held + 64} numbers, the index holds {held}"):
        live.checked(FakeEmbedder(dimensions=held + 64))


def test_unknown_sources(library: Library) -> None:
    assert "There is no source 'Mian'; there are: Main." in ask(library, "garden vault:Mian").notices
    with pytest.raises(UnknownSource, match="Registered: Main"):
        ask(library, "garden", sources=("Mian",))


def test_hits_carry_their_place(library: Library) -> None:
    hit = ask(library, "lime honey").rows[0].hits[0]
    assert (hit.anchor.note, hit.anchor.headings, hit.anchor.first_line) == ("Bees.md", ("Honey",), 9)
    assert hit.breadcrumb == ("Bees", "Honey")
    assert {hit.snippet[a:b] for a, b in hit.spans} == {"lime", "honey"}
    assert {leg.name for leg in hit.legs} >= {"word", "meaning"}
    assert hit.freshness is Freshness.CURRENT
    assert sum(leg.share for leg in hit.legs) <= 1.0001


def test_explanations_name_the_matched_words(library: Library) -> None:
    hit = ask(library, "lime honey zeppelin", explain=True).rows[0].hits[0]
    assert hit.explanation is not None
    assert {(term, field) for term, field, _ in hit.explanation.matched} >= {("lime", "text"), ("honey", "breadcrumb")}
    assert hit.explanation.missing == ("zeppelin",)


@pytest.mark.parametrize(
    ("sort", "first"),
    [("modified", "2025-06-01"), ("-modified", "Bees"), ("title", "2025-06-01"), ("-title", "Lens")],
)
def test_sorting(library: Library, sort: str, first: str) -> None:
    assert ask(library, f"garden sort:{sort}").rows[0].title == first


def test_pages_follow_each_other(library: Library) -> None:
    whole = [row.title for row in ask(library, "garden mode:word").rows]
    pages = [ask(library, "garden mode:word", limit=2, offset=offset).rows for offset in (0, 2, 4)]
    assert [row.title for page in pages for row in page] == whole


def test_minimum_score(library: Library) -> None:
    best = ask(library, "lime honey").rows[0].score
    assert ask(library, "lime honey", min_score=best + 0.01).rows == ()
    assert len(ask(library, "lime honey", min_score=best).rows) == 1


def test_modes_use_one_leg(library: Library) -> None:
    for mode in (Mode.WORD, Mode.MEANING):
        hit = ask(library, "honey", mode=mode).rows[0].hits[0]
        assert mode.value in {leg.name for leg in hit.legs if leg.rank}
        assert {leg.name for leg in hit.legs if leg.rank} <= {mode.value, "note"}


def test_nothing_asked(library: Library) -> None:
    result = ask(library, "   ")
    assert result.rows == ()
    assert {leg.state for leg in result.legs} == {LegState.SKIPPED}


def test_changed_and_vanished_notes_are_marked(library: Library) -> None:
    vault = Path(library.find("Main").location)
    lens, chisel = vault / "craft" / "Lens.md", vault / "crafts" / "Chisel.md"
    kept = chisel.read_bytes()
    try:
        os.utime(lens, (5, 5))
        chisel.unlink()
        found = {row.title: row.hits[0].freshness for row in ask(library, "garden").rows}
    finally:
        chisel.write_bytes(kept)
        os.utime(chisel, (1_700_000_000 + 3 * DAY,) * 2)
        os.utime(lens, (1_700_000_000 + DAY,) * 2)
    assert found["Lens"] is Freshness.CHANGED
    assert found["Chisel"] is Freshness.GONE
    assert found["Bees"] is Freshness.CURRENT


def test_a_source_can_be_left_out(library: Library) -> None:
    assert ask(library, "garden -source:Main").rows == ()
    assert "There is no source 'Mian'; there are: Main." in ask(library, "garden -source:Mian").notices


SIGNS = st.text(alphabet=st.sampled_from('ab lamp garden()"-#[]:>< OR|\\/*\n\té茶'), max_size=12)
VALUES = st.sampled_from(
    ["Lamp", "Main", "word", "title", "todo", "yes", "2025", "9999", "1e999", "5..9", ">1e999", ""]
)
OPERATED = st.builds("{}:{}".format, st.sampled_from([*OPERATORS, *ALIASES]), VALUES | SIGNS)
PROPERTIES = st.builds("[{}:{}]".format, st.sampled_from(["rating", "created", "status"]), VALUES | SIGNS)
PARTS = st.builds("{}{}".format, st.sampled_from(["", "-", "(", "(-", "-(", ") OR "]), OPERATED | PROPERTIES | SIGNS)


@settings(max_examples=100, deadline=None)
@given(st.lists(PARTS, max_size=5).map(" ".join))
def test_any_query_ends(library: Library, text: str) -> None:
    result = ask(library, text, limit=3)
    assert len(result.rows) <= 3
    assert library.why_not("Lamp", text).is_known


def test_like_finds_the_neighbours_of_a_note(library: Library) -> None:
    result = ask(library, "like:Lens")
    assert result.notices == ()
    assert result.rows[0].title == "Lamp"
    assert "Lens" not in notes(result)


def test_like_leans_a_question_and_obeys_conditions(library: Library) -> None:
    assert notes(ask(library, "garden like:Lens folder:deep")) == {"Lamp"}


def test_like_says_when_there_is_no_such_note(library: Library) -> None:
    assert "'like:Nowhere' names no note that is indexed." in ask(library, "garden like:Nowhere").notices


def test_scopes(library: Library) -> None:
    cosines = {}
    for scope in Scope:
        hit = ask(library, "swarmed wall jars lime", mode=Mode.MEANING, scope=scope).rows[0].hits[0]
        assert hit.title == "Bees"
        cosines[scope] = next(leg.score for leg in hit.legs if leg.name == "meaning")
    # Half of the words stand in one section and half in the other: the whole note is nearer than either.
    assert cosines[Scope.NOTES] > cosines[Scope.PASSAGES]
    assert cosines[Scope.BOTH] == pytest.approx(cosines[Scope.NOTES], abs=1e-3)


@pytest.mark.parametrize("scope", list(Scope))
def test_conditions_hold_in_every_scope(library: Library, scope: Scope) -> None:
    assert notes(ask(library, "garden section:honey", scope=scope)) == {"Bees"}
    assert notes(ask(library, "garden folder:craft", scope=scope)) == {"Lens", "Lamp"}


def test_the_note_behind_a_hit(library: Library) -> None:
    view = library.note(SourceId("Main"), NoteKey("craft/Lens.md"))
    assert "Fresnel" in view.markdown
    assert view.path.endswith("Lens.md")
    assert library.home_link("Main", ask(library, "lime honey").rows[0].hits[0].anchor).endswith("file=Bees.md%23Honey")


def test_a_note_of_many_passages_leaves_room_for_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    parts = "\n".join(f"# Part {number}\nThe lighthouse lamp, lamp and lamp {number}.\n" for number in range(60))
    (folder / "Long.md").write_text(parts, "utf-8")
    for number in range(12):
        text = f"Day {number}: a walk of many miles along the coast, and once a lamp was seen far away."
        (folder / f"Day {number}.md").write_text(text, "utf-8")
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as library:
        library.add(str(folder), name="Coast")
        library.index("Coast", Job())
        rows = ask(library, "lamp mode:word", limit=8).rows
    assert rows[0].title == "Long"
    assert len(rows) == len({row.title for row in rows}) == 8
    assert len(rows[0].hits) == 5


def test_the_age_of_an_index_follows_each_run(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Lamp.md").write_text("A lamp.", "utf-8")
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as library:
        library.add(str(folder), name="Coast")
        library.index("Coast", Job())
        [first] = ask(library, "lamp").ages
        library.index("Coast", Job())
        [second] = ask(library, "lamp").ages
        assert first.indexed_at is not None
        assert second.indexed_at is not None
        assert second.indexed_at > first.indexed_at
        assert second.indexed_at == library.status("Coast").indexed_at


@pytest.mark.parametrize("text", ["source:Main", "sort:title", "sort:-title", "sort:modified"])
def test_a_source_or_an_order_alone_lists_everything(library: Library, text: str) -> None:
    titles = [row.title for row in ask(library, text).rows]
    assert set(titles) == ALL
    by_title = sorted(titles, key=str.casefold)
    expected = {"sort:title": by_title, "sort:-title": by_title[::-1], "sort:modified": titles, "source:Main": titles}
    assert titles == expected[text]


@pytest.mark.parametrize("more", ["", " tag:light", " sort:title", " source:Main", " mode:word"])
def test_like_no_note_alone_lists_nothing(library: Library, more: str) -> None:
    result = ask(library, f"like:Nowhere{more}")
    assert result.rows == ()
    assert result.notices == ("'like:Nowhere' names no note that is indexed.",)


@pytest.mark.parametrize("text", ["garden", "garden -tag:light", "like:Lens", "garden like:Lens", "lamp mode:meaning"])
def test_why_puts_every_note_where_the_search_does(library: Library, text: str) -> None:
    for rank, row in enumerate(ask(library, text).rows, 1):
        told = library.why_not(row.title, text)
        assert told.rank == rank
        shown = {
            leg.name: (leg.rank, pytest.approx(leg.score, abs=1e-6)) for leg in row.hits[0].legs if leg.name != "note"
        }
        assert {place.name: (place.rank, place.score) for place in told.places if place.rank} == shown


def test_why_counts_passages_as_the_search_does(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Many.md").write_text("".join(f"# H{n}\nlamp oil number {n}\n\n" for n in range(9)), "utf-8")
    (vault / "One.md").write_text("A lamp stood beside the long sea wall of the old harbour town.\n", "utf-8")
    with Library(Home(tmp_path / "d", tmp_path / "c", tmp_path / "l"), FakeEmbedder(dimensions=128)) as opened:
        opened.add(str(vault), name="Main")
        opened.index("Main", Job())
        row = next(row for row in ask(opened, "lamp oil").rows if row.title == "One")
        ranks = {leg.name: leg.rank for leg in row.hits[0].legs if leg.name != "note"}
        told = opened.why_not("One", "lamp oil")
    assert ranks["meaning"] == 10
    assert {place.name: place.rank for place in told.places} == ranks
    assert told.rank == 2


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(library: Library, limit: int) -> None:
    for call in (
        lambda: ask(library, "garden", limit=limit),
        lambda: library.related("Main", "Lens", limit=limit),
        lambda: library.duplicates(limit=limit),
    ):
        with pytest.raises(BadRequest, match=f"{limit} is no number of rows to show. Ask for 1 or more."):
            call()
