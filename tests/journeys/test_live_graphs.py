"""Live graphs through the library, over real sockets: found, added, indexed, refreshed and searched in time."""

from __future__ import annotations

import dataclasses
import functools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.errors import Cancelled, ModelUnavailable, NotAllowed, SourceExists, UnknownSource, UserError
from engine.frontends import protocol
from engine.indexing.refresh import REST, Refresher
from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import (
    Anchor,
    LegState,
    NoteKey,
    Outcome,
    SearchAge,
    SearchRequest,
    SearchResult,
    Source,
    SourceKind,
    SourceOptions,
)
from engine.net.client import Client
from engine.net.policy import LOOPBACK, ROAM_CLOUD, Policy
from engine.net.roam_errors import RoamRefused
from engine.paths import Home
from engine.sources import roam_export, roam_graphs
from engine.sources.roam_live import cloud_reader
from engine.sources.roam_windows import WindowState
from tests.servers.ollama import FakeOllama
from tests.servers.roam import CLOUD_TOKEN, EMAIL, LOCAL_TOKEN, FakeCloud, FakeRoam, Graph, big_graph

STALE = SourceOptions(max_age_seconds=0)
OPEN = "/api/graphs/open"


def garden(**more: str) -> Graph:
    graph = Graph(**more)
    graph.user("user00001")
    page = graph.page("Tulips", "tulips001")
    bulbs = graph.block(page, "Plant the bulbs in October", "bulbs0001")
    graph.block(bulbs, "Squirrels dig them up", "squirrel1")
    hidden = graph.block(page, "The secret bed #.rm-hide", "hidden001")
    graph.block(hidden, "Orchids beneath the secret", "orchids01")
    graph.ghost(page, "Ghostly narcissus", "ghost0001")
    day = graph.page("October 3rd, 2023", "10-03-2023")
    graph.block(day, "Raked the leaves", "leaves001")
    return graph


def texts(result: SearchResult) -> list[str]:
    return [hit.text for row in result.rows for hit in row.hits]


class World:
    """A person's home folder, their Roam Desktop, and their library."""

    def __init__(self, folder: Path, server: FakeRoam, library: Library) -> None:
        self.folder, self.server, self.library = folder, server, library
        self.graph = server.graphs[0]

    @property
    def asked(self) -> list[str]:
        return [seen.path for seen in self.server.requests]

    def add(self, options: SourceOptions | None = None) -> Source:
        """The garden, with its token, indexed."""
        source = self.library.add("roam:gar", options=options)
        self.library.import_token("gar")
        assert self.library.index(source.name, Job()).outcome is Outcome.COMPLETE
        self.server.requests.clear()
        return source

    def search(self, text: str, *, refresh: bool = False) -> SearchResult:
        return self.library.search(SearchRequest(text, refresh=refresh))

    def found(self, text: str) -> list[str]:
        return texts(self.search(text))


def tell_roam(folder: Path, server: FakeRoam) -> None:
    (folder / ".roam-local-api.json").write_text(json.dumps({"port": server.port}))


def tell_tools(folder: Path, *graphs: dict[str, object]) -> None:
    path = folder / ".roam-tools.json"
    path.write_text(json.dumps({"version": 1, "graphs": graphs}))
    path.chmod(0o600)


