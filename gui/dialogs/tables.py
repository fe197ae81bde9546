"""What the tables of the dialogs have in common: rows to read and choose, no grid, Tab leaves them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTableWidget


def as_list(table: QTableWidget, name: str, headers: Sequence[str]) -> QHeaderView:
    """Give ``table`` that look, its accessible ``name`` and its headers; the header is for the widths of columns."""
    table.setColumnCount(len(headers))
    table.setAccessibleName(name)
    table.setHorizontalHeaderLabels(list(headers))
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
    header.setHighlightSections(False)
    return header
