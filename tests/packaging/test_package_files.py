"""The files that the packages are made of: each is what its reader expects, and they agree with each other."""

from __future__ import annotations

import base64
import configparser
import hashlib
import importlib.util
import plistlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from engine import __version__
from engine.net.updates import believe

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
LINUX = PACKAGING / "linux"
APP_ID = "io.github.lamplight_app.lamplight"
INSTALLER = PACKAGING / "windows" / "lamplight.nsi"
METAINFO = LINUX / f"{APP_ID}.metainfo.xml"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    said = validate("appstreamcli", "--version")
    version = re.search(r"(\d+)\.(\d+)", said)
    assert version, said
    # Versions before 1.0 do not know <developer> yet, which later ones and app stores ask for.
    older = ["--override", "unknown-tag=pedantic"] if int(version[1]) < 1 else []
    validate("appstreamcli", "validate", "--strict", "--no-net", *older, METAINFO)


def test_type_of_exports_is_known_by_how_it_begins() -> None:
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = ET.parse(LINUX / "lamplight-mime.xml").getroot()[0]
    name = kind.get("type")
    match = kind.find(f"{space}magic/{space}match")
    assert match is not None
    assert match.get("value") == "#datascript/DB"
    assert name in (LINUX / "lamplight.desktop").read_text("utf-8")
    assert name in METAINFO.read_text("utf-8")


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


def test_winget_manifests_agree_and_keep_to_its_rules() -> None:
    release = load("release")
    texts = release.winget("1.2.3", "ab" * 32)
    assert not [name for name, text in texts.items() if re.search(r"\{\w+\}", text)]
    found = {document["ManifestType"]: document for document in map(yaml.safe_load, texts.values())}
    assert set(found) == {"version", "installer", "defaultLocale"}
    # What the published schemas of version 1.10.0 require, as far as these manifests use them.
    required = {
        "version": {"PackageIdentifier", "PackageVersion", "DefaultLocale", "ManifestType", "ManifestVersion"},
        "installer": {"PackageIdentifier", "PackageVersion", "Installers", "ManifestType", "ManifestVersion"},
        "defaultLocale": {"PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"},
    }
    for kind, document in found.items():
        assert required[kind] <= set(document), kind
        assert (document["PackageIdentifier"], document["PackageVersion"]) == ("LamplightApp.Lamplight", "1.2.3")
        assert document["ManifestVersion"] == "1.10.0"
    assert set(texts) == {
        "LamplightApp.Lamplight.yaml",
        "LamplightApp.Lamplight.installer.yaml",
        "LamplightApp.Lamplight.locale.en-US.yaml",
    }
    installer = found["installer"]
    assert installer["Protocols"] == ["lamplight"]
    assert installer["InstallerType"] == "nullsoft"
    assert set(installer["InstallModes"]) <= {"interactive", "silent", "silentWithProgress"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", installer["ReleaseDate"])
    (one,) = installer["Installers"]
    assert re.fullmatch(r"[A-F0-9]{64}", one["InstallerSha256"])
    assert one["InstallerUrl"].endswith("/v1.2.3/lamplight-1.2.3-windows-setup.exe")
    assert len(found["defaultLocale"]["ShortDescription"]) <= 256
    # The installer's own key of the registry is what winget looks for.
    assert f"Uninstall\\{installer['AppsAndFeaturesEntries'][0]['ProductCode']}" in INSTALLER.read_text("utf-8")


def test_a_release_is_listed_and_its_news_signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    release = load("release")
    monkeypatch.setattr(release, "PUBLIC", release.ROOT / "build" / "try-update-key.txt")
    release.PUBLIC.parent.mkdir(exist_ok=True)
    monkeypatch.setattr(release, "commit", lambda: "0123456789ab")
    private, folder = tmp_path / "private.pem", tmp_path / "packages"
    release.new_key(private)
    assert private.stat().st_mode & 0o077 == 0
    with pytest.raises(SystemExit, match="never overwritten"):
        release.new_key(private)
    with pytest.raises(SystemExit, match="outside"):
        release.new_key(ROOT / "private.pem")
    folder.mkdir()
    (folder / "lamplight-1.2.3-windows-setup.exe").write_bytes(b"MZ")
    release.make(folder, "1.2.3", private)
    digest = hashlib.sha256(b"MZ").hexdigest()
    assert (folder / "SHA256SUMS").read_text("ascii") == f"{digest}  lamplight-1.2.3-windows-setup.exe\n"
    assert digest.upper() in (folder / "winget" / "LamplightApp.Lamplight.installer.yaml").read_text("utf-8")
    key = base64.b64decode(release.PUBLIC.read_text("ascii"))
    assert believe((folder / "updates.json").read_bytes(), key).version == "1.2.3"


def test_workflow_runs_what_exists() -> None:
    text = (ROOT / ".github" / "workflows" / "packages.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert set(jobs) == {"linux", "windows", "macos", "release"}
    assert set(jobs["release"]["needs"]) == {"linux", "windows", "macos"}
    named = set(re.findall(r"packaging/[\w/.]+\w", text))
    assert {name for name in named if not (ROOT / name).exists()} == set()
    steps = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    for tool in ("tests/packaging", "lintian", "try_deb.py", "package folder smoke deb", "release.py make"):
        assert tool in steps
    parts = {part for words in re.findall(r"dev\.py package ([\w ]+)", steps) for part in words.split()}
    assert "deb" in parts
    assert parts <= set(load("package").STEPS)
    # On the machine that must have them, a checker that is missing is no reason to skip.
    for package in ("desktop-file-utils", "appstream", "lintian", "nsis", "mandoc"):
        assert re.search(rf"\b{package}\b", steps)
