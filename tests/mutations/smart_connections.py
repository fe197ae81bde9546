"""Proves that each trap of the Smart Connections formats is guarded by a test.

Copies the modules to a temporary folder, takes one handling out at a time by exact replacement, and checks that its
test goes red. Ends with exit code 1 when a test stays green or a handling is not found.

    python tests/mutations/smart_connections.py            all, about two minutes
    python tests/mutations/smart_connections.py hash keys  those whose name holds one of the words
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
READER = "sources/test_smart_reader.py"
FRESHNESS = "sources/test_smart_freshness.py"
REWRITING = "sources/test_smart_rewriting.py"
TEXT = "sources/test_smart_models_and_text.py"
TOOLS = "searching/test_smart_search_tools.py"


@dataclass(frozen=True)
class Mutation:
    trap: str
    module: str
    old: str
    new: str
    test: str


MUTATIONS = (
    Mutation(
        "tombstones delete",
        "sources/smart_formats.py",
        "                records.pop(path, None)\n",
        "                pass\n",
        READER,
    ),
    Mutation(
        "shards after the first",
        "sources/smart_formats.py",
        "in _shards(folder):\n        for",
        "in _shards(folder)[:1]:\n        for",
        READER,
    ),
    Mutation(
        "shards in numeric order",
        "sources/smart_formats.py",
        "return sorted((int(match[1] or 0), folder / SOURCES / name) for match, name in found if match)",
        "return [(int(match[1] or 0), folder / SOURCES / name) for match, name in found if match]",
        READER,
    ),
    Mutation(
        "no first shard, no packed index",
        "sources/smart_formats.py",
        "    if 0 in shards:\n",
        "    if shards:\n",
        READER,
    ),
    Mutation(
        "packed wins over multi",
        "sources/smart_formats.py",
        "order.index(place.format)",
        "-order.index(place.format)",
        READER,
    ),
    Mutation(
        "passing files",
        "sources/smart_formats.py",
        r'"smart_sources(?:_(\d+))?\.ajson"',
        r'"smart_sources(?:_(\d+))?\.ajson.*"',
        READER,
    ),
    Mutation(
        "the file that a pointer names",
        "sources/smart_groups.py",
        ".setdefault((collection, ref.file), [])",
        ".setdefault((collection, ref.group), [])",
        READER,
    ),
    Mutation(
        "files of one name in two collections",
        "sources/smart_groups.py",
        "_read_rows(folder / collection, file",
        '_read_rows(folder / "smart_sources", file',
        READER,
    ),
    Mutation(
        "slots out of range",
        "sources/smart_groups.py",
        "row is not None and row < len(rows)]",
        "row is not None]",
        READER,
    ),
    Mutation(
        "numbers that are no vector",
        "sources/smart_groups.py",
        "np.isfinite(rows).all(axis=1)",
        "np.ones(len(rows), np.bool_)",
        READER,
    ),
    Mutation("all-zero rows", "sources/smart_groups.py", "rows.any(axis=1)", "np.ones(len(rows), np.bool_)", READER),
    Mutation(
        "any number of dimensions",
        "sources/smart_groups.py",
        "dimensions = model.dimensions if model else 0",
        "dimensions = 384",
        READER,
    ),
    Mutation("a torn vector file", "sources/smart_groups.py", "numbers[: whole * dimensions]", "numbers", READER),
    Mutation(
        "should_embed",
        "sources/smart_groups.py",
        "            if block.should_embed:\n",
        "            if True:\n",
        READER,
    ),
    Mutation("stale pointers", "sources/smart_groups.py", "ref.read_hash != current", "False", READER),
    Mutation(
        "a model set but not there",
        "sources/smart_groups.py",
        "(g.fresh, g.model.key == configured, len(g.items), g.name)",
        "(g.model.key == configured, g.fresh, len(g.items), g.name)",
        READER,
    ),
    Mutation(
        "unknown fingerprints",
        "sources/smart_groups.py",
        "models.get(name))",
        'models.get(name, models["mf_ccarbz"]))',
        READER,
    ),
    Mutation("pointers that leave their folder", "sources/smart_groups.py", "or Path(file).name != file ", "", READER),
    Mutation(
        "the older shape of a pointer",
        "sources/smart_records.py",
        'if isinstance(pointers.get("file"), str):',
        "if False:",
        READER,
    ),
    Mutation(
        "bare ranges",
        "sources/smart_records.py",
        "    if isinstance(value, list):\n        return BlockRecord",
        "    if False:\n        return BlockRecord",
        READER,
    ),
    Mutation(
        "lines from 0 in 2.0 and 2.1", "sources/smart_records.py", "shift = 1 if from_zero else 0", "shift = 0", READER
    ),
    Mutation(
        "names of older classes",
        "sources/smart_records.py",
        "    if colon and prefix in _LEGACY:\n",
        "    if False:\n",
        READER,
    ),
    Mutation(
        "keys parsed as JSON",
        "sources/smart_log.py",
        "found = json.loads(wrapped",
        "found = {} and json.loads(wrapped",
        READER,
    ),
    Mutation(
        "torn lines",
        "sources/smart_log.py",
        "            tally.malformed += 1\n            return\n",
        "            raise\n",
        READER,
    ),
    Mutation("the legacy model field", "sources/smart_settings.py", "    if dated:\n", "    if False:\n", READER),
    Mutation(
        "keys of paid services",
        "sources/smart_settings.py",
        "kept[name] = {field: value[field] for field in fields if field in value}",
        "kept[name] = dict(value)",
        READER,
    ),
    Mutation(
        "a signature before and after",
        "sources/smart_index.py",
        "        if signature(place) == before:\n            return",
        "        if True:\n            return",
        REWRITING,
    ),
    Mutation("one reading for all", "sources/smart_index.py", "self._loaded[0] != stamp", "True", REWRITING),
    Mutation(
        "line ends of another system",
        "sources/smart_files.py",
        "    if windows != text:\n",
        "    if False:\n",
        FRESHNESS,
    ),
    Mutation(
        "a hash that is blind", "sources/smart_files.py", "            record.size\n", "            False\n", FRESHNESS
    ),
    Mutation(
        "a real hash beside it", "sources/smart_files.py", "if first_seen == digest else", "if True else", FRESHNESS
    ),
    Mutation(
        "files that the plugin does not read",
        "sources/smart_files.py",
        "if info.st_size > LARGEST_IMPORT:",
        "if False:",
        FRESHNESS,
    ),
    Mutation(
        "blocks that moved",
        "sources/smart_files.py",
        "    return _found_again(item, text)",
        "    return item.first, item.last, False",
        FRESHNESS,
    ),
    Mutation(
        "links out of the vault",
        "sources/smart_files.py",
        "if not file.resolve().is_relative_to(self._real_root):",
        "if False:",
        FRESHNESS,
    ),
    Mutation(
        "short aliases", "sources/smart_files.py", "found = part if part in names else", "found = part or", FRESHNESS
    ),
    Mutation(
        "low bytes of UTF-16 units",
        "sources/smart_models.py",
        'text.encode("utf-16-le", "surrogatepass"), np.uint8)[::2]',
        'text.encode("utf-8"), np.uint8)',
        TEXT,
    ),
    Mutation(
        "lengths in UTF-16 units",
        "sources/smart_text.py",
        'return text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "surrogatepass")',
        "return text[:limit]",
        TEXT,
    ),
    Mutation(
        "tokenizers without a limit",
        "sources/smart_text.py",
        "(tokens := count(whole)) > limit",
        "(tokens := count(whole)) > 1e30",
        TEXT,
    ),
    Mutation("list items that end in CR", "sources/smart_text.py", ' and not line.endswith("\\r")', "", TEXT),
    Mutation(
        "front matter without an end",
        "sources/smart_text.py",
        "self._ends[FRONT_MATTER] = end\n",
        "self._ends[FRONT_MATTER] = end or 1\n",
        TEXT,
    ),
    Mutation(
        "front matter does not rank",
        "searching/smart_search.py",
        "    if index.settings.hides_front_matter:\n",
        "    if False:\n",
        TOOLS,
    ),
    Mutation(
        "hidden connections",
        "searching/smart_search.py",
        "leave_out=record.hidden | {record.path}",
        "leave_out={record.path}",
        TOOLS,
    ),
    Mutation(
        "a note is not related to itself",
        "searching/smart_search.py",
        "leave_out=record.hidden | {record.path}",
        "leave_out=record.hidden",
        TOOLS,
    ),
)


def prepare(folder: Path) -> None:
    """A copy of what the tests need, in which the modules may be changed."""
    for part in ("engine", "fixtures/smart_connections"):
        shutil.copytree(CHECKOUT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("conftest.py", *(f"engine/{file}" for file in (READER, FRESHNESS, REWRITING, TEXT, TOOLS))):
        (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / "tests" / name, folder / "tests" / name)
    shutil.copyfile(CHECKOUT / "pyproject.toml", folder / "pyproject.toml")
    (folder / "resources").symlink_to(CHECKOUT / "resources")


def run_tests(folder: Path, test: str) -> bool:
    """Whether the tests pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/engine/{test}"]
    # The large log is about memory, not about a trap, and slow.
    command += ["--deselect", f"tests/engine/{REWRITING}::test_a_hundred_megabytes_are_read_in_little_memory"]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if answer.returncode not in (0, 1):
        raise RuntimeError(answer.stdout[-2000:] + answer.stderr[-2000:])
    return answer.returncode == 0


def survives(mutation: Mutation) -> str:
    """Why the mutation was not noticed; empty when a test went red."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        module = folder / "engine" / mutation.module
        text = module.read_text("utf-8")
        if mutation.old not in text:
            return "the handling is not in the module"
        module.write_text(text.replace(mutation.old, mutation.new, 1), "utf-8")
        return "every test stayed green" if run_tests(folder, mutation.test) else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only mutations whose name holds one of these")
    words = parser.parse_args().words
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.trap for word in words)]
    with ThreadPoolExecutor(2) as pool:
        results = list(zip(chosen, pool.map(survives, chosen), strict=True))
    for mutation, reason in results:
        print(f"{'SURVIVED' if reason else 'noticed ':8}  {mutation.trap}{': ' + reason if reason else ''}")
    print(f"{sum(not reason for _, reason in results)} of {len(results)} noticed")
    return 1 if any(reason for _, reason in results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
