"""Where Lamplight keeps its data, and how its folders and files are made private.

``LAMPLIGHT_HOME`` moves everything below one folder; otherwise the system's own places are used
(Local, not Roaming, AppData on Windows: an index is large and belongs to one machine).

Light: of every search that another process answers, this is loaded. What its functions need they load themselves.
"""

from __future__ import annotations

import contextlib
import os
import sys

from engine.errors import UserError, from_system, system_words
from engine.files import open_private, refuse_odd_files

# Checkers take this for true. ``typing`` has it too, and takes 5 ms to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

_CACHEDIR_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder holds indexes that Lamplight can rebuild from the notes; backup tools may skip it.\n"
)


class Home:
    """All places on disk, derived from the folders of data, settings and logs."""

    def __init__(self, data: Path, config: Path, logs: Path) -> None:
        self.data = data
        self.config = config
        self.logs = logs

    @property
    def indexes(self) -> Path:
        return self.data / "indexes"

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def decisions(self) -> Path:
        return self.data / "decisions.duckdb"

    @property
    def replies(self) -> Path:
        return self.data / "replies.duckdb"

    @property
    def sources_file(self) -> Path:
        return self.config / "sources.toml"

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.toml"

    @property
    def ledger(self) -> Path:
        return self.data / "connections.jsonl"

    @property
    def crash_log(self) -> Path:
        """Where Python writes the trace of a crash of native code."""
        return self.logs / "crash.log"

    @property
    def crash_mark(self) -> Path:
        """What the process that has the library open is doing that may crash."""
        return self.data / "running.json"

    @property
    def lock_file(self) -> Path:
        return self.data / "library.lock"

    def index_file(self, source_id: str) -> Path:
        return self.indexes / f"{source_id}.duckdb"


def find_home(override: Path | None = None) -> Home:
    """The home to use: ``override``, else ``LAMPLIGHT_HOME``, else the system's places."""
    from pathlib import Path

    data, config, logs = places(str(override or ""))
    return Home(Path(data), Path(config), Path(logs))


def places(root: str = "") -> tuple[str, str, str]:
    """The folders of ``find_home`` as text, for who does without ``Path``. Raises ``UserError`` where the system does
    not say whose they would be."""
    root = root or os.environ.get("LAMPLIGHT_HOME", "")
    if root:
        root = _absolute(root)
        return f"{root}/data", f"{root}/config", f"{root}/logs"
    if sys.platform == "win32":
        import platformdirs  # The user may have moved these folders, which only the system knows.

        dirs = platformdirs.PlatformDirs("lamplight", appauthor=False, roaming=False)
        return dirs.user_data_dir, dirs.user_config_dir, dirs.user_log_dir
    if sys.platform == "darwin":
        support = _absolute("~/Library/Application Support/lamplight")
        return support, support, _absolute("~/Library/Logs/lamplight")
    data = _of_desktop("XDG_DATA_HOME", "~/.local/share")
    return data, _of_desktop("XDG_CONFIG_HOME", "~/.config"), _of_desktop("XDG_STATE_HOME", "~/.local/state") + "/log"


def _of_desktop(variable: str, otherwise: str) -> str:
    """Our folder by the XDG Base Directory Specification, which has relative paths ignored."""
    base = os.environ.get(variable, "")
    return _absolute(base if base.startswith("/") else otherwise) + "/lamplight"


def _absolute(path: str) -> str:
    found = os.path.expanduser(path)  # noqa: PTH111
    if found.startswith("~"):
        raise UserError("The system does not say where your home folder is.", "Set LAMPLIGHT_HOME to a folder.")
    return found if os.path.isabs(found) else os.path.join(os.getcwd(), found)  # noqa: PTH109, PTH117, PTH118


def make_private_folder(folder: Path) -> Path:
    """Create ``folder`` and its parents, each readable by its owner alone; ``folder`` is tightened if it was there.

    Raises an ``EngineError`` where the system does not allow it.
    """
    with system_words(folder):
        _make(folder)
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    return folder


def _make(folder: Path) -> None:
    """As ``mkdir`` with parents, which leaves those open to whomever the process's mask lets in."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def prepare_home(home: Home) -> None:
    """Create the folders of ``home``, private, and have backups leave the index folder out where the system can.

    Raises an ``EngineError`` where the system does not allow it, and where a pipe or a device stands among the files.
    """
    for folder in (home.data, home.config, home.logs, home.indexes):
        make_private_folder(folder)
        _refuse_odd_files(folder)
    tag = home.indexes / "CACHEDIR.TAG"
    if not tag.exists():
        write_atomically(tag, _CACHEDIR_TAG.encode("ascii"))
        _leave_out_of_backups(home.indexes)


def _refuse_odd_files(folder: Path) -> None:
    """Not only where we open files ourselves: the database and Qt would wait at a pipe for ever, too."""
    try:
        refuse_odd_files(folder)
    except OSError as error:
        raise from_system(error, error.filename) from error


def _leave_out_of_backups(folder: Path) -> None:
    """Tell Time Machine, which does not know the tag; the mark is kept on the folder itself. Windows keeps its list
    where only an administrator may write."""
    if sys.platform == "darwin":
        import subprocess  # Once in the life of a library.

        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["/usr/bin/tmutil", "addexclusion", str(folder)], capture_output=True, timeout=10)


def open_log(file: Path, limit: int = 256_000) -> TextIO:
    """A log to append to, for its owner alone. When it has grown past ``limit`` bytes it becomes ``NAME.1``, which
    replaces the one before."""
    make_private_folder(file.parent)
    with system_words(file):
        with contextlib.suppress(FileNotFoundError):
            if file.stat().st_size > limit:
                file.replace(file.with_name(f"{file.name}.1"))
        return os.fdopen(open_private(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a", encoding="utf-8")


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` so that a crash leaves either the old file or the new one; mode 0600.

    Raises an ``EngineError`` where it cannot be written; the old file stands.
    """
    make_private_folder(path.parent)
    with system_words(path):
        _replace(path, data)


def _replace(path: Path, data: bytes) -> None:
    import tempfile
    from pathlib import Path

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
