"""Errors: one tree, each leaf under exactly one kind of blame, the remedy is said."""

from __future__ import annotations

import errno
import inspect
import os

import pytest

from engine import errors

TREE = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
BLAME = (errors.UserError, errors.RetryError, errors.BugError)
LEAVES = [each for each in TREE if each not in (errors.Cancelled, errors.EngineError, *BLAME)]


@pytest.mark.parametrize("error", LEAVES)
def test_each_error_says_who_can_do_something(error: type[errors.EngineError]) -> None:
    assert sum(issubclass(error, blame) for blame in BLAME) == 1
    assert inspect.getdoc(error)


def test_cancelling_is_no_error() -> None:
    assert not issubclass(errors.Cancelled, errors.EngineError)


def test_the_text_holds_message_and_remedy() -> None:
    error = errors.SourceOffline("The folder notes is not there.", "Plug the drive in.")
    assert str(error) == "The folder notes is not there. Plug the drive in."
    assert (error.message, error.remedy) == ("The folder notes is not there.", "Plug the drive in.")
    assert str(errors.UserError("Only this.")) == "Only this."


def test_a_note_error_knows_its_line() -> None:
    assert errors.NoteError("A quote is not closed.", line=7).line == 7


CODES = {
    errno.ENOSPC: (errors.DiskFull, "disk is full"),
    errno.EDQUOT: (errors.DiskFull, "disk is full"),
    errno.EFBIG: (errors.DiskFull, "disk is full"),
    errno.EROFS: (errors.NotAllowed, "read-only"),
    errno.EACCES: (errors.NotAllowed, "permission is denied"),
    errno.EPERM: (errors.NotAllowed, "permission is denied"),
    errno.EMFILE: (errors.RetryError, "too many files"),
    errno.EIO: (errors.RetryError, "drive does not answer"),
    errno.ENOENT: (errors.RetryError, "not there any more"),
    errno.EISDIR: (errors.UserError, "something else"),
    errno.ENAMETOOLONG: (errors.BadRequest, "name"),
    errno.ENOMEM: (errors.RetryError, "memory"),
    errno.EPIPE: (errors.RetryError, "Broken pipe"),
}


@pytest.mark.parametrize("code", CODES)
def test_what_the_system_refuses_is_said_with_place_and_remedy(code: int) -> None:
    kind, words = CODES[code]
    with pytest.raises(kind, match=words) as caught, errors.system_words("the/place"):
        raise OSError(code, os.strerror(code), "another place")
    assert caught.value.message.startswith("the/place could not be read or written")
    assert caught.value.remedy
    assert "another place" in errors.in_words(OSError(code, os.strerror(code), "another place")).message
    quoted = errors.from_system_text(f'IO Error: Cannot open file "x": {os.strerror(code)}', "x.duckdb")
    assert code == errno.EPIPE or (isinstance(quoted, kind) and quoted.message.startswith("x.duckdb"))


def test_anything_becomes_words() -> None:
    said = errors.NoteError("x")
    assert errors.in_words(said) is said
    assert isinstance(errors.in_words(MemoryError()), errors.RetryError)
    assert isinstance(errors.in_words(KeyError("x")), errors.BugError)
    assert "\\udc80" in errors.from_system(OSError(errno.EIO, "x"), "a\udc80").message
    assert isinstance(errors.in_words(FileNotFoundError(2, "No usable temporary directory found")), errors.DiskFull)
