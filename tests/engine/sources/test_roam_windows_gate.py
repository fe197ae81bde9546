from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import RetryError, SourceOffline
from engine.net.client import Client
from engine.net.policy import Policy
from engine.net.roam_api import GraphRef, LocalApi
from engine.sources.roam_windows import WindowState, config_path, restored_graphs, window_state
from tests.servers.roam import FakeRoam, Graph

GARDEN = GraphRef("garden")
OFFLINE = GraphRef("garden", "offline")


def away() -> tuple[GraphRef, ...]:
    raise SourceOffline("Roam Desktop is not running.")


def config(folder: Path, *urls: str, more: str = "") -> Path:
    windows = " ".join(f'{{:window/bounds {{:x 1 :y 2 :width 3 :height 4}}, :window/url "{url}"}}' for url in urls)
    path = folder / "user-config.edn"
    path.write_text(f"{{:roam/local-api-enabled? true, :roam/windows [{windows}] {more}}}", encoding="utf-8")
    return path


BASE = "https://roamresearch.com/?server-port=3333#/app/"


@pytest.mark.parametrize(
    ("url", "graph"),
    [
        (BASE + "garden", GARDEN),
        (BASE + "garden/page/abcdefghi", GARDEN),
        (BASE + "garden?x=1", GARDEN),
        (BASE + "my%2Dgarden", GraphRef("my-garden")),
        (BASE + "Garden", GraphRef("Garden")),
        ("https://roamresearch.com/?server-port=3333#/offline/garden", OFFLINE),
    ],
)
def test_graph_of_a_window(tmp_path: Path, url: str, graph: GraphRef) -> None:
    assert restored_graphs(config(tmp_path, url)) == (graph,)


def test_order_and_doubles_are_kept(tmp_path: Path) -> None:
    path = config(tmp_path, BASE + "b", BASE + "a", BASE + "b/page/x")
    assert restored_graphs(path) == (GraphRef("b"), GraphRef("a"), GraphRef("b"))


def test_addresses_outside_the_list_do_not_count(tmp_path: Path) -> None:
    path = config(tmp_path, "https://roamresearch.com/", more=f', :other {{:window/url "{BASE}garden"}}')
    assert restored_graphs(path) == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{:roam/windows 5}", "{:other []}", '{:roam/windows "x"}', "\x00", "((((" * 9999]
)
def test_an_illegible_list_is_unknown(tmp_path: Path, text: str) -> None:
    path = tmp_path / "user-config.edn"
    path.write_text(text, encoding="utf-8")
    assert restored_graphs(path) is None
    assert window_state(GARDEN, away, path) is WindowState.UNKNOWN


def test_no_file_bad_bytes_or_a_folder_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "user-config.edn"
    assert window_state(GARDEN, away, path) is WindowState.UNKNOWN
    path.write_bytes(b"{:roam/windows [\xff\xfe]}")
    assert window_state(GARDEN, away, path) is WindowState.UNKNOWN
    path.unlink()
    path.mkdir()
    assert window_state(GARDEN, away, path) is WindowState.UNKNOWN


@pytest.mark.parametrize(
    ("urls", "graph", "state"),
    [
        ([], GARDEN, WindowState.CLOSED),
        ([BASE + "other"], GARDEN, WindowState.CLOSED),
        ([BASE + "garden"], GARDEN, WindowState.OPEN),
        ([BASE + "GARDEN"], GARDEN, WindowState.OPEN),
        ([BASE + "garden"], OFFLINE, WindowState.CLOSED),
        ([BASE + "gardening"], GARDEN, WindowState.CLOSED),
    ],
)
def test_states_from_the_list(tmp_path: Path, urls: list[str], graph: GraphRef, state: WindowState) -> None:
    assert window_state(graph, away, config(tmp_path, *urls)) is state


def test_what_roam_says_comes_first(tmp_path: Path) -> None:
    path = config(tmp_path, BASE + "garden")
    assert window_state(GARDEN, lambda: (), path) is WindowState.CLOSED
    assert window_state(GARDEN, lambda: (GraphRef("Garden"),), path) is WindowState.OPEN
    assert window_state(GARDEN, lambda: (OFFLINE,), path) is WindowState.CLOSED


def test_the_gate_over_the_wire_opens_nothing(tmp_path: Path) -> None:
    path = config(tmp_path, BASE + "garden")
    with FakeRoam(Graph()) as server:
        api = LocalApi(Client(Policy()), server.port)
        assert window_state(GARDEN, api.open_graphs, path) is WindowState.OPEN
        server.open = []
        assert window_state(GARDEN, api.open_graphs, path) is WindowState.CLOSED
        server.open = None  # a Roam without the route
        assert window_state(GARDEN, api.open_graphs, path) is WindowState.OPEN
        assert {seen.path for seen in server.requests} == {"/api/graphs/open"}
    assert window_state(GARDEN, api.open_graphs, tmp_path / "none") is WindowState.UNKNOWN


def test_our_own_mistakes_are_not_taken_for_a_closed_window(tmp_path: Path) -> None:
    def busy() -> tuple[GraphRef, ...]:
        raise RetryError("busy")

    assert window_state(GARDEN, busy, config(tmp_path)) is WindowState.CLOSED
    with pytest.raises(ZeroDivisionError):
        window_state(GARDEN, lambda: (1 // 0,), config(tmp_path))  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("darwin", {}, "Library/Application Support/Roam Research/user-config.edn"),
        ("linux", {}, ".config/Roam Research/user-config.edn"),
        ("win32", {}, "AppData/Roaming/Roam Research/user-config.edn"),
    ],
)
def test_places(tmp_path: Path, platform: str, environ: dict[str, str], expected: str) -> None:
    assert config_path(platform, environ, tmp_path) == tmp_path / expected


def test_places_that_the_system_moved(tmp_path: Path) -> None:
    tail = Path("Roam Research", "user-config.edn")
    assert config_path("linux", {"XDG_CONFIG_HOME": str(tmp_path / "c")}) == tmp_path / "c" / tail
    assert config_path("win32", {"APPDATA": str(tmp_path / "a")}) == tmp_path / "a" / tail
