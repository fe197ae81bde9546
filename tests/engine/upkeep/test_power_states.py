"""Mains or battery, and how long nobody touched the machine, from trees and outputs as each system gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.upkeep import power

MAINS_ON = {"AC": {"type": "Mains", "online": "1"}}
MAINS_OFF = {"AC": {"type": "Mains", "online": "0"}}


def battery(status: str, **more: str) -> dict[str, dict[str, str]]:
    return {"BAT0": {"type": "Battery", "status": status, **more}}


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param({}, None, id="a desktop tells nothing"),
        pytest.param(MAINS_ON, False, id="mains alone"),
        pytest.param(MAINS_ON | battery("Charging"), False, id="charging"),
        pytest.param(MAINS_ON | battery("Discharging"), False, id="plugged in, but drawing more than the plug gives"),
        pytest.param(MAINS_OFF | battery("Discharging"), True, id="unplugged"),
        pytest.param(battery("Discharging"), True, id="no plug is listed"),
        pytest.param(battery("Full"), False, id="full, so it is plugged in"),
        pytest.param(MAINS_OFF | battery("Unknown"), False, id="the battery does not tell"),
        pytest.param(battery("Discharging", scope="Device"), None, id="the battery of a mouse"),
        pytest.param(MAINS_OFF | battery("Discharging", scope="System"), True, id="named as the system's own"),
        pytest.param({"usb": {"type": "USB", "online": "1"}} | battery("Discharging"), False, id="charged over USB"),
        pytest.param({"odd": {}}, None, id="a folder without files"),
    ],
)
def test_linux_supplies(tmp_path: Path, tree: dict[str, dict[str, str]], expected: bool | None) -> None:
    for name, files in tree.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text + "\n", "ascii")
    assert power.linux_battery(tmp_path) is expected


def test_no_list_of_supplies_is_not_known(tmp_path: Path) -> None:
    assert power.linux_battery(tmp_path / "nothing") is None


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Now drawing from 'Battery Power'\n -InternalBattery-0 (id=1)\t87%; discharging", True),
        ("Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged", False),
        ("", None),
        ("pmset: unknown", None),
    ],
)
def test_mac_battery(output: str, expected: bool | None) -> None:
    assert power.mac_battery(lambda _command: output) is expected


def test_mac_idle_is_in_nanoseconds() -> None:
    output = '    | |   "HIDIdleTime" = 61500000000\n    | |   "Other" = 3'
    assert power.mac_idle(lambda _command: output) == 61.5
    assert power.mac_idle(lambda _command: "") is None


@pytest.mark.parametrize(("line", "expected"), [(0, True), (1, False), (255, None)])
def test_windows_line(line: int, expected: bool | None) -> None:
    assert power.battery_of_line(line) is expected


def test_windows_ticks_begin_anew() -> None:
    assert power.idle_of_ticks(5_000, 2_000) == 3.0
    assert power.idle_of_ticks(1_000, 2**32 - 1_000) == 2.0


@pytest.mark.parametrize("environ", [{}, {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}])
def test_without_x11_nobody_tells_how_long(environ: dict[str, str]) -> None:
    assert power.x11_idle(environ) is None


def test_a_system_that_is_not_known_tells_nothing() -> None:
    state = power.power_state("plan9")
    assert (state.on_battery, state.idle_seconds) == (None, None)
