"""Odd names, numbers that make no sense, a place that has gone, a decision against an earlier one: each is answered."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.frontends import attach, cli, render
from engine.frontends.host import HostedLibrary
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.linking.options import number, whole
from engine.model import IndexReport, Outcome, Problem, Severity, SourceId
from engine.paths import Home, prepare_home
from tests.engine.frontends.conftest import take_lock

posix_only = pytest.mark.skipif(os.name != "posix", reason="Windows allows no such names")

Run = Callable[..., tuple[int, str, str]]
NOTES = {
    "rope.md": "The rope and [[Vera]] and the lamp.",
    "Vera.md": "Vera oils the lamp. See [[odd]].",
    "Iron bell.md": "The bell rings.",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostedLibrary]:
    root = tmp_path_factory.mktemp("words")
    vault = root / "vault"
    vault.mkdir()
    odd = {"a\nb\t.md": "The lamp of [[rope]].", "c\x1b[31md.md": "---\na: [\n---\nThe lamp again, [[Vera]]."}
    for name, text in (NOTES | odd if os.name == "posix" else NOTES).items():
        (vault / name).write_text(text)
    home = Home(root / "data", root / "config", root / "logs")
    prepare_home(home)
    with HostedLibrary(home, FakeEmbedder(), lock=take_lock(home)) as made:
        made.add(str(vault), name="vault")
        made.index("vault", Job())
        yield made


@pytest.fixture
def run(library: HostedLibrary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setattr(attach, "open_library", lambda home=None, **_: attach.RemoteLibrary(library.home))
    monkeypatch.setenv("LAMPLIGHT_HOME", str(library.home.data.parent))

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main(list(words))
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@posix_only
@pytest.mark.parametrize(
    "words",
    [
        ["search", "lamp", "-k", "20"],
        ["related", "rope"],
        ["duplicates"],
        ["why", "rope", "lamp"],
        ["status", "--problems"],
        ["graph", "pages"],
        ["graph", "near", "rope"],
        ["graph", "path", "rope", "Vera"],
        ["graph", "timeline", "Vera"],
        ["graph", "communities"],
        ["graph", "ask", "lamp"],
    ],
    ids=" ".join,
)
def test_a_name_with_a_line_break_breaks_no_line(run: Run, words: list[str]) -> None:
    code, out, _ = run(*words)
    assert code == 0
    assert "\x1b" not in out
    assert "\t" not in out
    assert not re.findall(r"^b(?!ridge).*", out, re.MULTILINE)


@posix_only
def test_the_odd_names_are_shown_and_given_exactly(run: Run) -> None:
    out = run("search", "lamp", "-k", "20")[1]
    assert "a�b" in out
    assert "c�[31md.md" in out
    keys = {row["note"] for row in json.loads(run("search", "lamp", "-k", "20", "--json")[1])["rows"]}
    assert "a\nb\t.md" in keys


def test_printable_in_its_three_forms() -> None:
    assert render.printable("a\nb\tc\x1b[31m\u202e") == "a�b�c�[31m�"
    assert render.printable_text("a\n\tb\x07") == "a\n    b�"
    assert render.one_line(" a\n  b\tc\x07 ") == "a b c�"
    assert render.printable("👩‍💻 日本") == "👩‍💻 日本"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("search lamp -k 0", "0 is no number of rows"),
        ("search lamp -k -3", "-3 is no number of rows"),
        ("related rope -k 0", "0 is no number of rows"),
        ("duplicates -k -1", "-1 is no number of rows"),
        ("graph path rope Vera --max-hops 0", "'max-hops' takes a number from 1, not 0"),
        ("graph path rope Vera --max-hops -2", "'max-hops' takes a number from 1, not -2"),
        ("graph path rope Vera -k 0", "'count' takes a number from 1"),
        ("graph path rope Vera --min-confidence 7", "'min-confidence' takes a number between 0 and 1"),
        ("graph path rope Vera --min-confidence nan", "invalid real value: 'nan'"),
        ("search lamp --min-score inf", "invalid real value: 'inf'"),
        ("graph near rope --hops 0", "'hops' takes a number from 1"),
        ("graph near rope -k 0", "'count' takes a number from 1"),
        ("graph near rope --max-degree 0", "'max-degree' takes a number from 1"),
        ("graph pages -k 0", "'count' takes a number from 1"),
        ("graph communities -k -1", "'count' takes a number from 1"),
        ("graph communities --resolution 0", "'resolution' takes a number from 0.01"),
        ("graph ask lamp --hops 0", "'hops' takes a number from 1"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_with_words(run: Run, words: str, says: str) -> None:
    code, out, err = run(*words.split())
    assert code == 2
    assert says in err
    assert out == ""


def test_options_of_programs_are_checked_alike() -> None:
    assert whole({}, "limit", 0) == 0
    assert whole({"limit": "7"}, "limit", 0) == 7
    assert number({"x": 0.5}, "x", 1.0, 0.0, 1.0) == 0.5
    for bad in ("many", None.__class__, [], float("nan"), float("inf"), 0):
        with pytest.raises(Exception, match="'limit' takes a number from 1"):
            whole({"limit": bad}, "limit", 5)


def test_everything_below_the_least_score_is_said(run: Run) -> None:
    code, out, _ = run("search", "lamp", "--min-score", "0.99")
    assert code == 0
    assert "passages found score less than 0.99; the best has 0." in out
    assert out.rstrip().endswith("Nothing found.")
    assert "score less" not in run("search", "lamp", "--min-score", "0.0001")[1]
    assert "score less" not in run("search", "zzzqqqxxx --mode word", "--min-score", "0.99", "--mode", "word")[1]


def test_a_decision_against_an_earlier_one_is_remarked(run: Run) -> None:
    assert "overrules" not in run("graph", "merges", "never", "rope", "Vera")[1]
    out = run("graph", "merges", "same", "rope", "Vera")[1]
    assert "! This overrules 1. rope (note in vault) ≠ Vera (note in vault)" in out
    found = json.loads(run("graph", "merges", "same", "rope", "Iron bell", "--json")[1])
    assert found["overrules"] == []
    again = json.loads(run("graph", "merges", "never", "rope", "Vera", "--json")[1])
    assert [one["kind"] for one in again["overrules"]] == ["merge"]
    for entry in ("1", "2", "3", "4"):
        run("graph", "merges", "undo", entry)
    assert "overrules" not in run("graph", "merges", "same", "rope", "Vera")[1]


def test_a_vault_that_has_gone_is_offline_at_once(run: Run, library: HostedLibrary, tmp_path: Path) -> None:
    vault = Path(library.find("vault").location)
    away = vault.with_name("away")
    vault.rename(away)
    try:
        out = run("status", "vault")[1]
        assert "vault (obsidian, offline)" in out
        assert "is not there now. The index keeps answering." in out
        assert "offline" in run("sources")[1]
        assert "Bring the drive or the app back" in run("doctor")[1]
        assert "lamp" in run("search", "lamp")[1]
    finally:
        away.rename(vault)
    assert "vault (obsidian, indexed)" in run("status", "vault")[1]


def test_a_search_for_nothing_says_so(run: Run) -> None:
    assert "Nothing was asked" in run("search", "")[1]
    assert "Nothing found." in run("search", "zzzqqqxxx", "--mode", "word")[1]


def test_a_source_that_is_not_there_may_be_another_one_meant(run: Run) -> None:
    code, out, err = run("status", "Valut")
    assert code == 1
    assert "Did you mean 'vault'?" in out + err
    assert "Did you mean" not in run("status", "zzzqqqxxx")[2]


@pytest.mark.parametrize(("count", "words"), [(1, "1 more remark:"), (2, "2 more remarks:")])
def test_the_command_for_more_remarks_can_be_copied(count: int, words: str) -> None:
    odd = tuple(Problem(Severity.WARNING, f"{n}.md", "odd", "bad-yaml") for n in range(count))
    text = render.report_text(IndexReport(SourceId("mine"), Outcome.COMPLETE, problems=odd), "My notes", verbose=False)
    assert f"{words} lamplight status 'My notes' --problems" in text
