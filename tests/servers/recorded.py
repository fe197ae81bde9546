"""A model that answers from ``fixtures/replies``: what ``FakeChat`` is given to speak over a real socket."""

from __future__ import annotations

import json
import re
from pathlib import Path

from engine.prompts import extract, query, resolve

CHECKOUT = Path(__file__).resolve().parents[2]
DEMO = CHECKOUT / "fixtures" / "replies" / "demo.json"
GRAPH = CHECKOUT / "resources" / "demo" / "graph.json"


class RecordedModel:
    """(system, user) -> the recorded answer. Passages that nothing was recorded for state no fact."""

    def __init__(self, file: Path = DEMO) -> None:
        recorded = json.loads(file.read_text("utf-8"))
        self.by_text = {plain(text): recorded["extract"][uid] for uid, text in blocks() if uid in recorded["extract"]}
        self.groups: list[list[str]] = recorded["resolve"]
        self.answers: dict[str, str] = recorded["ask"]

    def __call__(self, system: str, user: str) -> str:
        match system:
            case extract.SYSTEM:
                passage = user.partition("\npassage:\n")[2].rpartition("\n</data-")[0]
                return self.by_text.get(plain(passage), '{"facts": []}')
            case resolve.SYSTEM:
                return self._sorted(re.findall(r"^name: (.*) \([^()]*\)$", user, re.MULTILINE))
            case query.SYSTEM:
                return self._answer(user)
            case _:
                return "I was asked something else."

    def _sorted(self, names: list[str]) -> str:
        groups = [[name for name in group if name in names] for group in self.groups]
        grouped = {name for group in groups for name in group}
        alone = [[name] for name in names if name not in grouped]
        return json.dumps({"groups": [group for group in groups if group] + alone}, ensure_ascii=False)

    def _answer(self, user: str) -> str:
        asked = user.rpartition("The question:\n")[2].splitlines()[1]
        pieces = re.findall(r"^\[(\d+)\] (.*)$", user, re.MULTILINE)

        def number(found: re.Match[str]) -> str:
            wanted = found[1].split("|")
            return next((f"[{n}]" for words in wanted for n, piece in pieces if words in piece), "[999]")

        # Braces of JSON hold quotes; those of a citation do not.
        return re.sub(r"\{([^{}\"]+)\}", number, self.answers.get(asked, f"{query.INSUFFICIENT}: not recorded"))


def plain(text: str) -> str:
    """Letters and digits alone: markup differs between a block and the passage made of it."""
    return "".join(character for character in text if character.isalnum())


def blocks() -> list[tuple[str, str]]:
    """(uid, text) of every block of the demo graph; block references with the text that they stand for."""
    found: dict[str, str] = {}

    def walk(block: dict[str, object]) -> None:
        for child in block.get("children", ()):
            found[child["uid"]] = child["string"]
            walk(child)

    for page in json.loads(GRAPH.read_text("utf-8")):
        walk(page)

    def shown(text: str) -> str:
        text = re.sub(r"\{\{\[\[(?:TODO|DONE)\]\]\}\}", "", text)
        text = re.sub(r"\{\{embed: (.*)\}\}", r"\1", text)
        return re.sub(r"\(\(([\w-]{9})\)\)", lambda reference: found[reference[1]], text)

    return [(uid, shown(text)) for uid, text in found.items()]
