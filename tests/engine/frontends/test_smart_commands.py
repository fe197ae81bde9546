"""The commands ``verify``, ``measure`` and ``models``: exit codes, JSON and words for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.frontends.cli import main
from engine.frontends.smart_cli import model_text, row_text, verdict_text
from engine.model import ModelInfo, Verdict
from fixtures.smart_connections import generate as made

GOOD = Verdict("plugin", "someone/model", 0.95, 24, 0.991, "Tea.md#Cups", 0.998, 0.0001)


@pytest.fixture
def registered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    vault = tmp_path / "vault"
    made.write_packed(vault, {"a.md": "# A\nwords\n", "b.md": "# B\nmore\n"})
    assert main(["add", str(vault), "--name", "Notes", "--no-index"]) == 0
    capsys.readouterr()
    return vault


def test_a_verdict_names_the_worst() -> None:
    assert "passed, 24 compared" in verdict_text(GOOD)
    assert "0.99100 (must exceed 0.95): Tea.md#Cups" in verdict_text(GOOD)
    assert "FAILED" in verdict_text(Verdict("own", "m", 0.999, 24, 0.998, "x", 0.999, 0.0))
    assert verdict_text(Verdict("plugin", "", 0.95, reason="Not here.")).endswith("not verified. Not here.")


def test_verify_without_the_model_fails_and_says_why(registered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "Notes", "--json"]) == 1
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert (verdict["index"], verdict["passed"], verdict["compared"]) == ("plugin", False, 0)
    assert "models import bge-micro-v2" in verdict["reason"]
    assert main(["verify", "Notes", "--sample", "0"]) == 2
    assert main(["verify", "Nowhere"]) == 1


def test_measure(registered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "Notes", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["measurements"]
    assert (told["index"], told["notes"], told["coverage"]["by_notes"]) == ("plugin", 2, 1.0)
    assert main(["measure", "Notes"]) == 0
    assert "characters" in capsys.readouterr().out


def test_the_plugins_vectors_answer(registered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["connections", "related", "Notes", "A.md", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["answer"]["results"]
    assert (row["path"], row["matched"]) == ("b.md", "note")
    assert main(["connections", "related", "Notes", "a.md"]) == 0
    assert capsys.readouterr().out == "0.000  b.md\n       # B\n"
    assert main(["connections", "status", "Notes"]) == 0
    assert "embedded notes           2" in capsys.readouterr().out
    assert main(["connections", "search", "Notes", "words"]) == 1
    assert "models import bge-micro-v2" in capsys.readouterr().err
    assert main(["connections", "search", "Notes", "words", "--mixed"]) == 1
    assert "Index it first" in capsys.readouterr().err


def test_rows_for_people() -> None:
    row = {"score": 0.81234, "path": "a.md", "section": "A > B", "lines": [3, 9], "stale": True, "excerpt": "\n x\ny"}
    assert row_text(row) == "0.812  a.md › A > B (3-9) [stale]\n       x"


def test_models_are_listed(registered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--json"]) == 0
    models = {model["id"]: model for model in json.loads(capsys.readouterr().out)["models"]}
    assert models["all-minilm-l6-v2"]["used_by"] == ["Notes"]
    assert models["bge-micro-v2"]["is_here"] is False
    text = model_text(ModelInfo("m", "Someone/m", "MIT", 9, frozenset({"de"}), 5_000_000, True, "ab", "Fine.", ("N",)))
    assert text == "m (here, 5.0 MB)\n  Someone/m, MIT, 9 numbers, de\n  Fine.\n  used by N"


@pytest.mark.parametrize(
    "words",
    [
        ["import", "only-one"],
        ["remove"],
        ["download"],
        ["list", "more"],
        ["import", "../x", "."],
        ["remove", "nothing"],
    ],
)
def test_models_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", *words]) == 2
    assert "lamplight:" in capsys.readouterr().err


def test_a_download_needs_a_yes(
    tmp_path: Path, network_trap: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = tmp_path / "m.toml"
    digest = "ab" * 32
    manifest.write_text(
        'model = "m"\n[[files]]\n'
        f'name = "model.onnx"\nurl = "https://models.example/x"\nsize = 9\nsha256 = "{digest}"\n'
    )
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["models", "download", str(manifest)]) == 1
    said = capsys.readouterr().err
    assert "from models.example" in said
    assert "Nothing was downloaded" in said
    assert network_trap == []
