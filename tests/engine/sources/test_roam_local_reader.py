from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled, NoteError, SourceOffline
from engine.job import Job
from engine.model import Note, SourceOptions
from engine.net.client import Client
from engine.net.ledger import Ledger
from engine.net.policy import Policy
from engine.net.roam_api import GraphRef, LocalApi
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from engine.sources.roam_live import RoamReader, local_reader
from tests.servers.roam import EMAIL, LOCAL_TOKEN, FakeRoam, Graph

GARDEN = GraphRef("garden")
TOKEN = Secret(LOCAL_TOKEN)


def reader_of(server: FakeRoam, options: SourceOptions | None = None, **more: float) -> RoamReader:
    api = LocalApi(Client(Policy()), server.port)
    return local_reader(GARDEN, lambda: TOKEN, api, options or SourceOptions(), **more)


def notes_of(server: FakeRoam, options: SourceOptions | None = None) -> dict[str, Note]:
    reader = reader_of(server, options)
    scan = reader.scan(Job())
    return {ref.title: reader.read(ref) for ref in scan.refs}


@pytest.fixture
def graph() -> Graph:
    graph = Graph()
    graph.user("user00001")
    page = graph.page("Tulips", "tulips001")
    top = graph.block(page, "Plant in [[October]]", "bbbbbbbb1")
    graph.block(top, "ten centimetres deep", "bbbbbbbb2")
    graph.page("October", "october01")
    return graph


@pytest.fixture
def server(graph: Graph) -> Iterator[FakeRoam]:
    with FakeRoam(graph) as running:
        yield running


def texts(note: Note) -> list[str]:
    return [passage.text for passage in note.passages]


def test_pages_become_notes(server: FakeRoam) -> None:
    notes = notes_of(server)
    assert set(notes) == {"Tulips", "October"}
    tulips = notes["Tulips"]
    assert texts(tulips) == ["Tulips", "Plant in October", "ten centimetres deep"]
    assert tulips.passages[2].breadcrumb == ("Tulips", "Plant in October")
    assert tulips.passages[1].modified == 1_600_000_500.0
    assert EMAIL not in repr(notes)


def test_revisions_change_with_the_page_alone(server: FakeRoam, graph: Graph) -> None:
    def revisions() -> dict[str, str]:
        return {ref.title: ref.revision for ref in reader_of(server).scan(Job()).refs}

    before = revisions()
    assert revisions() == before
    graph.entities[4][":block/string"] = "twelve centimetres deep"
    graph.answers.clear()
    after = revisions()
    assert after["Tulips"] != before["Tulips"]
    assert after["October"] == before["October"]


def test_order_comes_from_the_order_and_not_from_the_wire(server: FakeRoam, graph: Graph) -> None:
    page = graph.page("List", "list00001")
    for order in (3, 0, 2, 1):
        graph.block(page, f"item {order}", f"item{order:05d}", order=order)
    assert texts(notes_of(server)["List"]) == ["List", "item 0", "item 1", "item 2", "item 3"]


@pytest.mark.parametrize("spelling", ["aliased", "keyword", "slashed"])
def test_every_spelling_gives_the_same_notes(server: FakeRoam, spelling: str) -> None:
    expected = notes_of(server)
    server.spelling = spelling
    assert notes_of(server) == expected


def test_daily_notes_in_and_out(server: FakeRoam, graph: Graph) -> None:
    page = graph.page("September 15th, 2020", "09-15-2020")
    graph.block(page, "slept well", "daily0001")
    graph.page("Sep 15th, 2020", "sep15page")
    assert "September 15th, 2020" in notes_of(server)
    without = notes_of(server, SourceOptions(daily_notes=False))
    assert "September 15th, 2020" not in without
    assert "Sep 15th, 2020" in without


def test_a_ghost_an_unselected_version_and_deep_nesting(server: FakeRoam, graph: Graph) -> None:
    page = graph.page("Deep", "deep00001")
    graph.ghost(page, "unselected version", "ghost0001")
    above = page
    for depth in range(60):
        above = graph.block(above, f"level {depth}", f"level{depth:04d}")
    graph.block(above, "see ((ghost0001))", "last00001")
    found = texts(notes_of(server)["Deep"])
    assert found[-2] == "level 59"
    assert len(found) == 62
    assert not any("unselected" in text for text in found)


def test_a_hidden_parent_hides_a_visible_looking_child(server: FakeRoam, graph: Graph) -> None:
    page = graph.page("Diary", "diary0001")
    hidden = graph.block(page, "private things #.rm-hide", "hidden001")
    graph.block(hidden, "looks harmless", "hidden002")
    graph.block(page, "quotes ((hidden001)) and ((hidden002))", "quote0001")
    note = notes_of(server)["Diary"]
    shown = " ".join(passage.text + passage.context + passage.embed_input for passage in note.passages)
    assert "private things" not in shown
    assert "looks harmless" not in shown
    assert note.omitted["private"] == 2


def test_twins_in_case_and_in_composition_stay_two_pages(server: FakeRoam, graph: Graph) -> None:
    for number, title in enumerate(("Kanban", "kanban", "Zo\u00e9", "Zoe\u0301")):
        graph.page(title, f"twin{number:05d}")
    assert {"Kanban", "kanban", "Zo\u00e9", "Zoe\u0301"} <= set(notes_of(server))


