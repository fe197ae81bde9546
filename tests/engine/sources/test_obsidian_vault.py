"""A vault on disk: what is a note, what is not and why, and that reading changes nothing."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import Cancelled, NoteError, SourceOffline
from engine.job import Job
from engine.model import LinkKind, Note, NoteKey, NoteRef, Scan, Severity, SourceOptions
from engine.sources import vault_walk
from engine.sources.note_keys import note_path
from engine.sources.obsidian import ObsidianReader, decode

REAL_VAULTS = Path(__file__).parents[4] / "shared" / "data" / "vaults"
needs_posix = pytest.mark.skipif(os.name == "nt", reason="names and links that Windows does not allow")


def word_spans(texts):
    return [
        np.array([found.span() for found in re.finditer(r"\w{1,8}|[^\w\s]", text)], dtype=np.int32).reshape(-1, 2)
        for text in texts
    ]


def reader(root: Path, **options) -> ObsidianReader:
    return ObsidianReader(root, SourceOptions(**options), word_spans)


def scan(root: Path, **options) -> Scan:
    return reader(root, **options).scan(Job())


def keys(found: Scan) -> list[str]:
    return sorted(ref.key for ref in found.refs)


def reasons(found: Scan) -> dict[str, str]:
    return {problem.note: problem.code for problem in found.problems}


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def read_one(root: Path, content: str | bytes, name: str = "Note.md", **options) -> Note:
    write(root, {name: content})
    vault = reader(root, **options)
    (ref,) = [ref for ref in vault.scan(Job()).refs if ref.key == name]
    return vault.read(ref)


def tree_hash(root: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        info = path.lstat()
        digest.update(repr((os.fsencode(path), info.st_mtime_ns, info.st_mode, info.st_size)).encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def test_what_is_a_note_and_what_is_not(tmp_path: Path) -> None:
    write(
        tmp_path,
        dict.fromkeys(
            [
                "a.md",
                "dir/B.MD",
                "board.canvas",
                "pic.png",
                "view.base",
                ".obsidian/x.md",
                ".trash/gone.md",
                ".hidden.md",
                "~$a.md",
                "a.md.tmp",
                ".a.md.swp",
                "#a.md#",
                "a.md~",
                "node_modules/p/README.md",
                "a.sync-conflict-1.md",
            ],
            "x",
        ),
    )
    found = scan(tmp_path)
    assert keys(found) == ["a.md", "a.sync-conflict-1.md", "board.canvas", "dir/B.MD"]
    assert reasons(found) == {
        ".hidden.md": "hidden",
        "~$a.md": "temporary",
        "a.md.tmp": "temporary",
        ".a.md.swp": "temporary",
        "#a.md#": "temporary",
        "a.md~": "temporary",
        "node_modules": "skipped-folder",
    }
    assert all(problem.severity is Severity.SKIPPED and problem.reason for problem in found.problems)
    assert found.complete


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (None, ["Arch/x.md", "Tmp/y.md", "Tmpl/z.md"]),
        ([], ["Arch/x.md", "Tmp/y.md", "Tmpl/z.md"]),
        ([" tmp/ ", None, 3], ["Arch/x.md", "Tmpl/z.md"]),
        (["Tmp"], ["Arch/x.md"]),
        (["/^arch.*X/"], ["Tmp/y.md", "Tmpl/z.md"]),
        (["/(/"], ["Arch/x.md", "Tmp/y.md", "Tmpl/z.md"]),
    ],
)
def test_obsidians_own_exclusions(tmp_path: Path, filters: object, kept: list[str]) -> None:
    write(tmp_path, {"Arch/x.md": "x", "Tmp/y.md": "y", "Tmpl/z.md": "z"})
    write(tmp_path, {".obsidian/app.json": json.dumps({"userIgnoreFilters": filters})})
    assert keys(scan(tmp_path)) == kept


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"exclude": ("Tmp",)}, ["Tmpl/z.md", "a.md", "b.canvas"]),
        ({"exclude": ("Tmp/",)}, ["Tmpl/z.md", "a.md", "b.canvas"]),
        ({"exclude": ("/Tmp",)}, ["Tmpl/z.md", "a.md", "b.canvas"]),
        ({"exclude": ("*.canvas", "**/z.md")}, ["Tmp/y.md", "a.md"]),
        ({"include": ("Tmp*",)}, ["Tmp/y.md", "Tmpl/z.md"]),
        ({"include": ("Tmp*",), "exclude": ("*/y.md",)}, ["Tmpl/z.md"]),
    ],
)
def test_the_owners_globs(tmp_path: Path, options: dict[str, tuple[str, ...]], kept: list[str]) -> None:
    write(tmp_path, {"a.md": "a", "b.canvas": "", "Tmp/y.md": "y", "Tmpl/z.md": "z"})
    found = scan(tmp_path, **options)
    assert keys(found) == kept
    assert len(found.refs) + len(found.problems) == 4


def test_daily_notes_by_setting_and_by_name(tmp_path: Path) -> None:
    write(tmp_path, {".obsidian/daily-notes.json": '{"folder": "/Log/", "format": "YYYY/[w]ww/dddd Do MMMM"}'})
    write(
        tmp_path,
        dict.fromkeys(["Log/2024/w05/Montag 29. Januar.md", "Log/plan.md", "x/2024-01-29.md", "2024-13-40.md"], "x"),
    )
    assert keys(scan(tmp_path, daily_notes=False)) == ["2024-13-40.md", "Log/plan.md"]
    vault = reader(tmp_path)
    daily = {ref.key: vault.read(ref).is_daily for ref in vault.scan(Job()).refs}
    assert sorted(key for key, is_daily in daily.items() if is_daily) == [
        "Log/2024/w05/Montag 29. Januar.md",
        "x/2024-01-29.md",
    ]


@needs_posix
def test_links_to_folders_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    vault, outside = tmp_path / "vault", tmp_path / "outside"
    write(vault, {"real/a.md": "a", "z.md": "z"})
    write(outside, {"deep/b.md": "b", "secret.md": "s"})
    (vault / "again").symlink_to(vault / "real")
    (vault / "real" / "up").symlink_to(vault)
    (vault / "parent").symlink_to(tmp_path)
    (vault / "linked").symlink_to(outside / "deep")
    (vault / "dangling").symlink_to(tmp_path / "nowhere")
    (vault / "file.md").symlink_to(outside / "secret.md")
    found = scan(vault)
    assert keys(found) == ["linked/b.md", "real/a.md", "z.md"]
    assert reasons(found) == {"file.md": "symlink"}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps names as the bytes that they are")
def test_hostile_names_are_scanned_and_read(tmp_path: Path) -> None:
    names = [
        'It\'s "x" \\ \u00e9.md',
        'It\'s "x" \\ e\u0301.md',
        "a\nb.md",
        "🌱 seed.md",
        "中" * 79 + ".md",
        "dots....md",
    ]
    names += ["Case.md", "case.md", "#hash [x] ^y|z.md", "%41.md", " lead.md", "a%%b.md"]
    raw = [os.fsencode(name) for name in names] + [b"bad\xff\xfe.md", b"fold\xe9r/\x80.md"]
    for number, name in enumerate(raw):
        path = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118 - names that are not text
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(b"word%d" % number)
    vault = reader(tmp_path)
    notes = [vault.read(ref) for ref in vault.scan(Job()).refs]
    assert sorted(note.passages[0].text for note in notes) == sorted(f"word{number}" for number in range(len(raw)))
    assert len({note.key for note in notes}) == len(raw)
    for note in notes:
        note.key.encode()
        note.title.encode()
        assert note_path(tmp_path, note.key).is_file()


def test_notes_that_are_not_downloaded_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"here.md": "x", "dir/.Away.md.icloud": "stub", "flagged.md": "y"})
    monkeypatch.setattr("engine.sources.obsidian.is_in_the_cloud", lambda path, info: path.endswith("flagged.md"))
    found = scan(tmp_path)
    assert keys(found) == ["here.md"]
    assert found.kept == {NoteKey("dir/Away.md"), NoteKey("flagged.md")}
    assert reasons(found) == {"dir/Away.md": "not-downloaded", "flagged.md": "not-downloaded"}


@pytest.mark.parametrize(
    ("info", "error", "expected"),
    [
        ({"st_size": 5, "st_blocks": 0, "st_flags": 0x40000000}, None, True),
        ({"st_size": 5, "st_blocks": 8, "st_file_attributes": 0x400000}, None, True),
        ({"st_size": 5, "st_blocks": 0}, errno.EDEADLK, True),
        ({"st_size": 5, "st_blocks": 0}, errno.EACCES, False),
        ({"st_size": 5, "st_blocks": 0}, None, False),
        ({"st_size": 0, "st_blocks": 0}, errno.EIO, False),
    ],
)
def test_content_in_the_cloud(
    info: dict[str, int], error: int | None, expected: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "n.md"
    path.write_text("12345")
    monkeypatch.setattr(vault_walk.sys, "platform", "linux")

    def fail(*_args, **_kwargs):
        raise OSError(error, "refused")

    if error:
        monkeypatch.setattr("builtins.open", fail)
    assert vault_walk.is_in_the_cloud(str(path), type("Info", (), info)()) is expected


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOENT, "vanished"),
        (errno.EDEADLK, "not downloaded"),
        (errno.EIO, "not downloaded"),
        (errno.EACCES, "permissions"),
    ],
)
def test_reads_that_fail_are_note_errors(tmp_path: Path, monkeypatch, error: int, words: str) -> None:
    write(tmp_path, {"n.md": "x"})
    vault = reader(tmp_path)
    (ref,) = vault.scan(Job()).refs

    def fail(*_args, **_kwargs):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr("engine.sources.obsidian.os.open", fail)
    with pytest.raises(NoteError, match=words):
        vault.read(ref)


@needs_posix
def test_a_pipe_is_no_note_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert reasons(scan(tmp_path)) == {"pipe.md": "not-a-file"}
    with pytest.raises(NoteError, match="ordinary"):
        reader(tmp_path).read(NoteRef(NoteKey("pipe.md"), ""))


@pytest.mark.parametrize("key", ["../x.md", "a/../../x.md", "/etc/x.md", ".obsidian/app.md"])
def test_keys_never_lead_out_of_the_vault(tmp_path: Path, key: str) -> None:
    with pytest.raises(NoteError, match="inside the vault"):
        reader(tmp_path).read(NoteRef(NoteKey(key), ""))


def test_missing_root_is_offline(tmp_path: Path) -> None:
    with pytest.raises(SourceOffline, match="gone"):
        scan(tmp_path / "gone")


def test_unreadable_folder_makes_the_scan_incomplete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.md": "a", "shut/b.md": "b"})
    listing = vault_walk._list

    def refuse(path: str):
        if path.endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return listing(path)

    monkeypatch.setattr(vault_walk, "_list", refuse)
    found = scan(tmp_path)
    assert keys(found) == ["a.md"]
    assert not found.complete
    assert reasons(found) == {"shut": "unreadable-folder"}


def test_cancelling_ends_the_scan(tmp_path: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        reader(tmp_path).scan(job)


def test_revision_changes_with_the_file_and_only_then(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "one"})
    (first,) = scan(tmp_path).refs
    assert scan(tmp_path).refs == (first,)
    assert reader(tmp_path).read(first).revision == first.revision
    write(tmp_path, {"a.md": "one two"})
    (second,) = scan(tmp_path).refs
    assert second.revision != first.revision


def test_a_whole_note(tmp_path: Path) -> None:
    note = read_one(
        tmp_path,
        "---\ntitle: The Hive Book\naliases: [Hives]\ntags: [Bees]\ncreated: 2024-01-02\n---\n"
        "See [[Wax]] #bees #honey\n",
    )
    assert (note.title, note.aliases, note.tags) == ("Note", ("The Hive Book", "Hives"), ("Bees", "honey"))
    assert note.created == 1704153600.0
    assert note.passages[0].created == note.created
    assert note.passages[0].modified == note.modified == (tmp_path / "Note.md").stat().st_mtime
    assert [link.kind for link in note.links] == [LinkKind.TAG, LinkKind.LINK, LinkKind.TAG, LinkKind.TAG]
    assert note.passages[0].embed_input == "Note › See Wax #bees #honey | concepts: Wax · bees · honey | tags: Bees"
    assert note.problems == ()


def test_moved_note_keeps_its_content_hash(tmp_path: Path) -> None:
    first = read_one(tmp_path, "same", "a.md")
    second = read_one(tmp_path, "same", "b.md")
    assert first.content_hash == second.content_hash


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "The file is empty."),
        (" \n\t\r\n", "It holds no text."),
        ("---\na: 1\n---\n", "It has properties but no text."),
        ("%%\nonly a comment\n%%", "It holds no text."),
        ("```dataview\nLIST\n```", "Nothing is left when drawings, queries and embedded files are taken out."),
    ],
)
def test_notes_without_text_are_skipped_with_the_reason(tmp_path: Path, content: str, why: str) -> None:
    note = read_one(tmp_path, content)
    assert note.passages == ()
    assert [(problem.code, problem.severity, problem.reason) for problem in note.problems] == [
        ("empty", Severity.SKIPPED, why)
    ]


def test_broken_properties_leave_one_warning_and_the_note(tmp_path: Path) -> None:
    note = read_one(tmp_path, "---\ntags: [bee]\ndate: {{date}}\n---\nThe body.")
    assert note.passages[0].text == "The body."
    assert note.tags == ("bee",)
    assert [(problem.code, problem.line) for problem in note.problems] == [("bad-yaml", 3)]


@pytest.mark.parametrize(
    ("data", "text", "warns"),
    [
        (b"plain", "plain", False),
        (b"\xef\xbb\xbf---\na: 1\n---\nx", "---\na: 1\n---\nx", False),
        ("é".encode("utf-16"), "é", True),
        (b"\xfe\xff\x00a", "a", True),
        (b"one\ntw\xff", "one\ntw�", True),
        (b"a\x00b", "a\x00b", True),
    ],
)
def test_encodings(data: bytes, text: str, warns: bool) -> None:
    decoded, warning = decode(data)
    assert (decoded, bool(warning)) == (text, warns)


def test_byte_order_mark_does_not_hide_the_properties(tmp_path: Path) -> None:
    note = read_one(tmp_path, b"\xef\xbb\xbf---\r\ntags: a\r\n---\r\nx\r\n")
    assert note.tags == ("a",)
    assert (note.passages[0].text, note.passages[0].anchor.first_line) == ("x", 4)


def test_canvas(tmp_path: Path) -> None:
    nodes = [
        {"id": "g", "type": "group", "x": 0, "y": 0, "width": 100, "height": 100, "label": "Plans"},
        {"id": "t1", "type": "text", "x": 10, "y": 10, "width": 20, "height": 20, "text": "# Idea\nUse [[Wax]] #bee"},
        {"id": "t2", "type": "text", "x": 500, "y": 10, "width": 20, "height": 20, "text": "alone"},
        {"id": "f", "type": "file", "file": "dir/Note.md", "subpath": "#Part"},
        {"id": "l", "type": "link", "url": "https://example.org"},
        "odd",
        {"id": 3, "type": "text", "text": None},
    ]
    note = read_one(tmp_path, json.dumps({"nodes": nodes, "edges": []}), "Board.canvas")
    assert [(passage.anchor.uid, passage.breadcrumb, passage.text) for passage in note.passages] == [
        ("t1", ("Board", "Plans", "Idea"), "Use Wax #bee"),
        ("t2", ("Board",), "alone"),
    ]
    assert [passage.ordinal for passage in note.passages] == [0, 1]
    assert [(link.kind, link.target, link.fragment) for link in note.links] == [
        (LinkKind.EMBED, "dir/Note.md", "Part"),
        (LinkKind.URL, "https://example.org", ""),
        (LinkKind.LINK, "Wax", ""),
        (LinkKind.TAG, "bee", ""),
    ]
    assert note.tags == ("bee",)


def test_odd_canvases(tmp_path: Path) -> None:
    assert [problem.code for problem in read_one(tmp_path, "", "Empty.canvas").problems] == ["empty"]
    with pytest.raises(NoteError) as broken:
        read_one(tmp_path, '{"nodes": [\n{]}', "Broken.canvas")
    assert broken.value.line == 2
    for content in ("[" * 100_000, "[]", '{"nodes": 3}'):
        with pytest.raises(NoteError):
            read_one(tmp_path, content, "Odd.canvas")


def test_reading_changes_nothing(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.md": "x [[b]]", "dir/b.md": b"\xff\x00", "c.canvas": "{}", ".obsidian/app.json": "{}", "e.md": ""}
    )
    before = tree_hash(tmp_path)
    vault = reader(tmp_path)
    for ref in vault.scan(Job()).refs:
        vault.read(ref)
    vault.close()
    assert tree_hash(tmp_path) == before


def test_thousands_of_empty_notes(tmp_path: Path) -> None:
    count = 2000
    for number in range(count):
        (tmp_path / f"{number}.md").touch()
    vault = reader(tmp_path)
    found = vault.scan(Job())
    assert len(found.refs) == count
    assert all(vault.read(ref).problems[0].code == "empty" for ref in found.refs)


def test_an_endless_line_is_read_whole(tmp_path: Path) -> None:
    sentence = "The keeper opened the hive and counted frames. "
    note = read_one(tmp_path, sentence * 8000 + "Zorblatt")
    assert note.passages[-1].text.endswith("Zorblatt")
    assert {(passage.anchor.first_line, passage.anchor.last_line) for passage in note.passages} == {(1, 1)}
    assert all(len(word_spans([passage.text])[0]) <= 200 for passage in note.passages)


def test_many_lines_are_read_whole(tmp_path: Path) -> None:
    note = read_one(tmp_path, "\n".join(f"row {number} of the long list" for number in range(8000)))
    assert note.passages[-1].text.endswith("row 7999 of the long list")
    assert note.passages[-1].anchor.last_line == 8000
    lines = [passage.anchor.first_line for passage in note.passages]
    assert lines == sorted(lines)


@pytest.mark.skipif(not REAL_VAULTS.is_dir(), reason="the real vaults are not here")
@pytest.mark.parametrize(("name", "notes", "warned"), [("kepano", 103, 28), ("tasks-demo", 205, 0)])
def test_real_vaults_are_accounted_for(name: str, notes: int, warned: int) -> None:
    root = REAL_VAULTS / name
    before = tree_hash(root)
    vault = reader(root)
    found = vault.scan(Job())
    files = {path.relative_to(root).as_posix() for path in root.rglob("*.md") if ".obsidian" not in path.parts}
    assert len(files) == notes
    read = [vault.read(ref) for ref in found.refs if ref.key.endswith(".md")]
    assert {note.key for note in read} | {problem.note for problem in found.problems} >= files
    assert sum(any(problem.code == "bad-yaml" for problem in note.problems) for note in read) == warned
    assert all(note.passages or note.problems for note in read)
    assert tree_hash(root) == before


def test_replaced_ref_with_another_revision_is_read_as_it_is_now(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "now"})
    (ref,) = scan(tmp_path).refs
    assert reader(tmp_path).read(replace(ref, revision="old")).revision == ref.revision
