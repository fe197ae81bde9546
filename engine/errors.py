"""One error tree, sorted by who can do something about it.

Every error that leaves the engine is one of these. Foreign exceptions are translated where they enter
(``store/database.py``, ``net/client.py``, ``sources/*``) with ``raise ... from``.
"""

from __future__ import annotations


class Cancelled(Exception):
    """The person asked to stop. An outcome, never shown as an error."""


class EngineError(Exception):
    """Base of all errors of the engine.

    ``message`` says what happened and where; ``remedy`` says what to do about it (may be empty).
    """

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class UserError(EngineError):
    """The person in front of the screen can put this right."""


class RetryError(EngineError):
    """Nobody is to blame and trying again may help: a busy file, a server that did not answer."""


class BugError(EngineError):
    """Our fault. Report it; nothing the person does will help."""


class UnknownSource(UserError):
    """No registered source has this name."""


class NotASource(UserError):
    """The path or name given is not a vault, an export or a graph that can be read."""


class SourceExists(UserError):
    """The same vault, export or graph is registered already."""


class UnknownNote(UserError):
    """The source has no such note."""


class NoteError(UserError):
    """One note could not be read. It becomes a line of the report and never ends a run."""

    def __init__(self, message: str, remedy: str = "", *, line: int = 0) -> None:
        super().__init__(message, remedy)
        self.line = line


class BadRequest(UserError):
    """A value given by the caller is not allowed; the message names it."""


class ModelUnavailable(UserError):
    """The embedding model is missing, damaged, or does not fit the index."""


class IndexTooNew(UserError):
    """The index file was written by a newer Lamplight."""


class WrongKey(UserError):
    """The index file is encrypted and the key does not open it."""


class IndexDamaged(UserError):
    """The index file cannot be read. It can be rebuilt from its source."""


class KeychainUnavailable(UserError):
    """The system has no keychain, or it is locked."""


class NotAllowed(UserError):
    """A policy forbids it: a host that is not loopback, a path outside the vault, a service not switched on."""


class LibraryBusy(RetryError):
    """Another process has the library open."""


class SourceOffline(RetryError):
    """The source cannot be reached now (drive not mounted, app not running). The index keeps answering."""


class DiskFull(RetryError):
    """There is no space left to write."""
