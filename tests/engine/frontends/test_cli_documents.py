"""What every command prints as JSON keeps to its schema; exit codes; help."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.frontends import attach, cli, examples, search_cli
from engine.frontends.completions import commands_of, script
from engine.frontends.host import HostedLibrary
from engine.frontends.terminal import open_library
from engine.inference.fake import FakeEmbedder
from engine.model import Mode, NoteKey, SearchRequest
from engine.net.ledger import Connection, Ledger
from engine.paths import Home
from engine.store.decisions import Mark, MarkKind
from engine.upkeep.demo import demo_home
from tests.servers.chat import FakeChat

from .command_cases import CASES, WITHOUT
from .conftest import NOTES, take_lock, write_vault

SCHEMAS = Path(__file__).parent / "schemas"
HEAVY = {
    *("numpy", "duckdb", "onnxruntime", "httpx", "mcp", "pydantic", "msgspec", "platformdirs", "PySide6"),
    # Of the standard library, what takes several milliseconds or brings such along.
    *("dataclasses", "inspect", "multiprocessing", "pathlib", "random", "shutil", "tempfile", "threading", "typing"),
    *("engine.model", "engine.settings", "engine.job", "engine.frontends.attach", "engine.frontends.render"),
}
"""What an attached search does without."""

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """(exit code, stdout, stderr) of a command line."""

    def call(words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            code = cli.main(shlex.split(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def places(hosted: HostedLibrary, home: Home, vault: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What the cases name, and a library in which each command has something to say."""
    write_vault(vault, {"Twin.md": NOTES["deep/Lens.md"], "Empty.md": "", "Bad.md": "---\ntags: [\n---\nText.\n"})
    write_vault(tmp_path / "Other", {"One.md": "A second vault.\n"})
    hosted.on_quick_search = lambda text: None
    Ledger(home.ledger).record(Connection(1.7e9, "loopback", "127.0.0.1:1", "read a graph", "ok", 10, 20, 0.5))
    hosted._held.files.decisions().set_mark(Mark(MarkKind.PIN, hosted.find("Notes").id, NoteKey("Bees.md")))
    demo = HostedLibrary(demo_home(), FakeEmbedder(), lock=take_lock(demo_home()))
    with FakeChat() as chat, demo:
        yield {"vault": str(vault), "other": str(tmp_path / "Other"), "folder": str(tmp_path), "server": chat.base_url}


def schema_of(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))


def test_every_command_keeps_to_its_schema(run: Run, places: dict[str, str]) -> None:
    for name, words in CASES:
        code, out, err = run(f"{words.format(**places)} --json")
        assert code in (0, 1), f"{words}: {err}"
        assert out, f"{words}: {err}"
        document = json.loads(out)
        assert document["version"] == 1, words
        jsonschema.validate(document, schema_of(name))


def test_every_command_has_a_case_and_a_schema() -> None:
    known = {"-".join(one.path) for one in commands_of(cli.build_parser()) if "--json" in one.options}
    assert known == {name for name, _ in CASES} | set(WITHOUT)
    for name in known - set(WITHOUT):
        schema = schema_of(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert "version" in schema["required"], name
    assert {path.stem for path in SCHEMAS.glob("*.json")} == known - set(WITHOUT) | {"error"}


def test_a_schema_notices_a_missing_field() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"version": 1, "sources": [{"state": "new"}]}, schema_of("sources"))


def test_the_same_words_for_people(run: Run, places: dict[str, str]) -> None:
    for name, words in CASES:
        if name in ("demo", "measure", "verify"):
            # The slow ones; what they print is of the same functions.
            continue
        code, out, err = run(words.format(**places))
        assert code in (0, 1), f"{words}: {err}"
        assert "Traceback" not in out + err
        assert "\x1b" not in out + err, f"{words}: colours are for terminals"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("search", 2, "required: query"),
        ("nonsense", 2, "invalid choice"),
        ("search a --mode psychic", 2, "invalid choice"),
        ("search a --source nowhere", 1, "Registered: Notes"),
        ("status nowhere", 1, "Registered: Notes"),
        ("remove nowhere", 1, "no source 'nowhere'"),
        ("add /no/such/folder", 1, "no file or folder"),
        ("related Nothing", 1, "no note 'Nothing'"),
        ("import Notes /no/such/file", 1, "lamplight export"),
        ("export Notes /no/such/folder/file.json", 2, "no folder"),
        ("mcp --tokens 5", 2, "at least 1000"),
        ("mcp --install nobody", 2, "claude-desktop"),
        ("quick", 1, "No Lamplight window"),
        ("serve", 1, "answers already"),
    ],
)
def test_exit_codes_and_reasons(shared_home: Home, run: Run, words: str, code: int, said: str) -> None:
    found, out, err = run(words)
    assert found == code
    assert said in err
    assert not out


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        ("search a --source nowhere --json", 1, "UnknownSource"),
        ("related Nothing --json", 1, "UnknownNote"),
        ("export Notes /no/such/folder/file.json --json", 2, "BadRequest"),
    ],
)
def test_a_failure_is_a_document_too(shared_home: Home, run: Run, words: str, code: int, kind: str) -> None:
    found, out, err = run(words)
    assert found == code
    document = json.loads(out)
    jsonschema.validate(document, schema_of("error"))
    assert document["error"]["kind"] == kind
    assert " ".join(document["error"]["message"].split()) in err


