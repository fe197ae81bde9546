"""Commands of trust: ``protect`` changes how the index files are protected. Also asks for a passphrase on a terminal.

A passphrase is never an argument: arguments of a process can be read by others.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys

from engine import keychain
from engine.errors import BadRequest, KeychainUnavailable, LibraryBusy
from engine.frontends import render, shapes
from engine.frontends.lock import LibraryLock
from engine.frontends.terminal import Add, is_agreed, out, out_json, say
from engine.paths import Home, find_home, prepare_home
from engine.settings import declarations, load
from engine.store import passphrase

_WORDS = {
    "keychain": "Index files are encrypted. Their key is in the system's keychain: whoever is logged in as you can "
    "open them, nobody else can.",
    "passphrase": "Index files are encrypted with a key that is made from your passphrase. Lamplight asks for it at "
    "every start. If you forget it, they can only be made anew.",
    "plain": "Index files are NOT encrypted: whoever can read your files can read the text of your notes in them.",
    "session": "Index files are encrypted with a key that is forgotten when Lamplight ends; they are made anew at each "
    "start. What you decided (pins, saved searches, merges) is kept and NOT encrypted.",
}
_NO_KEYCHAIN = (
    "The way that is set is the system's keychain. {reason} So new index files are NOT encrypted. Choose another way: "
    "lamplight protect passphrase, session or plain."
)


def add_commands(add: Add) -> None:
    passphrase.ask = _ask
    protect = add("protect", _protect)
    protect.add_argument("mode", nargs="?", choices=declarations()["protection"].choices)
    protect.add_argument("--discard", action="store_true", help="put files aside that no key opens")


def _protect(args: argparse.Namespace) -> int:
    home = find_home()
    prepare_home(home)
    count = None
    if args.mode is not None:
        lock = LibraryLock.take(home.lock_file)
        if lock is None:
            raise LibraryBusy("Lamplight is open, and its files cannot be rewritten now.", "Quit it, then try again.")
        try:
            count = _change(home, args.mode, discard=args.discard)
        finally:
            lock.release()
    mode = load(home)[0].protection
    words = _words(mode)
    if args.json:
        out_json(shapes.document(protection=mode, rewritten=count or 0, words=words))
        return 0
    if count is not None:
        out(f"Files written again: {count}.")
    out(words)
    out(_on_disk(home))
    return 0


def _words(mode: str) -> str:
    if mode == "keychain":
        try:
            keychain.index_key(create=False)
        except KeychainUnavailable as error:
            return _NO_KEYCHAIN.format(reason=error.message)
    return _WORDS[mode]


def _on_disk(home: Home) -> str:
    """What the files are now, whatever was chosen for new ones."""
    # DuckDB loads here.
    from engine.store.database import is_encrypted
    from engine.store.protection import database_files

    found = [bool(is_encrypted(file)) for file in database_files(home)]
    return (
        f"On disk now: {sum(found)} encrypted, {len(found) - sum(found)} not encrypted." if found else "No files yet."
    )


def _change(home: Home, mode: str, *, discard: bool) -> int:
    # DuckDB loads here.
    from engine.store.protection import passphrase_file
    from engine.store.rewriting import protect

    is_new = mode == "passphrase" and not passphrase_file(home).exists()
    new = _new_passphrase() if is_new else ""
    if discard and sys.stdin.isatty() and not is_agreed("Files that no key opens are put aside. Go on?"):
        raise BadRequest("Nothing was changed.")
    return protect(home, mode, new, discard=discard, report=lambda name: say(f"Writing {render.printable(name)} ..."))


def _new_passphrase() -> str:
    if found := os.environ.pop(passphrase.VARIABLE, ""):
        return found
    if not sys.stdin.isatty():
        raise BadRequest(
            "A passphrase is needed, and there is no terminal to ask for it.", f"Set {passphrase.VARIABLE}."
        )
    first = getpass.getpass("New passphrase: ")
    if first != getpass.getpass("Once more: "):
        raise BadRequest("The two were not the same; nothing was changed.")
    return first


def _ask() -> str:
    return getpass.getpass("Passphrase of Lamplight's index: ") if sys.stdin.isatty() else ""
