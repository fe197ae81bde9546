"""How long to rest before trying again: twice as long after each failure, up to a limit, and not all at one moment."""

from __future__ import annotations

from typing import NamedTuple


class BackOff(NamedTuple):
    """The rests of one loop."""

    first: float
    """Seconds to rest after the first failure."""
    most: float

    def seconds(self, failures: int, jitter: float = 0.0) -> float:
        """The rest after so many failures in a row, at least one.

        ``jitter`` in [0, 1) adds up to half: for those who failed at the same moment and would come back at the same.
        """
        doubled = self.first * 2.0 ** min(max(failures, 1) - 1, 60)
        return min(self.most, doubled * (1 + jitter / 2))
