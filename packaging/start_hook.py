"""Runs in the packaged program before anything else.

Owns what is different in a package: no console, libraries of its own. Must stay cheap: every start waits for it.
"""

import os
import sys

# A windowed program on Windows has no streams at all, and `print` or a log handler may meet None.
for _name in ("stdout", "stderr"):
    if getattr(sys, _name) is None:
        setattr(sys, _name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - open to the end

# The programs that Lamplight opens links with must not find the libraries that belong to it.
for _name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
    _before = os.environ.pop(f"{_name}_ORIG", None)
    if _before is not None:
        os.environ[_name] = _before
    else:
        os.environ.pop(_name, None)

# A process that multiprocessing starts is this program once more, with one of these words. PyInstaller's hook knows
# what to do with them; it is a module here, because no other start should load multiprocessing for it.
if not {"--multiprocessing-fork", "-c"}.isdisjoint(sys.argv):
    import pyi_rth_multiprocessing  # noqa: F401

# Three other hooks of PyInstaller are not run at all. The one for PySide6 loads Qt in every command, to say where its
# plugins are: PySide6 as its makers build it says so itself when the window loads it, on every system, and the hook's
# paths for QML and OpenSSL are for what the window does not use. What this variable would have Qt load is made for
# another Qt than the one in the package. It is not set to the package's own, because programs that Lamplight opens
# links with inherit it. The hooks for inspect and pkgutil are for programs that read their own sources or list their
# own modules.
os.environ.pop("QT_PLUGIN_PATH", None)
