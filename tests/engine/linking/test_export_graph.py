"""The graph as files for other programs, and as one whole over its sources."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadRequest
from engine.job import Job
from engine.knowledge.graph import KnowledgeGraph
from engine.linking.assemble import assemble_graph
from engine.linking.export import FORMS, export_graph, graph_document
from engine.linking.graph import load_graph
from engine.linking.parse import parse_source
from engine.linking.resolve import resolve
from engine.store.decisions import DecisionStore


@pytest.fixture
def joined(demo: Any, decisions: DecisionStore) -> KnowledgeGraph:
    resolve(demo, decisions, Job())
    return load_graph(demo, decisions.merges())


def test_graphml_holds_every_entity_and_relation(joined: KnowledgeGraph, tmp_path: Path) -> None:
    (file,) = export_graph(joined, tmp_path / "g.graphml", "graphml")
    root = ET.parse(file).getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes, edges = root.findall(f".//{space}node"), root.findall(f".//{space}edge")
    assert {one.get("id") for one in nodes} == set(joined.entities)
    assert len(edges) == len(joined.relations)
    declared = {key.get("id") for key in root.findall(f"{space}key")}
    assert {data.get("key") for data in root.iter(f"{space}data")} <= declared
    assert {edge.get("source") for edge in edges} <= set(joined.entities)


def test_csv_has_a_row_for_each_piece_of_evidence(joined: KnowledgeGraph, tmp_path: Path) -> None:
    entities, relations = export_graph(joined, tmp_path / "g.csv", "csv")
    assert (entities.name, relations.name) == ("g-entities.csv", "g-relations.csv")
    with entities.open(encoding="utf-8", newline="") as file:
        assert {row["id"] for row in csv.DictReader(file)} == set(joined.entities)
    with relations.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(relation.evidence) for relation in joined.relations)
    assert all(row["quote"].strip() for row in rows)


def test_json_is_the_whole_graph(joined: KnowledgeGraph, tmp_path: Path) -> None:
    (file,) = export_graph(joined, tmp_path / "g.json", "json")
    assert json.loads(file.read_text("utf-8")) == graph_document(joined)
    first = graph_document(joined)["relations"][0]["evidence"][0]
    assert first["quote"]
    assert first["origin"] == "written"


def test_markdown_reads_as_claims_with_their_quotes(joined: KnowledgeGraph, tmp_path: Path) -> None:
    (file,) = export_graph(joined, tmp_path / "g.md", "markdown")
    text = file.read_text("utf-8")
    assert "## Speichenhaus" in text
    assert "- owner → **Tobias Rehn** (written)\n" in text
    assert "  > Owner:: \\[\\[Tobias Rehn\\]\\] ((" in text


def test_hostile_notes_stay_data(desk: Any, tmp_path: Path) -> None:
    title = "=cmd|' & <b>x\x01"
    opened = desk.graph(
        "g", [{"title": title, "uid": "hostile01", "children": [{"string": "[[a]]]>&\"'", "uid": "b00000001"}]}]
    )
    parse_source(opened[1], opened[0], Job())
    graph = load_graph([opened])
    for form in FORMS:
        export_graph(graph, tmp_path / f"h.{form}", form)
    assert ET.parse(tmp_path / "h.graphml").getroot() is not None
    with (tmp_path / "h-entities.csv").open(encoding="utf-8", newline="") as file:
        assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)
    assert "\\<b\\>" in (tmp_path / "h.markdown").read_text("utf-8")


def test_places_and_forms_that_cannot_be_are_refused(joined: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="graphml"):
        export_graph(joined, tmp_path / "g.doc", "doc")
    with pytest.raises(BadRequest, match="Choose another place"):
        export_graph(joined, tmp_path / "missing" / "g.json", "json")
    assert list(tmp_path.glob("*g.*")) == []


def test_the_whole_over_two_sources_has_its_proofs(demo: Any, decisions: DecisionStore) -> None:
    resolve(demo, decisions, Job())
    graph, assembly = assemble_graph(demo, decisions.merges())
    assert (assembly.without_evidence, assembly.without_quote, assembly.dangling) == (0, 0, 0)
    assert assembly.entities == len(graph.entities) > 150
    assert assembly.merged == len(graph.by_member) > 20
    assert assembly.written == assembly.relations > 400
    assert {source for one in graph.entities.values() for source in one.sources} == {one.id for one, _ in demo}
    assert assemble_graph(demo, decisions.merges()) == (graph, assembly)


def test_each_source_keeps_its_own_file(demo: Any, decisions: DecisionStore) -> None:
    resolve(demo, decisions, Job())
    vault, graph = demo
    alone = load_graph([vault], decisions.merges())
    assert {source for one in alone.entities.values() for source in one.sources} == {vault[0].id}
    both = load_graph([vault, graph], decisions.merges())
    assert len(both.entities) > len(alone.entities)
