"""What every road from Roam delivers: pages and blocks with strings, titles, uids, times, order and children.

There is no field here through which an e-mail address or a setting could travel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model import Problem


@dataclass(frozen=True, slots=True)
class RawBlock:
    """One block as its road delivers it. Times are seconds; ``children`` are keys of ``RawGraph.blocks``."""

    string: str
    uid: str = ""
    order: int = 0
    children: tuple[int, ...] = ()
    created: float | None = None
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class RawPage:
    title: str
    uid: str = ""
    children: tuple[int, ...] = ()
    created: float | None = None
    modified: float | None = None


@dataclass(frozen=True, slots=True)
class RawGraph:
    """All that was fetched. Keys are any whole numbers (entity ids, running numbers).

    Blocks that hang in no page are ignored: remnants of deleted blocks, versions that are not shown.
    """

    pages: Sequence[RawPage]
    blocks: Mapping[int, RawBlock]
    problems: tuple[Problem, ...] = ()


def seconds(milliseconds: object) -> float | None:
    """Roam's times are milliseconds since the epoch. What is no plausible time is None."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000 if 0 < milliseconds < 1e14 else None
