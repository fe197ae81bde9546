"""``lamplight graph extract|ask|eval|models`` and ``resolve --model`` as typed, against a made-up server."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import keychain
from engine.errors import KeychainUnavailable
from engine.frontends import cli, graph_cli
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.paths import Home
from engine.prompts import query, resolve
from tests.servers.chat import FakeChat

NOTES = {
    "Vera Holt.md": "Vera Holt oils the brass bell every Friday.\n",
    "Rope.md": "V. Holt spliced the long rope for the iron bell.\n",
}
FACT = {
    "subject": "V. Holt", "subject_type": "person", "predicate": "spliced", "object": "long rope",
    "object_type": "tool", "quote": "V. Holt spliced the long rope", "confidence": 0.9,
}  # fmt: skip
GOLD = {
    "extraction": [],
    "resolution": [["Vera Holt", "V. Holt"]],
    "questions": [{"question": "Who oils the brass bell?", "expects": ["Vera Holt"], "hops": 1}],
}


def model(system: str, user: str) -> str:
    if system == query.SYSTEM:
        return "Vera Holt oils it. [1]" if "[1]" in user else "INSUFFICIENT: everything"
    if system == resolve.SYSTEM:
        return json.dumps({"groups": [["Vera Holt", "V. Holt"]]})
    return json.dumps({"facts": [FACT]})


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[FakeChat]:
    with FakeChat(model) as made:
        made.models = [{"id": "tiny"}, {"id": "some-embed-model"}]
        yield made


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    for name, text in NOTES.items():
        (tmp_path / "Notes").mkdir(exist_ok=True)
        (tmp_path / "Notes" / name).write_text(text, "utf-8")
    with Library(Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs"), FakeEmbedder()) as made:
        made.index(made.add(str(tmp_path / "Notes")).id, Job())
        yield made


@pytest.fixture
def run(library: Library, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command line."""
    monkeypatch.setattr(graph_cli, "open_library", lambda: contextlib.nullcontext(library))

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = cli.main(["graph", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_facts_are_extracted_and_said(run: Run, server: FakeChat) -> None:
    code, out, _ = run("extract", "--server", server.url)
    assert code == 0
    assert "tiny at The model server at 127.0.0.1" in out
    assert "Notes: complete; 2 passages, 2 asked in 2 calls, 0 known, 1 facts, 1 places changed" in out
    assert "not taken: 1 × the quote is not in the passage" in out
    _, out, _ = run("extract", "--server", server.url, "--json")
    (report,) = json.loads(out)["reports"]
    assert (report["called"], report["cached"], report["written"]) == (0, 2, 0)


def test_a_dry_run_says_what_it_would_take(run: Run, server: FakeChat) -> None:
    server.models = [{"id": "tiny", "pricing": {"prompt": "0.001", "completion": "0.002"}}]
    code, out, _ = run("extract", "--server", server.url, "--dry-run", "--limit", "2")
    assert code == 0
    assert "2 answered before, 0 calls" in out
    assert "about $0.0000 by the provider's price list of this moment" in out
    assert "measured on 2 calls" in out


def test_a_question_is_answered_with_and_without_a_model(run: Run, server: FakeChat) -> None:
    code, out, _ = run("ask", "Who oils the brass bell?")
    assert (code, out.splitlines()[0]) == (0, "Vera Holt oils the brass bell every Friday. [1]")
    assert "[1] Vera Holt:1: “Vera Holt oils the brass bell every Friday.”" in out
    assert server.requests == []
    _, out, _ = run("ask", "Who oils the brass bell?", "--server", server.url, "--json")
    document = json.loads(out)
    assert (document["answer"], document["sufficient"], document["model"]) == ("Vera Holt oils it. [1]", True, "tiny")
    assert document["citations"][0]["note"] == "Vera Holt.md"
    _, out, _ = run("ask", "Which zebra paid the mayor?")
    assert "The notes do not say enough" in out or "Nothing in the notes" in out
    assert "Looked for: zebra" in out


def test_a_question_may_hold_any_signs(run: Run) -> None:
    code, out, _ = run("ask", 'Who "oils" -the (brass bell: every:friday |?')
    assert (code, "Vera Holt oils the brass bell" in out) == (0, True)


def test_names_are_sorted_by_a_model(run: Run, server: FakeChat) -> None:
    run("extract", "--server", server.url)
    _, out, _ = run("resolve", "--server", server.url, "--model", "tiny", "--json")
    document = json.loads(out)
    (entry,) = [one for one in document["added"] if one["who"] == "model"]
    assert {member["name"] for member in entry["members"]} == {"Vera Holt", "V. Holt"}
    assert (entry["model"], entry["prompt_version"]) == ("tiny", "resolve/1")
    calls = len(server.bodies())
    _, out, _ = run("resolve", "--server", server.url, "--model", "tiny", "--json")
    assert (json.loads(out)["added"], json.loads(out)["withdrawn"]) == ([], [])
    assert len(server.bodies()) == calls


@pytest.mark.parametrize("reply", ["no", '{"groups": [["Vera Holt"], ["Nobody"]]}'])
def test_a_model_that_decides_nothing_leaves_names_apart(run: Run, server: FakeChat, reply: str) -> None:
    run("extract", "--server", server.url)
    server.answer_with = lambda system, user: reply
    _, out, _ = run("resolve", "--server", server.url, "--model", "tiny", "--json")
    assert [one for one in json.loads(out)["added"] if one["who"] == "model"] == []


def test_the_graph_is_measured_against_labels(run: Run, server: FakeChat, tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD), "utf-8")
    code, out, _ = run("eval", "--gold", str(tmp_path))
    assert code == 0
    for line in ("node coverage                1.0000", "correct                      1", "missed merge rate"):
        assert line in out
    _, out, _ = run("eval", "--json")
    assert json.loads(out).keys() == {"version", "provenance", "links"}


@pytest.mark.parametrize("text", [None, "{", "[]", '{"extraction": [{"subject": "x"}]}'])
def test_bad_labels_are_named(run: Run, tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "gold.json").write_text(text, "utf-8")
    code, _, err = run("eval", "--gold", str(tmp_path))
    assert (code, "gold.json" in err) == (2, True)


def test_models_are_listed_and_matched(run: Run, server: FakeChat) -> None:
    server.models = [
        {"id": "dear-one", "pricing": {"prompt": "0.00001", "completion": "0.00003"}, "context_length": 8192},
        {"id": "cheap-one", "pricing": {"prompt": "0.000001", "completion": "0.000002"}},
        {"id": "other"},
    ]
    _, out, _ = run("models", "--server", server.url, "--match", "one")
    assert out.splitlines()[1:] == [
        "cheap-one  $1 in, $2 out per million",
        "dear-one  $10 in, $30 out per million  8,192 tokens",
    ]


def test_a_model_must_be_named_when_there_are_several(run: Run, server: FakeChat) -> None:
    server.models = [{"id": "one"}, {"id": "two:latest"}, {"id": "nomic-embed-text"}]
    code, _, err = run("extract", "--server", server.url)
    assert (code, "Which model? Name one with --model" in err, "one, two:latest." in err) == (2, True, True)
    assert run("extract", "--server", server.url, "--model", "two")[0] == 0
    code, _, err = run("extract", "--server", server.url, "--model", "three")
    assert (code, "has no model 'three'. It has: one" in err) == (2, True)


def test_openrouter_must_be_switched_on_and_have_a_key(
    run: Run, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr(keychain, "get_secret", kept.get)
    code, _, err = run("extract", "--server", "openrouter")
    assert (code, "OpenRouter is switched off, so nothing was sent" in err) == (1, True)
    library.switch_service("openrouter", True)
    code, _, err = run("extract", "--server", "openrouter")
    assert (code, "There is no key for OpenRouter" in err) == (1, True)


def test_a_key_goes_to_the_keychain_and_nowhere_else(
    run: Run, server: FakeChat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr(keychain, "set_secret", kept.__setitem__)
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-or-v1-0123456789\n"))
    code, out, err = run("models", "--server", server.url, "--key")
    assert (code, kept) == (0, {"openrouter-key": "sk-or-v1-0123456789"})
    assert "0123456789" not in out + err
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"sk-or-v1" in file.read_bytes() for file in files)


def test_without_a_keychain_the_key_is_refused_by_name(
    run: Run, server: FakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(account: str, secret: str) -> None:
        raise KeychainUnavailable("The keychain is locked.", "Unlock it.")

    monkeypatch.setattr(keychain, "set_secret", locked)
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-or-v1-0123456789\n"))
    code, _, err = run("models", "--server", server.url, "--key")
    assert (code, "The keychain is locked" in err) == (1, True)


def test_replies_go_when_their_source_goes(run: Run, server: FakeChat, library: Library) -> None:
    run("extract", "--server", server.url)
    assert library._held.files.replies().count() == 2
    library.remove("Notes")
    assert library._held.files.replies().count() == 0
