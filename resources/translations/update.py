"""Brings ``lamplight_*.ts`` up to date with the texts in the code and compiles them.

Run it as ``python -m resources.translations.update``, fill what is unfinished, and run it again. Texts are found where
``tr`` and ``plural`` are called with a literal, and in the tables that the window is built from.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
LANGUAGES = ("de",)
CONTEXT = "Lamplight"


def texts() -> list[str]:
    """Every text that the window can show, sorted."""
    found = set(_table_texts())
    for path in sorted((ROOT / "gui").rglob("*.py")):
        found |= set(_literal_texts(ast.parse(path.read_text("utf-8"))))
    return sorted(text for text in found if text)


def _literal_texts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("tr", "plural"):
            for argument in node.args:
                yield from (
                    part.value
                    for part in ast.walk(argument)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def _table_texts() -> Iterator[str]:
    from engine.settings import declarations
    from gui.actions import ACTIONS, MENUS, NAVIGATION
    from gui.dialogs.activity import COUNTS, EMPTY_HINT
    from gui.dialogs.settings import CHOICE_TEXTS, PAGES
    from gui.dialogs.settings_upkeep import SECRETS
    from gui.dialogs.source_options import FILE_AGES, GRAPH_AGES
    from gui.messages import STAGES
    from gui.panels.aside import FIELDS
    from gui.panels.browse import COLLECTIONS
    from gui.panels.key_hints import HINTS
    from gui.panels.results import GROUPINGS, MODES, ORDERS

    yield from MENUS
    yield from STAGES
    yield EMPTY_HINT
    yield from SECRETS
    yield from (title for _, title, _ in PAGES)
    yield from (action.text for action in ACTIONS)
    yield from (text for pair in NAVIGATION for text in pair)
    yield from (text for _, text in (*MODES, *ORDERS, *GROUPINGS, *HINTS, *FIELDS, *FILE_AGES, *GRAPH_AGES))
    yield from (text for _, _, text in COLLECTIONS)
    yield from (text for _, text in COUNTS)
    yield from CHOICE_TEXTS.values()
    for declaration in declarations().values():
        yield from (declaration.section.capitalize(), declaration.text, declaration.help)


def read(path: Path) -> dict[str, str]:
    """Text -> translation of a ``.ts`` file; unfinished ones are empty."""
    if not path.exists():
        return {}
    messages = ET.parse(path).getroot().iter("message")
    return {m.findtext("source", ""): m.findtext("translation", "") for m in messages}


def write(path: Path, language: str, translations: dict[str, str]) -> None:
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ET.SubElement(root, "context")
    ET.SubElement(context, "name").text = CONTEXT
    for text in texts():
        message = ET.SubElement(context, "message")
        ET.SubElement(message, "source").text = text
        translation = ET.SubElement(message, "translation")
        translation.text = translations.get(text, "")
        if not translation.text:
            translation.set("type", "unfinished")
    ET.indent(root, " ")
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n' + ET.tostring(root, "unicode") + "\n", "utf-8"
    )


def main() -> None:
    for language in LANGUAGES:
        path = FOLDER / f"lamplight_{language}.ts"
        write(path, language, read(path))
        compiler = Path(sys.executable).with_name("pyside6-lrelease")
        subprocess.run([str(compiler), "-silent", str(path), "-qm", str(path.with_suffix(".qm"))], check=True)


if __name__ == "__main__":
    main()
