"""A Roam outline as HTML: bullets, references with the text they quote, each block preceded by its uid as an anchor."""

from __future__ import annotations

import html
import re
from urllib.parse import quote

from engine.model import NoteView, OutlineBlock
from gui import tr
from gui.panels.html_parts import LINE_CHARACTERS, TICKED, coloured, link, muted
from gui.theme import Roles

WINDOW_BLOCKS = 600
INDENT = 22


def outline_html(view: NoteView, roles: Roles, uid: str) -> str:
    blocks, is_cut = _blocks_around(view.outline, uid)
    base = min((block.depth for block in blocks), default=0)
    head = muted(tr("This page is long: the part around the passage is shown."), roles) if is_cut else ""
    return head + "".join(_block(block, max(0, block.depth - base), view, roles) for block in blocks)


def _blocks_around(outline: tuple[OutlineBlock, ...], uid: str) -> tuple[tuple[OutlineBlock, ...], bool]:
    if len(outline) <= WINDOW_BLOCKS:
        return outline, False
    position = next((i for i, block in enumerate(outline) if block.uid == uid), 0)
    start = max(0, position - WINDOW_BLOCKS // 4)
    return outline[start : start + WINDOW_BLOCKS], True


def _block(block: OutlineBlock, depth: int, view: NoteView, roles: Roles) -> str:
    indent = INDENT * min(depth, 12) + 16
    fence = re.fullmatch(r"```(\w*)\n?(.*?)\n?```", block.raw.strip(), flags=re.S)
    anchor = f'<a name="{html.escape(block.uid)}"></a>'
    if fence:
        body = coloured(fence[2][:LINE_CHARACTERS], fence[1], roles)
        # Blocks keep their bullet before the code, so it is a run of lines and no box of its own.
        body = body.replace("\n", "<br>").replace("  ", "&nbsp;&nbsp;")
        inner = f'<span style="font-family:monospace;background:{roles.code}">{body}</span>'
    else:
        inner = roam_inline(block.raw[:LINE_CHARACTERS], view, roles)
    bullet = f'<span style="color:{roles.muted}">•</span>&nbsp;&nbsp;'
    return (
        f'<p style="margin-left:{indent}px;text-indent:-14px;margin-top:3px;margin-bottom:3px">'
        f"{anchor}{bullet}{inner}</p>"
    )


_ROAM = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|\(\((?P<ref>[\w-]{6,})\)\)"
    r"|\[(?P<label>[^\[\]\n]*)\]\((?P<url>(?:https?://)[^\s)]+|\(\([\w-]+\)\)|\[\[[^\]]+\]\])\)"
    r"|\{\{\[?\[?(?P<task>TODO|DONE)\]?\]?\}\}"
    r"|(?P<macro>\{\{.*?\}\})"
    r"|#?\[\[(?P<page>[^\[\]]+)\]\]"
    r"|(?<!\w)#(?P<tag>[\w/-]+)"
    r"|\*\*(?P<bold>.+?)\*\*|__(?P<italic>.+?)__|\^\^(?P<mark>.+?)\^\^|~~(?P<strike>.+?)~~"
    r"|^(?P<attribute>[^\n:`]{1,80})::",
    flags=re.S,
)


def roam_inline(raw: str, view: NoteView, roles: Roles, level: int = 0) -> str:
    """One block's markup as HTML; ``((refs))`` show the text they quote, one level deep."""
    pieces: list[str] = []
    position = 0
    for found in _ROAM.finditer(raw):
        pieces.append(html.escape(raw[position : found.start()]))
        pieces.append(_roam_piece(found, view, roles, level))
        position = found.end()
    pieces.append(html.escape(raw[position:]))
    return "".join(pieces).replace("\n", "<br>")


def _roam_piece(found: re.Match[str], view: NoteView, roles: Roles, level: int) -> str:
    kind, value = str(found.lastgroup), str(found[str(found.lastgroup)])
    if kind == "url":
        label = found["label"] or value
        return link(value if value.startswith("http") else "block:" + value.strip("()"), label, roles)
    if kind == "ref":
        quoted = view.references.get(value)
        text = roam_inline(quoted, view, roles, level + 1) if quoted and level < 1 else html.escape(quoted or found[0])
        return f'<a href="block:{value}" style="color:{roles.text};background:{roles.info_surface}">{_flat(text)}</a>'
    if kind in ("page", "tag"):
        return link("note:" + quote(value), f"#{value}" if found[0].startswith("#") else value, roles)
    if kind == "code":
        return f'<code style="background:{roles.code}">{html.escape(value.strip("`"))}</code>'
    if kind == "task":
        return TICKED if value == "DONE" else "☐"
    if kind == "macro":
        return f'<span style="color:{roles.muted}">{html.escape(value)}</span>'
    inner = roam_inline(value, view, roles, level + 1) if level < 6 else html.escape(value)
    return {
        "bold": f"<b>{inner}</b>",
        "italic": f"<i>{inner}</i>",
        "strike": f"<s>{inner}</s>",
        "mark": f'<span style="background:{roles.highlight};color:{roles.on_highlight}">{inner}</span>',
        "attribute": f"<b>{inner}:</b>",
    }[kind]


def _flat(text: str) -> str:
    """Links inside a quoted block would end the link around it."""
    return re.sub(r"</?a\b[^>]*>", "", text)
