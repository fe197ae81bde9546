"""The notes behind an index: found safely, compared with what was embedded, blocks that moved found again."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from engine.errors import BadRequest, EngineError, NotAllowed, UnknownNote
from engine.model import Freshness
from engine.sources import smart_files
from engine.sources.smart_files import VaultFiles, is_hash_of
from engine.sources.smart_groups import Item
from engine.sources.smart_index import SmartVault
from engine.sources.smart_models import text_hash
from engine.sources.smart_records import SourceRecord
from fixtures.smart_connections import generate as made

TEXT = "# A\nalpha words\n\n# B\nbeta words\n- item\n"


def item_of(vault: SmartVault, block: str) -> Item:
    return next(item for item in vault.index().group.items if item.block == block)


def place(vault: SmartVault, block: str) -> tuple[int, int, bool]:
    item = item_of(vault, block)
    return vault.files.whereabouts(item, vault.index().records[item.path])


@pytest.fixture
def vault(tmp_path: Path) -> SmartVault:
    made.write_packed(tmp_path, {"n.md": TEXT})
    return SmartVault(tmp_path)


def state(vault: SmartVault) -> Freshness:
    return vault.files.freshness(vault.index().records["n.md"])


def write(vault: SmartVault, text: str) -> None:
    (vault.root / "n.md").write_bytes(text.encode())


def test_an_unchanged_note_is_current(vault: SmartVault) -> None:
    assert state(vault) is Freshness.CURRENT
    os.utime(vault.root / "n.md", (9, 9))
    assert state(vault) is Freshness.CURRENT


def test_a_change_that_the_plugin_does_not_see(vault: SmartVault) -> None:
    """It looks at time and size only; this edit keeps the size and sets the time back."""
    write(vault, TEXT.replace("alpha", "gamma"))
    os.utime(vault.root / "n.md", (1, 1))
    assert state(vault) is Freshness.CHANGED


def test_other_line_ends_are_no_change(vault: SmartVault) -> None:
    record = dataclasses.replace(vault.index().records["n.md"], size=0)
    write(vault, TEXT.replace("\n", "\r\n"))
    assert vault.files.freshness(record) is Freshness.CURRENT
    assert state(vault) is Freshness.CURRENT


def test_a_note_indexed_with_crlf_and_checked_out_with_lf(tmp_path: Path) -> None:
    made.write_packed(tmp_path, {"n.md": TEXT.replace("\n", "\r\n")})
    vault = SmartVault(tmp_path)
    write(vault, TEXT)
    assert state(vault) is Freshness.CURRENT
    write(vault, TEXT + "more")
    assert state(vault) is Freshness.CHANGED


def test_a_byte_order_mark_is_no_change(tmp_path: Path) -> None:
    made.write_packed(tmp_path, {"n.md": TEXT})
    (tmp_path / "n.md").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    record = dataclasses.replace(SmartVault(tmp_path).index().records["n.md"], size=len(TEXT.encode()) + 3)
    assert VaultFiles(tmp_path).freshness(record) is Freshness.CURRENT


def test_the_plugins_hash_is_blind_and_the_size_is_not(tmp_path: Path) -> None:
    """U+4E00 and U+0100 have one low byte; so has U+0000."""
    made.write_packed(tmp_path, {"n.md": "\u4e00"})
    vault = SmartVault(tmp_path)
    assert text_hash("\u4e00") == text_hash("\u0100")
    write(vault, "\u0100")
    assert state(vault) is Freshness.CHANGED


def test_a_real_hash_sees_what_hash_and_size_do_not(tmp_path: Path) -> None:
    made.write_packed(tmp_path, {"n.md": "\u4e00"})
    vault = SmartVault(tmp_path)
    assert state(vault) is Freshness.CURRENT
    write(vault, "\u5e00")
    assert text_hash("\u4e00") == text_hash("\u5e00")
    os.utime(vault.root / "n.md", (77, 77))
    assert state(vault) is Freshness.CHANGED


def test_missing_and_unhashed_notes(vault: SmartVault) -> None:
    assert vault.files.freshness(SourceRecord("n.md")) is Freshness.UNKNOWN
    (vault.root / "n.md").unlink()
    vault.files.forget_folders()
    assert state(vault) is Freshness.GONE


def test_large_files_are_judged_by_size_and_time(tmp_path: Path) -> None:
    """The plugin does not read them, so there is no hash of them."""
    file = tmp_path / "n.md"
    file.write_bytes(b"x" * 300_001)
    info = file.stat()
    files = VaultFiles(tmp_path)
    assert files.freshness(SourceRecord("n.md", "hash", 300_001, info.st_mtime * 1000)) is Freshness.CURRENT
    assert files.freshness(SourceRecord("n.md", "hash", 299_000, info.st_mtime * 1000)) is Freshness.CHANGED
    assert files.freshness(SourceRecord("n.md", "hash2", 0)) is Freshness.UNKNOWN


def test_both_kinds_of_hash() -> None:
    assert is_hash_of(hashlib.sha256(b"words").hexdigest(), "  words\n")
    assert is_hash_of(hashlib.sha256(b"x" * 100_000).hexdigest(), "x" * 150_000)
    assert is_hash_of("a5205j", "hello")
    assert not is_hash_of("", "")


# --- blocks that moved --------------------------------------------------------------------------------------------


def test_a_block_of_an_unchanged_note_is_where_it_was(vault: SmartVault) -> None:
    assert place(vault, "#B") == (4, 7, False)


def test_a_block_that_moved_is_found_again(vault: SmartVault) -> None:
    write(vault, "# A\nalpha words\nand more of them\nyes\n\n# B\nbeta words\n- item\n")
    assert place(vault, "#B") == (6, 9, False)
    assert place(vault, "#B#{1}") == (7, 7, False)


def test_a_block_whose_heading_changed_is_found_by_its_text(vault: SmartVault) -> None:
    write(vault, "# Other\nalpha words\n\n# New\nintro\n- item\n")
    assert place(vault, "#B#{2}") == (6, 7, False)


def test_a_block_of_the_older_rule_of_headings_is_found_again(tmp_path: Path) -> None:
    old = "# A\n#tag\nwords of it\n"
    made.write_packed(tmp_path, {"n.md": old})
    vault = SmartVault(tmp_path)
    record = vault.index().records["n.md"]
    block = Item("n.md", "#tag", 2, 4, text_hash("#tag\nwords of it\n"))
    (tmp_path / "n.md").write_text("new\n" + old)
    assert vault.files.whereabouts(block, record) == (3, 5, False)


def test_a_block_whose_text_changed_is_stale(vault: SmartVault) -> None:
    write(vault, "\n\n# A\nalpha words\n\n# B\nother words\n- item\n")
    assert place(vault, "#B") == (6, 9, True)


def test_a_block_that_is_gone_has_no_lines(vault: SmartVault) -> None:
    write(vault, "nothing of it\n")
    assert place(vault, "#B") == (0, 0, True)


# --- paths --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "a/../../secret.md",
        "/etc/passwd",
        "C:/x.md",
        "C:x.md",
        "\\\\server\\share.md",
        ".obsidian/app.json",
        "a/.hidden/x.md",
        "./n.md",
        "a//n.md",
        "n.md\0.png",
        "..\\secret.md",
        "out.md",
        "out/secret.md",
        "folder",
    ],
)
def test_paths_that_are_refused(tmp_path: Path, path: str) -> None:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "folder").mkdir()
    (vault / ".obsidian" / "app.json").write_text("{}")
    (tmp_path / "secret.md").write_text("secret")
    (vault / "out.md").symlink_to(tmp_path / "secret.md")
    (vault / "out").symlink_to(tmp_path)
    with pytest.raises(NotAllowed):
        VaultFiles(vault).text(path)


@pytest.mark.parametrize("path", [None, 7, True, [], ["n.md"], {}, "", "  "])
def test_values_that_are_no_path(tmp_path: Path, path: object) -> None:
    with pytest.raises(BadRequest, match="path"):
        VaultFiles(tmp_path).text(path)


def test_each_part_must_stand_literally_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short alias of Windows opens a file under a name that no listing holds."""
    (tmp_path / "LONGNA~1.MD").write_text("x")
    monkeypatch.setattr(os, "listdir", lambda folder: ["Long name of a note.md"])
    with pytest.raises(UnknownNote):
        VaultFiles(tmp_path).text("LONGNA~1.MD")


