"""Every parser of what others wrote, as a function of bytes: it returns, or raises an error made for people.

Used by the coverage-guided fuzzer (``fuzz.py``), the hunt for slow inputs (``growth.py``) and the tests of the suite.
A target raises ``EngineError`` where the product would tell the person; anything else is a finding.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import io
import json
import os
import shutil
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import EngineError
from engine.frontends import mcp_desk, mcp_search, mcp_shapes, protocol
from engine.frontends.host import arguments_fit
from engine.inference.fake import FakeEmbedder
from engine.inference.model_folders import check_files, import_folder, model_info
from engine.inference.ollama import OllamaEmbedder
from engine.job import Job
from engine.knowledge.graph import KnowledgeGraph
from engine.library import Library
from engine.linking.answers import read_answer
from engine.linking.export import FORMS, export_graph
from engine.linking.quotes import property_quote
from engine.linking.replies import read_claims, read_groups
from engine.linking.values import property_values
from engine.model import (
    Anchor,
    Citation,
    Entity,
    Evidence,
    NoteKey,
    NoteRef,
    NoteView,
    Origin,
    OutlineBlock,
    Relation,
    Source,
    SourceId,
    SourceKind,
    SourceOptions,
)
from engine.net import chat_wire
from engine.net.chat import ChatApi, Message, Question, Server
from engine.net.client import Reply
from engine.net.download import read_manifest
from engine.net.ledger import Ledger
from engine.net.ollama_api import OllamaApi
from engine.net.policy import Policy
from engine.net.roam_api import GraphRef, LocalApi
from engine.net.roam_wire import parse_count, parse_pairs, parse_rows
from engine.net.secrets import Secret, mask_secrets
from engine.paths import Home, find_home, prepare_home
from engine.searching import query as query_language
from engine.searching.completion import parts
from engine.searching.dates import parse_point, parse_span
from engine.searching.filters import phrase_pattern
from engine.settings import load as load_settings
from engine.sources import edn, smart_text
from engine.sources.obsidian import ObsidianReader
from engine.sources.roam_entities import raw_graph
from engine.sources.roam_export import graph_name, looks_like_roam_export, read_export
from engine.sources.roam_registry import read_port, read_registry
from engine.sources.roam_tree import RoamTree
from engine.sources.roam_windows import restored_graphs
from engine.sources.smart_index import SmartVault
from engine.sources.vault_rules import read_rules
from engine.sources.vaults import find_vaults
from engine.store import registry
from engine.text import roam
from engine.text.days import day_of
from engine.text.frontmatter import read_front_matter
from engine.text.language import detect_language
from engine.text.snippets import best_sentence, best_snippet
from engine.text.words import query_words, terms
from fixtures.smart_connections import generate

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Target:
    run: Callable[[bytes], object]
    words: tuple[str, ...]
    """What the format is made of; inputs are put together from it."""
    seeds: tuple[bytes, ...]


TARGETS: dict[str, Target] = {}


def target(words: str, *seeds: str | bytes) -> Callable[[Callable[[bytes], object]], Callable[[bytes], object]]:
    """Register a function as a target; ``words`` are parted by spaces, and ``\\n``, ``\\t`` and ``␣`` are read."""

    def add(run: Callable[[bytes], object]) -> Callable[[bytes], object]:
        name = run.__name__
        tokens = tuple(w.replace("␣", " ").replace("\\n", "\n").replace("\\t", "\t") for w in words.split())
        TARGETS[name] = Target(run, tokens, tuple(s.encode() if isinstance(s, str) else s for s in seeds))
        return run

    return add


@functools.cache
def room() -> Path:
    """A folder of this process for targets that read files, on memory where there is some."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="lamplight-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def place(name: str, data: bytes) -> Path:
    file = room() / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def clean_text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextlib.contextmanager
def told() -> Iterator[None]:
    """An error for people ends a step, not the target."""
    with contextlib.suppress(EngineError):
        yield


# --- Obsidian ------------------------------------------------------------------------------------------------------

MARKDOWN = (
    "# ## ###### - * + 1. > >␣ ``` ~~~ --- === *** ** * __ _ ~~ == `` ` [[ ]] ![[ ]] | # ^ [ ] ( ) ]( ![ <!-- --> "
    "%% $$ $ #tag ^id [^1] [^1]: [!note] [x]␣ - [ ]␣ :: [key:: ] (key:: <b> </b> <script> </script> <a␣href= &amp; \\ "
    "https:// obsidian:// \\n \\n\\n \\t ␣␣␣␣ a é 日本 \\r"
)


