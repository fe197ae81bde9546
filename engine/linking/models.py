"""Which language model is asked, and where: a server on this machine unless the owner names another."""

from __future__ import annotations

from dataclasses import dataclass

from engine import keychain
from engine.errors import BadRequest, NotAllowed
from engine.net.chat import ChatApi, Server, find_local, openrouter
from engine.net.chat_wire import ChatModel
from engine.net.client import Client
from engine.net.policy import OPENROUTER

OPENROUTER_KEY = "openrouter-key"
"""Account name in the keychain."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    api: ChatApi
    offer: ChatModel
    """As the server's catalogue has it."""


def open_server(client: Client, server: str = "") -> ChatApi:
    """The server of this name: an address on this machine, ``openrouter``, or, unnamed, the first that answers here.

    Raises ``NotAllowed`` when OpenRouter is switched off or has no key, ``ModelUnavailable`` when nothing answers.
    """
    if server.casefold() != OPENROUTER.name:
        return ChatApi(client, Server(_address(server)) if server else find_local(client))
    if not client.policy.is_enabled(OPENROUTER.name):
        client.policy.check(openrouter("").base_url, OPENROUTER.name)  # raises, with the words the owner agrees to
    key = keychain.get_secret(OPENROUTER_KEY)
    if not key:
        raise NotAllowed(
            "There is no key for OpenRouter.", "Store one: lamplight graph models --server openrouter --key"
        )
    return ChatApi(client, openrouter(key))


def choose_model(api: ChatApi, model: str = "") -> ChosenModel:
    """The model of this name, or the only one there is. Raises ``BadRequest`` naming those that there are."""
    offers = [offer for offer in api.models() if "embed" not in offer.name.casefold()]
    named = [offer for offer in offers if model in (offer.name, offer.name.removesuffix(":latest"))]
    fitting = named if model else offers
    if len(fitting) == 1:
        return ChosenModel(api, fitting[0])
    listed = ", ".join(offer.name for offer in offers[:10]) or "none yet"
    if model:
        raise BadRequest(f"{api.server.title} has no model '{model}'.", f"It has: {listed}.")
    raise BadRequest("Which model?", f"Name one with --model; {api.server.title} has: {listed}.")


def matching(models: tuple[ChatModel, ...], match: str) -> tuple[ChatModel, ...]:
    """The models whose name or title holds every word of ``match``."""
    words = match.casefold().split()
    return tuple(m for m in models if all(word in f"{m.name} {m.title}".casefold() for word in words))


def keep_key(key: str) -> None:
    """Keep the key for OpenRouter in the system's keychain; an empty one removes it. Raises ``KeychainUnavailable``."""
    if key.strip():
        keychain.set_secret(OPENROUTER_KEY, key.strip())
    else:
        keychain.delete_secret(OPENROUTER_KEY)


def _address(server: str) -> str:
    """``127.0.0.1:8080`` is enough; the path of the API is added when it is missing."""
    url = server if "://" in server else f"http://{server}"
    return url if url.rstrip("/").count("/") > 2 else f"{url.rstrip('/')}/v1"
