"""Asks a model to answer a question from numbered evidence, with citations. Holds no example answers."""

from __future__ import annotations

from collections.abc import Sequence

from engine.prompts.fence import DATA_RULE, fenced

VERSION = "query/1"
INSUFFICIENT = "INSUFFICIENT"

SYSTEM = f"""\
You answer a question from numbered pieces of evidence out of the asker's own notes.

{DATA_RULE}

- Use the evidence and nothing else: no background knowledge, no guesses.
- After each sentence put the numbers of the pieces that prove it, each in square brackets of its own.
- Keep names and figures as the evidence writes them. Answer in the language of the question, in as few sentences as
  the question needs, without introduction or closing words.
- If the evidence does not answer the question, do not answer it in part or in general. Write a single line that begins
  with {INSUFFICIENT}: and says in a few words what is missing."""


def user_text(question: str, evidence: Sequence[str]) -> str:
    """``evidence`` is numbered from 1 in its order."""
    numbered = "\n".join(f"[{number}] {' '.join(text.split())}" for number, text in enumerate(evidence, 1))
    return f"The evidence:\n{fenced(numbered)}\n\nThe question:\n{fenced(question)}"
