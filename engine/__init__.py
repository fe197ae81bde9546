"""The engine of Lamplight: everything but the window. It never imports Qt."""

__version__ = "0.1.0"
