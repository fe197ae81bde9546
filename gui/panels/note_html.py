"""A note as HTML for Qt's rich text: Obsidian Markdown and Roam outlines. Pure functions, run on a worker.

Raw HTML in a note is shown as text and never interpreted. Every block of Markdown is preceded by an anchor
``L<line>`` and every Roam block by its uid, so that the preview can find and mark the passage. Qt knows no padding or
left border on blocks, hence the tables.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from engine.model import NoteView, OutlineBlock
from gui import tr
from gui.theme import Roles

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

WINDOW_LINES = 400
"""A long note is shown around its passage: Qt lays out about a megabyte a second, and the window may not wait."""
WINDOW_CHARACTERS = 60_000
LINE_CHARACTERS = 4_000
WINDOW_BLOCKS = 600
INDENT = 22
TICKED = "☑\ufe0e"
"""With the selector that asks for a plain sign, not a coloured picture."""
_TABLE_GAP = 'style="margin-top:8px;margin-bottom:8px"'
IMAGES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg"}
MAX_IMAGE_FILES = 20_000


@dataclass(frozen=True, slots=True)
class RenderedNote:
    view: NoteView
    html: str
    folder: Path | None
    """The only folder that images may come from; None allows none."""


def render(view: NoteView, roles: Roles, first_line: int = 0, uid: str = "") -> RenderedNote:
    """``view`` as HTML, the part around ``first_line`` or ``uid`` when the note is very long."""
    if view.outline:
        body, folder = _outline(view, roles, uid), None
    else:
        folder = _vault_of(view)
        body = _markdown(view, roles, first_line, folder)
    return RenderedNote(view, f"<html><body>{body}</body></html>", folder)


def _vault_of(view: NoteView) -> Path | None:
    return Path(view.source.location) if view.path and not view.source.kind.is_roam else None


# --- Markdown ----------------------------------------------------------------------------------------------------


def _markdown(view: NoteView, roles: Roles, first_line: int, folder: Path | None) -> str:
    text, is_cut, start = window_of(view.markdown, first_line)
    text, properties = split_properties(text) if start == 0 else (text, [])
    text = re.sub(r"%%.*?%%", _blank, text, flags=re.S)
    parser = _parser(roles, _ImageFinder(folder, view.path))
    env = {"offset": start}
    head = _properties(properties, roles)
    if is_cut:
        note = tr("This note is long: the part around the passage is shown.")
        head = f'<p><span style="color:{roles.muted}"><i>{html.escape(note)}</i></span></p>'
    if not text.strip() and not properties:
        return _muted(tr("This note is empty."), roles)
    return head + str(parser.render(text, env))


def window_of(markdown: str, first_line: int) -> tuple[str, bool, int]:
    """(text, whether it is only a part, lines left out before it). ``first_line`` is 1-based, 0 the top."""
    lines = markdown.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    if len(lines) <= WINDOW_LINES and len(markdown) <= WINDOW_CHARACTERS:
        return "\n".join(lines), False, 0
    start = max(0, first_line - 1 - WINDOW_LINES // 4)
    kept: list[str] = []
    size = 0
    for number, line in enumerate(lines[start : start + WINDOW_LINES], start + 1):
        piece = line if len(line) <= LINE_CHARACTERS else line[:LINE_CHARACTERS] + "…"
        size += len(piece)
        if size > WINDOW_CHARACTERS and number > first_line:
            break
        kept.append(piece)
    return "\n".join(kept), True, start


def split_properties(text: str) -> tuple[str, list[tuple[str, str]]]:
    """The text with its front matter blanked, so that lines keep their numbers, and the properties as shown."""
    found = re.match(r"---[ \t]*\n(.*?\n)?---[ \t]*(\n|$)", text, flags=re.S)
    if not found:
        return text, []
    properties: list[tuple[str, str]] = []
    for line in (found[1] or "").splitlines():
        pair = re.match(r"([^\s#:-][^:]*):+\s*(.*)$", line)
        if pair:
            properties.append((pair[1], pair[2].strip("\"'[] ")))
        elif properties and line.strip():
            name, value = properties[-1]
            item = line.strip().removeprefix("- ").strip("\"'")
            properties[-1] = (name, f"{value}, {item}" if value else item)
    return _blank(found) + text[found.end() :], properties


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _properties(properties: list[tuple[str, str]], roles: Roles) -> str:
    if not properties:
        return ""
    rows = "".join(
        f'<tr><td style="color:{roles.muted}">{html.escape(name)}&nbsp;&nbsp;</td><td>{html.escape(value)}</td></tr>'
        for name, value in properties
    )
    inner = f'<table cellspacing="0" cellpadding="3">{rows}</table>'
    return (
        f'<table cellspacing="0" cellpadding="6" width="100%" bgcolor="{roles.code}" {_TABLE_GAP}>'
        f"<tr><td>{inner}</td></tr></table>"
    )


class _ImageFinder:
    """Absolute path of an image that a note names: beside the note, from the vault's root, or anywhere by its name."""

    def __init__(self, vault: Path | None, note: str) -> None:
        self._vault = vault
        self._note = Path(note).parent if note else None
        self._by_name: dict[str, Path] | None = None

    def find(self, name: str) -> str:
        if self._vault is None or "://" in name or Path(name).suffix.casefold() not in IMAGES:
            return ""
        for base in (self._note, self._vault):
            if base is not None and (base / name).is_file():
                return str(base / name)
        found = self._everywhere().get(Path(name).name.casefold())
        return str(found) if found else ""

    def _everywhere(self) -> dict[str, Path]:
        if self._by_name is None:
            self._by_name = {}
            for path in _image_files(self._vault or Path()):
                self._by_name.setdefault(path.name.casefold(), path)
        return self._by_name