def test_names_are_found_in_either_unicode_form_and_with_back_slashes(tmp_path: Path) -> None:
    (tmp_path / "Fo\u0308lder").mkdir()
    (tmp_path / "Fo\u0308lder" / "n.md").write_text("found")
    files = VaultFiles(tmp_path)
    assert files.text("F\u00f6lder/n.md") == files.text("Fo\u0308lder\\n.md") == "found"
    assert files.exists("F\u00f6lder/n.md")
    assert not files.exists("../x")


def test_a_link_inside_the_vault_is_read(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("text")
    (tmp_path / "link.md").symlink_to(tmp_path / "n.md")
    assert VaultFiles(tmp_path).text("link.md") == "text"


def test_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes("one\rstill one\r\ntwo\u2028still two\nthree\n".encode())
    files = VaultFiles(tmp_path)
    assert files.lines("n.md", 1, 1, 100) == "one\rstill one\r"
    assert files.lines("n.md", 2, 3, 100) == "two\u2028still two\nthree"


def test_reading_a_deep_line_stops_behind_it(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("".join(f"line {n}\n" for n in range(1, 160_001)))
    files = VaultFiles(tmp_path)
    assert files.lines("n.md", 150_000, 150_000, 100) == "line 150000"
    assert files.head("n.md", 10) == "line 1\nlin"


def test_an_unreadable_note_is_a_plain_error(vault: SmartVault, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *, follow: bool = True) -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("engine.files.open_ordinary", refuse)
    with pytest.raises(EngineError, match="cannot be read"):
        vault.files.text("n.md")


def test_a_note_of_many_blocks_is_parted_into_lines_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is counted: the text is looked through as often for four times the blocks."""

    class Counted(str):
        parted = 0

        def split(self, *rest: Any) -> list[str]:  # type: ignore[override]
            Counted.parted += 1
            return super().split(*rest)

    counts = []
    for blocks in (50, 200):
        Counted.parted = 0
        text = Counted("".join(f"## heading {number}\ntext\n" for number in range(blocks)))
        item = Item("a.md", "#gone", 1, 2, "0" * 64)
        assert smart_files._found_again(item, text) == (0, 0, True)
        counts.append(Counted.parted)
    assert counts[0] == counts[1] <= 3
