"""Heavy libraries stay out until they are needed: the window must show within a moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
HEAVY = {"PySide6", "shiboken6", "onnxruntime", "tokenizers", "httpx", "mcp", "keyring", "rustworkx", "py3langid"}


def loaded(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after ``statement``."""
    program = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    answer = subprocess.run([sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return set(answer.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "engine",
        "engine.model",
        "engine.settings",
        "engine.inference.catalog",
        "engine.library",
        "engine.frontends.cli",
    ],
)
def test_importing_loads_nothing_heavy(module: str) -> None:
    assert loaded(f"import {module}") & HEAVY == set()


def test_the_check_would_notice() -> None:
    assert "tokenizers" in loaded("import tokenizers")


def test_opening_the_model_loads_nothing_heavy() -> None:
    statement = (
        "from pathlib import Path\n"
        "from engine.inference.catalog import open_embedder\n"
        "from engine.paths import find_home\n"
        "assert open_embedder('', find_home(Path('unused'))).model_id"
    )
    assert loaded(statement) & HEAVY == set()


def test_what_nobody_answers_on_this_machine_loads_no_network_library() -> None:
    statement = (
        "import socket\n"
        "from engine.net.client import Client, NetError, Request\n"
        "from engine.net.policy import Policy\n"
        "free = socket.socket(); free.bind(('127.0.0.1', 0)); port = free.getsockname()[1]; free.close()\n"
        "try: Client(Policy()).call(Request(f'http://127.0.0.1:{port}/', 'look'))\n"
        "except NetError as error: assert error.kind == 'refused', error.kind"
    )
    assert loaded(statement) & HEAVY == set()
