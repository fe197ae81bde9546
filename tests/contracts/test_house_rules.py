"""What the code base promises of itself: the way imports point, its top level, its words."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".gitignore",
    ".ci",
    ".github",
    "gui",
    "engine",
    "resources",
    "packaging",
    "tests",
    "fixtures",
}
# Brackets keep each pattern from finding itself in this file.
FORBIDDEN = {
    "a package registry's address": r"pypi[.]org|[p]ythonhosted|deb[.]debian[.]org|registry[.]npmjs|proxy[.]golang",
    "an absolute path of one machine": r"(?<![\w.])/([w]ork|[r]oot|[h]ome/\w+|[U]sers/\w+)/\w",
    "an unfinished part": r"\b[T]ODO[:(]|#\s*[T]ODO\b|\b[F]IXME\b|coming[ ]soon|raise [N]otImplemented",
}
SHIPPED = ("engine", "gui", "resources", "packaging", ".ci")
TEXT = {".py", ".toml", ".md", ".qss", ".ts", ".json", ".txt", ".sh", ".spec", ""}


def tracked(*folders: str) -> list[Path]:
    """The files that git keeps."""
    answer = subprocess.run(["git", "ls-files", "-z", *folders], cwd=CHECKOUT, capture_output=True, check=True)
    return [CHECKOUT / name for name in answer.stdout.decode().split("\0") if name and (CHECKOUT / name).is_file()]


def modules(*folders: str) -> list[Path]:
    return [file for file in tracked(*folders) if file.suffix == ".py"]


def test_imports_point_one_way() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    answer = subprocess.run([command, "--no-cache"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_top_level_is_the_agreed_one() -> None:
    found = {file.relative_to(CHECKOUT).parts[0] for file in tracked()}
    assert found <= TOP_LEVEL


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_forbidden_text(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    everywhere = what != "an unfinished part"
    files = tracked() if everywhere else tracked(*SHIPPED)
    found = [
        f"{file.relative_to(CHECKOUT)}:{number}: {line.strip()[:100]}"
        for file in files
        if file.suffix in TEXT and "demo" not in file.parts and file.name != "tokenizer.json"
        for number, line in enumerate(file.read_text("utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_every_module_says_what_it_owns() -> None:
    silent = [
        str(file.relative_to(CHECKOUT))
        for file in modules("engine", "gui", "resources", "packaging")
        if not ast.get_docstring(ast.parse(file.read_text("utf-8")))
    ]
    assert not silent


def test_test_files_have_names_of_their_own() -> None:
    names = [file.name for file in modules("tests") if file.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))


def test_bench_programs_say_what_they_measure() -> None:
    for file in modules("tests/bench"):
        assert ast.get_docstring(ast.parse(file.read_text("utf-8"))), file.name
