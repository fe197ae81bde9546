"""A made-up OpenAI-compatible server: answers, and every way in which one can fail to."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tests.servers.loopback import Loopback, Seen, as_json

Answers = Callable[[str, str], str]
"""(system message, user message) -> what the model writes."""


class FakeChat(Loopback):
    """``answer_with`` writes the answers. ``faults`` are used up first, one a call:

    ``429``, ``500``, ``503``, ``401``, ``402``, ``404`` (statuses), ``reasoning`` (nothing but thoughts), ``empty``,
    ``think`` (thoughts in the content, then the answer), ``think-only``, ``cut`` (the first half of the answer),
    ``echo`` (the prompt again), ``not-json``, ``too-long``, ``html``, ``break`` (a stream that ends with an error), or
    any other text, which is the answer itself. ``refuses`` names request fields that get a 400.
    """

    def __init__(self, answer_with: Answers | None = None, *, faults: Sequence[str] = ()) -> None:
        super().__init__()
        self.answer_with: Answers = answer_with or (lambda system, user: '{"facts": []}')
        self.faults = list(faults)
        self.refuses: set[str] = set()
        self.streams = True
        self.models: list[object] = [{"id": "tiny"}]
        self.thinks_below = 0
        """With fewer ``max_tokens`` than this, the model only thinks."""

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def bodies(self) -> list[dict[str, object]]:
        """What was asked, in order."""
        return [seen.json() for seen in self.requests if seen.path.endswith("/chat/completions")]

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes] | None:
        if seen.path == "/v1/models":
            return 200, {}, as_json({"object": "list", "data": self.models})
        if seen.path != "/v1/chat/completions":
            return 404, {}, as_json({"error": {"message": "no such path"}})
        body = seen.json()
        refused = sorted(self.refuses & body.keys())
        if refused:
            return 400, {}, as_json({"error": {"message": f"unknown field {refused[0]}"}})
        system, user = (str(message["content"]) for message in body["messages"])
        fault = self.faults.pop(0) if self.faults else ""
        if int(str(body["max_tokens"])) < self.thinks_below:
            fault = "reasoning"
        return self._faulty(fault, body, user) or self._say(body, self.answer_with(system, user), fault=fault)

    def _faulty(self, fault: str, body: dict[str, object], user: str) -> tuple[int, dict[str, str], bytes] | None:
        if fault.isdecimal():
            return int(fault), {"retry-after": "0"}, as_json({"error": {"message": f"made-up status {fault}"}})
        match fault:
            case "" | "cut" | "think" | "break":
                return None
            case "reasoning":
                return self._say(body, "", reasoning="Let me think about this for long.", finish="length")
            case "think-only":
                return self._say(body, "<think>Let me think about this", finish="length")
            case "empty":
                return self._say(body, "")
            case "echo":
                return self._say(body, user)
            case "not-json":
                return 200, {}, b"{ this is not json"
            case "html":
                return 502, {}, b"<html>Bad gateway</html>"
            case "too-long":
                said = "This model's maximum context length is 512 tokens"
                return 400, {}, as_json({"error": {"message": said, "code": "context_length_exceeded"}})
            case _:
                return self._say(body, fault)

    def _say(
        self, body: dict[str, object], text: str, *, reasoning: str = "", finish: str = "stop", fault: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        if fault == "cut":
            text, finish = text[: len(text) // 2], "length"
        if fault == "think":
            text = f"<think>They want {text[:20]} but {{}} first.</think>\n{text}"
        usage = {"prompt_tokens": 100, "completion_tokens": 7}
        if not body.get("stream") or not self.streams:
            message = {"role": "assistant", "content": text, "reasoning": reasoning or None}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return 200, {}, as_json({"id": "x", "choices": [choice], "usage": usage})
        events = [": a comment"]
        if reasoning:
            events.append(_event({"delta": {"reasoning": reasoning}}))
        pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
        events += [_event({"delta": {"content": piece}}) for piece in pieces[: 2 if fault == "break" else None]]
        if fault == "break":
            events.append("data: " + json.dumps({"error": {"message": "the model ran out of memory"}}))
        else:
            events.append(_event({"delta": {}, "finish_reason": finish}))
            events += ["data: " + json.dumps({"choices": [], "usage": usage}), "data: [DONE]"]
        return 200, {"content-type": "text/event-stream"}, "\n\n".join([*events, ""]).encode()


def _event(choice: dict[str, object]) -> str:
    return "data: " + json.dumps({"choices": [{"index": 0, **choice}]}, ensure_ascii=False)
