"""What the owner does with the token of a graph: enter, import, request, forget and try it.

A token goes from where it comes straight to the ``TokenStore``; nothing here returns, prints or writes one.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import SourceOffline, UnknownSource
from engine.job import Job
from engine.model import Source, SourceKind
from engine.net.client import Client
from engine.net.roam_api import TokenGrant
from engine.net.roam_cloud_api import CloudApi
from engine.net.roam_errors import RoamRefused
from engine.net.secrets import Secret
from engine.sources.roam_graphs import find_graph, local_api
from engine.sources.roam_registry import graph_at, location_of, read_registry
from engine.sources.roam_tokens import TokenStore, check_kind

LIVE = (SourceKind.ROAM_LOCAL, SourceKind.ROAM_CLOUD)
Graph = tuple[SourceKind, str]
"""Kind and location, as a ``Source`` has them: whose token it is."""


def graph_of(name: str, registered: Sequence[Source], client: Client) -> Graph:
    """The live graph that a person means: a registered source, else one that Roam or its tools know."""
    for source in registered:
        if name == source.id or name.casefold() == source.name.casefold():
            if source.kind not in LIVE:
                raise UnknownSource(f"'{source.name}' is read from files and needs no token.")
            return source.kind, source.location
    return SourceKind.ROAM_LOCAL, find_graph(name, client)[0]


def keep_token(graph: Graph, token: Secret, client: Client, tokens: TokenStore) -> str:
    """Check the token with Roam where that opens no window, keep it, and say what it is good for.

    Raises ``RoamRefused`` for a token that Roam does not accept, which is then not kept, and ``BadRequest``.
    """
    check_kind(graph[0], token)
    said = _check(graph, token, client)
    return " ".join(filter(None, (said, tokens.keep(*graph, token))))


def import_token(graph: Graph, client: Client, tokens: TokenStore) -> str:
    """Take over the token that Roam's own tools keep for the graph. Raises ``UnknownSource`` when they have none."""
    kind, location = graph
    entries = read_registry().entries if kind is SourceKind.ROAM_LOCAL else ()
    entry = next((entry for entry in entries if location_of(entry.graph) == location), None)
    if entry is None:
        raise UnknownSource(f"Roam's tools keep no token for '{location}'.", "Ask Roam for one, or enter it by hand.")
    return keep_token(graph, entry.token, client, tokens)


def request_token(graph: Graph, client: Client, tokens: TokenStore, job: Job) -> str:
    """Ask in Roam's own dialog for a read-only token; waits up to five minutes for the answer."""
    kind, location = graph
    if kind is not SourceKind.ROAM_LOCAL:
        raise UnknownSource(
            f"Roam's servers give no token for '{location}' to programs.",
            "Make a read-only one in Roam under Settings > Graph > API tokens and enter it.",
        )
    token, grant = local_api(client).request_token(graph_at(location), job)
    return " ".join(filter(None, (_granted(grant), tokens.keep(kind, location, token))))


def forget_token(graph: Graph, tokens: TokenStore) -> str:
    tokens.forget(*graph)
    return f"The token of {graph[1]} is forgotten here. To make it useless, revoke it in Roam."


def check_connection(graph: Graph, client: Client, tokens: TokenStore, job: Job) -> str:
    """Read from the graph itself, as proof; a closed graph opens its window. Raises what stands in the way."""
    kind, location = graph
    token = tokens.find(kind, location)
    if token is None:
        raise RoamRefused(f"There is no token for '{location}'.", "Enter or import one first.", code="NO_TOKEN")
    if kind is SourceKind.ROAM_CLOUD:
        pages = CloudApi(client, location, token).check_connection(job)
    else:
        pages = local_api(client).check_connection(graph_at(location), token, job)
    return f"{location} can be read: {pages:,} pages."


def _check(graph: Graph, token: Secret, client: Client) -> str:
    kind, location = graph
    if kind is SourceKind.ROAM_CLOUD:
        return ""
    try:
        return _granted(local_api(client).token_info(graph_at(location), token))
    except SourceOffline as error:
        return f"The token could not be checked now: {error.message}"


def _granted(grant: TokenGrant) -> str:
    if not grant.can_read:
        raise RoamRefused(f"The token may not read {grant.graph}.", "Make one that may.", code="INSUFFICIENT_SCOPE")
    return f"Roam accepts the token for {grant.graph} ({grant.access})."