def read_note(name: str, data: bytes) -> None:
    vault = room() / "vault"
    place(f"vault/{name}", data)
    note = ObsidianReader(vault, SourceOptions(), FakeEmbedder().token_spans).read(NoteRef(NoteKey(name), ""))
    for passage in note.passages:
        assert "\0" not in passage.text
    json.dumps(note.properties, allow_nan=False)


@target(MARKDOWN, "---\ntags: [a]\n---\n# H\n- [ ] task ^id\n> [!note] x\n> ![[b|c]]\n\n```py\nx\n```\nkey:: v\n")
def obsidian_note(data: bytes) -> None:
    read_note("note.md", data)


@target(
    "--- : :␣ - [ ] { } , & * ! | > ' \" # ? \\n \\n␣␣ &a *a a b tags aliases date 2020-01-01 1e999 0x .inf ~ "
    "null true yes <<: !!binary !!python/object:os.system %YAML \\t [[ ]]",
    "a: &x [1, 2]\nb: *x\ntags: [a, b]\naliases: one, two\n",
    '{"a": {"b": [1, 2.5, null]}}',
)
def front_matter(data: bytes) -> None:
    text = clean_text(data)
    read_note("front.md", b"---\n" + data + b"\n---\nbody\n")
    front = read_front_matter(["---", *text.split("\n"), "---"])
    for value in property_values(front.properties, ()):
        property_quote(front.raw, "tags", value.text)


@target(
    '{ } [ ] , : "nodes" "id" "type" "text" "file" "group" "label" "x" "y" "width" "height" "url" "link" 0 -1 1e999 '
    'null true "" "a" "\\ud800" NaN "subpath"',
    '{"nodes":[{"id":"1","type":"text","text":"# a","x":0,"y":0,"width":10,"height":10},'
    '{"id":"g","type":"group","label":"G","x":-5,"y":-5,"width":50,"height":50},'
    '{"id":"f","type":"file","file":"a.md","subpath":"#h"},{"id":"l","type":"link","url":"https://e.org"}],"edges":[]}',
)
def canvas(data: bytes) -> None:
    read_note("board.canvas", data)


@target(
    MARKDOWN + " ##␣Text␣Elements %% ##␣Drawing ```compressed-json ##␣Element␣Links ##␣Embedded␣Files",
    "# Excalidraw Data\n## Text Elements\nhello ^abc\n\n%%\n## Drawing\n```compressed-json\nN4Ig\n```\n%%",
)
def excalidraw(data: bytes) -> None:
    read_note("drawing.excalidraw.md", b"---\nexcalidraw-plugin: parsed\n---\n" + data)


