"""The words of the OpenAI-compatible protocol, read as they come: answers, pieces of streams, lists of models. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model that a server offers. Prices are US dollars for one token; None when the server names none."""

    name: str
    title: str = ""
    context: int = 0
    """Tokens that it reads at once; 0 when unknown."""
    price_in: float | None = None
    price_out: float | None = None
    features: tuple[str, ...] = ()
    """Names of the request parameters that the server says it supports; empty when it does not say."""


@dataclass(slots=True)
class Heard:
    """What came back so far."""

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    def set_thoughts_apart(self) -> None:
        """Some servers leave the model's thoughts in its text, between tags of which the last may be missing."""
        self.reasoning += "".join(_THOUGHT.findall(self.text))
        self.text = _THOUGHT.sub("", self.text).strip()


def whole(values: Mapping[str, Any]) -> Heard:
    heard = Heard()
    take_in(heard, values)
    return heard


def take_in(heard: Heard, values: Mapping[str, Any]) -> str:
    """Take in an answer or a piece of one; returns the text that it adds."""
    usage = values.get("usage")
    heard.usage = usage if isinstance(usage, dict) else heard.usage
    choices = values.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    said = choice.get("delta") or choice.get("message")
    said = said if isinstance(said, dict) else {}
    text = _plain(said.get("content"))
    heard.text += text
    heard.reasoning += _plain(said.get("reasoning") or said.get("reasoning_content"))
    heard.finish = str(choice.get("finish_reason") or heard.finish)
    return text


def _plain(content: object) -> str:
    """Content comes as text, or as a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(_plain(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    """The JSON objects of a stream of server-sent events. A line that is not JSON is passed over; a server that knows
    no streams sends its whole answer as one such line, without a prefix."""
    for line in lines:
        text = line.removeprefix("data:").strip()
        if text == "[DONE]":
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


_CONTEXT = ("context_length", "max_context_length", "max_model_len")
"""What OpenRouter, LM Studio and vLLM call the tokens that a model reads at once."""


def read_model(entry: Mapping[str, Any]) -> ChatModel:
    pricing = entry.get("pricing")
    pricing = pricing if isinstance(pricing, Mapping) else {}
    context = next((entry[name] for name in _CONTEXT if entry.get(name)), 0)
    features = entry.get("supported_parameters")
    return ChatModel(
        name=str(entry.get("id") or ""),
        title=str(entry.get("name") or ""),
        context=context if isinstance(context, int) else 0,
        price_in=_price(pricing.get("prompt")),
        price_out=_price(pricing.get("completion")),
        features=tuple(str(name) for name in features) if isinstance(features, list) else (),
    )


def _price(value: object) -> float | None:
    try:
        price = float(str(value))
    except ValueError:
        return None
    return price if 0 <= price < 1 else None


def cost(model: ChatModel) -> tuple[bool, float, str]:
    """Unknown prices last: a server that chooses among models itself names none."""
    is_unknown = model.price_in is None or model.price_out is None
    return is_unknown, (model.price_in or 0) + (model.price_out or 0), model.name


def count(told: object, characters: int) -> int:
    return told if isinstance(told, int) and told >= 0 else -(-characters // 4)