def test_a_note_that_one_source_has_needs_no_source(hosted: HostedLibrary, run: Run, tmp_path: Path) -> None:
    write_vault(tmp_path / "Other", {"Alone.md": "A lamp of its own.\n", "Lens.md": "Another lens.\n"})
    assert run(f"add {tmp_path / 'Other'}")[0] == 0
    code, out, _ = run("related Alone")
    assert code == 0
    assert "Lens" in out
    code, _, err = run("related Lens")
    assert code == 2
    assert "several sources: Notes, Other" in err or "several sources: Other, Notes" in err
    assert run("related Nowhere")[2].startswith("lamplight: No source has a note 'Nowhere'")


def test_asking_about_an_unknown_note_fails(shared_home: Home, run: Run) -> None:
    code, out, _ = run("why Nowhere lamp")
    assert code == 1
    assert "Nowhere is not in the index" in out


def test_decisions_travel(hosted: HostedLibrary, run: Run, tmp_path: Path) -> None:
    source = hosted.find("Notes").id
    hosted._held.files.decisions().set_mark(Mark(MarkKind.PIN, source, NoteKey("Bees.md")))
    hosted._held.files.decisions().set_mark(Mark(MarkKind.HIDE, source, NoteKey("deep/Lens.md"), "uid"))
    file = tmp_path / "decisions.json"
    assert run(f"export Notes {file}")[0] == 0
    for kind in MarkKind:
        for mark in hosted._held.files.decisions().marks(kind):
            hosted._held.files.decisions().set_mark(mark, on=False)
    assert run(f"import Notes {file} --json")[1].strip().endswith('"imported": 2\n}')
    assert [mark.note for mark in hosted._held.files.decisions().marks(MarkKind.PIN)] == ["Bees.md"]
    assert [mark.uid for mark in hosted._held.files.decisions().marks(MarkKind.HIDE)] == ["uid"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "lamplight-decisions", "version": 9}',
        '{"format": "lamplight-decisions", "version": 1, "marks": 3}',
        '{"format": "lamplight-decisions", "version": 1, "marks": [{"kind": "love", "note": "a"}]}',
        '{"format": "lamplight-decisions", "version": 1, "feedback": [{"query": "a", "note": "b"}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_export_changes_nothing(
    shared: HostedLibrary, shared_home: Home, run: Run, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "decisions.json"
    file.write_text(text)
    code, _, err = run(f"import Notes {file}")
    assert code in (1, 2)
    assert err.startswith("lamplight: ")
    assert shared._held.files.decisions().marks(MarkKind.PIN) == []


def test_text_of_a_note_does_not_drive_the_terminal(hosted: HostedLibrary, vault: Path, run: Run) -> None:
    from engine.job import Job

    write_vault(vault, {"Evil.md": "Wombat \x1b[31m\x07 red\n"})
    hosted.index("Notes", Job())
    _, out, _ = run("search wombat")
    assert "Wombat" in out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_the_parser_of_one_command_knows_what_the_whole_parser_knows() -> None:
    whole = {one.path: one for one in commands_of(cli.build_parser())}
    for name in cli.COMMANDS:
        alone = [one for one in commands_of(cli.build_parser(name)) if one.path[:1] == (name,)]
        assert alone == [one for path, one in whole.items() if path[:1] == (name,)]
        assert alone[0].options, f"{name}: listed, but its module does not declare it"


def test_help_says_what_each_command_does_without_loading_it() -> None:
    text = " ".join(cli.build_parser("").format_help().split())
    for name, (_, about) in cli.COMMANDS.items():
        assert f"{name} {about}" in text


def test_search_offers_every_mode() -> None:
    assert set(search_cli.MODES) == {mode.value for mode in Mode}
    assert search_cli.MODES[0] == SearchRequest("").mode


def test_help_has_examples_that_can_be_parsed() -> None:
    parser = cli.build_parser()
    commands = {command.path[0] for command in commands_of(parser) if command.path} - {"graph"}
    assert commands - set(examples.BY_COMMAND) <= set(WITHOUT), "commands without an example"
    for lines in examples.BY_COMMAND.values():
        for line in lines:
            command = re.split(r"\s{3,}|\s[|>]+\s", line)[0]
            parser.parse_args(shlex.split(command)[1:])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_command(shell: str) -> None:
    parser = cli.build_parser()
    text = script(parser, shell)
    for command in commands_of(parser):
        for word in command.path:
            assert word in text
    assert "--max-hops" in text or "max-hops" in text


def test_an_attached_command_loads_nothing_heavy(shared_home: Home) -> None:
    """Its own process would take longer to load the engine than the host takes to answer."""
    import subprocess
    import sys

    program = (
        "import sys\nbefore = set(sys.modules)\n"
        "from gui.__main__ import main\ncode = main(['search', 'lens', '--json'])\n"
        f"print(code, *sorted({HEAVY} & (set(sys.modules) - before)), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr.split() == ["0"]
    assert json.loads(ended.stdout)["rows"][0]["title"] in ("Lens", "Lamp")


def test_a_search_says_how_far_the_index_is_behind(hosted: HostedLibrary, vault: Path, run: Run) -> None:
    """Counted while it is searched for, and each time anew."""
    for number, words in enumerate(("behind by 1 note", "behind by 2 notes"), start=1):
        (vault / f"New {number}.md").write_text("Not indexed.", "utf-8")
        assert f"! Notes is {words}\n" in run("search lens")[1]
        assert json.loads(run("search lens --json")[1])["ages"][0]["behind_by"] == number


def test_attached_commands_are_really_attached(shared_home: Home) -> None:
    with open_library() as library:
        assert isinstance(library, attach.RemoteLibrary)


def test_a_search_in_an_empty_library_says_how_to_begin(home: Home, run: Run) -> None:
    code, out, err = run("search bees")
    assert code == 0
    assert "Nothing found." in out
    assert "lamplight add PATH" in out + err
