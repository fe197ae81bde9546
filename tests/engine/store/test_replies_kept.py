"""The cache of model replies: found by model, prompt and text; private; gone with its source; survives damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IndexTooNew, WrongKey
from engine.model import SourceId
from engine.store.database import Database
from engine.store.replies import CachedReply, ReplyStore, reply_key

KEY = "7b" * 32
WORDS = "the kettle sings in the kitchen"


def reply(
    text: str = WORDS, *, model: str = "tiny", asked: str = "q", source: str = "v", **more: object
) -> CachedReply:
    key = reply_key(model, "extract/1", asked)
    values = {"tokens_in": 10, "tokens_out": 4, "seconds": 2.0} | more
    return CachedReply(key, model, "extract/1", text, source=SourceId(source) or None, **values)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "replies.duckdb"


@pytest.fixture
def store(path: Path) -> Iterator[ReplyStore]:
    opened = ReplyStore.open(path)
    yield opened
    opened.close()


def test_a_reply_is_kept_over_a_restart(path: Path) -> None:
    first = ReplyStore.open(path)
    first.put(reply("drei Wörter 灯塔 \ud800"))
    first.close()
    second = ReplyStore.open(path)
    (found,) = second.get([reply().key, "unknown"]).values()
    second.close()
    assert found.text == "drei Wörter 灯塔 �"
    assert (found.model, found.prompt_version, found.source) == ("tiny", "extract/1", "v")
    assert (found.tokens_in, found.tokens_out, found.seconds) == (10, 4, 2.0)
    assert found.answered_at > 0


@given(st.lists(st.text(max_size=5), min_size=3, max_size=3), st.lists(st.text(max_size=5), min_size=3, max_size=3))
def test_other_questions_have_other_keys(one: list[str], other: list[str]) -> None:
    clean = [[part.replace("\0", "") for part in parts] for parts in (one, other)]
    assert (reply_key(*clean[0]) == reply_key(*clean[1])) == (clean[0] == clean[1])


def test_the_same_question_is_kept_once(store: ReplyStore) -> None:
    store.put(reply("first"))
    store.put(reply("second"))
    assert store.count() == 1
    assert store.get([reply().key])[reply().key].text == "second"


def test_a_sample_averages_what_one_model_took(store: ReplyStore) -> None:
    store.put(reply(asked="a", tokens_out=2, seconds=1.0))
    store.put(reply(asked="b", tokens_out=4, seconds=3.0))
    store.put(reply(asked="c", model="other", seconds=90.0))
    sample = store.sample("tiny", "extract/1")
    assert sample is not None
    assert (sample.calls, sample.tokens_in, sample.tokens_out, sample.seconds) == (2, 10, 3, 2)
    assert store.sample("tiny", "extract/2") is None
    assert store.sample("unknown", "extract/1") is None


def test_replies_go_with_their_source(store: ReplyStore) -> None:
    for asked, source in (("a", "v"), ("b", "w"), ("c", "")):
        store.put(reply(asked=asked, source=source))
    store.forget_source(SourceId("v"))
    assert list(store.get([reply(asked=asked).key for asked in "abc"])) == [reply(asked="b").key]


def test_an_encrypted_file_holds_no_words_and_needs_its_key(path: Path) -> None:
    store = ReplyStore.open(path, KEY)
    store.put(reply())
    store.close()
    assert all(WORDS.encode() not in file.read_bytes() for file in path.parent.iterdir())
    with pytest.raises(WrongKey):
        ReplyStore.open(path, "00" * 32)
    again = ReplyStore.open(path, KEY)
    assert again.count() == 1
    again.close()


def test_a_damaged_file_is_set_aside_with_a_notice(path: Path) -> None:
    store = ReplyStore.open(path)
    store.put(reply())
    store.close()
    path.write_bytes(b"garbage" * 1000)
    fresh = ReplyStore.open(path)
    assert fresh.count() == 0
    assert "replies.duckdb.damaged" in fresh.notices[0]
    fresh.close()


def test_a_file_of_a_newer_program_is_left_alone(path: Path) -> None:
    ReplyStore.open(path).close()
    database = Database.open(path)
    with database.write() as cursor:
        cursor.execute("INSERT INTO migrations VALUES (99, 'later', 0)")
    database.close()
    with pytest.raises(IndexTooNew):
        ReplyStore.open(path)
