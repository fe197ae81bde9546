"""Addresses that open a page or block in Roam Desktop."""

from __future__ import annotations

import re
from pathlib import PurePath
from urllib.parse import quote

_STAMP = re.compile(r"[-_ .](?:export|backup|\d{4}[-_.]\d{2}[-_.]\d{2}.*|\d{8,}.*|\(\d+\)| ?copy)$", re.IGNORECASE)


SYNTHETIC = "~"
"""First character of a uid that Roam did not give; no uid of Roam's holds it."""


def is_synthetic(uid: str) -> bool:
    """True for a uid made here because the source gave none; Roam cannot open it."""
    return uid.startswith(SYNTHETIC)


def open_url(graph: str, uid: str, *, offline: bool = False) -> str:
    """``roam://#/app/<graph>/page/<uid>``; the graph itself when the uid is empty or was not given by Roam."""
    room = "offline" if offline else "app"
    root = f"roam://#/{room}/{quote(graph, safe='')}"
    return f"{root}/page/{quote(uid, safe='')}" if uid and not is_synthetic(uid) else root


def graph_of_file_name(name: str) -> str:
    """The graph that an export's file name stands for.

    Roam names the file ``<graph>.json`` or ``<graph>-<date>.edn``; dates, numbers of copies and the word "export" are
    taken off the end. A renamed file gives a wrong graph, which only makes links open nothing.
    """
    stem = PurePath(name).stem
    while (shorter := _STAMP.sub("", stem)) != stem and shorter:
        stem = shorter
    return stem
