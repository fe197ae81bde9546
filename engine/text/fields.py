"""The searched fields of a passage. One definition, for counting words and for checking phrases."""

from __future__ import annotations

from engine.model import Passage


def word_fields(passage: Passage) -> tuple[str, str, str, str, str]:
    """Text, breadcrumb, concepts, tags and context, in the order of ``ranking.words.FIELDS``.

    Names in lists stand on lines of their own: a phrase never runs from one into the next.
    """
    return (
        passage.text,
        "\n".join(passage.breadcrumb),
        "\n".join(passage.concepts),
        "\n".join(passage.tags),
        passage.context,
    )