def test_blocks_without_a_uid_do_not_collide(server: FakeRoam, graph: Graph) -> None:
    page = graph.page("Odd", "odd000001")
    graph.block(page, "one", "")
    graph.block(page, "two", "")
    graph.entities[graph.block(page, "three", "x")][":block/uid"] = None
    note = notes_of(server)["Odd"]
    assert texts(note)[1:] == ["one", "two", "three"]
    assert len({passage.anchor.uid for passage in note.passages}) == 4
    assert {problem.code for problem in note.problems} == {"missing-uid"}


def test_children_that_were_not_sent_are_reported(server: FakeRoam, graph: Graph) -> None:
    graph.entities[2][":block/children"].append({":db/id": 99_999})
    scan = reader_of(server).scan(Job())
    assert ("missing-blocks", "Roam named 1 blocks that it did not send.") in {
        (problem.code, problem.reason) for problem in scan.problems
    }


def test_progress_and_cancel(server: FakeRoam) -> None:
    job = Job()
    reader_of(server).scan(job)
    assert job.snapshot().stage == "reading Roam"
    assert job.snapshot().done == 5
    server.locked = True
    server.arrived.clear()
    stopper = threading.Thread(target=lambda: (server.arrived.wait(30), job.cancel()))
    stopper.start()
    with pytest.raises(Cancelled):
        reader_of(server).scan(job)
    stopper.join()


def test_a_locked_graph_gives_up_at_the_limit(server: FakeRoam) -> None:
    server.locked = True
    started = time.monotonic()
    with pytest.raises(SourceOffline, match="may be locked"):
        reader_of(server, limit=0.2).scan(Job())
    assert time.monotonic() - started < 3


def test_no_token_sends_nothing(server: FakeRoam) -> None:
    reader = local_reader(GARDEN, lambda: None, LocalApi(Client(Policy()), server.port), SourceOptions())
    with pytest.raises(RoamRefused, match="no token for garden"):
        reader.scan(Job())
    assert server.requests == []


def test_reading_needs_a_snapshot(server: FakeRoam) -> None:
    reader = reader_of(server)
    ref = reader.scan(Job()).refs[0]
    reader.close()
    with pytest.raises(NoteError, match="not been read yet"):
        reader.read(ref)


def test_a_full_run_leaves_the_token_nowhere(
    server: FakeRoam, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    client = Client(Policy(), Ledger(tmp_path / "connections.jsonl"))
    reader = local_reader(GARDEN, lambda: TOKEN, LocalApi(client, server.port), SourceOptions())
    notes = [reader.read(ref) for ref in reader.scan(Job()).refs]
    server.refusal = (401, {"error": {"code": "TOKEN_NOT_FOUND", "message": LOCAL_TOKEN}})
    with pytest.raises(RoamRefused) as caught:
        reader.scan(Job())
    files = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert json.loads(files.splitlines()[0])["service"] == "loopback"
    assert LOCAL_TOKEN not in files + caplog.text + repr(notes) + str(caught.value) + repr(reader.__dict__)


# --- whatever a graph looks like ---------------------------------------------------------------------------------

PRIVATE = ["", "", "", " #.rm-hide", " #.rm-private", " [[.rm-hide]]", " #[[.RM-Private]]"]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Texts say what may become of them: ``shown``, ``hidden`` (private itself or beneath it) or ``ghost``."""
    graph = Graph()
    for number in range(draw(st.integers(0, 2))):
        graph.user(f"user{number:05d}")
    parents: list[tuple[int, str]] = []
    for number in range(draw(st.integers(1, 3))):
        parents.append((graph.page(f"Page {number}", f"page{number:05d}"), "shown"))
    uids: list[str] = []
    for number in range(draw(st.integers(1, 25))):
        parent, fate = parents[draw(st.integers(0, len(parents) - 1))]
        mark = draw(st.sampled_from(PRIVATE))
        fate = "hidden" if mark and fate == "shown" else fate
        quoted = " ((" + draw(st.sampled_from(uids)) + "))" if uids and draw(st.booleans()) else ""
        uid = f"uid{number:06d}"
        if draw(st.integers(0, 5)) == 0:
            page = next(iter(graph.entities[parent].get(":block/page", {":db/id": parent}).values()))
            added, fate = graph.ghost(page, f"ghost{number}x{mark}{quoted}", uid), "ghost"
        else:
            added = graph.block(parent, f"{fate}{number}x{mark}{quoted}", uid)
        parents.append((added, fate))
        uids.append(uid)
    return graph


@pytest.fixture(scope="module")
def any_server() -> Iterator[FakeRoam]:
    with FakeRoam() as running:
        yield running


@given(graphs(), st.sampled_from(["aliased", "keyword", "slashed"]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ghosts_private_blocks_and_e_mails_never_come_through(
    any_server: FakeRoam, graph: Graph, spelling: str
) -> None:
    any_server.graphs, any_server.spelling = [graph], spelling
    notes = notes_of(any_server)
    everything = repr(notes)
    assert EMAIL not in everything
    assert "@example.org" not in everything
    assert "ghost" not in everything
    assert "hidden" not in everything
    strings = [str(entity.get(":block/string", "")) for entity in graph.entities.values()]
    expected = {string.split()[0] for string in strings if string.startswith("shown")}
    found = {passage.text.split()[0] for note in notes.values() for passage in note.passages[1:]}
    assert found == expected
