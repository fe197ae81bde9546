"""Lets a model sort ambiguous names. Its verdict is checked: a name counts once, inventions are dropped."""

from __future__ import annotations

from collections.abc import Sequence

from engine.job import Job
from engine.knowledge.merging import Arbitrate, Card, Verdict
from engine.linking.cached_chat import CachedChat, Prompt
from engine.linking.replies import read_groups
from engine.prompts import resolve as prompt

PROMPT = Prompt(prompt.VERSION, prompt.SYSTEM, "sort names", prompt.SCHEMA)


def arbiter(chat: CachedChat, job: Job) -> Arbitrate:
    """What ``resolve`` asks about groups of names that rules cannot tell apart. Raises what ``CachedChat.say`` does."""

    def arbitrate(cards: Sequence[Card]) -> Verdict:
        labels = tuple(card.label for card in cards)
        text = prompt.user_text([(card.label, card.type, _said_of(card)) for card in cards])
        said = chat.say(PROMPT, text, lambda reply: read_groups(reply, labels), job)
        groups = read_groups(said.reply.text, labels)
        return Verdict(groups, said.reply.model, said.reply.prompt_version)

    return arbitrate


def _said_of(card: Card) -> list[str]:
    aliases = [f"also written as {', '.join(card.aliases)}"] if card.aliases else []
    return [*aliases, *card.quotes]
