"""The file of registered sources: read, written, edited by hand, and never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UserError
from engine.model import Source, SourceId, SourceKind, SourceOptions
from engine.paths import Home
from engine.store import registry

VAULT = Source(SourceId("notes-0a1b2c3d"), SourceKind.OBSIDIAN, "Notes", "/people/me/Notes")
GRAPH = Source(
    SourceId("graph-11111111"),
    SourceKind.ROAM_CLOUD,
    "Gräph",
    "graph",
    SourceOptions(daily_notes=False, exclude=("a/*", 'b"c'), max_age_seconds=-1),
)
ENTRY = '[[source]]\nid = "{id}"\nkind = "obsidian"\nname = "{id}"\nlocation = "/x"\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "config").mkdir()
    return Home(tmp_path / "data", tmp_path / "config", tmp_path / "logs")


def test_sources_come_back_in_order(home: Home) -> None:
    assert registry.load(home) == ([], ())
    registry.save(home, [GRAPH, VAULT])
    assert registry.load(home) == ([GRAPH, VAULT], ())
    registry.save(home, [])
    assert registry.load(home) == ([], ())


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('[[source]]\nid = "../x"\nkind = "obsidian"\nname = "x"\nlocation = "/x"\n', "a-z"),
        ('[[source]]\nid = "x"\nkind = "notion"\nname = "x"\nlocation = "/x"\n', "notion"),
        ('[[source]]\nid = "x"\nkind = "obsidian"\nlocation = "/x"\n', "'name'"),
        ('[[source]]\nid = "x"\nkind = "obsidian"\nname = 5\nlocation = "/x"\n', "'name'"),
        (ENTRY.format(id="x") + "options = 5\n", "'options'"),
        (ENTRY.format(id="x") + "[source.options]\nfuture = 1\n", "future"),
        (ENTRY.format(id="x") + "[source.options]\nexclude = [1]\n", "exclude"),
        (ENTRY.format(id="x") + '[source.options]\ndaily_notes = "yes"\n', "daily_notes"),
        (ENTRY.format(id="notes-0a1b2c3d"), "twice"),
        (ENTRY.format(id="NOTES").replace('id = "NOTES"', 'id = "y"'), "twice"),
    ],
)
def test_a_bad_entry_hides_no_other_and_is_kept(home: Home, entry: str, says: str) -> None:
    registry.save(home, [VAULT])
    with home.sources_file.open("a") as file:
        file.write("\n" + entry + "\n" + ENTRY.format(id="good"))
    sources, notices = registry.load(home)
    assert [source.id for source in sources] == [VAULT.id, "good"]
    assert len(notices) == 1
    assert "entry 2" in notices[0]
    assert says in notices[0]
    registry.save(home, sources)
    again, later = registry.load(home)
    assert again == sources
    assert len(later) == (0 if says == "twice" else 1)


@pytest.mark.parametrize("content", [b"[[source]\nid=", b"\xff\xfe", b"source = 5\n"])
def test_an_unreadable_file_is_told_and_set_aside(home: Home, content: bytes) -> None:
    home.sources_file.write_bytes(content)
    sources, notices = registry.load(home)
    assert sources == []
    assert len(notices) == 1
    assert "sources.toml" in notices[0]
    registry.save(home, [VAULT])
    assert registry.load(home) == ([VAULT], ())
    assert home.sources_file.with_suffix(".damaged").read_bytes() == content


@pytest.mark.parametrize(
    ("kind", "location", "slug"),
    [
        (SourceKind.OBSIDIAN, "/people/me/My Notes", "my-notes"),
        (SourceKind.OBSIDIAN, "/people/me/My Notes/", "my-notes"),
        (SourceKind.OBSIDIAN, "C:\\Users\\me\\Büro", "buro"),
        (SourceKind.ROAM_EXPORT, "/x/日本", "roam-export"),
        (SourceKind.ROAM_CLOUD, "../..", "roam-cloud"),
        (SourceKind.OBSIDIAN, "/x/" + "a" * 300, "a" * 40),
        (SourceKind.OBSIDIAN, "/x/odd\udc80", "odd"),
    ],
)
def test_ids_are_stable_readable_and_safe_as_file_names(kind: SourceKind, location: str, slug: str) -> None:
    made = registry.new_source_id(kind, location)
    assert made == registry.new_source_id(kind, location)
    assert made[:-9] == slug
    assert len(made) - len(slug) == 9
    assert made != registry.new_source_id(kind, location + "2")


def test_a_list_that_cannot_be_read_now_is_not_replaced(home: Home) -> None:
    home.sources_file.mkdir()
    found, notices = registry.load(home)
    assert (found, "something else stands in its place" in notices[0]) == ([], True)
    with pytest.raises(UserError):
        registry.save(home, [])
    assert home.sources_file.is_dir()
