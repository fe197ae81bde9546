"""``SmartTools``: a vault's Smart Connections index with the model that answers questions on it, kept for its callers.

Holds what is worth keeping between calls and decides nothing.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import BadRequest, EngineError, ModelUnavailable, NotASource, RetryError, UserError
from engine.inference.base import Embedder
from engine.job import Job
from engine.model import NoteKey, SourceId, Verdict
from engine.paths import Home
from engine.searching import smart_search
from engine.searching.smart_measure import measure_own, measure_plugin
from engine.searching.smart_mixed import search_mixed
from engine.searching.smart_questions import embed_question, embedder_of
from engine.searching.smart_verify import OWN_LEAST, PLUGIN_LEAST, verify_own, verify_plugin
from engine.sources.smart_formats import find_place
from engine.sources.smart_index import SmartVault
from engine.sources.smart_models import SmartModel
from engine.store.live import LiveIndex


class SmartTools:
    """Safe from any thread. The index follows the plugin; the model loads with the first question."""

    def __init__(
        self, root: Path, home: Home, *, threads: int = 0, open_model: Callable[[SmartModel], Embedder] | None = None
    ) -> None:
        """``open_model`` replaces the way to the model's folder."""
        self.vault = SmartVault(root)
        self._open_model = open_model or (lambda model: embedder_of(model, home, threads))
        self._lock = threading.Lock()
        self._embedders: dict[str, Embedder] = {}

    def search_notes(self, query: object = None, **options: object) -> dict[str, Any]:
        return smart_search.search_notes(self.vault, self._embed, query=query, **options)

    def related_notes(self, path: object = None, **options: object) -> dict[str, Any]:
        return smart_search.related_notes(self.vault, path=path, **options)

    def get_note(self, path: object = None, **options: object) -> dict[str, Any]:
        return smart_search.get_note(self.vault, path=path, **options)

    def index_status(self) -> dict[str, Any]:
        return smart_search.index_status(self.vault, self.embedder)

    def search_mixed(self, live: LiveIndex, own: Embedder, query: str, *, limit: int = 10) -> dict[str, Any]:
        """One ranking over the plugin's vectors and, where it has none, Lamplight's own; see ``smart_mixed``."""
        return search_mixed(self.vault, live, self._embed, own, query, limit=limit)

    def embedder(self, model: SmartModel) -> Embedder:
        """The model that made the vectors. Raises ``ModelUnavailable`` with the ways out."""
        with self._lock:
            if model.key not in self._embedders:
                self._embedders[model.key] = self._open_model(model)
            return self._embedders[model.key]

    def _embed(self, model: SmartModel, text: str) -> NDArray[np.float32]:
        return embed_question(model, self.embedder(model), text)


TOOLS = ("search_notes", "related_notes", "get_note", "index_status")


def call_tool(tools: SmartTools | None, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of the tool of this name. Raises ``BadRequest`` for a name or an argument that does not exist."""
    if tools is None:
        raise NotASource("This source has no Smart Connections index.", "Search it with Lamplight's own tools.")
    if tool not in TOOLS:
        raise BadRequest(f"There is no tool '{tool}'.", f"Tools: {', '.join(TOOLS)}.")
    try:
        inspect.signature(getattr(smart_search, tool)).bind_partial(**arguments)
    except TypeError as error:
        raise BadRequest(f"{tool}: {error}.") from error
    answer: dict[str, Any] = getattr(tools, tool)(**arguments)
    return answer


NoteIds = set[tuple[SourceId, NoteKey]]


def feedback(tools: SmartTools | None, source: SourceId, key: NoteKey) -> tuple[NoteIds, NoteIds]:
    """(pinned, hidden): what the owner did to a note's connections in the plugin; nothing when that cannot be read."""
    if tools is None:
        return set(), set()
    try:
        record = tools.vault.index().records.get(key)
    except (NotASource, RetryError):
        record = None
    if record is None:
        return set(), set()
    return {(source, NoteKey(path)) for path in record.pinned}, {(source, NoteKey(path)) for path in record.hidden}


def mixed(tools: SmartTools | None, live: LiveIndex | None, own: Embedder, query: str, limit: int) -> dict[str, Any]:
    """Mixed search of a source that has both indexes. Raises ``NotASource`` or ``UserError`` when one is missing."""
    if tools is None:
        raise NotASource("This source has no Smart Connections index.", "Search it with Lamplight's own tools.")
    if live is None:
        raise UserError("Lamplight has not indexed this source, so it cannot fill gaps.", "Index it first.")
    return tools.search_mixed(live, own, query, limit=limit)


def has_index(root: Path) -> bool:
    """Whether the plugin has left an index in this vault, of whatever format."""
    with contextlib.suppress(OSError):  # a vault that cannot be read now has nothing to offer
        return find_place(root) is not None
    return False


def verify_source(
    tools: SmartTools | None, live: LiveIndex | None, own: Embedder, job: Job, *, sample: int = 12, seed: int = 0
) -> list[Verdict]:
    """A verdict on each index that a source has. One that cannot be compared has not passed, and says why."""
    verdicts: list[Verdict] = []
    if tools is not None:
        try:
            embedder = tools.embedder(tools.vault.index().group.model)
            verdicts.append(verify_plugin(tools.vault, embedder, job, sample=sample, seed=seed))
        except EngineError as error:
            verdicts.append(Verdict("plugin", "", PLUGIN_LEAST, reason=str(error)))
    if live is not None:
        try:
            verdicts.append(verify_own(live, own, job, sample=2 * sample, seed=seed))
        except ModelUnavailable as error:
            verdicts.append(Verdict("own", live.model_id, OWN_LEAST, reason=str(error)))
    if not verdicts:
        raise UserError("There are no vectors to verify yet.", "Index the source first.")
    return verdicts


def measure_source(tools: SmartTools | None, live: LiveIndex | None, own: Embedder, job: Job) -> list[dict[str, Any]]:
    """The measurements of each index that a source has."""
    measured: list[dict[str, Any]] = []
    if tools is not None:
        measured.append(measure_plugin(tools.vault.root, tools.embedder, job))
    if live is not None:
        measured.append(measure_own(live, own, job))
    if not measured:
        raise UserError("There are no vectors to measure yet.", "Index the source first.")
    return measured
