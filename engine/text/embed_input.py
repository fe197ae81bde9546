"""The text that the embedding model sees for one passage, and its hash.

Layout (as the Roam semantic search does): ``breadcrumb › text | concepts: A · B | tags: X | context``. Absent parts
leave no trace. The context comes last, so it is what a limit cuts first.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

from engine.model import Passage

LIMIT = 8000
"""Characters; far above what the built-in model reads, so that a change anywhere in it still changes the hash."""


def format_breadcrumb(breadcrumb: Sequence[str]) -> str:
    """``Title › a · b``: the title, then the ancestors, root first."""
    if not breadcrumb:
        return ""
    title, *ancestors = breadcrumb
    return f"{title} › {' · '.join(ancestors)}" if ancestors else title


def embed_input(
    breadcrumb: Sequence[str],
    text: str,
    concepts: Sequence[str] = (),
    tags: Sequence[str] = (),
    context: str = "",
    limit: int = LIMIT,
) -> str:
    lead = " › ".join(part for part in (format_breadcrumb(breadcrumb), text) if part)
    segments = [lead]
    if concepts:
        segments.append(f"concepts: {' · '.join(concepts)}")
    if tags:
        segments.append(f"tags: {' · '.join(tags)}")
    if context:
        segments.append(context)
    return " | ".join(segment for segment in segments if segment)[:limit]


def embed_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def finish(passage: Passage) -> Passage:
    """The same passage with ``embed_input`` and ``hash`` filled in. A page's own title is not said twice."""
    text = "" if passage.breadcrumb == (passage.text,) else passage.text
    seen = embed_input(passage.breadcrumb, text, passage.concepts, passage.tags, passage.context)
    return dataclasses.replace(passage, embed_input=seen, hash=embed_hash(seen))
