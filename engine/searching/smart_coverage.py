"""How much of a vault the vectors of its Smart Connections index speak for."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from engine.errors import RetryError
from engine.job import Job
from engine.sources.smart_files import LARGEST_IMPORT
from engine.sources.smart_index import SmartIndex, SmartVault
from engine.sources.vault_walk import FoundFile, walk


def counts_of_coverage(vault: SmartVault, index: SmartIndex) -> dict[str, int]:
    """How much of the vault the plugin's vectors speak for, in notes and blocks."""
    on_disk = files_on_disk(vault.root)
    embedded = {unicodedata.normalize("NFC", item.path) for item in index.group.items if item.is_note}
    blocks = [block for record in index.records.values() for block in record.blocks]
    return {
        "notes_on_disk": len(on_disk),
        "notes_without_vector": sum(path not in embedded for path in on_disk),
        "notes_too_large": sum(size > LARGEST_IMPORT for size in on_disk.values()),
        "notes_with_hash_in_path": sum("#" in path for path in on_disk),
        "notes_failed": sum(record.failed for record in index.records.values()),
        "blocks_known": len(blocks),
        "blocks_not_embedded": len(blocks) - sum(not item.is_note for item in index.group.items),
    }


def files_on_disk(root: Path) -> dict[str, int]:
    """Markdown notes of the vault and their bytes, by path in composed letters, as Obsidian knows it."""
    try:
        return {
            unicodedata.normalize("NFC", found.relative): found.info.st_size
            for found in walk(root, Job())
            if isinstance(found, FoundFile) and found.info and found.name.lower().endswith(".md")
        }
    except OSError as error:
        raise RetryError(f"The vault '{root.name}' cannot be read ({error.strerror}).") from error
