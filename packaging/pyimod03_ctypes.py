"""Takes the place of PyInstaller's module of this name in the packaged program (``lamplight.spec``).

Runs before anything else of Python's, at every start. PyInstaller's own loads ctypes, so that it finds libraries inside
the package; nothing in Lamplight asks ctypes for one of those.
"""

import marshal


def _load(file):  # type: ignore[no-untyped-def] - typing is not loaded yet
    return marshal.loads(file.read())


# PyInstaller reads the list of the package's modules with it. Python's own asks the file for each few bytes: a tenth of
# the time that a command takes to start.
marshal.load = _load


def install() -> None:
    """Called by PyInstaller when modules of the package can be imported."""
