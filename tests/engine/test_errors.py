"""Errors: one tree, each leaf under exactly one kind of blame, the remedy is said."""

from __future__ import annotations

import inspect

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
