"""The scripts that the README shows do what it says, one after the other, as a reader would run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.library import Library

README = Path(__file__).resolve().parents[2] / "README.md"
NOTES = {
    "Sleep.md": "---\ntags: [health]\n---\n# Nights\nCoffee after four keeps me awake until two.\n",
    "Garden.md": "# Beds\nThe beans climb the south wall.\n",
    "Evening.md": "A short walk and a dim lamp make me tired in time.\n",
}


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody with a vault ``Notes`` in the own folder."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / "Notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "Notes" / name).write_text(text, "utf-8")


def scripts() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def test_the_scripts_of_the_readme_run(person: None, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for number, text in enumerate(scripts(), 1):
        exec(compile(text, f"README, script {number}", "exec"), {"__name__": "__main__"})
        said.append(capsys.readouterr().out)
    first, second, third = said
    assert first.startswith("complete 3 notes, ")
    assert "Sleep  Sleep.md:" in first
    assert "Sleep (('coffee', 'text', " in second
    assert "('meaning', <LegState.SKIPPED: 'skipped'>)" in second
    assert third.startswith("Sleep\nnear it: ")
    assert "A note that is not there" in third


def test_scripts_name_verbs_that_the_library_has() -> None:
    named = {verb for text in scripts() for verb in re.findall(r"\blibrary\.(\w+)\(", text)}
    assert len(named) >= 7
    assert all(hasattr(Library, verb) for verb in named)
