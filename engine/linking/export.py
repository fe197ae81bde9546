"""The graph as files for other programs: GraphML, CSV, JSON, Markdown. Every relation with its evidence.

Writes only where it is told to, whole or not at all. Text of notes is data: it is escaped for each format.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from engine.errors import BadRequest
from engine.knowledge.graph import KnowledgeGraph
from engine.model import Entity, Evidence, Relation, Source
from engine.sources.export_files import write_files

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_FORMULA = re.compile(r"^[=+\-@\t\r]")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")


def export_graph(graph: KnowledgeGraph, place: Path, form: str, sources: Sequence[Source] = ()) -> list[Path]:
    """Write the graph as ``form`` (graphml, csv, json, markdown) to the file ``place``; CSV is two files, entities and
    relations, whose names begin with that of ``place``. Returns what was written.

    ``sources`` are all that are registered: none of them is written into. Raises ``BadRequest`` for an unknown form,
    and the errors of ``write_files``.
    """
    if form not in FORMS:
        raise BadRequest(f"'{form}' is not a form of export.", f"There are: {', '.join(sorted(FORMS))}.")
    if not place.name:
        raise BadRequest(f"'{place}' names no file.", "Give the name of a file.")
    files = [
        (place.with_name(f"{place.stem}{suffix}") if suffix else place, text.encode("utf-8", "replace"))
        for suffix, text in FORMS[form](graph)
    ]
    return write_files(files, sources)


def graph_document(graph: KnowledgeGraph) -> dict[str, Any]:
    """The graph as one JSON-compatible document."""
    return {
        "entities": [entity_record(one) for one in graph.entities.values()],
        "relations": [relation_record(one) for one in graph.relations],
    }


def entity_record(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "aliases": list(entity.aliases),
        "is_written": entity.is_written,
        "is_daily": entity.is_daily,
        "degree": entity.degree,
        "sources": list(entity.sources),
        "notes": [{"source": source, "note": key} for source, key in entity.notes],
        "members": list(entity.members),
    }


def relation_record(relation: Relation) -> dict[str, Any]:
    return {
        "id": relation.id,
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": relation.object,
        "origin": relation.origin.value,
        "confidence": relation.confidence,
        "evidence": [evidence_record(one) for one in relation.evidence],
    }


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    return {
        "source": evidence.source,
        "note": evidence.note,
        "uid": evidence.anchor.uid,
        "headings": list(evidence.anchor.headings),
        "first_line": evidence.anchor.first_line,
        "last_line": evidence.anchor.last_line,
        "quote": evidence.quote,
        "origin": evidence.origin.value,
        "confidence": evidence.confidence,
        "model": evidence.model,
        "prompt_version": evidence.prompt_version,
        "at": moment(evidence.at),
        "state": evidence.state,
    }


def _json(graph: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    yield "", json.dumps(graph_document(graph), ensure_ascii=False, indent=1) + "\n"


def _graphml(graph: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    keys = [("node", name, "string") for name in ("name", "type", "aliases")]
    keys += [("node", "is_written", "boolean"), ("node", "is_daily", "boolean")]
    keys += [("edge", name, "string") for name in ("predicate", "origin", "quote", "note")]
    keys += [("edge", "confidence", "double"), ("edge", "evidence", "int")]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [f'<key id="{n}" for="{where}" attr.name="{n}" attr.type="{kind}"/>' for where, n, kind in keys]
    lines.append('<graph edgedefault="directed">')
    for one in graph.entities.values():
        data = {"name": one.name, "type": one.type, "aliases": "; ".join(one.aliases)}
        data |= {"is_written": str(one.is_written).lower(), "is_daily": str(one.is_daily).lower()}
        lines.append(f'<node id="{escape(one.id)}">{_data(data)}</node>')
    for relation in graph.relations:
        first = relation.evidence[0]
        data = {"predicate": relation.predicate, "origin": relation.origin.value, "quote": first.quote}
        data |= {"note": first.note, "confidence": repr(relation.confidence), "evidence": str(len(relation.evidence))}
        ends = f'source="{escape(relation.subject)}" target="{escape(relation.object)}"'
        lines.append(f'<edge id="r{relation.id}" {ends}>{_data(data)}</edge>')
    yield "", "\n".join([*lines, "</graph>", "</graphml>", ""])


def _data(values: dict[str, str]) -> str:
    texts = {name: escape(_NOT_XML.sub("�", value), quote=False) for name, value in values.items()}
    return "".join(f'<data key="{name}">{text}</data>' for name, text in texts.items())


def _csv(graph: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    names = ("id", "name", "type", "aliases", "is_written", "is_daily", "degree", "sources")
    yield (
        "-entities.csv",
        _table(
            names,
            (
                (e.id, e.name, e.type, "; ".join(e.aliases), e.is_written, e.is_daily, e.degree, "; ".join(e.sources))
                for e in graph.entities.values()
            ),
        ),
    )
    columns = ("subject", "predicate", "object", "subject_id", "object_id", *_EVIDENCE_COLUMNS)
    yield "-relations.csv", _table(columns, _evidence_rows(graph))


_EVIDENCE_COLUMNS = ("source", "note", "uid", "first_line", "quote", "origin", "confidence", "model", "at", "state")


def _evidence_rows(graph: KnowledgeGraph) -> Iterator[tuple[object, ...]]:
    """One row for each piece of evidence."""
    for relation in graph.relations:
        ends = (graph.entities[relation.subject].name, relation.predicate, graph.entities[relation.object].name)
        for evidence in relation.evidence:
            record = evidence_record(evidence)
            yield *ends, relation.subject, relation.object, *(record[name] for name in _EVIDENCE_COLUMNS)


def _table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return text.getvalue()


def _cell(value: object) -> object:
    """A text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _markdown(graph: KnowledgeGraph) -> Iterator[tuple[str, str]]:
    lines = ["# Knowledge graph", "", f"{len(graph.entities):,} entities, {len(graph.relations):,} relations.", ""]
    for entity in graph.entities.values():
        own = [relation for relation in graph.touching(entity.id) if relation.subject == entity.id]
        if not own:
            continue
        lines.append(f"## {_plain(entity.name)}")
        lines += ["", f"{entity.type}" + (f", also {_plain('; '.join(entity.aliases))}" if entity.aliases else ""), ""]
        for relation in own:
            target = _plain(graph.entities[relation.object].name)
            lines.append(f"- {_plain(relation.predicate)} → **{target}** ({relation.origin.value})")
            lines += [f"  > {_plain(' '.join(one.quote.split()))} ({_place(one)})" for one in relation.evidence]
        lines.append("")
    yield "", "\n".join(lines)


def _place(evidence: Evidence) -> str:
    where = f"(({evidence.anchor.uid}))" if evidence.anchor.uid else _plain(evidence.note)
    line = f":{evidence.anchor.first_line}" if evidence.anchor.first_line else ""
    return where + line + (f", {(moment(evidence.at) or '')[:10]}" if evidence.at else "")


def _plain(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def moment(seconds: float | None) -> str | None:
    """ISO 8601 in UTC; None for what is no date."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None


FORMS: dict[str, Callable[[KnowledgeGraph], Iterator[tuple[str, str]]]] = {
    "graphml": _graphml,
    "csv": _csv,
    "json": _json,
    "markdown": _markdown,
}
