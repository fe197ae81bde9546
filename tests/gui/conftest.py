"""Runs the window's tests without a screen, on a library in memory; a thread left behind fails the test."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.paths import find_home
from gui import app as gui_app
from gui.app import App


def _load(name: str) -> ModuleType:
    """A module beside the tests, under one name, however the tests are imported."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


fake_library = _load("fake_library")
_load("pseudo_locale")


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    assert not left, f"threads left behind: {left}"


PATIENCE_MS = 30_000
"""No test waits for nothing to happen, so that patience costs nothing where the machine is quick."""


class PatientBot(QtBot):
    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **options)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's, for a machine that is busy or slow."""
    return PatientBot(request)


@pytest.fixture
def library() -> fake_library.FakeLibrary:  # type: ignore[name-defined]
    return fake_library.FakeLibrary.with_notes()


@pytest.fixture
def start(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., App]]:
    """Start the whole window on a library and wait until it has listed its sources."""
    monkeypatch.setattr(gui_app, "demo_locations", lambda: {"/demo/vault": "Demo vault"})
    started: list[App] = []

    def begin(library: object, before: Callable[[App], None] = lambda _parts: None) -> App:
        parts = App(qapp, find_home(tmp_path), lambda _home, _show: library)  # type: ignore[arg-type, return-value]
        started.append(parts)
        with qtbot.waitSignal(parts.ops.sources_listed):
            parts.start()
            before(parts)
        return parts

    yield begin
    for parts in started:
        parts.window.close()
        parts.close()
        parts.window.deleteLater()
        parts.theme.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()


@pytest.fixture
def app(start: Callable[..., App], library: object) -> App:
    return start(library)