def _image_files(vault: Path) -> Iterator[Path]:
    seen = 0
    for folder, folders, files in os.walk(vault):
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(files)
        yield from (Path(folder) / name for name in files if Path(name).suffix.casefold() in IMAGES)
        if seen > MAX_IMAGE_FILES:
            return


def _parser(roles: Roles, images: _ImageFinder) -> MarkdownIt:
    # 90 ms to import; the first preview runs on a worker.
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin)
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("emphasis", "marked", _marked)
    parser.inline.ruler.before("escape", "math", _math)
    parser.inline.ruler.push("tag", _tag)
    parser.core.ruler.after("block", "dialect", _dialect)
    parser.core.ruler.push("line_anchors", _line_anchors)
    _set_rules(parser, roles, images)
    return parser


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = re.compile(r"!?\[\[([^\[\]\n|]+)(?:\|([^\[\]\n]*))?\]\]").match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        target, label = found[1].rstrip("\\").strip(), (found[2] or "").strip()
        is_image = found[0].startswith("!") and Path(target).suffix.casefold() in IMAGES
        token = state.push("vault_image" if is_image else "wikilink", "", 0)
        token.content = target
        token.meta = {"label": label or target.replace("#^", " › ").replace("#", " › ").removeprefix(" › ")}
    state.pos = found.end()
    return True


