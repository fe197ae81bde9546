"""Connecting a client: the lines for its configuration file, and the bundle that it installs."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import anyio
import jsonschema
import pytest
from mcp import Client, StdioServerParameters

from engine.errors import UserError
from engine.frontends import cli, mcp_install
from engine.frontends.mcp_install import ClientFile, clients, entry, write
from engine.paths import Home

CHECKOUT = Path(__file__).resolve().parents[3]


# --- the configuration file


@pytest.mark.parametrize(
    ("platform", "environment", "end"),
    [
        ("linux", {}, ".config/Claude/claude_desktop_config.json"),
        ("linux", {"XDG_CONFIG_HOME": "/elsewhere"}, "/elsewhere/Claude/claude_desktop_config.json"),
        ("darwin", {}, "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_each_system_has_its_place(platform: str, environment: dict[str, str], end: str) -> None:
    assert clients(platform, environment)["claude-desktop"].path.as_posix().endswith(end)


def test_the_entry_names_a_program_and_the_home() -> None:
    found = entry({"LAMPLIGHT_HOME": "/notes"})
    assert Path(found["command"]).is_absolute()
    assert found["args"][-1] == "mcp"
    assert found["env"] == {"LAMPLIGHT_HOME": "/notes"}
    assert "env" not in entry({})


def test_a_packaged_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert entry({}) == {"command": sys.executable, "args": ["mcp"]}


def test_writing_keeps_all_else(tmp_path: Path) -> None:
    file = ClientFile("cursor", tmp_path / "new" / "mcp.json")
    assert write(file, {"command": "a"}) is None
    assert json.loads(file.path.read_text()) == {"mcpServers": {"lamplight": {"command": "a"}}}
    before = {"theme": "dark", "mcpServers": {"other": {"command": "x"}, "lamplight": {"command": "old"}}}
    file.path.write_text(json.dumps(before))
    file.path.chmod(0o600)
    kept = write(file, {"command": "b"})
    assert kept is not None
    assert json.loads(kept.read_text()) == before
    after = json.loads(file.path.read_text())
    assert after == {"theme": "dark", "mcpServers": {"other": {"command": "x"}, "lamplight": {"command": "b"}}}
    assert os.name == "nt" or file.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}', "// comment\n{}", "[" * 100_000])
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: str) -> None:
    file = ClientFile("cursor", tmp_path / "mcp.json")
    file.path.write_text(text)
    with pytest.raises(UserError):
        write(file, {"command": "a"})
    assert file.path.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.json"]


class Terminal:
    """Standard input with somebody who types."""

    def __init__(self, line: str) -> None:
        self._line = line

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self._line


@pytest.mark.parametrize(("typed", "is_written"), [("yes\n", True), ("y\n", False), ("\n", False), ("", False)])
def test_nothing_is_written_without_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, is_written: bool
) -> None:
    file = ClientFile("cursor", tmp_path / "mcp.json")
    monkeypatch.setattr(mcp_install, "clients", lambda: {"cursor": file})
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert cli.main(["mcp", "--install", "cursor"]) == 0
    assert json.loads(capsys.readouterr().out)["mcpServers"]["lamplight"]["args"][-1] == "mcp"
    assert file.path.exists() is is_written


# --- the bundle


@pytest.fixture(scope="module")
def mcpb() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mcpb_builder", CHECKOUT / "packaging" / "mcpb.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """What stands for the packaged program: a script that starts it from the checkout."""
    folder = tmp_path / "dist" / "lamplight"
    (folder / "_internal").mkdir(parents=True)
    (folder / "_internal" / "data.txt").write_text("data")
    (folder / "lamplight").write_text(f"#!{sys.executable}\nfrom gui.__main__ import main\nraise SystemExit(main())\n")
    (folder / "lamplight").chmod(0o755)
    (folder / "lamplight.exe").write_bytes(b"MZ")
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the program")
def test_the_bundle_starts_and_has_the_tools_that_it_names(
    mcpb: ModuleType, program: Path, tmp_path: Path, home: Home
) -> None:
    bundle = tmp_path / "lamplight.mcpb"
    mcpb.build(program, bundle, "linux")
    first = bundle.read_bytes()
    mcpb.build(program, bundle, "linux")
    assert bundle.read_bytes() == first, "the same program gives the same bundle"
    installed = tmp_path / "installed"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(installed)
        for info in archive.infolist():
            (installed / info.filename).chmod(info.external_attr >> 16 & 0o777)
    manifest = json.loads((installed / "manifest.json").read_text())
    start = manifest["server"]["mcp_config"]
    parameters = StdioServerParameters(
        command=start["command"].replace("${__dirname}", str(installed)),
        args=start["args"],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )

    async def tools() -> list[str]:
        with anyio.fail_after(60):
            async with Client(parameters) as client:
                return [tool.name for tool in (await client.list_tools()).tools]

    assert anyio.run(tools) == [tool["name"] for tool in manifest["tools"]]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_manifest_fits_each_system(mcpb: ModuleType, platform: str) -> None:
    document = mcpb.manifest(platform)
    mcpb.validate(document)
    assert document["server"]["entry_point"].endswith(".exe") is (platform == "win32")
    assert document["compatibility"]["platforms"] == [platform]


@pytest.mark.parametrize(
    "change",
    [
        {"version": "one"},
        {"name": "Lamp light"},
        {"server": {"type": "rust", "entry_point": "a", "mcp_config": {"command": "a"}}},
        {"server": {"type": "binary", "entry_point": "../a", "mcp_config": {"command": "a"}}},
        {"colour": "red"},
        {"compatibility": {"platforms": ["amiga"]}},
    ],
)
def test_a_wrong_manifest_is_noticed(mcpb: ModuleType, change: dict) -> None:
    with pytest.raises(jsonschema.ValidationError):
        mcpb.validate(mcpb.manifest("linux") | change)


def test_a_folder_that_is_no_program_makes_no_bundle(mcpb: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="package the program first"):
        mcpb.build(tmp_path, tmp_path / "lamplight.mcpb", "linux")
    assert not (tmp_path / "lamplight.mcpb").exists()
