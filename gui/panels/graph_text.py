"""Entities, relations and proofs in words, the same on every tab and for the screen reader. No widgets."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLocale

from engine.model import Anchor, Entity, Evidence, NoteKey, Origin, Relation, SourceId
from gui import plural, tr
from gui.item_models import date_text
from gui.panels.graph_index import GraphIndex
from gui.scene.looks import kind_name

LONGEST_QUOTE = 400


def number(count: int) -> str:
    """With the marks between thousands that the language uses."""
    return QLocale().toString(count)


def predicate_text(predicate: str) -> str:
    return tr("mentions") if predicate == "mentions" else predicate.replace("_", " ")


def origin_text(origin: Origin) -> str:
    return tr("written by you") if origin is Origin.WRITTEN else tr("inferred by a model")


def relation_origin_text(relation: Relation) -> str:
    origins = {one.origin for one in relation.evidence}
    return tr("written by you, and inferred") if len(origins) > 1 else origin_text(relation.origin)


def claim_text(index: GraphIndex, relation: Relation) -> str:
    """``subject predicate object``."""
    subject, object_ = index.entities[relation.subject].name, index.entities[relation.object].name
    return f"{subject} – {predicate_text(relation.predicate)} → {object_}"


def seen_from(index: GraphIndex, relation: Relation, entity: str) -> str:
    """The same, from one end: what it says, or what is said of it."""
    other = index.other(relation, entity).name
    arrow = "→" if relation.subject == entity else "←"
    return f"{predicate_text(relation.predicate)} {arrow} {other}"


def quote_text(quote: str) -> str:
    line = " ".join(quote.split())
    return f"“{line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1] + '…'}”"


def where_text(index: GraphIndex, evidence: Evidence) -> str:
    """Note, heading and day of a proof, and who says so when it was a model."""
    parts = [index.title(evidence), *evidence.anchor.headings[-1:], date_text(evidence.at)]
    if evidence.origin is Origin.INFERRED:
        sure = tr("inferred, {n} % sure").format(n=round(100 * evidence.confidence))
        parts += [sure, evidence.model]
    if evidence.state == "ambiguous":
        parts.append(tr("the link fits several notes"))
    return " · ".join(part for part in parts if part)


def entity_line(index: GraphIndex, entity: Entity) -> str:
    """Type, number of relations and origin."""
    parts = [
        kind_name(entity.type),
        plural(entity.degree, "{n} relation", "{n} relations"),
        tr("written by you") if index.is_written(entity) else tr("inferred by a model"),
        "" if entity.is_written else tr("no note of its own"),
    ]
    return " · ".join(part for part in parts if part)


def evidence_of(record: dict[str, Any]) -> Evidence:
    """A proof out of its record; see ``engine.linking.export``."""
    key = NoteKey(record["note"])
    anchor = Anchor(key, record["uid"], tuple(record["headings"]), record["first_line"], record["last_line"])
    return Evidence(
        SourceId(record["source"]), key, anchor, record["quote"], Origin(record["origin"]), record["confidence"]
    )
