"""Obsidian Markdown as HTML: wikilinks, embeds, callouts, tasks, marks, code and mathematics as text.

Raw HTML in a note is shown as text and never interpreted. Every block is preceded by an anchor ``L<line>``.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from engine.model import NoteView
from gui import tr
from gui.panels.html_parts import LINE_CHARACTERS, TABLE_GAP, TICKED, code_box, link, muted
from gui.theme import Roles

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

WINDOW_LINES = 400
"""A long note is shown around its passage: Qt lays out about a megabyte a second, and the window may not wait."""
WINDOW_CHARACTERS = 60_000
IMAGES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg"}
MAX_IMAGE_FILES = 20_000


def markdown_html(view: NoteView, roles: Roles, first_line: int, folder: Path | None) -> str:
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
        return muted(tr("This note is empty."), roles)
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
        f'<table cellspacing="0" cellpadding="6" width="100%" bgcolor="{roles.code}" {TABLE_GAP}>'
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

    adding("wikilink", lambda t: link("note:" + quote(t.content), t.meta["label"], roles))
    adding("vault_image", lambda t: _image(images.find(t.content), t.meta["label"], roles))
    adding("image", lambda t: _image(images.find(_unquoted(str(t.attrs.get("src", "")))), t.content, roles))
    adding(
        "marked", lambda t: f'<span style="background:{roles.highlight};color:{roles.on_highlight}">{_esc(t)}</span>'
    )
    adding("math", lambda t: f"<i><code>{_esc(t)}</code></i>")
    adding("hashtag", lambda t: link("tag:" + quote(t.content), t.content, roles))
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
        f'<table width="100%" cellspacing="0" cellpadding="0" {TABLE_GAP}><tr>'
        f'<td width="4" bgcolor="{colour}"></td>'
        f'<td style="padding:4px 12px"{ground}>{title}'
    )
