"""The program that proves the traps of Smart Connections guarded: it still fits the modules, and it notices."""

from __future__ import annotations

import pytest

from tests.mutations.smart_connections import CHECKOUT, MUTATIONS, Mutation, survives


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.trap)
def test_the_handling_stands_in_its_module(mutation: Mutation) -> None:
    assert mutation.old in (CHECKOUT / "engine" / mutation.module).read_text("utf-8")


def test_a_mutation_is_noticed() -> None:
    assert survives(next(one for one in MUTATIONS if one.trap == "lengths in UTF-16 units")) == ""
