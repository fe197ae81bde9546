"""Pieces of HTML that notes of every kind are made of. Qt knows no padding on blocks, hence the tables."""

from __future__ import annotations

import html

from gui.theme import Roles

LINE_CHARACTERS = 4_000
TICKED = "☑\ufe0e"
"""With the selector that asks for a plain sign, not a coloured picture."""
TABLE_GAP = 'style="margin-top:8px;margin-bottom:8px"'


def link(address: str, label: str, roles: Roles) -> str:
    return f'<a href="{html.escape(address)}" style="color:{roles.link};text-decoration:none">{html.escape(label)}</a>'


def muted(text: str, roles: Roles) -> str:
    return f'<p style="color:{roles.muted}"><i>{html.escape(text)}</i></p>'


def code_box(code: str, language: str, roles: Roles) -> str:
    return (
        f'<table width="100%" cellspacing="0" cellpadding="10" bgcolor="{roles.code}" {TABLE_GAP}><tr><td>'
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