@pytest.fixture
def world(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setattr(Path, "home", lambda: folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.delenv("LAMPLIGHT_ROAM_TOKEN", raising=False)
    tell_tools(
        folder,
        {"name": "garden", "nickname": "gar", "token": LOCAL_TOKEN},
        {"name": "attic", "nickname": "att", "type": "offline", "token": LOCAL_TOKEN},
        {"name": "broken", "nickname": "bro", "token": "roam-graph-token-of-the-wrong-kind"},
    )
    attic = Graph("attic", "offline")
    attic.block(attic.page("Trunk", "trunk0001"), "Old letters", "letters01")
    with FakeRoam(garden(), attic) as server, Library.open(home, embedder=FakeEmbedder()) as library:
        tell_roam(folder, server)
        yield World(folder, server, library)


# --- found and added ---------------------------------------------------------------------------------------------


def test_graphs_are_found_with_their_states(world: World) -> None:
    world.server.open = [{"name": "garden", "type": "hosted"}, {"name": "work", "type": "hosted"}]
    world.add()
    found = {one.location: one for one in world.library.discover() if one.kind is SourceKind.ROAM_LOCAL}
    assert found["garden"].detail == "indexed (2), window open"
    assert found["garden"].registered
    assert found["attic?type=offline"].detail == "not indexed, window closed"
    assert found["work"].detail == "not indexed, window open, no token yet"
    assert set(world.asked) == {OPEN}
    [notice] = [n for n in world.library.notices if "left out" in n]
    assert "graph 3" in notice
    assert "wrong-kind" not in notice
    world.server.open = None
    assert "window unknown" in next(one.detail for one in world.library.discover() if one.name == "gar")


def test_a_graph_is_keyed_by_its_canonical_name_and_type(world: World) -> None:
    source = world.library.add("roam:gar")
    assert (source.kind, source.name, source.location) == (SourceKind.ROAM_LOCAL, "gar", "garden")
    with pytest.raises(SourceExists, match="registered already, as 'gar'"):
        world.library.add("roam:garden")
    tell_tools(world.folder, {"name": "garden", "nickname": "renamed", "token": LOCAL_TOKEN})
    with pytest.raises(SourceExists):
        world.library.add("roam:renamed")
    offline = world.library.add("roam:attic")
    assert offline.location == "attic?type=offline"
    with pytest.raises(UnknownSource, match=r"no graph 'nowhere'.*renamed \(garden\)"):
        world.library.add("roam:nowhere")


def test_a_graph_that_only_roam_knows_can_be_added(world: World) -> None:
    tell_tools(world.folder)
    assert world.library.add("roam:garden").name == "garden"


def test_an_offline_graph_end_to_end(world: World) -> None:
    source = world.library.add("roam:att")
    world.library.import_token("att")
    assert world.library.index("att", Job()).outcome is Outcome.COMPLETE
    assert "/api/attic?type=offline" in world.asked
    assert "Old letters" in world.found("letters")
    link = world.library.home_link("att", Anchor(NoteKey("trunk0001"), uid="letters01"))
    assert link == "roam://#/offline/attic/page/letters01"
    assert source.name == "att"


@pytest.mark.parametrize(
    ("uid", "page", "end"),
    [
        ("bulbs0001", "tulips001", "/page/bulbs0001"),
        ("", "tulips001", "/page/tulips001"),
        ("~made0000000000", "tulips001", "/page/tulips001"),
        ("~made0000000000", "~made1111111111", "garden"),
    ],
)
def test_a_link_falls_back_to_what_roam_can_open(world: World, uid: str, page: str, end: str) -> None:
    world.library.add("roam:gar")
    link = world.library.home_link("gar", Anchor(NoteKey(page), uid=uid))
    assert link.startswith("roam://#/app/garden")
    assert link.endswith(end)


def test_what_is_indexed_and_what_never_is(world: World) -> None:
    world.add()
    assert "Plant the bulbs in October" in world.found("bulbs October")
    for word in ("secret", "orchids", "narcissus"):
        assert [text for text in world.found(word) if word in text.casefold()] == []
    everything = repr([world.library.note("gar", NoteKey(key)) for key in ("tulips001", "10-03-2023")])
    assert EMAIL not in everything
    assert "secret" not in everything


# --- the gate ----------------------------------------------------------------------------------------------------


def say_windows(world: World, state: WindowState, by: str) -> None:
    """Let Roam itself, or its list of windows to restore, tell the state of the garden's window."""
    graphs = ["garden"] if state is WindowState.OPEN else ["other"]
    if by == "roam":
        world.server.open = None if state is WindowState.UNKNOWN else [{"name": name} for name in graphs]
        return
    world.server.open = None
    if state is not WindowState.UNKNOWN:
        file = world.folder / "config" / "Roam Research" / "user-config.edn"
        file.parent.mkdir(parents=True, exist_ok=True)
        url = f"https://roamresearch.com/#/app/{graphs[0]}"
        file.write_text('{:roam/windows [{:window/url "' + url + '"}]}')


@pytest.mark.parametrize("by", ["roam", "list"])
@pytest.mark.parametrize("state", list(WindowState))
def test_an_automatic_run_passes_the_gate_only_when_the_window_is_open(
    world: World, state: WindowState, by: str
) -> None:
    world.add()
    say_windows(world, state, by)
    report = world.library.index("gar", Job(), require_open_window=True)
    if state is WindowState.OPEN:
        assert report.outcome is Outcome.COMPLETE
        assert world.asked[-1] == "/api/garden"
    else:
        assert report.outcome is Outcome.WINDOW_CLOSED
        assert "'gar'" in report.detail
        assert set(world.asked) == {OPEN}
    assert world.library.status("gar").state == "indexed"


def test_the_gate_is_no_matter_for_files(world: World, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "A.md").write_text("Apples\n")
    world.library.add(str(tmp_path / "vault"))
    assert world.library.index("vault", Job(), require_open_window=True).outcome is Outcome.COMPLETE
    assert world.library.index_warning("vault") == ""
    assert world.asked == []


def test_a_run_that_a_person_asks_for_is_not_gated_but_warned_of(world: World) -> None:
    world.add()
    assert world.library.index_warning("gar") == ""
    world.server.open = []
    assert "password" in world.library.index_warning("gar")
    assert world.library.index("gar", Job()).outcome is Outcome.COMPLETE


# --- refreshing before a search ----------------------------------------------------------------------------------


def age_of(result: SearchResult) -> SearchAge:
    [age] = result.ages
    return age


def test_fresh(world: World) -> None:
    world.add(SourceOptions(max_age_seconds=3600))
    age = age_of(world.search("bulbs", refresh=True))
    assert age.refresh == "fresh"
    assert age.indexed_at is not None
    assert 0 <= time.time() - age.indexed_at < 60
    assert world.asked == []


def test_refreshed(world: World) -> None:
    world.add(STALE)
    before = age_of(world.search("bulbs")).indexed_at
    world.graph.block(1 + 1, "Crocuses come first", "crocus001")
    result = world.search("crocuses", refresh=True)
    age = age_of(result)
    assert (age.refresh, age.detail) == ("refreshed", "")
    assert before is not None
    assert age.indexed_at is not None
    assert age.indexed_at > before
    assert "Crocuses come first" in texts(result)
    assert world.asked == [OPEN, "/api/garden"]


def test_a_plain_search_refreshes_nothing(world: World) -> None:
    world.add(STALE)
    assert age_of(world.search("bulbs")).refresh == ""
    assert world.asked == []


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((401, {"error": {"code": "TOKEN_NOT_FOUND", "message": f"no {LOCAL_TOKEN}"}}), "revoked"),
        ((403, {"error": "Local API is disabled. Enable it in Settings menu."}), "switched off"),
        ((500, {"error": {"code": "INTERNAL_ERROR", "message": "promise error"}}), "was closed before"),
        ((500, {"error": {"message": "Query and/or pull expression took too long to run."}}), "20 seconds"),
        ((504, {}), "gave up"),
    ],
)
def test_refresh_failed_says_why_and_the_snapshot_answers(
    world: World, refusal: tuple[int, object], words: str
) -> None:
    world.add(STALE)
    before = age_of(world.search("bulbs")).indexed_at
    world.server.refusal = refusal
    result = world.search("bulbs", refresh=True)
    age = age_of(result)
    assert age.refresh == "refresh-failed"
    assert words in age.detail
    assert LOCAL_TOKEN not in age.detail
    assert age.indexed_at == before
    assert result.rows


