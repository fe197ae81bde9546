"""The engine of Lamplight: everything but the window. It never imports Qt."""

import os

__version__ = "0.1.0"

# The library that runs the model reports its use to its maker, and leaves a number for this machine on the disk, unless
# this is set before it is loaded. Not a default but a promise, so it is not for the environment to decide.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
