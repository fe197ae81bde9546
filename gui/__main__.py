"""The program ``lamplight``: without words, or with a ``lamplight://`` link, the window; otherwise the command line.

Imports nothing heavy: a command must not pay for Qt, nor the window for the command line.
"""

from __future__ import annotations

import gc
import sys


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    if not words or words[0].startswith("lamplight://"):
        # A fifth of the start would go into looking for garbage among what has just been loaded.
        gc.disable()
        from gui.app import run

        return run([sys.argv[0], *words])
    from engine.frontends.cli import main as command_line

    return command_line(words)


if __name__ == "__main__":
    sys.exit(main())
