"""What an extraction would cost, before it is started: calls, tokens, money by the provider's catalogue, or time.

Holds no price and no speed: prices come from the catalogue of the moment, speed from replies that were measured.
"""

from __future__ import annotations

from engine.job import Job
from engine.linking import batches as together
from engine.linking.batches import Room, count_tokens, grouped
from engine.linking.cached_chat import CachedChat
from engine.linking.extract import PROMPT, qualifying, user_text, waiting
from engine.linking.replies import read_claims
from engine.model import Choice, Estimate, Source
from engine.net.chat import ReplyError
from engine.net.chat_wire import ChatModel
from engine.store.index import IndexStore

SAMPLE = 3
"""Passages asked about to measure a local model; their replies are kept, so nothing is done twice."""
ASSUMED_ANSWER = 150
"""Tokens of an answer of which none was measured."""


def estimate(
    store: IndexStore,
    source: Source,
    chat: CachedChat,
    job: Job,
    choice: Choice | None = None,
    *,
    offer: ChatModel | None = None,
    server: str = "",
    measure: bool = False,
    room: Room | None = None,
) -> Estimate:
    """What ``extract`` with the same arguments would take.

    ``offer`` is the model in the provider's catalogue. With ``measure`` a few passages are put to a model that was
    never measured, for models whose calls are free. ``room``: as for ``extract``.
    """
    places = qualifying(store, choice or Choice())
    texts = [user_text(row.passage) for place in places for row in place]
    known = chat.known(PROMPT, texts)
    unasked = waiting(places, known)
    sample = chat.replies.sample(chat.model, PROMPT.version)
    if sample is None and measure and unasked:
        unasked = unasked[_ask_some(chat, source, unasked, job) :]
        sample = chat.replies.sample(chat.model, PROMPT.version)
    groups = grouped(unasked, room or Room())
    rules = [together.PROMPT.system if len(group) > 1 else PROMPT.system for group in groups]
    tokens_in = sum(count_tokens(text) for text in (*unasked, *rules))
    tokens_out = round(len(unasked) * (sample.tokens_out if sample else ASSUMED_ANSWER))
    price = None
    if offer is not None and offer.price_in is not None and offer.price_out is not None:
        price = tokens_in * offer.price_in + tokens_out * offer.price_out
    return Estimate(
        passages=len(texts),
        cached=len(texts) - len(unasked),
        calls=len(groups),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        model=chat.model,
        server=server,
        price=price,
        seconds=len(unasked) * sample.seconds if sample else None,
        sample=sample.calls if sample else 0,
    )


def _ask_some(chat: CachedChat, source: Source, texts: list[str], job: Job) -> int:
    """Put the first texts to the model; how many got an answer before one did not."""
    for done, text in enumerate(texts[:SAMPLE]):
        job.check()
        job.report("measure", done, min(SAMPLE, len(texts)))
        try:
            chat.say(PROMPT, text, read_claims, job, source.id)
        except ReplyError:
            return done
    return min(SAMPLE, len(texts))
