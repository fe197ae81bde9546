"""Links that open a note in Obsidian, at a heading or a block. Builds text; opens nothing."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, quote_from_bytes

from engine.model import Anchor
from engine.sources.note_keys import path_bytes

_NOT_IN_LINKS = re.compile(r"%%|\[\[|\]\]|[#|^:]")


def open_url(vault_root: Path, anchor: Anchor, vault_id: str = "") -> str:
    """``obsidian://open?vault=...&file=...`` for the anchor's block, else its heading, else its note.

    ``vault_id`` is the 16-digit id of Obsidian's own list; without it the folder's name has to do, which is
    ambiguous when two vaults share it. Obsidian has no way to name a line.
    """
    vault = quote(vault_id or vault_root.name, safe="", errors="surrogateescape")
    file = quote_from_bytes(path_bytes(anchor.note), safe="")
    return f"obsidian://open?vault={vault}&file={file}{quote(_fragment(anchor), safe='')}"


def _fragment(anchor: Anchor) -> str:
    if anchor.block_id:
        return f"#^{anchor.block_id}"
    headings = [" ".join(_NOT_IN_LINKS.sub(" ", heading).split()) for heading in anchor.headings]
    return "".join(f"#{heading}" for heading in headings if heading)