def _marked(state: StateInline, silent: bool) -> bool:
    found = re.compile(r"==(?=\S)([^=\n]+?)(?<=\S)==").match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push("marked", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _math(state: StateInline, silent: bool) -> bool:
    found = re.compile(r"\$\$([^$]+)\$\$|\$(?!\s)([^$\n]+?)(?<!\s)\$(?!\d)").match(state.src, state.pos)
    if not found:
        return False
    if not silent:
        state.push("math", "", 0).content = (found[1] or found[2]).strip()
    state.pos = found.end()
    return True


def _tag(state: StateInline, silent: bool) -> bool:
    found = re.compile(r"#(?!\d+\b)([\w/-]+)").match(state.src, state.pos)
    before = state.src[state.pos - 1] if state.pos else " "
    if not found or not (before.isspace() or before in "(,;"):
        return False
    if not silent:
        state.push("hashtag", "", 0).content = found[0]
    state.pos = found.end()
    return True


_CALLOUT = re.compile(r"\[!([\w-]+)\][+-]?[ \t]*([^\n]*)(?:\n|$)")
_TASK = re.compile(r"\[(.)\]\s+")


def _dialect(state: StateCore) -> None:
    """Callouts and tasks: recognised in the text of the first paragraph of a quote or list item."""
    tokens = state.tokens
    for opening, token in zip(tokens, tokens[2:], strict=False):
        if token.type != "inline":
            continue
        if opening.type == "blockquote_open" and (callout := _CALLOUT.match(token.content)):
            opening.meta = {"callout": callout[1].casefold(), "title": callout[2] or callout[1].capitalize()}
            token.content = token.content[callout.end() :]
        elif opening.type == "list_item_open" and (task := _TASK.match(token.content)):
            token.content = ("☐ " if task[1] == " " else f"{TICKED} ") + token.content[task.end() :]
    for token in tokens:
        if token.type == "inline":
            token.content = re.sub(r"(?:^|\s)\^[\w-]+$", "", token.content)
    for at, token in enumerate(tokens):
        if token.type == "bullet_list_open" and _holds_tasks_only(tokens, at):  # The boxes are the bullets.
            token.attrs["style"] = "list-style-type:none"


def _holds_tasks_only(tokens: Sequence[Token], opening: int) -> bool:
    """Whether each item of the list that opens there, not counting the lists inside it, begins with a box."""
    level = tokens[opening].level
    end = next(at for at in range(opening, len(tokens)) if tokens[at].level == level and tokens[at].nesting < 0)
    items = [at for at in range(opening, end) if tokens[at].type == "list_item_open" and tokens[at].level == level + 1]
    return all(tokens[at + 2].content.startswith(("☐ ", f"{TICKED} ")) for at in items)


def _line_anchors(state: StateCore) -> None:
    """Give each leaf block the file line on which it starts."""
    from markdown_it.token import Token

    offset = int(state.env.get("offset", 0))
    for token in state.tokens:
        if not token.map:
            continue
        anchor = Token("line_anchor", "", 0, meta={"line": token.map[0] + 1 + offset})
        if token.type == "inline":
            token.children = [anchor, *(token.children or [])]
        elif token.type in ("fence", "code_block"):
            token.meta = anchor.meta


def _set_rules(parser: MarkdownIt, roles: Roles, images: _ImageFinder) -> None:
    rule = parser.add_render_rule

    def adding(name: str, make: Callable[[Token], str]) -> None:
        rule(name, lambda _self, tokens, i, _options, _env: make(tokens[i]))

    adding("wikilink", lambda t: _link("note:" + quote(t.content), t.meta["label"], roles))
    adding("vault_image", lambda t: _image(images.find(t.content), t.meta["label"], roles))
    adding("image", lambda t: _image(images.find(_unquoted(str(t.attrs.get("src", "")))), t.content, roles))
    adding(
        "marked", lambda t: f'<span style="background:{roles.highlight};color:{roles.on_highlight}">{_esc(t)}</span>'
    )
    adding("math", lambda t: f"<i><code>{_esc(t)}</code></i>")
    adding("hashtag", lambda t: _link("tag:" + quote(t.content), t.content, roles))
    adding("hr", lambda _t: "<hr>")
    adding("fence", lambda t: _anchor(t) + code_box(t.content, t.info.strip().split(" ")[0], roles))
    adding("code_block", lambda t: _anchor(t) + code_box(t.content, "", roles))
    adding("code_inline", lambda t: f'<code style="background:{roles.code}">{_esc(t)}</code>')
    adding("blockquote_open", lambda t: _quote_open(t, roles))
    adding("blockquote_close", lambda _t: "</td></tr></table>")
    adding(
        "table_open",
        lambda _t: f'<table border="1" cellpadding="5" style="border-collapse:collapse;border-color:{roles.border}">',
    )
    adding("line_anchor", _anchor)


def _anchor(token: Token) -> str:
    line = (token.meta or {}).get("line")
    return f'<a name="L{line}"></a>' if line else ""


def _esc(token: Token) -> str:
    return html.escape(token.content)


def _unquoted(address: str) -> str:
    from urllib.parse import unquote

    return unquote(address)


def _link(address: str, label: str, roles: Roles) -> str:
    return f'<a href="{html.escape(address)}" style="color:{roles.link};text-decoration:none">{html.escape(label)}</a>'


def _image(path: str, label: str, roles: Roles) -> str:
    if path:
        return f'<img src="{html.escape(path)}">'
    return f'<span style="color:{roles.muted}">🖼 {html.escape(label or tr("image"))}</span>'


_CALLOUT_ROLES = {
    "warning": "warn", "caution": "warn", "attention": "warn", "danger": "bad", "error": "bad", "bug": "bad",
    "failure": "bad", "fail": "bad", "missing": "bad", "success": "good", "check": "good", "done": "good",
    "tip": "good", "hint": "good", "important": "accent", "quote": "muted", "cite": "muted", "example": "on_meaning",
}  # fmt: skip


def _quote_open(token: Token, roles: Roles) -> str:
    meta = token.meta or {}
    callout = meta.get("callout", "")
    colour = getattr(roles, _CALLOUT_ROLES.get(callout, "link" if callout else "border"))
    ground = f' bgcolor="{roles.code}"' if callout else ""
    title = f'<p><b style="color:{colour}">{html.escape(meta["title"])}</b></p>' if callout else ""
    return (
        f'<table width="100%" cellspacing="0" cellpadding="0" {_TABLE_GAP}><tr>'
        f'<td width="4" bgcolor="{colour}"></td>'
        f'<td style="padding:4px 12px"{ground}>{title}'
    )


def code_box(code: str, language: str, roles: Roles) -> str:
    return (
        f'<table width="100%" cellspacing="0" cellpadding="10" bgcolor="{roles.code}" {_TABLE_GAP}><tr><td>'
        f'<pre style="margin:0">{coloured(code, language, roles)}</pre></td></tr></table>'
    )


def coloured(code: str, language: str, roles: Roles) -> str:
    """Code as HTML with colours; without where the language is not known."""
    # 60 ms to import; only notes with code pay for it.
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return html.escape(code.rstrip("\n"))
    style = "github-dark" if roles.is_dark else "xcode"
    formatter = HtmlFormatter(nowrap=True, noclasses=True, style=style)
    return str(highlight(code, lexer, formatter)).rstrip("\n")


# --- Roam --------------------------------------------------------------------------------------------------------


def _outline(view: NoteView, roles: Roles, uid: str) -> str:
    blocks, is_cut = _blocks_around(view.outline, uid)
    base = min((block.depth for block in blocks), default=0)
    head = _muted(tr("This page is long: the part around the passage is shown."), roles) if is_cut else ""
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
        return _link(value if value.startswith("http") else "block:" + value.strip("()"), label, roles)
    if kind == "ref":
        quoted = view.references.get(value)
        text = roam_inline(quoted, view, roles, level + 1) if quoted and level < 1 else html.escape(quoted or found[0])
        return f'<a href="block:{value}" style="color:{roles.text};background:{roles.info_surface}">{_flat(text)}</a>'
    if kind in ("page", "tag"):
        return _link("note:" + quote(value), f"#{value}" if found[0].startswith("#") else value, roles)
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


def _muted(text: str, roles: Roles) -> str:
    return f'<p style="color:{roles.muted}"><i>{html.escape(text)}</i></p>'
