"""What Roam's refusals mean, as one sentence that says what to do. Owns the table; never quotes a token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import EngineError, RetryError, SourceOffline, UserError
from engine.net.secrets import mask_secrets


class RoamRefused(UserError):
    """Roam answered no, and the owner can change that. ``code`` is Roam's own word for the reason."""

    def __init__(self, message: str, remedy: str = "", *, code: str = "") -> None:
        super().__init__(message, remedy)
        self.code = code


@dataclass(frozen=True, slots=True)
class Refusal:
    """The parts of an error answer, whichever shape it had."""

    status: int
    code: str = ""
    text: str = ""


def read_refusal(status: int, body: object) -> Refusal:
    """From ``{"error": {"code", "message"}}``, ``{"error": "text"}``, ``{"message": "text"}`` or anything else."""
    values: Mapping[str, object] = body if isinstance(body, dict) else {}
    error = values.get("error")
    if isinstance(error, dict):
        code, text = error.get("code"), error.get("message")
    else:
        code, text = values.get("code"), error or values.get("message")
    return Refusal(status, code if isinstance(code, str) else "", text if isinstance(text, str) else "")


_NEW_TOKEN = "Ask Roam for a new token for this graph, or enter one by hand."
_TRY_AGAIN = "Try again in a moment."

# Roam's code -> (what happened, what to do). ``{graph}`` is the graph's name.
_BY_CODE: dict[str, tuple[str, str]] = {
    "VERSION_MISMATCH": ("Roam Desktop speaks another version of its local API.", "Update Roam Desktop and Lamplight."),
    "VALIDATION_ERROR": ("Roam did not accept the request for a token to '{graph}'.", "Update Roam Desktop."),
    "MISSING_TOKEN": ("Roam needs a token to read '{graph}'.", _NEW_TOKEN),
    "INVALID_TOKEN_FORMAT": (
        "The token for '{graph}' is not a local API token.",
        "Use one that starts with roam-graph-local-token-; cloud tokens do not work here.",
    ),
    "WRONG_GRAPH_TYPE": (
        "The token belongs to the other '{graph}': one is hosted and one is offline.",
        "Register the graph again with the right type, hosted or offline.",
    ),
    "TOKEN_NOT_FOUND": (
        "Roam does not know the token for '{graph}': it was revoked, or made for another graph or computer.",
        _NEW_TOKEN,
    ),
    "INSUFFICIENT_SCOPE": ("The token for '{graph}' may not read it.", _NEW_TOKEN),
    "SCOPE_EXCEEDS_PERMISSION": (
        "Your role in '{graph}' no longer allows what the token was made for.",
        "Ask the graph's owner, then ask Roam for a read-only token.",
    ),
    "USER_REJECTED": ("The request for a token to '{graph}' was declined in Roam.", "Ask again and accept it in Roam."),
    "GRAPH_BLOCKED": (
        "Roam is set to refuse token requests for '{graph}'.",
        "Allow them in Roam under Settings > Graph > Local API tokens.",
    ),
    "UNKNOWN_ACTION": ("This Roam Desktop does not know how to answer the request.", "Update Roam Desktop."),
    "TOKEN_FILE_CORRUPTED": (
        "Roam's own list of tokens is damaged.",
        "Restart Roam Desktop; if that does not help, make a new token there.",
    ),
}
_BY_CODE_LATER: dict[str, tuple[str, str]] = {
    "REQUEST_IN_PROGRESS": ("Roam is already asking about a token for '{graph}'.", "Answer the dialog in Roam first."),
    "TIMEOUT": ("Nobody answered Roam's question about a token for '{graph}'.", "Ask again and answer it in Roam."),
    "CANCELLED": ("The request for a token to '{graph}' was cancelled in Roam.", "Ask again when you are ready."),
}
# For answers without a code.
_BY_STATUS: dict[int, str] = {
    400: "VALIDATION_ERROR",
    401: "TOKEN_NOT_FOUND",
    404: "UNKNOWN_ACTION",
    408: "TIMEOUT",
    409: "REQUEST_IN_PROGRESS",
}