@pytest.mark.parametrize("state", [WindowState.CLOSED, WindowState.UNKNOWN])
def test_window_closed(world: World, state: WindowState) -> None:
    world.add(STALE)
    say_windows(world, state, "roam")
    age = age_of(world.search("bulbs", refresh=True))
    assert age.refresh == "window-closed"
    assert "not open" in age.detail
    assert set(world.asked) == {OPEN}


def test_the_owner_may_untick_the_gate_for_a_graph(world: World) -> None:
    world.add(SourceOptions(max_age_seconds=0, require_open_window=False))
    world.server.open = []
    assert age_of(world.search("bulbs", refresh=True)).refresh == "refreshed"
    assert world.asked == ["/api/garden"]


def test_disabled(world: World) -> None:
    world.add(SourceOptions(max_age_seconds=-1))
    age = age_of(world.search("bulbs", refresh=True))
    assert age.refresh == "disabled"
    assert "switched off" in age.detail
    assert world.asked == []


def test_a_graph_that_was_never_read_is_stale(world: World) -> None:
    world.library.add("roam:gar")
    world.library.import_token("gar")
    age = world.library.freshen("gar", Job())
    assert age.refresh == "refreshed"
    assert world.found("bulbs")


def test_a_locked_graph_never_holds_a_search_longer_than_the_limit(world: World) -> None:
    world.add(STALE)
    world.library.change_settings(dataclasses.replace(world.library.settings, refresh_seconds=1))
    world.server.locked = True
    started = time.monotonic()
    result = world.search("bulbs", refresh=True)
    assert time.monotonic() - started < 3
    assert "Plant the bulbs in October" in texts(result)
    assert age_of(result).refresh == "refresh-failed"
    assert "may be locked" in age_of(result).detail
    asked = len(world.server.requests)
    again = age_of(world.search("bulbs", refresh=True))
    assert (again.refresh, again.detail) == ("refresh-failed", age_of(result).detail)
    assert len(world.server.requests) == asked, "a graph that just failed is left in peace for a while"