@target('{ } [ ] , : "userIgnoreFilters" "folder" "format" "YYYY-MM-DD" "/(a+)+$/" "aaaa" "[" "]"', '{"format": "YY"}')
def vault_settings(data: bytes) -> None:
    vault = room() / "rules"
    for name in ("app.json", "daily-notes.json"):
        place(f"rules/.obsidian/{name}", data)
    rules = read_rules(vault, SourceOptions(include=(clean_text(data)[:100],), exclude=("*.tmp",)))
    for key in ("a/b.md", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!.md", "2020-01-01.md"):
        rules.reason_to_skip(key)


@target('{ } [ ] , : "vaults" "path" "ts" "open" "/" "\\u0000" 1 1e999', '{"vaults":{"a1":{"path":"/tmp","ts":1}}}')
def vault_list(data: bytes) -> None:
    place("home/.config/obsidian/obsidian.json", data)
    find_vaults(home=room() / "home", environment={}, platform="linux")


# --- Roam ----------------------------------------------------------------------------------------------------------


def read_graph(name: str, data: bytes) -> None:
    file = place(name, data)
    looks_like_roam_export(file)
    graph_name(file)
    tree_of(RoamTree(read_export(file), SourceOptions()))


def tree_of(tree: RoamTree) -> None:
    for key in tree.keys:
        tree.ref(key)
        tree.note(key)


@target(
    '{ } [ ] , : "title" "uid" "children" "string" "create-time" "edit-time" "order" "refs" ":block/uid" 0 -1 1e999 '
    'null true "" "a" "((a))" "[[b]]" "\\ud800" NaN "January␣1st,␣2024" "01-01-2024" "heading"',
    '[{"title":"A","uid":"u1","children":[{"string":"see ((u2)) [[B]]","uid":"u2","children":[{"string":"x","uid":"u3"'
    ',"create-time":1,"edit-time":2}]}]},{"title":"January 1st, 2024","uid":"01-01-2024"}]',
)
def roam_json(data: bytes) -> None:
    read_graph("graph.json", data)


EDN = '{ } [ ] ( ) #{ #_ # #uuid ␣ , ; : " \\\\ \\n nil true 1 -1 1.5 1N 1/2 ##NaN \\a \\newline :a/b a "a" \\u0041'


@target(
    EDN + " #datascript/DB :schema :datoms :node/title :block/uid :block/string :block/children :block/order 536870913",
    '#datascript/DB {:schema {:block/uid {:db/unique :db.unique/identity}} :datoms [[1 :node/title "A" 5] '
    '[1 :block/uid "u1" 5] [1 :block/children 2 5] [2 :block/string "x ((u1))" 5] [2 :block/uid "u2" 5]]}',
)
def roam_edn(data: bytes) -> None:
    read_graph("graph.edn", data)


@target(EDN, '{:a [1 2 #{:b "c"} #inst "2020"] "k" #_ 1 nil \\a}')
def edn_values(data: bytes) -> None:
    for as_json in (False, True):
        with told():
            edn.loads(text_of(data), json=as_json)


def zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


@target("PK .json .edn ../ \\0", zipped("a.json", b'[{"title":"A","uid":"u1"}]'), zipped("../a.edn", b"{:datoms []}"))
def roam_zip(data: bytes) -> None:
    read_graph("graph.zip", data)


@target(
    "[[ ]] (( )) {{ }} {{[[ ]]}} # #[[ [ ]( ) ** __ ^^ ~~ ` `` ``` $$ :: : | > [[>]] --- \\n ␣ a uid12345_ https:// "
    "{{embed: {{[[TODO]]}} {{query: {and: :hiccup ![ #.rm-private é 日本 ! <% %>",
    "Name:: {{[[TODO]]}} see [[A [[B]]]] and ((abcdefghi)) #tag #[[x y]] [l](https://e.org) ^^h^^ `c` $$m$$",
)
def roam_markup(data: bytes) -> None:
    text = text_of(data)
    shown = roam.clean(text, lambda uid: uid.upper() if uid != "x" else None)
    assert isinstance(shown, str)
    roam.clean_title(text)
    for ref in roam.references(text, lambda uid: True):
        assert 0 <= ref.start <= ref.end <= len(text)
    roam.concepts(text)
    roam.attribute(text)
    roam.task(text)
    roam.is_private(text)
    roam.why_empty(text)
    roam.block_candidates(text)
    roam.is_daily_title(text)
    roam.is_daily_uid(text)


@target(
    '{ } [ ] , : "result" "success" true false null 1 1e999 "uid" ":block/uid" "title" "string" "children" "id" "error"'
    ' "code" "message" "name" "type" "hosted" "grantedScopes" "read" "graphName" "token" "apiVersion" NaN',
    '{"success":true,"result":[[{"id":1,"uid":"u","title":"T","children":[{"id":2}]}],[{"id":2,"uid":"v","string":"s",'
    '"order":0,"create-time":1}]]}',
    '{"success":false,"error":{"code":"GRAPH_LOCKED","message":"m"}}',
    '{"graphName":"g","graphType":"hosted","grantedScopes":{"read":true},"token":"t"}',
)
def local_api(data: bytes) -> None:
    graph = GraphRef("g", "hosted")
    for status in (200, 401, 500):
        api = LocalApi(Canned(data, status))  # type: ignore[arg-type]
        for ask in (api.open_graphs, api.available_graphs):
            with told():
                ask()
        with told():
            api.check_connection(graph, Secret("t"))
        with told():
            api.request_token(graph)
        with told():
            tree_of(RoamTree(raw_graph(api.pull_graph(graph, Secret("t")), "g"), SourceOptions()))
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(data)
        parse_rows(value)
        parse_pairs(value)
        parse_count(value)


@target(
    '{ } [ ] , : "graphs" "name" "type" "token" "nickname" "accessLevel" "port" 3333 "hosted" '
    '"roam-graph-local-token-a"',
    '{"graphs":[{"name":"g","type":"hosted","token":"roam-graph-local-token-abc","nickname":"n"}]}',
    '{"port":3333}',
)
def roam_registry(data: bytes) -> None:
    folder = room() / "registry"
    from engine.sources import roam_registry as files

    for name in (*files.REGISTRY_FILES, files.PORT_FILE):
        place(f"registry/{name}", data)
    read_port(folder)
    read_registry(folder)


@target(EDN + ' :windows "https://roamresearch.com/#/app/g" :window-url', '{:windows [{:url "https://x/#/app/g"}]}')
def roam_windows(data: bytes) -> None:
    restored_graphs(place("user-config.edn", data))


# --- Smart Connections ---------------------------------------------------------------------------------------------

SMART = (
    '"smart_sources:a.md": "smart_blocks:a.md#H": { } [ ] , : \\n "path" "embeddings" "vec" "last_embed" "hash" '
    '"lines" '
    '"blocks" "blocks_data" "#H" "size" "mtime" "key" "embedding" "default" "mf_ccarbz" "file" "file_i" "read_hash" '
    '"last_read" "last_import" "connections" "hidden" null true 0 1 -1 1e999 NaN "\\ud800"'
)
SMART_NOTES = {"a.md": "# H\ntext\n"}


@functools.cache
def smart_index(form: str) -> tuple[Path, bytes]:
    """The folder of a vault with an index of one format, and the content of the file that a target replaces."""
    vault = room() / form
    if form == "packed":
        generate.write_packed(vault, SMART_NOTES, dimensions=384)
        return vault, (vault / ".smart-env/smart_sources/smart_sources.ajson").read_bytes()
    if form == "multi":
        generate.write_multi(vault, SMART_NOTES, dimensions=384)
        return vault, (vault / ".smart-env/multi/a_md.ajson").read_bytes()
    generate.write_single(vault, SMART_NOTES, dimensions=384)
    return vault, (vault / ".smart-connections/smart_notes-TaylorAI_bge-micro-v2.ajson").read_bytes()


def read_smart(vault: Path) -> None:
    smart = SmartVault(vault, pause=lambda _: None)
    index = smart.index()
    for record in index.records.values():
        with told():
            smart.files.freshness(record)
        with told():
            smart.files.embedded_text(record)
    for item in index.group.items:
        if (record := index.records.get(item.path)) is not None:
            with told():
                smart.files.whereabouts(item, record)


@target(SMART, smart_index("packed")[1], '"smart_sources:a.md": null,\n')
def smart_packed(data: bytes) -> None:
    place("packed/.smart-env/smart_sources/smart_sources.ajson", data)
    read_smart(room() / "packed")


@target(SMART, smart_index("multi")[1])
def smart_multi(data: bytes) -> None:
    place("multi/.smart-env/multi/a_md.ajson", data)
    read_smart(room() / "multi")


@target(SMART, smart_index("single")[1])
def smart_single(data: bytes) -> None:
    for kind in ("notes", "blocks"):
        place(f"single/.smart-connections/smart_{kind}-TaylorAI_bge-micro-v2.ajson", data)
    read_smart(room() / "single")


@target(
    '{ } [ ] , : "embedding_models" "default_model_key" "smart_sources" "embed_model" "adapter" "model_key" "dims" '
    "1e999"
    ' "max_tokens" "created_at" null 384',
    '{"smart_sources":{"embed_model":{"adapter":"transformers","transformers":{"model_key":"TaylorAI/bge-micro-v2"}}}}',
)
def smart_settings(data: bytes) -> None:
    from engine.sources.smart_settings import read_settings

    place("settings/smart_env.json", data)
    place("settings/embedding_models/embedding_models.ajson", b'"embedding_models:a": ' + data)
    read_settings(room() / "settings")


@target(MARKDOWN, "---\na: b\n---\n# H\ntext\n- item\n  - sub\n```\n# no\n```\n")
def smart_blocks(data: bytes) -> None:
    text = clean_text(data)
    lines = text.split("\n")
    for older in (False, True):
        for block in smart_text.parse_blocks(text, tags_are_headings=older):
            smart_text.lines_text(lines, block.first, block.last or block.first)
    smart_text.cut_units(text, 20)
    smart_text.note_input("a/b.md", text)
    smart_text.block_input("a.md#H#{1}", text)


# --- what people and programs ask ----------------------------------------------------------------------------------


@target(
    'OR AND NOT - ( ) " tag: # folder: path: [ ] : [a:>5] created: <7d .. 2020 sort: mode: word like: source: \\ * ~ '
    "␣ a "
    "é 日本 > < = != today vault:",
    'lamp -oil "a b" OR (tag:work #x) [status:done] created:2020..2021 sort:-modified like:"Bee diary"',
)
def query(data: bytes) -> None:
    text = text_of(data)
    parsed = query_language.parse(text, NOW)
    assert isinstance(query_language.explain(parsed), str)
    parts(text)
    phrase_pattern(clean_text(data)).search("some lamp oil text")


@target("today < > = .. - 2020 2020-02 2020-02-30 7d 99999y last- this- week month year yesterday 0000", "2020..2021")
def dates(data: bytes) -> None:
    text = text_of(data)
    parse_span(text, NOW)
    parse_point(text)
    day_of(text, text)


@target(
    "lamplight:// search ? q= & source= open note= entity name= path from= to= %00 %0a .. / # file:// // \\ localhost",
    "lamplight://search?q=lamp&source=A",
    "lamplight://open?source=a&note=b",
    "file:///tmp/a",
)
def deep_links(data: bytes) -> None:
    from gui.app.links import dropped_place, parse_link

    parse_link(text_of(data))
    dropped_place(clean_text(data))
    with told():
        mcp_desk.parse_link(text_of(data))


@target(
    '{ } [ ] , : "type" "hello" "reply" "welcome" "request" "cancel" "id" "verb" "arguments" "nonce" "proof" '
    '"versions" '
    '"search" "request" "text" "limit" null 1 1e999 NaN "\\ud800"',
    '{"type":"request","id":1,"verb":"search","arguments":{"request":{"text":"a"}}}',
    '{"type":"reply","version":1,"nonce":"a","proof":"b"}',
)
def channel(data: bytes) -> None:
    with contextlib.suppress(protocol.BadMessage):
        protocol.decode(data, protocol.Hello | protocol.Reply | protocol.Welcome)
    with contextlib.suppress(protocol.BadMessage):
        message = protocol.decode(data, protocol.Request | protocol.Cancel)
        if isinstance(message, protocol.Request):
            arguments_fit(Library.search, message.arguments)
    home = room_home()
    (home.data / "host.json").write_bytes(data)
    protocol.read_address(home)


MCP_INPUTS = tuple(
    kind
    for kind in vars(mcp_shapes).values()
    if isinstance(kind, type) and issubclass(kind, mcp_shapes.Input) and kind is not mcp_shapes.Input
)


@target(
    '{ } [ ] , : "query" "limit" "sources" "folders" "note" "source" "offset" 1 -1 1e999 null true "a" '
    '"lamplight://note/"',
    '{"query":"lamp","limit":5}',
    '{"note":"a","source":"b"}',
)
def mcp_input(data: bytes) -> None:
    try:
        arguments = json.loads(data)
    except (ValueError, RecursionError):
        return
    for kind in MCP_INPUTS:
        with contextlib.suppress(msgspec.ValidationError):
            given = msgspec.convert(arguments, kind, strict=False)
            folders = getattr(given, "folders", None)
            if folders:
                query_language.parse(mcp_search.in_folders(folders), NOW)


# --- what language models and their servers answer -----------------------------------------------------------------


@target(
    '{ } [ ] , : "facts" "subject" "predicate" "object" "quote" "groups" "answer" "citations" "sufficient" ``` json '
    "[1] "
    '[1,2] 【1】 . \\n a INSUFFICIENT "confidence" 1e999 <think> </think>',
    '{"facts":[{"subject":"A","predicate":"p","object":"B","quote":"A p B","confidence":0.9}]}',
    '```json\n{"groups":[["a","b"]]}\n```',
    "The lamp was lit [1]. So it was [2, 3].",
)
def chat_reply(data: bytes) -> None:
    text = text_of(data)
    with told():
        read_claims(text)
    with told():
        read_groups(text, ("a", "b", "c"))
    with told():
        read_answer(text, "who lit the lamp?", [Citation(1, EVIDENCE, "Diary")])


@target(
    '{ } [ ] , : data: [DONE] \\n "choices" "delta" "message" "content" "reasoning" "finish_reason" "usage" "model" '
    '"id" '
    '"data" "pricing" "prompt" "context_length" "error" "text" null 1 1e999 NaN <think> </think>',
    'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n',
    '{"data":[{"id":"m","context_length":4096,"pricing":{"prompt":"0.1"}}]}',
    '{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}',
)
def chat_server(data: bytes) -> None:
    heard = chat_wire.Heard()
    for value in chat_wire.events(iter(clean_text(data).split("\n"))):
        chat_wire.take_in(heard, value)
    heard.set_thoughts_apart()
    for status in (200, 400):
        api = ChatApi(Canned(data, status), Server("http://127.0.0.1:9/v1"))  # type: ignore[arg-type]
        with told():
            for model in api.models():
                chat_wire.cost(model)
        with told():
            api.ask(Question("m", (Message("user", "q"),), "test"))


@target(
    '{ } [ ] , : "models" "name" "digest" "model_info" "a.context_length" "a.embedding_length" "embeddings" '
    '"parameters" "num_ctx␣9" 0.5 1e999 null NaN "error" true',
    '{"models":[{"name":"m","digest":"d"}],"model_info":{"a.context_length":512,"a.embedding_length":2},'
    '"embeddings":[[0.1,0.2]]}',
)
def ollama(data: bytes) -> None:
    for status in (200, 400, 404):
        api = OllamaApi(Canned(data, status))  # type: ignore[arg-type]
        for ask in (api.models, partial(api.sizes, "m"), partial(api.embed, "m", ["a"], 0)):
            with told():
                ask()
        with told():
            OllamaEmbedder(api, "m").embed_documents(["a"])


# --- files of our own that others may have written ------------------------------------------------------------------


@target(
    '[ ] [[ ]] = . " \' """ # \\n source id kind name location options threads model_download true false 1 1e999 nan '
    "2020-01-01 { } , a \\u0000",
    '[general]\nthreads = 2\n[[source]]\nid = "a-1"\nkind = "obsidian"\nname = "A"\nlocation = "/tmp"\n',
)
def settings_toml(data: bytes) -> None:
    home = room_home()
    home.settings_file.write_bytes(data)
    home.sources_file.write_bytes(data)
    load_settings(home)
    registry.load(home)


@target(
    '{ } [ ] , : = "model" \\n pooling dimensions max_tokens prefix query document files sha256 "hidden_size" 384 '
    "1e999 "
    "true [recipe] name",
    '{"hidden_size": 384, "max_position_embeddings": 512, "pooling_mode_mean_tokens": true}',
    'pooling = "mean"\ndimensions = 384\nmax_tokens = 256\n',
)
def model_folder(data: bytes) -> None:
    home = room_home()
    for name in ("config.json", "tokenizer.json", "recipe.toml", "tokenizer_config.json", "1_Pooling/config.json"):
        place(f"import/{name}", data)
    place("import/model.onnx", data)
    with told():
        import_folder(home, room() / "import", "own-model")
    for name in ("model.toml", "recipe.toml", "config.json"):
        place(f"lamplight/data/models/there/{name}", data)
    with told():
        model_info(home, "there")
    with told():
        check_files(home, "there")


@target(
    'model = name licence [[files]] url size sha256 "a" "https://e.org/a" 1 \\n 0123456789abcdef',
    'model = "m"\n[[files]]\nname = "a"\nurl = "https://e.org/a"\nsize = 1\nsha256 = "' + "0" * 64 + '"\n',
)
def manifest(data: bytes) -> None:
    read_manifest(place("manifest.toml", data))


@target('{ } , : "time" "service" "host" "why" "outcome" "sent" 1 null "a" \\n 1e999', '{"time":1,"service":"a"}\n')
def ledger(data: bytes) -> None:
    for line in Ledger(place("ledger.jsonl", data)).recent():
        assert isinstance(line.time, float | int)
        assert isinstance(line.host, str)


# --- what is shown and written -------------------------------------------------------------------------------------


@target(MARKDOWN + " C++ .net #work 'tis don't １２ ﬁ ẞ İ 👩‍👩‍👧 ก ا ـ", "The lamp's C++ oil, 茶を飲む .NET")
def words(data: bytes) -> None:
    text = text_of(data)
    for language in ("", "en", "de"):
        terms(text, language)
    asked = query_words(clean_text(data)[:200], "en")
    best_snippet(text, asked)
    best_sentence(text, asked)
    detect_language(clean_text(data))


@target(MARKDOWN, "# H\n![[a.png]] [[b]] <img src=x onerror=y> `c` ==h==\n| a | b |\n| - | - |\n| 1 | 2 |\n")
def shown_note(data: bytes) -> None:
    from gui.panels.note_html import render
    from gui.theme import LIGHT

    text = clean_text(data)
    vault, graph = sources()
    pages = [render(NoteView(vault, NoteKey("A.md"), "A", text, path="/notes/A.md"), LIGHT).html]
    outline = (OutlineBlock("u1", 0, text, text), OutlineBlock("u2", 1, text, text))
    pages.append(render(NoteView(graph, NoteKey("p"), "A", outline=outline, references={"u1": text}), LIGHT).html)
    for page in pages:
        assert "<script" not in page.lower()
        assert "<img src=x" not in page.lower()


@target("< > & \" ' ]]> \\0 é 日本 \\ud800 = + - @ | * _ [ ] \\n", 'a <b> & "c" ]]>')
def graph_export(data: bytes) -> None:
    name = text_of(data)
    graph = small_graph(name)
    for form in sorted(FORMS):
        for file in export_graph(graph, room() / f"graph.{form}", form):
            written = file.read_text("utf-8")
            if form == "graphml":
                ET.fromstring(written)
            elif form == "json":
                json.loads(written)


@target(
    "http:// https:// localhost 127.0.0.1 [::1] [::ffff:127.0.0.1] 0x7f.1 0 2130706433 @ : / \\ ? # % %25 . "
    "evil.example "
    "user ８ ﹒ 1 255 ::",
    "http://127.0.0.1:3333/api",
    "http://[::1]:80/",
    "http://user@127.0.0.1/",
)
def address(data: bytes) -> None:
    found = Policy(resolve=lambda name, port: ["127.0.0.1"] if name == "localhost" else ["192.0.2.1"]).check(
        text_of(data), "loopback"
    )
    assert all(one.startswith("127.") or one == "::1" for one in found.addresses)


@target("roam-graph-token- roam-graph-local-token- sk- Bearer bearer abc ␣ \\n - _", "Bearer sk-abcdefgh12345")
def masked(data: bytes) -> None:
    assert "secretsecret" not in mask_secrets(text_of(data) + " Bearer secretsecret")


# --- things that targets need --------------------------------------------------------------------------------------


class Canned:
    """A client whose every answer is the given bytes."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.policy = Policy()
        self._reply = Reply(status, {"content-type": "application/json"}, body, "http://127.0.0.1:1/")

    def call(self, request: Any, job: Job | None = None) -> Reply:
        return self._reply

    def lines(self, request: Any, job: Job | None = None) -> Iterator[str]:
        yield from self._reply.body.decode("utf-8", "replace").split("\n")


@functools.cache
def room_home() -> Home:
    home = find_home(room() / "lamplight")
    prepare_home(home)
    return home


EVIDENCE = Evidence(SourceId("s"), NoteKey("a"), Anchor(NoteKey("a")), "The lamp was lit by Owen.", Origin.WRITTEN)


def sources() -> tuple[Source, Source]:
    kinds = (SourceKind.OBSIDIAN, SourceKind.ROAM_EXPORT)
    vault, graph = (Source(SourceId("s"), kind, "S", "/notes") for kind in kinds)
    return vault, graph


def small_graph(name: str) -> KnowledgeGraph:
    evidence = dataclasses.replace(EVIDENCE, quote=name, note=NoteKey(name))
    entities = {one: Entity(one, name, "note", (name,), notes=((SourceId("s"), NoteKey(name)),)) for one in "ab"}
    return KnowledgeGraph(entities, (Relation(0, "a", name, "b", Origin.INFERRED, 0.5, (evidence,)),))


# --- all of them ---------------------------------------------------------------------------------------------------


def everything(data: bytes) -> None:
    """The target that the first byte names, with the rest: one process, one start, for all formats."""
    if data:
        names = list(TARGETS)
        TARGETS[names[data[0] % len(names)]].run(data[1:])


def all_together() -> Target:
    words = dict.fromkeys(word for one in TARGETS.values() for word in one.words)
    seeds = tuple(bytes([number]) + seed for number, one in enumerate(TARGETS.values()) for seed in one.seeds)
    return Target(everything, tuple(words), seeds)
