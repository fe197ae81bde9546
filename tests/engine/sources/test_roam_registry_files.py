from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BadRequest, UnknownSource
from engine.net.roam_api import GraphRef
from engine.net.secrets import Secret
from engine.sources.roam_registry import find_entry, graph_at, location_of, read_port, read_registry

TOKEN = "roam-graph-local-token-" + "a" * 29


def entry(**more: object) -> dict[str, object]:
    return {"name": "garden", "type": "hosted", "token": TOKEN, "nickname": "gar", **more}


def write(folder: Path, graphs: object, name: str = ".roam-tools.json", **more: object) -> Path:
    path = folder / name
    path.write_text(json.dumps({"version": 1, "graphs": graphs, **more}), encoding="utf-8")
    path.chmod(0o600)
    return path


# --- the port ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ('{"port": 3335}', 3335),
        ('{"port": 4000, "last-graph": "x"}', 4000),
        ("{}", 3333),
        ('{"port": "4000"}', 3333),
        ('{"port": 0}', 3333),
        ('{"port": 70000}', 3333),
        ('{"port": true}', 3333),
        ("[]", 3333),
        ("not json", 3333),
        ("", 3333),
    ],
)
def test_port(tmp_path: Path, text: str, port: int) -> None:
    (tmp_path / ".roam-local-api.json").write_text(text)
    assert read_port(tmp_path) == port


def test_no_port_file(tmp_path: Path) -> None:
    assert read_port(tmp_path) == 3333


# --- the registry ------------------------------------------------------------------------------------------------


def test_entries(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            entry(accessLevel="read-only", lastKnownTokenStatus="revoked", color="new key"),
            entry(name="work", type="offline", nickname="w"),
            {"name": "plain", "token": TOKEN},
        ],
        http={"bearer": "x"},
    )
    registry = read_registry(tmp_path)
    assert registry.notices == ()
    assert [e.graph for e in registry.entries] == [GraphRef("garden"), GraphRef("work", "offline"), GraphRef("plain")]
    assert [e.nickname for e in registry.entries] == ["gar", "w", "plain"]
    assert [e.access for e in registry.entries] == ["read-only", "", ""]
    assert [e.is_revoked for e in registry.entries] == [True, False, False]
    assert registry.entries[0].token == Secret(TOKEN)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (5, "not an object"),
        (entry(name="a/b"), "name is missing or not a graph name"),
        (entry(name=None), "name is missing"),
        (entry(type="cloud"), "type is neither"),
        (entry(token=None), "token is missing"),
        (entry(token="roam-graph-token-abc"), "token is missing or not a local"),
        (entry(token=TOKEN + "\n"), "not a local API token"),
    ],
)
def test_a_bad_entry_hides_no_other(tmp_path: Path, bad: object, reason: str) -> None:
    write(tmp_path, [entry(), bad, entry(name="last", nickname="l")])
    registry = read_registry(tmp_path)
    assert [e.graph.name for e in registry.entries] == ["garden", "last"]
    (notice,) = registry.notices
    assert "graph 2 was left out" in notice
    assert reason in notice


@pytest.mark.parametrize("nickname", ["Free Text", "  gar  ", 5, "", None])
def test_nicknames_of_early_drafts(tmp_path: Path, nickname: object) -> None:
    write(tmp_path, [entry(nickname=nickname)])
    expected = nickname.strip() if isinstance(nickname, str) and nickname.strip() else "garden"
    assert read_registry(tmp_path).entries[0].nickname == expected


def test_a_newer_file_is_refused_with_words(tmp_path: Path) -> None:
    write(tmp_path, [{"future": True}], version=2)
    registry = read_registry(tmp_path)
    assert registry.entries == ()
    assert "newer version" in registry.notices[0]
    assert "update Lamplight" in registry.notices[0]


def test_a_file_without_a_version_is_the_first(tmp_path: Path) -> None:
    path = tmp_path / ".roam-tools.json"
    path.write_text(json.dumps({"graphs": [entry()]}))
    path.chmod(0o600)
    assert len(read_registry(tmp_path).entries) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"graphs": 5}', "{", "[" * 100_000, "\udcff"])
