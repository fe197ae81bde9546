#!/usr/bin/env python3
"""Renders the app icon from its drawing: PNGs for Linux, one ICO for Windows, one ICNS for macOS.

    .venv/bin/python packaging/icons.py

Reads resources/icons/lamplight.svg and writes beside it. ICO and ICNS are only containers of PNGs here: both formats
have allowed that since Windows Vista and Mac OS X 10.7.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
PNG_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICNS_TYPES = {b"icp4": 16, b"icp5": 32, b"icp6": 64, b"ic07": 128, b"ic08": 256, b"ic09": 512}


def render(renderer: QSvgRenderer, size: int) -> bytes:
    """The drawing as a square PNG with a transparent background."""
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())


def make_ico(images: dict[int, bytes]) -> bytes:
    """One directory entry of 16 bytes per image, then the images. A side of 256 is written as 0."""
    offset = 6 + 16 * len(images)
    entries, body = b"", b""
    for size, png in images.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(png), offset + len(body))
        body += png
    return struct.pack("<HHH", 0, 1, len(images)) + entries + body


def make_icns(images: dict[bytes, bytes]) -> bytes:
    """Chunks of type, length with the 8 bytes of head, and PNG."""
    body = b"".join(kind + struct.pack(">I", len(png) + 8) + png for kind, png in images.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    renderer = QSvgRenderer(str(ICONS / "lamplight.svg"))
    if not renderer.isValid():
        raise SystemExit("resources/icons/lamplight.svg cannot be read as SVG")
    pngs = {size: render(renderer, size) for size in PNG_SIZES}
    for size, png in pngs.items():
        (ICONS / f"lamplight-{size}.png").write_bytes(png)
    (ICONS / "lamplight.ico").write_bytes(make_ico({size: pngs[size] for size in ICO_SIZES}))
    (ICONS / "lamplight.icns").write_bytes(make_icns({kind: pngs[size] for kind, size in ICNS_TYPES.items()}))
    app.quit()


if __name__ == "__main__":
    main()
