"""What an index run has to do: the difference between what the source holds and what the index holds.

Pure: values in, values out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.model import NoteKey, NoteRef, Scan

_HANDFUL = 5
"""Notes that are removed without asking, where others are left: a person tidies up a few."""


@dataclass(frozen=True, slots=True)
class Plan:
    read: tuple[NoteRef, ...]
    """New and changed notes, newest first."""
    new: frozenset[NoteKey]
    removed: tuple[NoteKey, ...]
    unchanged: int
    is_braked: bool = False
    """So many notes are gone at once that nothing is removed until the owner says so."""


def make_plan(scan: Scan, stored: Mapping[NoteKey, str], *, full: bool, brake_fraction: float) -> Plan:
    """Compare a scan with the stored revisions.

    Notes that a partial scan did not see, and notes kept because they are not downloaded, are never removed. When more
    than ``brake_fraction`` of the stored notes are gone (and more than a handful, or all), the plan is braked: an
    unmounted or half-synced vault looks just like a mass deletion. What stands under another key now is not gone. A
    full run, asked for by the owner, is never braked.
    """
    current = {ref.key: ref for ref in scan.refs}
    read = [ref for ref in scan.refs if full or stored.get(ref.key) != ref.revision]
    read.sort(key=lambda ref: (-(ref.modified or 0.0), ref.key))
    gone = [key for key in stored if key not in current and key not in scan.kept] if scan.complete else []
    new = [ref for ref in read if ref.key not in stored]
    lost = len(gone) - _moved(gone, new, stored)
    is_braked = not full and lost > brake_fraction * len(stored) and (lost > _HANDFUL or lost == len(stored))
    return Plan(
        read=tuple(read),
        new=frozenset(ref.key for ref in new),
        removed=() if is_braked else tuple(sorted(gone)),
        unchanged=len(scan.refs) - len(read),
        is_braked=is_braked,
    )


def _moved(gone: Sequence[NoteKey], new: Sequence[NoteRef], stored: Mapping[NoteKey, str]) -> int:
    """How many of the notes that are gone are there under a new key, by their revision: moving a file keeps it."""
    before = Counter(stored[key] for key in gone if stored[key])
    return (before & Counter(ref.revision for ref in new)).total()
