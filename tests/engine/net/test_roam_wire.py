from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.net.roam_wire import Entity, is_cut, parse_count, parse_entity, parse_pairs, parse_rows

FULL = Entity(7, "bbbbbbbb1", None, "text", 3, (8, 9), 100, 300)


@pytest.mark.parametrize(
    "row",
    [
        {
            "id": 7, "uid": "bbbbbbbb1", "string": "text", "order": 3, "children": [{"id": 8}, {"id": 9}],
            "create-time": 100, "edit-time": 300,
        },
        {
            ":db/id": 7, ":block/uid": "bbbbbbbb1", ":block/string": "text", ":block/order": 3,
            ":block/children": [{":db/id": 8}, {":db/id": 9}], ":create/time": 100, ":edit/time": 300,
        },
        {
            "db/id": 7, "block/uid": "bbbbbbbb1", "block/string": "text", "block/order": 3,
            "block/children": [{"db/id": 8}, {"db/id": 9}], "create/time": 100, "edit/time": 300,
        },
    ],
)  # fmt: skip
def test_every_spelling_gives_the_same(row: dict[str, object]) -> None:
    assert parse_entity(row) == FULL


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ({"uid": None}, "uid", ""),
        ({"uid": 123456}, "uid", "123456"),
        ({"uid": ["x"]}, "uid", ""),
        ({"string": None}, "string", None),
        ({"string": 5}, "string", None),
        ({"order": None}, "order", 0),
        ({"order": 2.0}, "order", 2),
        ({"order": float("inf")}, "order", 0),
        ({"children": None}, "children", ()),
        ({"children": {"id": 4}}, "children", ()),
        ({"children": [4, {"id": 5}, {"id": "x"}, None, True]}, "children", (4, 5)),
        ({"edit-time": 5, "page-edit-time": 9}, "edited", 9),
        ({"time": 5}, "edited", 5),
        ({"time": 5, "edit-time": 3}, "edited", 3),
        ({":user/email": "a@b.c", "email": "a@b.c", "user/uid": "u"}, "uid", ""),
    ],
)
def test_odd_values(more: dict[str, object], field: str, value: object) -> None:
    entity = parse_entity({"id": 1, **more})
    assert entity is not None
    assert getattr(entity, field) == value


@pytest.mark.parametrize("row", [None, 5, [], "x", {}, {"uid": "no id"}, {"id": "7"}, {"id": True}])
def test_what_is_no_entity(row: object) -> None:
    assert parse_entity(row) is None


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([[{"id": 7, "uid": "a"}], {"id": 8, "uid": "b"}, [], [None]], ["a", "b"]),
        ([[1], [2]], None),
        ({"a": 1}, None),
        (None, None),
    ],
)
def test_rows(rows: object, expected: list[str] | None) -> None:
    found = parse_rows(rows)
    assert (found if found is None else [entity.uid for entity in found]) == expected


def test_pairs() -> None:
    assert parse_pairs([[1, 2], [1, 3], [2, 4], [5], "x", [None, 1]]) == {1: (2, 3), 2: (4,)}
    assert parse_pairs(None) == {}


@pytest.mark.parametrize(("rows", "count"), [([[7]], 7), (7, 7), ([], 0), (None, 0), ([["x"]], 0), ({"a": 1}, 0)])
def test_count(rows: object, count: int) -> None:
    assert parse_count(rows) == count


def test_a_list_as_long_as_the_limit_may_have_been_cut() -> None:
    full = parse_entity({"id": 1, "children": [{"id": n} for n in range(1000)]})
    short = parse_entity({"id": 1, "children": [{"id": n} for n in range(999)]})
    assert full is not None
    assert short is not None
    assert is_cut([short, full])
    assert not is_cut([short])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([
        "id", ":db/id", "uid", "title", ":block/string", "children", "order", "edit-time", "x"]), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_no_answer_breaks_the_parser(value: object) -> None:
    parse_entity(value)
    parse_pairs(value)
    found = parse_rows(value)
    assert found is None or all(isinstance(entity, Entity) for entity in found)
