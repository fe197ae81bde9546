"""Links that open Obsidian."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.model import Anchor, NoteKey
from engine.sources.note_keys import key_of
from engine.sources.obsidian_links import open_url


@pytest.mark.parametrize(
    ("anchor", "vault_id", "url"),
    [
        (Anchor(NoteKey("a b.md")), "", "obsidian://open?vault=My%20Vault&file=a%20b.md"),
        (Anchor(NoteKey("dir/a.md")), "0123456789abcdef", "obsidian://open?vault=0123456789abcdef&file=dir%2Fa.md"),
        (
            Anchor(NoteKey("a.md"), headings=("One", "Two 2")),
            "",
            "obsidian://open?vault=My%20Vault&file=a.md%23One%23Two%202",
        ),
        (
            Anchor(NoteKey("a.md"), headings=("See [[Ada|her]]: #x",)),
            "",
            "obsidian://open?vault=My%20Vault&file=a.md%23See%20Ada%20her%20x",
        ),
        (
            Anchor(NoteKey("a.md"), headings=("H",), block_id="b-1"),
            "",
            "obsidian://open?vault=My%20Vault&file=a.md%23%5Eb-1",
        ),
        (Anchor(NoteKey("é&=+%.md")), "", "obsidian://open?vault=My%20Vault&file=%C3%A9%26%3D%2B%25.md"),
        (Anchor(key_of("bad\udcff.md")), "", "obsidian://open?vault=My%20Vault&file=bad%FF.md"),
    ],
)
def test_open_url(anchor: Anchor, vault_id: str, url: str) -> None:
    assert open_url(Path("/notes/My Vault"), anchor, vault_id) == url