def test_a_file_that_is_no_registry(tmp_path: Path, text: str) -> None:
    (tmp_path / ".roam-tools.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    registry = read_registry(tmp_path)
    assert registry.entries == ()
    assert len(registry.notices) == 1


def test_no_file_is_no_graph(tmp_path: Path) -> None:
    assert read_registry(tmp_path).entries == ()
    assert read_registry(tmp_path).notices == ()
    (tmp_path / ".roam-tools.json").mkdir()
    assert read_registry(tmp_path).entries == ()


def test_the_old_file_adds_what_the_new_one_lacks(tmp_path: Path) -> None:
    write(tmp_path, [entry(name="old", nickname="o"), entry(nickname="other")], name=".roam-mcp.json")
    write(tmp_path, [entry()])
    found = read_registry(tmp_path).entries
    assert [(e.graph.name, e.nickname) for e in found] == [("garden", "gar"), ("old", "o")]


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
def test_loose_permissions_are_noticed(tmp_path: Path) -> None:
    path = write(tmp_path, [entry()])
    path.chmod(0o644)
    registry = read_registry(tmp_path)
    assert len(registry.entries) == 1
    assert "other users of this computer can read it" in registry.notices[0]


def test_tokens_are_in_no_text(tmp_path: Path) -> None:
    secret = "roam-graph-local-token-" + "S" * 29
    graphs = [entry(token=secret), entry(name=secret + "/"), entry(type=secret), entry(nickname=[secret]), secret]
    write(tmp_path, graphs)
    assert secret not in repr(read_registry(tmp_path))


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["version", "graphs", "name", "type", "token", "nickname"]), inner, max_size=4),
))  # fmt: skip
def test_no_content_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    folder = tmp_path_factory.mktemp("registry")
    (folder / ".roam-tools.json").write_text(json.dumps(value))
    (folder / ".roam-local-api.json").write_text(json.dumps(value))
    assert read_registry(folder).entries == ()
    assert read_port(folder) == 3333


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gar", GraphRef("garden")),
        ("GAR", GraphRef("garden")),
        ("garden", GraphRef("garden")),
        ("work", GraphRef("Work")),
        ("twin", GraphRef("twin")),
        ("twin?type=offline", GraphRef("twin", "offline")),
        ("boss", GraphRef("gar", "offline")),
    ],
)
def test_nicknames_come_first_then_names_and_hosted_before_offline(
    tmp_path: Path, name: str, expected: GraphRef
) -> None:
    write(
        tmp_path,
        [
            entry(),
            entry(name="gar", type="offline", nickname="boss"),
            entry(name="Work", nickname="job"),
            entry(name="twin", type="offline", nickname="t1"),
            entry(name="twin", nickname="t2"),
        ],
    )
    assert find_entry(read_registry(tmp_path).entries, name).graph == expected


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    write(tmp_path, [entry(), entry(name="work", type="offline", nickname="w")])
    with pytest.raises(UnknownSource) as caught:
        find_entry(read_registry(tmp_path).entries, "nope")
    assert "gar (garden), w (work (offline))" in caught.value.remedy
    with pytest.raises(UnknownSource, match="Connect one in Roam Desktop first"):
        find_entry([], "nope")


def test_a_nickname_of_two_graphs_decides_nothing(tmp_path: Path) -> None:
    write(tmp_path, [entry(), entry(name="other", nickname="Gar")])
    registry = read_registry(tmp_path)
    assert "two graphs have the nickname" in registry.notices[0]
    with pytest.raises(UnknownSource, match="'gar' could be garden or other"):
        find_entry(registry.entries, "gar")


def test_the_location_of_a_source_is_name_and_type_never_the_nickname() -> None:
    for graph in (GraphRef("garden"), GraphRef("garden", "offline")):
        assert graph_at(location_of(graph)) == graph
    assert location_of(GraphRef("garden")) == "garden"
    for odd in ("", "a b", "x?type=hosted", "../x"):
        with pytest.raises(BadRequest):
            graph_at(odd)
