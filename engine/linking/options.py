"""Numbers among the options of a graph command, whoever sent them: a program, a window, a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import BadRequest

Options = Mapping[str, Any]


def whole(options: Options, name: str, default: int, low: int = 1) -> int:
    """The option, ``default`` when it is not given. Raises ``BadRequest`` when it is below ``low``, or no number."""
    return int(number(options, name, default, low))


def number(options: Options, name: str, default: float, low: float, high: float | None = None) -> float:
    """The same of a number with a fraction; not above ``high`` either."""
    given = options.get(name)
    if given is None:
        return default
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = float("nan")
    if not value >= low or (high is not None and value > high) or value == float("inf"):
        limits = f"from {low:g}" if high is None else f"between {low:g} and {high:g}"
        raise BadRequest(f"'{name.replace('_', '-')}' takes a number {limits}, not {str(given)[:40]}.")
    return value
