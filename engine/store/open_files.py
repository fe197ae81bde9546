"""The database files of a library that are open: an index for each source, what the owner decided, what models replied.

Opens each when it is first asked for, with its key, and keeps it. Decides nothing about what is in them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from engine.errors import EngineError
from engine.model import Source, SourceId
from engine.paths import Home
from engine.store.decisions import DecisionStore
from engine.store.index import remove_files, set_aside
from engine.store.live import LiveIndex, Model
from engine.store.protection import IndexKeys
from engine.store.replies import ReplyStore


class OpenFiles:
    """Safe from any thread. ``model_of`` gives the model that a source asks for; ``tell`` is told what its owner should
    know."""

    def __init__(
        self, home: Home, keys: IndexKeys, model_of: Callable[[Source], Model], tell: Callable[[str], None]
    ) -> None:
        self._home, self._keys, self._model_of, self._tell = home, keys, model_of, tell
        self._lock = threading.RLock()
        self._indexes: dict[SourceId, LiveIndex] = {}
        self._decisions: DecisionStore | None = None
        self._replies: ReplyStore | None = None

    def close(self) -> None:
        with self._lock:
            for index in self._indexes.values():
                index.close()
            self._indexes.clear()
            if self._decisions is not None:
                self._decisions.close()
                self._decisions = None
            if self._replies is not None:
                self._replies.close()
                self._replies = None

    # --- indexes

    def index(self, source: Source) -> LiveIndex:
        """The index of a source; an empty one is made when there is none."""
        with self._lock:
            index = self._indexes.get(source.id)
            if index is not None and index.store.times_reopened:
                # What it has in memory may lack what was written when the disk failed.
                index.close()
                index = None
            if index is None:
                path = self._home.index_file(source.id)
                model = self._model_of(source)
                index = LiveIndex.open(source, path, self._keys.key_for(path), model)
                self._tell(self._keys.notice)
                self._indexes[source.id] = index
            return index

    def index_if_made(self, source: Source) -> LiveIndex | None:
        """The index of a source that has been indexed."""
        return self.index(source) if self._home.index_file(source.id).exists() else None

    def indexes_made(self, sources: Iterable[Source]) -> list[LiveIndex]:
        """Of every source that has one and lets it be opened."""
        return self._each(self.index_if_made, sources)[0]

    def indexes(self, sources: Iterable[Source]) -> tuple[list[LiveIndex], list[tuple[Source, EngineError]]]:
        """Of the sources that let theirs be opened; and for each of the others, why it could not be."""
        return self._each(self.index, sources)

    def _each(
        self, open_one: Callable[[Source], LiveIndex | None], sources: Iterable[Source]
    ) -> tuple[list[LiveIndex], list[tuple[Source, EngineError]]]:
        found, failed = [], []
        for source in sources:
            try:
                index = open_one(source)
            except EngineError as error:
                failed.append((source, error))
            else:
                found += [index] if index is not None else []
        return found, failed

    def index_of_model(self, model_id: str) -> LiveIndex:
        """An open index that holds vectors of this model."""
        with self._lock:
            return next(index for index in self._indexes.values() if index.model_id == model_id)

    def use(self, source: Source, model: Model) -> None:
        """Tell an open index what the owner changed about its source."""
        with self._lock:
            if source.id in self._indexes:
                self._indexes[source.id].use(source, model)

    def set_aside(self, source: Source, error: EngineError) -> None:
        """Keep an index that cannot be opened, under another name, so that a new one can be made in its place."""
        with self._lock:
            self._close_index(source)
            aside = set_aside(self._home.index_file(source.id))
        self._tell(f"The index of '{source.name}' was made anew: {error.message} The old file is {aside.name}.")

    def remove(self, source: Source) -> None:
        """Delete all text of a source that is no longer registered."""
        with self._lock:
            self._close_index(source)
            remove_files(self._home.index_file(source.id))
            if self._home.replies.exists():
                self.replies().forget_source(source.id)

    def _close_index(self, source: Source) -> None:
        index = self._indexes.pop(source.id, None)
        if index is not None:
            index.close()

    # --- what is no source's own

    def decisions(self) -> DecisionStore:
        with self._lock:
            if self._decisions is None:
                path = self._home.decisions
                self._decisions = DecisionStore.open(path, self._keys.key_for(path))
                self._tell_all(self._decisions.notices)
            return self._decisions

    def replies(self) -> ReplyStore:
        with self._lock:
            if self._replies is None:
                path = self._home.replies
                self._replies = ReplyStore.open(path, self._keys.key_for(path))
                self._tell_all(self._replies.notices)
            return self._replies

    def _tell_all(self, notices: Iterable[str]) -> None:
        for notice in notices:
            self._tell(notice)
