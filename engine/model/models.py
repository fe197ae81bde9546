"""Embedding models and the verdicts about their vectors."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came out when a sample of stored vectors was made again and compared."""

    index: str
    """``plugin`` (Smart Connections) or ``own``."""
    model: str
    least: float
    """What the worst cosine must exceed."""
    compared: int = 0
    worst: float = 1.0
    worst_of: str = ""
    """Path of the note, and the block, with the worst cosine."""
    mean: float = 1.0
    norm_error: float = 0.0
    """Largest distance of a stored vector's length from 1."""
    reason: str = ""
    """Why nothing was compared."""

    @property
    def has_passed(self) -> bool:
        return self.compared > 0 and self.worst > self.least and self.norm_error <= 0.01


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """An embedding model as the settings show it."""

    id: str
    """Name of its folder."""
    name: str
    licence: str
    """SPDX identifier; empty when not known."""
    dimensions: int
    languages: frozenset[str]
    """Empty means many, or not known."""
    bytes_on_disk: int
    is_here: bool
    """Its files are on this machine."""
    sha256: str
    """Of the weights, as recorded when they were taken in; empty when not recorded."""
    note: str
    used_by: tuple[str, ...] = ()
    """Names of the sources that are indexed with it."""
