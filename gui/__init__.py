"""The desktop window of Lamplight (PySide6)."""
