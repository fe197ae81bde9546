"""Files that somebody writes to at the very moment when the product reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Self

import engine.files


class WhileRead:
    """Takes the place of ``engine.files.open_ordinary``: half is read, then ``write`` is called, then the rest.

    Only the first ``times`` openings of files called ``name`` are disturbed; ``opened`` counts them all.
    """

    def __init__(self, name: str, times: int, write: Callable[[Path], object]) -> None:
        self.opened = 0
        self._name = name
        self._times = times
        self._write = write
        self._open = engine.files.open_ordinary

    def __call__(self, path: Path, *, follow: bool = True) -> Any:
        file = self._open(path, follow=follow)
        if path.name != self._name:
            return file
        self.opened += 1
        return _Torn(file, (lambda: self._write(path)) if self.opened <= self._times else lambda: None)


class _Torn:
    def __init__(self, file: BinaryIO, write: Callable[[], object]) -> None:
        self._file = file
        self._write = write
        self.fileno = file.fileno

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        half = self._file.read(3)
        self._write()
        return half + self._file.read(size)
