"""The values that cross rooms: frozen dataclasses, no behaviour beyond small derived properties.

Words are those of the product: a *source* is one registered vault, graph or export; a *note* is one
Markdown file or one Roam page; a *passage* is what is retrieved; an *anchor* says where it stands; a *leg*
is one ranking.

A name is looked up in the modules of this package when it is first asked for: to make all of them takes as long as a
sixth of the window's start, whose first paint needs none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.model.graph import Cell as Cell
    from engine.model.graph import Choice as Choice
    from engine.model.graph import Citation as Citation
    from engine.model.graph import Entity as Entity
    from engine.model.graph import Estimate as Estimate
    from engine.model.graph import Evidence as Evidence
    from engine.model.graph import ExtractReport as ExtractReport
    from engine.model.graph import GraphAnswer as GraphAnswer
    from engine.model.graph import GraphView as GraphView
    from engine.model.graph import LayoutRequest as LayoutRequest
    from engine.model.graph import Relation as Relation
    from engine.model.graph import Route as Route
    from engine.model.graph import Sentence as Sentence
    from engine.model.kinds import Changed as Changed
    from engine.model.kinds import Freshness as Freshness
    from engine.model.kinds import LegState as LegState
    from engine.model.kinds import LinkKind as LinkKind
    from engine.model.kinds import Mode as Mode
    from engine.model.kinds import NoteKey as NoteKey
    from engine.model.kinds import NoteState as NoteState
    from engine.model.kinds import Origin as Origin
    from engine.model.kinds import Outcome as Outcome
    from engine.model.kinds import PassageKind as PassageKind
    from engine.model.kinds import Scope as Scope
    from engine.model.kinds import Severity as Severity
    from engine.model.kinds import SourceId as SourceId
    from engine.model.kinds import SourceKind as SourceKind
    from engine.model.kinds import Strength as Strength
    from engine.model.library import Changes as Changes
    from engine.model.library import Discovered as Discovered
    from engine.model.library import IndexReport as IndexReport
    from engine.model.library import KeychainEntry as KeychainEntry
    from engine.model.library import LedgerLine as LedgerLine
    from engine.model.library import ModelOffer as ModelOffer
    from engine.model.library import NoteStatus as NoteStatus
    from engine.model.library import PowerState as PowerState
    from engine.model.library import Release as Release
    from engine.model.library import Run as Run
    from engine.model.library import ServiceState as ServiceState
    from engine.model.library import SourceStatus as SourceStatus
    from engine.model.models import ModelInfo as ModelInfo
    from engine.model.models import Verdict as Verdict
    from engine.model.notes import Anchor as Anchor
    from engine.model.notes import Link as Link
    from engine.model.notes import Note as Note
    from engine.model.notes import NoteRef as NoteRef
    from engine.model.notes import Passage as Passage
    from engine.model.notes import Problem as Problem
    from engine.model.notes import Scan as Scan
    from engine.model.notes import Source as Source
    from engine.model.notes import SourceOptions as SourceOptions
    from engine.model.search import NOTHING_ASKED as NOTHING_ASKED
    from engine.model.search import Completion as Completion
    from engine.model.search import DuplicatePair as DuplicatePair
    from engine.model.search import Explanation as Explanation
    from engine.model.search import HiddenByFilter as HiddenByFilter
    from engine.model.search import Hit as Hit
    from engine.model.search import Leg as Leg
    from engine.model.search import LegHealth as LegHealth
    from engine.model.search import LegPlace as LegPlace
    from engine.model.search import NoteHits as NoteHits
    from engine.model.search import QueryHelp as QueryHelp
    from engine.model.search import QueryPart as QueryPart
    from engine.model.search import RelatedNote as RelatedNote
    from engine.model.search import SearchAge as SearchAge
    from engine.model.search import SearchRequest as SearchRequest
    from engine.model.search import SearchResult as SearchResult
    from engine.model.search import WhyNot as WhyNot
    from engine.model.views import Contents as Contents
    from engine.model.views import NoteLink as NoteLink
    from engine.model.views import NoteView as NoteView
    from engine.model.views import OutlineBlock as OutlineBlock
else:
    _TOPICS = ("kinds", "notes", "search", "library", "views", "models", "graph")

    def __getattr__(name: str) -> object:
        """A name of one of the topics, from then on a name of this module."""
        from importlib import import_module

        for topic in _TOPICS if not name.startswith("_") else ():
            names = vars(import_module(f"{__name__}.{topic}"))
            if name in names:
                return globals().setdefault(name, names[name])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
