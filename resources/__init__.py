"""Data files that ship with Lamplight: icons, themes, translations, the tokenizer, the demo notes.

Owns the one way to find them; holds no code that reads them.
"""

from __future__ import annotations

import sys
from pathlib import Path


def path(*parts: str) -> Path:
    """The shipped file or folder ``parts``, whether Lamplight runs from source or from a bundle."""
    bundle = getattr(sys, "_MEIPASS", None)
    root = Path(bundle) / "resources" if bundle else Path(__file__).parent
    return root.joinpath(*parts)


def build() -> str:
    """The exact commit that a package was built from; empty when Lamplight runs from source."""
    file = path("build.txt")
    return file.read_text("utf-8").strip() if file.is_file() else ""
