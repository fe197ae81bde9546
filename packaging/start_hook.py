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
