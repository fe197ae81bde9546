"""Where there is no display, the program says so in one line and what to do; help needs none."""

from __future__ import annotations

import sys

import pytest

from engine.paths import Home
from gui.__main__ import main
from gui.display import why_none


@pytest.fixture
def no_display(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_display")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows always has one")
@pytest.mark.parametrize("words", [[], ["quick"], ["quick", "bees"], ["--hidden"]])
def test_one_line_says_what_to_do(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "no display" in said
    assert "lamplight search" in said
    assert said.count("\n") == 1


@pytest.mark.usefixtures("no_display")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11")
@pytest.mark.parametrize("platform", ["", "xcb"])
@pytest.mark.parametrize("display", [":4711", ":4711.0", "unix:4711"])
def test_a_display_at_which_nothing_answers_is_named(
    display: str, platform: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert main([]) == 1
    said = capsys.readouterr().err
    assert f"'{display}'" in said
    assert "lamplight search" in said
    assert said.count("\n") == 1


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize(
    ("name", "value"),
    [("WAYLAND_DISPLAY", "wayland-0"), ("QT_QPA_PLATFORM", "offscreen"), ("DISPLAY", "elsewhere:0")],
)
def test_what_only_qt_would_know_is_left_to_it(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert why_none() == ""


@pytest.mark.xvfb
@pytest.mark.usefixtures("no_display")
def test_a_display_that_answers_is_one(x_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", x_server)
    assert why_none() == ""


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_quick_has_help(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["quick", flag])
    assert ended.value.code == 0
    assert "usage: lamplight quick" in capsys.readouterr().out
