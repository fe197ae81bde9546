from __future__ import annotations

import copy
import pickle

import pytest

from engine.net.secrets import Secret, mask_secrets

VALUE = "roam-graph-local-token-abcDEF123_xyz-0"


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret(VALUE)
    assert VALUE not in f"{secret} {secret!r} {secret!s} {[secret]} { ({'a': secret}) }"
    assert secret.reveal() == VALUE
    assert not hasattr(secret, "__dict__")


@pytest.mark.parametrize("act", [pickle.dumps, copy.deepcopy])
def test_a_secret_cannot_be_copied_out(act) -> None:
    with pytest.raises(TypeError, match="secret"):
        act(Secret(VALUE))


def test_equality_is_by_value() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a")}) == 1
    assert not Secret("")


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"Token {VALUE} not found", "Token *** not found"),
        ("roam-graph-token-Ab_9-x.", "***."),
        ("Authorization: Bearer whatever-it-is", "Authorization: Bearer ***"),
        ("key sk-or-v1-0123456789abcdef!", "key ***!"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_known_tokens_are_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


def test_given_secrets_are_masked_whatever_they_look_like() -> None:
    assert mask_secrets("the word is plum", [Secret("plum"), Secret("")]) == "the word is ***"
