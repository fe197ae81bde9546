"""Asks a model through the reply cache: a question that was answered before costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.job import Job
from engine.model import SourceId
from engine.net.chat import Answer, Message, Question
from engine.store.replies import CachedReply, ReplyStore, reply_key


class Chat(Protocol):
    """What can be asked: ``net.chat.ChatApi``, or recorded replies."""

    def ask(
        self, question: Question, job: Job | None = None, on_text: Callable[[str], None] | None = None
    ) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """A versioned prompt without its text."""

    version: str
    system: str
    why: str
    """Fixed phrase for the ledger."""
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Said:
    reply: CachedReply
    is_cached: bool


@dataclass(frozen=True, slots=True)
class CachedChat:
    chat: Chat
    replies: ReplyStore
    model: str

    def key(self, prompt: Prompt, text: str) -> str:
        return reply_key(self.model, prompt.version, text)

    def known(self, prompt: Prompt, texts: Sequence[str]) -> dict[str, CachedReply]:
        """The replies to these texts that need no call, by text."""
        keys = {self.key(prompt, text): text for text in texts}
        return {keys[key]: reply for key, reply in self.replies.get(list(keys)).items()}

    def say(
        self,
        prompt: Prompt,
        text: str,
        accept: Callable[[str], object],
        job: Job | None = None,
        source: SourceId | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Said:
        """The reply to ``text``, from the cache or the model. What ``accept`` raises on is passed on and not kept."""
        key = self.key(prompt, text)
        known = self.replies.get([key]).get(key)
        if known is not None:
            if on_text is not None:
                on_text(known.text)
            return Said(known, is_cached=True)
        answer = self.ask(prompt, text, job, on_text)
        accept(answer.text)
        costs = answer.tokens_in, answer.tokens_out, answer.seconds
        return Said(self.keep(prompt, text, answer.text, costs, source), is_cached=False)

    def ask(
        self, prompt: Prompt, text: str, job: Job | None = None, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """The model's answer, past the cache."""
        messages = (Message("system", prompt.system), Message("user", text))
        return self.chat.ask(Question(self.model, messages, prompt.why, prompt.schema), job, on_text)

    def keep(
        self, prompt: Prompt, text: str, said: str, costs: tuple[int, int, float], source: SourceId | None = None
    ) -> CachedReply:
        """Put a reply into the cache. ``costs``: tokens in, tokens out, seconds."""
        reply = CachedReply(self.key(prompt, text), self.model, prompt.version, said, *costs, source)
        self.replies.put(reply)
        return reply
