"""A language made of the texts themselves, marked and 40 % longer: what it does not change cannot be translated, and
what it cuts off would be cut off in many real languages."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, QTranslator

MARK = "⟦"
_LETTERS = str.maketrans("aeiouAEIOUcnsy", "áéíóúÁÉÍÓÚçñšý")


def pseudo(text: str) -> str:
    """``⟦Ópéñ··⟧``; placeholders and tags stay as they are."""
    pieces = re.split(r"(\{\w*\}|<[^>]*>)", text)
    changed = "".join(piece if at % 2 else piece.translate(_LETTERS) for at, piece in enumerate(pieces))
    return f"{MARK}{changed}{'·' * max(1, round(0.4 * len(text)) - 2)}⟧"


class PseudoLocale(QTranslator):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, comment: str | None = None, n: int = -1) -> str:  # type: ignore[override]
        return pseudo(source) if context == "Lamplight" else ""
