from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest

from engine.errors import NotAllowed, NoteError, RetryError
from engine.job import Job
from engine.model import SourceOptions
from engine.net.client import Client
from engine.net.policy import LOOPBACK, ROAM_CLOUD, Policy
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from engine.sources.roam_live import RoamReader, cloud_reader
from tests.servers.roam import CLOUD_TOKEN, EMAIL, FakeCloud, Graph

HERE = dataclasses.replace(ROAM_CLOUD, is_loopback=True, hosts=("127.0.0.1",), schemes=("http",))


@pytest.fixture
def server() -> Iterator[FakeCloud]:
    graph = Graph(token=CLOUD_TOKEN)
    graph.user("user00001")
    page = graph.page("Tulips", "tulips001")
    top = graph.block(page, "Plant in October", "bbbbbbbb1")
    graph.block(top, "ten centimetres", "bbbbbbbb2")
    graph.block(page, "secret bed #.rm-private", "bbbbbbbb3")
    graph.ghost(page, "deleted long ago", "ghost0001")
    with FakeCloud(graph) as running:
        yield running


def reader_of(server: FakeCloud, *, enabled: bool = True, token: str = CLOUD_TOKEN) -> RoamReader:
    policy = Policy(["roam-cloud"] if enabled else [], services=(LOOPBACK, HERE))
    find = (lambda: Secret(token)) if token else (lambda: None)
    return cloud_reader("garden", find, Client(policy), SourceOptions(), base_url=server.url)


def test_pages_become_notes_without_ghosts_private_blocks_or_e_mails(server: FakeCloud) -> None:
    reader = reader_of(server)
    job = Job()
    (ref,) = reader.scan(job).refs
    note = reader.read(ref)
    assert [passage.text for passage in note.passages] == ["Tulips", "Plant in October", "ten centimetres"]
    assert EMAIL not in repr(note)
    assert job.snapshot().stage == "reading Roam"
    assert reader.scan(Job()).refs == (ref,)


def test_nothing_is_sent_while_the_service_is_off(server: FakeCloud) -> None:
    with pytest.raises(NotAllowed, match="Roam cloud is switched off"):
        reader_of(server, enabled=False).scan(Job())
    assert server.requests == []


def test_no_token_sends_nothing(server: FakeCloud) -> None:
    with pytest.raises(RoamRefused, match="no cloud token for garden"):
        reader_of(server, token="").scan(Job())
    assert server.requests == []


def test_a_failed_pull_leaves_the_last_snapshot_readable(server: FakeCloud) -> None:
    reader = reader_of(server)
    (ref,) = reader.scan(Job()).refs
    server.forget = {4}
    with pytest.raises(RetryError, match="left out 1 blocks"):
        reader.scan(Job())
    assert reader.read(ref).title == "Tulips"
    reader.close()
    with pytest.raises(NoteError, match="not been read yet"):
        reader.read(ref)
