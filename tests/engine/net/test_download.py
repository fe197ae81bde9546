"""Downloads: consent first, pieces, going on where it broke off, and nothing kept that is not what was promised."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from pathlib import Path

import pytest

from engine.errors import BadRequest, Cancelled, NotAllowed, RetryError
from engine.job import Job
from engine.net import download as module
from engine.net.client import Client, NetError
from engine.net.download import RemoteFile, consented_client, download, download_all, read_manifest
from engine.net.ledger import Ledger
from engine.net.policy import LOOPBACK, MODEL_DOWNLOAD, Policy
from tests.servers.loopback import Loopback, Seen

CONTENT = bytes(range(256)) * 40
PIECE = 1000


class Shelf(Loopback):
    """Serves ``content`` by ranges as file servers do."""

    def __init__(self, content: bytes = CONTENT) -> None:
        super().__init__()
        self.content = content
        self.knows_ranges = True
        self.breaks_at: int | None = None

    def answer(self, seen: Seen) -> tuple[int, dict[str, str], bytes]:
        start, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", seen.headers["range"]).groups())
        if not self.knows_ranges:
            return 200, {}, self.content
        if self.breaks_at is not None and start >= self.breaks_at:
            return 500, {}, b"broken"
        part = self.content[start : end + 1]
        return 206, {"content-range": f"bytes {start}-{start + len(part) - 1}/{len(self.content)}"}, part

    @property
    def asked(self) -> list[str]:
        return [seen.headers["range"] for seen in self.requests]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", PIECE)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(Policy(), Ledger(tmp_path / "ledger"), wait=lambda stop, seconds: None, jitter=lambda: 0.0)


def promised(server: Loopback, **more: object) -> RemoteFile:
    file = RemoteFile("model.onnx", f"{server.url}/model", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
    return dataclasses.replace(file, **more)


def fetch(client: Client, file: RemoteFile, folder: Path, job: Job | None = None) -> Path:
    target = folder / file.name
    download(client, file, target, job or Job(), service=LOOPBACK.name)
    return target


def test_a_file_arrives_in_pieces(client: Client, tmp_path: Path) -> None:
    job = Job()
    with Shelf() as server:
        target = fetch(client, promised(server), tmp_path / "new folder", job)
    assert target.read_bytes() == CONTENT
    assert server.asked[:2] == ["bytes=0-999", "bytes=1000-1999"]
    assert server.asked[-1] == f"bytes=10000-{len(CONTENT) - 1}"
    assert [file.name for file in target.parent.iterdir()] == ["model.onnx"]
    assert (job.snapshot().done, job.snapshot().total) == (len(CONTENT), len(CONTENT))


def test_it_goes_on_where_it_broke_off(client: Client, tmp_path: Path) -> None:
    with Shelf() as server:
        server.breaks_at = 3000
        with pytest.raises(NetError, match="status 500"):
            fetch(client, promised(server), tmp_path)
        assert not (tmp_path / "model.onnx").exists()
        server.breaks_at = None
        before = len(server.requests)
        target = fetch(client, promised(server), tmp_path)
        assert server.asked[before] == "bytes=3000-3999"
    assert target.read_bytes() == CONTENT


def test_what_is_there_is_not_fetched_again(client: Client, tmp_path: Path) -> None:
    with Shelf() as server:
        fetch(client, promised(server), tmp_path)
        count = len(server.requests)
        fetch(client, promised(server), tmp_path)
        assert len(server.requests) == count


def test_stopping_keeps_what_arrived(client: Client, tmp_path: Path) -> None:
    class Stopping(Job):
        def report(self, stage: str, done: int, total: int = 0, detail: str = "") -> None:
            if done >= 2000:
                self.cancel()

    with Shelf() as server, pytest.raises(Cancelled):
        fetch(client, promised(server), tmp_path, Stopping())
    assert (tmp_path / "model.onnx.part").read_bytes() == CONTENT[:2000]


def test_another_content_is_thrown_away(client: Client, tmp_path: Path) -> None:
    with Shelf(b"x" * len(CONTENT)) as server, pytest.raises(RetryError, match="checksum"):
        fetch(client, promised(server), tmp_path)
    assert not list(tmp_path.glob("model*"))


@pytest.mark.parametrize("size", [len(CONTENT) - 10, len(CONTENT) + 10, 5])
def test_another_size_is_refused(client: Client, tmp_path: Path, size: int) -> None:
    with Shelf() as server, pytest.raises(NetError, match="another size"):
        fetch(client, promised(server, size=size), tmp_path)
    assert not (tmp_path / "model.onnx").exists()


def test_a_small_file_from_a_server_without_ranges(client: Client, tmp_path: Path) -> None:
    content = b"tokenizer"
    with Shelf(content) as server:
        server.knows_ranges = False
        file = promised(server, size=len(content), sha256=hashlib.sha256(content).hexdigest())
        assert fetch(client, file, tmp_path).read_bytes() == content


def test_a_large_file_from_a_server_without_ranges(client: Client, tmp_path: Path) -> None:
    with Shelf() as server:
        server.knows_ranges = False
        with pytest.raises(NetError, match="one piece only"):
            fetch(client, promised(server), tmp_path)


def test_a_part_that_is_longer_than_the_file_is_begun_anew(client: Client, tmp_path: Path) -> None:
    (tmp_path / "model.onnx.part").write_bytes(b"x" * (len(CONTENT) + 1))
    with Shelf() as server:
        assert fetch(client, promised(server), tmp_path).read_bytes() == CONTENT


def test_a_part_of_something_else_is_found_out(client: Client, tmp_path: Path) -> None:
    (tmp_path / "model.onnx.part").write_bytes(b"x" * 100)
    with Shelf() as server:
        with pytest.raises(RetryError, match="checksum"):
            fetch(client, promised(server), tmp_path)
        assert fetch(client, promised(server), tmp_path).read_bytes() == CONTENT


# --- consent ------------------------------------------------------------------------------------------------------

MANIFEST = """
model = "bge-micro-v2"
name = "Someone/bge-micro-v2"
licence = "MIT"
[[files]]
name = "model.onnx"
url = "https://models.example/a/model.onnx"
size = 100
sha256 = "{digest}"
[[files]]
name = "tokenizer.json"
url = "https://other.example/tokenizer.json"
size = 7
sha256 = "{digest}"
"""


def manifest_file(folder: Path, text: str = MANIFEST) -> Path:
    file = folder / "model.toml"
    file.write_text(text.replace("{digest}", "AB" * 32), "utf-8")
    return file


def test_a_manifest_says_what_comes_from_where(tmp_path: Path) -> None:
    manifest = read_manifest(manifest_file(tmp_path))
    assert (manifest.model, manifest.licence, manifest.size) == ("bge-micro-v2", "MIT", 107)
    assert manifest.hosts == ("models.example", "other.example")
    assert manifest.files[0].sha256 == "ab" * 32


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('sha256 = "{digest}"\n', "", "SHA-256"),
        ("{digest}", "abc", "SHA-256"),
        ("size = 100", "size = 0", "size"),
        ("size = 100", "", "size"),
        ('"model.onnx"', '"../model.onnx"', "name of a file"),
        ('"tokenizer.json"\nurl', '"model.onnx"\nurl', "twice"),
        ('model = "bge-micro-v2"', "", "which model"),
        ('model = "bge-micro-v2"', 'model = "../x"', "which model"),
        ("[[files]]", "[[parts]]", "no files"),
        ("model =", "model", "no list of files"),
    ],
)
def test_manifests_that_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        read_manifest(manifest_file(tmp_path, MANIFEST.replace(old, new)))


def test_without_consent_nothing_is_sent(client: Client, tmp_path: Path, network_trap: list[str]) -> None:
    file = read_manifest(manifest_file(tmp_path)).files[0]
    with pytest.raises(NotAllowed, match="switched off"):
        download(client, file, tmp_path / file.name, Job())
    assert network_trap == []


def test_consent_is_for_the_named_hosts_alone(tmp_path: Path) -> None:
    manifest = read_manifest(manifest_file(tmp_path))
    policy = consented_client(manifest).policy
    offered = dataclasses.replace(MODEL_DOWNLOAD, hosts=manifest.hosts)
    policy = Policy((MODEL_DOWNLOAD.name,), services=(offered,), resolve=lambda name, port: ["8.8.8.8"])
    assert policy.check(manifest.files[0].url, MODEL_DOWNLOAD.name).host == "models.example"
    with pytest.raises(NotAllowed, match="does not belong"):
        policy.check("https://elsewhere.example/x", MODEL_DOWNLOAD.name)
    assert not consented_client(manifest).policy.services[1:]


def test_all_files_of_a_manifest(client: Client, tmp_path: Path) -> None:
    with Shelf() as server:
        files = (promised(server), promised(server, name="tokenizer.json"))
        manifest = dataclasses.replace(read_manifest(manifest_file(tmp_path)), files=files)
        download_all(client, manifest, tmp_path / "new", Job(), service=LOOPBACK)
    assert {file.name: file.read_bytes() for file in (tmp_path / "new").iterdir()} == {
        "model.onnx": CONTENT,
        "tokenizer.json": CONTENT,
    }
