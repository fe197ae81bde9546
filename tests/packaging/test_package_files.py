"""The files that the packages are made of: each is what its reader expects, and they agree with each other."""

from __future__ import annotations

import configparser
import plistlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from engine import __version__

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
APP_ID = "io.github.lamplight_app.lamplight"
METAINFO = LINUX / f"{APP_ID}.metainfo.xml"


def validate(*command: str | Path) -> str:
    """What the validator says; skipped where the machine does not have it."""
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not installed")
    answer = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return (answer.stdout + answer.stderr).strip()


@pytest.mark.parametrize("name", ["lamplight.desktop", "lamplight-autostart.desktop"])
def test_desktop_entry_is_valid(name: str) -> None:
    assert validate("desktop-file-validate", LINUX / name) == ""


def test_appstream_metainfo_is_valid() -> None:
    # Versions before 1.0 do not know <developer> yet, which app stores ask for.
    validate("appstreamcli", "validate", "--strict", "--no-net", "--override", "unknown-tag=pedantic", METAINFO)


def test_man_page_has_no_faults() -> None:
    assert validate("mandoc", "-T", "lint", LINUX / "lamplight.1") == ""


def test_installer_compiles(tmp_path: Path) -> None:
    folder = tmp_path / "lamplight"
    (folder / "_internal").mkdir(parents=True)
    for name in ("lamplight.exe", "lamplight-window.exe", "_internal/Bienen im März.md"):
        (folder / name).write_bytes(b"x")
    target = tmp_path / "lamplight-setup.exe"
    values = {"VERSION": __version__, "FOLDER": folder, "OUTPUT": target}
    values["ICON"] = ROOT / "resources" / "icons" / "lamplight.ico"
    defines = [f"-D{name}={value}" for name, value in values.items()]
    validate("makensis", "-WX", "-V2", *defines, PACKAGING / "windows" / "lamplight.nsi")
    assert target.read_bytes()[:2] == b"MZ"


@pytest.mark.parametrize("script", sorted(PACKAGING.rglob("*.sh")), ids=lambda path: path.name)
def test_shell_script_parses(script: Path) -> None:
    validate("bash", "-n", script)
    assert "set -euo pipefail" in script.read_text("utf-8")


def test_menu_entry_opens_links() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(LINUX / "lamplight.desktop", "utf-8")
    main = entry["Desktop Entry"]
    assert main["Exec"] == "lamplight %U"
    assert "x-scheme-handler/lamplight" in main["MimeType"].split(";")
    assert main["StartupWMClass"] == "lamplight"


def test_metainfo_names_this_version_and_the_menu_entry() -> None:
    root = ET.parse(METAINFO).getroot()
    assert root.findtext("id") == APP_ID == METAINFO.name.removesuffix(".metainfo.xml")
    assert root.findtext("launchable") == "lamplight.desktop"
    releases = root.find("releases")
    assert releases is not None
    assert releases[0].get("version") == __version__


def test_plists_name_this_version_and_the_scheme() -> None:
    info = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    assert info["CFBundleShortVersionString"] == info["CFBundleVersion"] == __version__
    assert info["CFBundleURLTypes"][0]["CFBundleURLSchemes"] == ["lamplight"]
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert all(value is True for value in rights.values())


def test_yaml_files_parse_and_name_existing_files() -> None:
    folder = PACKAGING / "flatpak"
    flatpak = yaml.safe_load((folder / f"{APP_ID}.yml").read_text("utf-8"))
    assert flatpak["id"] == APP_ID
    sources = [source for module in flatpak["modules"] for source in module["sources"]]
    missing = [s["path"] for s in sources if s["type"] == "file" and not (folder / s["path"]).is_file()]
    assert not missing
    winget = yaml.safe_load((PACKAGING / "windows" / "winget.yaml").read_text("utf-8"))
    assert winget["Protocols"] == ["lamplight"]
    assert winget["Installers"][0]["InstallerUrl"].endswith("lamplight-{version}-windows-setup.exe")


def test_workflow_runs_what_exists() -> None:
    text = (ROOT / ".github" / "workflows" / "packages.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert set(jobs) == {"linux", "windows", "macos", "release"}
    assert set(jobs["release"]["needs"]) == {"linux", "windows", "macos"}
    named = set(re.findall(r"packaging/[\w/.]+\w", text))
    assert {name for name in named if not (ROOT / name).exists()} == set()
