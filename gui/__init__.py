"""The desktop window. May import of the engine only the library and the value modules; never the rooms behind them."""

from __future__ import annotations

import functools
from collections.abc import Callable


@functools.cache
def _translate() -> Callable[[str, str], str]:
    """Qt is loaded here: the command line, which imports us, must not pay."""
    from PySide6.QtCore import QCoreApplication

    return QCoreApplication.translate


def tr(text: str) -> str:
    """``text`` in the language of the window. Rows are painted with it: nothing slow may stand here."""
    return _translate()("Lamplight", text)


def plural(count: int, one: str, many: str) -> str:
    """``one`` or ``many``, translated, with ``{n}`` replaced by the count in the person's own number format."""
    from PySide6.QtCore import QLocale

    return tr(one if count == 1 else many).format(n=QLocale().toString(count))
