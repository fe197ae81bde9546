"""One error tree, sorted by who can do something about it.

Every error that leaves the engine is one of these. Foreign exceptions are translated where they enter
(``store/database.py``, ``net/client.py``, ``sources/*``) with ``raise ... from``; what the operating system refuses is
put into words here alone (``from_system``), wherever it comes from.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator


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


class PassphraseNeeded(WrongKey):
    """The index is protected by a passphrase, and the right one has not been given."""


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


# --- what the operating system refuses ----------------------------------------------------------------------------

_SYSTEM: tuple[tuple[tuple[str, ...], type[EngineError], str, str], ...] = (
    (("ENOSPC", "EDQUOT", "EFBIG"), DiskFull, "the disk is full", "Free some space and try again."),
    (("EROFS",), NotAllowed, "the disk is read-only", "Make it writable, or move the data: set LAMPLIGHT_HOME."),
    (("EACCES", "EPERM"), NotAllowed, "permission is denied", "Check the permissions of the file and its folder."),
    (("EMFILE", "ENFILE"), RetryError, "too many files are open", "Close some programs and try again."),
    (
        ("EIO", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ETIMEDOUT"),
        RetryError,
        "the drive does not answer",
        "Is it connected and in order? What was there before is kept.",
    ),
    (("ENOENT", "ENOTDIR"), RetryError, "it is not there any more", "Is its drive connected? Then try again."),
    (("EISDIR", "EEXIST", "ENOTEMPTY"), UserError, "something else stands in its place", "Move that away."),
    (("E2BIG",), UserError, "it is far too large", "Something else has got its name; move that away."),
    (("ENAMETOOLONG", "ELOOP", "EINVAL"), BadRequest, "the system does not accept its name", "Choose another."),
    (("EBUSY", "ETXTBSY", "EAGAIN"), RetryError, "another program uses it", "Close that program and try again."),
    (("ENOMEM",), RetryError, "there is not enough memory", "Close some programs and try again."),
)
"""Names of error codes (not every system has each), the kind of error, what has happened, what to do about it."""

_BY_CODE = {getattr(errno, name): row for row in _SYSTEM for name in row[0] if hasattr(errno, name)}


def from_system(error: OSError, place: str | os.PathLike[str] = "") -> EngineError:
    """The words for an error of the operating system; ``place`` is the file or folder where it does not say."""
    if "temporary directory" in (error.strerror or ""):  # Python's own words when each of them refuses
        return DiskFull("No folder for temporary files can be written.", "Free some space, or set TMPDIR.")
    named = os.fspath(place) or error.filename or "A file"
    _, kind, what, remedy = _BY_CODE.get(error.errno or 0, ((), RetryError, error.strerror or str(error), "Try again."))
    return kind(f"{_shown(named)} could not be read or written: {what}.", remedy)


def from_system_text(text: str, place: str | os.PathLike[str]) -> EngineError | None:
    """The words for an error of the operating system that a library has quoted in a text of its own."""
    found = next((code for code in _BY_CODE if os.strerror(code).casefold() in text.casefold()), None)
    return None if found is None else from_system(OSError(found, ""), place)


def in_words(error: Exception) -> EngineError:
    """What a front end tells the person of any error that is not ``Cancelled``."""
    if isinstance(error, EngineError):
        return error
    if isinstance(error, OSError):
        return from_system(error)
    if isinstance(error, MemoryError):
        return RetryError("There is not enough memory.", "Close some programs and try again.")
    return BugError(f"Something went wrong in Lamplight ({type(error).__name__}: {error}).", "Please report this.")


@contextlib.contextmanager
def system_words(place: str | os.PathLike[str] = "") -> Iterator[None]:
    """Raise what the operating system refuses within as an ``EngineError`` that names ``place``."""
    try:
        yield
    except OSError as error:
        raise from_system(error, place) from error


def _shown(name: object) -> str:
    """A file name may hold bytes that are no text."""
    text = os.fsdecode(name) if isinstance(name, str | bytes) else str(name)
    return text.encode("utf-8", "backslashreplace").decode()