def test_a_run_under_way_holds_no_search(world: World) -> None:
    source = world.add(STALE)
    with world.library._held.runs.under_way(source):
        age = age_of(world.search("bulbs", refresh=True))
    assert (age.refresh, age.detail) == ("refresh-failed", "It is being indexed right now.")


def test_work_that_takes_too_long_is_cut_and_cancel_is_passed_on(world: World) -> None:
    source = world.add(STALE)
    live = world.library._held.files.index(source)

    def endless(source: Source, job: Job, limit: float) -> None:
        while True:
            job.check()

    now = [time.time() + 10]
    refresher = Refresher(lambda source, limit: WindowState.OPEN, endless, lambda: now[0])
    started = time.monotonic()
    [age] = refresher.refresh([live], 0.5, Job())
    assert time.monotonic() - started < 2
    assert age.refresh == "refresh-failed"
    assert "within 0.5 seconds" in age.detail
    now[0] += REST.first
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        refresher.refresh([live], 0.5, job)


def test_several_graphs_share_the_limit(world: World) -> None:
    source = world.add(STALE)
    many = [
        SimpleNamespace(source=dataclasses.replace(source, id=f"s{n}"), indexed_at=0.0, behind_by=0) for n in range(30)
    ]
    tried: list[str] = []

    def slow(source: Source, job: Job, limit: float) -> None:
        tried.append(source.id)
        while True:
            job.check()

    started = time.monotonic()
    ages = Refresher(lambda source, limit: WindowState.OPEN, slow).refresh(many, 0.5, Job())
    assert time.monotonic() - started < 2
    assert {age.refresh for age in ages} == {"refresh-failed"}
    assert "s29" not in tried
    assert ages[29].detail == "Other graphs took all of the time there is before a search."


def test_choices_of_a_source_stick_to_it(world: World) -> None:
    world.add(SourceOptions(daily_notes=False, max_age_seconds=0))
    assert world.library.status("gar").notes == 1
    assert age_of(world.search("leaves", refresh=True)).refresh == "refreshed"
    assert world.library.status("gar").notes == 1
    assert "Raked the leaves" not in world.found("leaves")


# --- indexing that fails -----------------------------------------------------------------------------------------


def test_roam_that_does_not_run_leaves_the_index_as_it_was(world: World) -> None:
    world.add()
    before = world.library.status("gar").indexed_at
    (world.folder / ".roam-local-api.json").write_text(json.dumps({"port": 9}))
    report = world.library.index("gar", Job())
    assert report.outcome is Outcome.OFFLINE
    assert report.detail.startswith("Roam Desktop is not running. ")
    status = world.library.status("gar")
    assert (status.state, status.notes, status.indexed_at) == ("offline", 2, before)
    assert world.found("bulbs")


