#!/usr/bin/env python3
"""What stands beside the packages of a release: winget's manifests, checksums, and the signed news of the release.

    python3 packaging/release.py make FOLDER VERSION [--key FILE]   FOLDER holds the packages
    python3 packaging/release.py new-key FILE                       once, by whoever makes releases

The private key stays in FILE, outside of the repository; its public half goes to resources/update-key.txt, which every
later build carries. Without a key no news is written. The owner's Lamplight reads updates.json of the branch `updates`
(engine/net/updates.py), and only when the owner has allowed that. Needs only the standard library and openssl.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WINGET = Path(__file__).with_name("windows") / "winget"
PUBLIC = ROOT / "resources" / "update-key.txt"
PAGE = "https://github.com/lamplight-app/lamplight/releases/tag/v{version}"


def make(folder: Path, version: str, key: Path | None) -> None:
    """Write into ``folder``: winget/, SHA256SUMS, and with a ``key`` updates.json."""
    packages = sorted(file for file in folder.iterdir() if file.is_file() and file.name != "SHA256SUMS")
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in packages}
    installers = [name for name in sums if name == f"lamplight-{version}-windows-setup.exe"]
    if installers:
        (folder / "winget").mkdir(exist_ok=True)
        for name, text in winget(version, sums[installers[0]]).items():
            (folder / "winget" / name).write_text(text, "utf-8")
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()), "ascii")
    if key is not None:
        (folder / "updates.json").write_text(json.dumps(signed(version, commit(), key)) + "\n", "ascii")


def winget(version: str, digest: str) -> dict[str, str]:
    """The three manifests, by file name."""
    values = {"{version}": version, "{sha256}": digest.upper(), "{date}": time.strftime("%Y-%m-%d", time.gmtime())}
    texts = {file.name: file.read_text("utf-8") for file in sorted(WINGET.glob("*.yaml"))}
    for place, value in values.items():
        texts = {name: text.replace(place, value) for name, text in texts.items()}
    return texts


def commit() -> str:
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def signed(version: str, build: str, key: Path) -> dict[str, str]:
    """The news and its signature; the signature is of the very text, so nothing depends on how JSON is written."""
    text = json.dumps({"version": version, "commit": build, "page": PAGE.format(version=version)})
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "news"
        file.write_text(text, "ascii")
        signature = openssl("pkeyutl", "-sign", "-rawin", "-inkey", str(key), "-in", str(file))
    return {"release": text, "signature": base64.b64encode(signature).decode()}


def new_key(file: Path) -> None:
    if file.exists():
        raise SystemExit(f"{file} exists already; a key is never overwritten.")
    if file.resolve().is_relative_to(ROOT):
        raise SystemExit("A private key does not belong into the repository: choose a place outside of it.")
    os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    file.write_bytes(openssl("genpkey", "-algorithm", "ed25519"))
    # The last 32 bytes of the standard form are the key itself.
    public = openssl("pkey", "-in", str(file), "-pubout", "-outform", "DER")[-32:]
    PUBLIC.write_text(base64.b64encode(public).decode() + "\n", "ascii")
    print(f"The private key is in {file}; keep it. Commit {PUBLIC.relative_to(ROOT)}.")


def openssl(*words: str) -> bytes:
    return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("version")
    making.add_argument("--key", type=Path)
    commands.add_parser("new-key").add_argument("file", type=Path)
    options = parser.parse_args(words)
    if options.command == "make":
        make(options.folder, options.version, options.key)
    else:
        new_key(options.file)


if __name__ == "__main__":
    main(sys.argv[1:])