def local_error(refusal: Refusal, graph: str) -> EngineError:
    """The error to raise for an answer of the Local API that is not a success."""
    for build in (_by_text, _by_code, _by_status):
        error = build(refusal, graph)
        if error is not None:
            return error
    said = f" Roam said: {mask_secrets(refusal.text)[:200]}" if refusal.text else ""
    return RetryError(f"Roam could not answer for '{graph}' (status {refusal.status}).{said}", _TRY_AGAIN)


def _by_text(refusal: Refusal, graph: str) -> EngineError | None:
    text = refusal.text.casefold()
    if "promise error" in text:
        return SourceOffline(
            f"The window of '{graph}' was closed before Roam could answer.",
            "Open the graph in Roam Desktop, unlock it if it is encrypted, and try again.",
        )
    if "too long to run" in text:
        return RetryError(
            f"Roam stopped reading '{graph}' after its limit of 20 seconds.",
            "Try again when Roam is idle; a very large graph is better read from an export.",
        )
    if "local api is disabled" in text:
        return RoamRefused(
            "The local API is switched off in Roam Desktop.", "Switch it on in Roam under Settings.", code="DISABLED"
        )
    if "no graph window" in text:
        return SourceOffline("Roam Desktop has no graph open.", "Open any graph in Roam Desktop and try again.")
    return None


def _by_code(refusal: Refusal, graph: str) -> EngineError | None:
    code = refusal.code.upper()
    if code in _BY_CODE:
        message, remedy = _BY_CODE[code]
        return RoamRefused(message.format(graph=graph), remedy, code=code)
    if code in _BY_CODE_LATER:
        message, remedy = _BY_CODE_LATER[code]
        return RetryError(message.format(graph=graph), remedy)
    return None


def _by_status(refusal: Refusal, graph: str) -> EngineError | None:
    if refusal.status == 504:
        return SourceOffline(
            f"Roam waited for '{graph}' to open and gave up.", "Open and unlock the graph in Roam, then try again."
        )
    if refusal.status == 403:
        return RoamRefused(
            f"Roam does not allow reading '{graph}'.",
            "Check that the local API is switched on in Roam's settings and that the token may read.",
            code="FORBIDDEN",
        )
    code = _BY_STATUS.get(refusal.status)
    return _by_code(Refusal(refusal.status, code), graph) if code else None


def cloud_error(refusal: Refusal, graph: str) -> EngineError:
    """The error to raise for an answer of the cloud API that is not a success."""
    text = refusal.text.casefold()
    status = refusal.status
    if "encrypt" in text:
        return RoamRefused(
            f"'{graph}' is encrypted, and Roam's cloud API cannot read encrypted graphs.",
            "Use Roam Desktop's local API or an export instead.",
            code="ENCRYPTED",
        )
    if "too long to run" in text:
        return RetryError(
            f"Roam's servers stopped reading '{graph}' after their limit of 20 seconds.", "Try again later."
        )
    if status == 429:
        return RetryError(f"Roam's servers ask for fewer requests to '{graph}'.", "Try again in a few minutes.")
    if status == 503:
        return SourceOffline(f"Roam's servers are still loading '{graph}'.", "Try again in a minute.")
    if status in (401, 403):
        return RoamRefused(
            f"Roam's servers do not accept the token for '{graph}'.",
            "Make a read-only token in Roam under Settings > Graph > API tokens and enter it again.",
            code="UNAUTHORIZED",
        )
    if status == 400 and "token" in text:
        return RoamRefused(
            f"The token for '{graph}' is not a cloud API token.",
            "Use one that starts with roam-graph-token-; local tokens do not work here.",
            code="INVALID_TOKEN_FORMAT",
        )
    if status == 404:
        return RoamRefused(f"Roam's servers know no graph '{graph}'.", "Check the graph's name.", code="NOT_FOUND")
    said = f" They said: {mask_secrets(refusal.text)[:200]}" if refusal.text else ""
    return RetryError(f"Roam's servers could not answer for '{graph}' (status {status}).{said}", "Try again later.")