def test_a_refusal_is_one_error_with_a_way_out(world: World) -> None:
    world.library.add("roam:gar")
    with pytest.raises(RoamRefused, match=r"no token for garden\. .*import it"):
        world.library.index("gar", Job())
    assert world.asked.count("/api/garden") == 0


def test_a_run_without_changes_embeds_nothing(world: World) -> None:
    world.add()
    report = world.library.index("gar", Job())
    assert (report.embedded, report.changed, report.added, report.unchanged) == (0, 0, 0, 2)


def test_a_large_graph_comes_whole(tmp_path: Path, world: World) -> None:
    world.server.graphs[0] = big_graph(300)
    world.add()
    status = world.library.status("gar")
    assert (status.notes, status.vectors) == (16, status.passages)
    assert world.library.index("gar", Job()).embedded == 0


# --- tokens and services -----------------------------------------------------------------------------------------


def test_tokens_are_checked_kept_and_forgotten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    library = world.library
    said = library.keep_token("gar", LOCAL_TOKEN)
    assert "Roam accepts the token for garden (read-only)." in said
    assert "kept until Lamplight ends" in said, "there is no keychain here"
    assert library.check_connection("gar", Job()) == "garden can be read: 2 pages."
    assert "forgotten" in library.forget_token("gar")
    with pytest.raises(RoamRefused, match="no token"):
        library.check_connection("gar", Job())
    with pytest.raises(RoamRefused, match="revoked") as caught:
        library.keep_token("gar", LOCAL_TOKEN[:-1] + "X")
    assert "local-token-" not in caught.value.message
    with pytest.raises(RoamRefused, match="no token"):
        library.check_connection("gar", Job())
    assert "Roam accepts" in library.request_token("gar", Job())
    monkeypatch.setenv("LAMPLIGHT_ROAM_TOKEN", LOCAL_TOKEN)
    library.forget_token("gar")
    assert "2 pages" in library.check_connection("gar", Job())


def test_services_start_off_and_say_what_they_send(world: World, home: Home) -> None:
    library = world.library
    assert [s.name for s in library.services() if s.is_on] == ["loopback"]
    with pytest.raises(NotAllowed, match="graph token and read queries go to Roam's servers") as caught:
        library.add("roam-cloud:garden")
    assert "services on roam-cloud" in str(caught.value)
    library.switch_service("roam-cloud", True)
    assert library.add("roam-cloud:garden").kind is SourceKind.ROAM_CLOUD
    assert "roam_cloud = true" in home.settings_file.read_text()
    library.switch_service("roam-cloud", False)
    with pytest.raises(NotAllowed):
        library.add("roam-cloud:other")


def test_a_graph_from_roams_servers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = dataclasses.replace(ROAM_CLOUD, is_loopback=True, hosts=("127.0.0.1",), schemes=("http",))
    library = world.library
    with FakeCloud(garden(token=CLOUD_TOKEN)) as cloud:
        reader = functools.partial(cloud_reader, base_url=cloud.url)
        monkeypatch.setattr(roam_graphs, "cloud_reader", reader)
        library._held.client = Client(Policy(["roam-cloud"], services=(LOOPBACK, here)))
        source = library.add("roam-cloud:garden", options=STALE)
        library.keep_token(source.name, CLOUD_TOKEN)
        assert library.index(source.name, Job()).outcome is Outcome.COMPLETE
        assert "Plant the bulbs in October" in world.found("bulbs")
        cloud.script = [(429, {"retry-after": "60"}, b"{}")]
        age = library.freshen(source.name, Job())
        assert (age.refresh, age.detail.split(".")[0]) == (
            "refresh-failed",
            "Roam's servers ask for fewer requests to 'garden'",
        )
    assert world.library.home_link(source.name, Anchor(NoteKey("a"), uid="bulbs0001")).endswith("/bulbs0001")


# --- a model of Ollama -------------------------------------------------------------------------------------------


@pytest.fixture
def ollama(world: World, home: Home) -> Iterator[tuple[Library, FakeOllama]]:
    """A library without a given embedder, and Ollama on this machine."""
    with FakeOllama(context=512) as server, Library.open(home) as library:
        library.change_settings(dataclasses.replace(library.settings, ollama_port=server.port))
        yield library, server


def test_ollama_as_the_model_of_a_source(world: World, ollama: tuple[Library, FakeOllama]) -> None:
    library, server = ollama
    source = library.add("roam:gar", options=SourceOptions(model="ollama:nomic-embed-text"))
    assert source.options.model == "ollama:nomic-embed-text:latest@0123456789ab", "the weights stick to the source"
    library.import_token("gar")
    report = library.index("gar", Job())
    assert report.embedded == library.status("gar").vectors > 0
    # The first call loads the model by itself, so that a crash of it is told from one over a note.
    assert [text for text in server.inputs() if not text.startswith("search_document: ")] == ["search_query: lamp"]
    result = library.search(SearchRequest("bulbs"))
    assert server.inputs()[-1] == "search_query: bulbs"
    assert [leg.state for leg in result.legs if leg.name == "meaning"] == [LegState.USED]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("digest", "was replaced since the index was made"),
        ("dimensions", "gives vectors of 5 numbers, the index holds 8"),
        ("gone", "Ollama is not running"),
    ],
)
def test_another_model_is_never_mixed_in_and_words_still_answer(
    world: World, ollama: tuple[Library, FakeOllama], home: Home, trouble: str, words: str
) -> None:
    library, server = ollama
    library.add("roam:gar", options=SourceOptions(model="ollama:nomic-embed-text"))
    library.import_token("gar")
    library.index("gar", Job())
    library.close()
    if trouble == "digest":
        server.digest = "sha256:ffffffffffffffff"
    elif trouble == "dimensions":
        server.dimensions = 5
    with Library.open(home) as again:
        if trouble == "gone":
            again.change_settings(dataclasses.replace(again.settings, ollama_port=9))
        result = again.search(SearchRequest("bulbs"))
        [why] = [leg.why for leg in result.legs if leg.name == "meaning"]
        assert words in why
        assert "Plant the bulbs in October" in texts(result)
        world.graph.block(2, "One more thing", "onemore01")
        again.import_token("gar")
        with pytest.raises(ModelUnavailable, match=words.split(",")[0]):
            again.index("gar", Job())


def test_a_model_that_ollama_lacks_is_refused_at_once(ollama: tuple[Library, FakeOllama]) -> None:
    library, _ = ollama
    with pytest.raises(ModelUnavailable, match=r"no model 'other'\. Fetch it with: ollama pull other"):
        library.add("roam:gar", options=SourceOptions(model="ollama:other"))
    assert library.sources() == []


# --- exports -----------------------------------------------------------------------------------------------------


def test_an_export_that_did_not_change_is_not_parsed_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "export.json"
    file.write_text(
        json.dumps([{"title": "Lamp", "uid": "lamp00001", "children": [{"string": "Oil", "uid": "oil000001"}]}])
    )
    parsed: list[Path] = []
    real = roam_export.read_export
    monkeypatch.setattr(roam_export, "read_export", lambda path: (parsed.append(path), real(path))[1])
    library = world.library
    library.add(str(file))
    first, second = library.index("export", Job()), library.index("export", Job())
    assert len(parsed) == 1
    assert (second.outcome, second.notes, second.unchanged, second.passages) == (Outcome.COMPLETE, 1, 1, first.passages)
    library.index("export", Job(), full=True)
    assert len(parsed) == 2
    file.write_text(
        json.dumps([{"title": "Lamp", "uid": "lamp00001", "children": [{"string": "Gas", "uid": "gas000001"}]}]) + " "
    )
    assert library.index("export", Job()).changed == 1
    library.configure("export", SourceOptions(exclude=("Lamp",)))
    assert library.index("export", Job()).skipped == 1
    assert len(parsed) == 4


def test_a_refusal_of_roam_crosses_the_channel_between_processes() -> None:
    told = protocol.error_of(protocol.failure(1, RoamRefused("It says no.", "Ask again.", code="X")))
    assert type(told) is UserError
    assert str(told) == "It says no. Ask again."
