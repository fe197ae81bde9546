"""Languages of notes and questions: right on clear text, silent on thin evidence."""

from __future__ import annotations

import pytest

from engine.text.language import detect_language, question_language

NOTES = [
    ("The plan for the garden is to plant beans in it.", "en"),
    ("Das ist der Plan für den Garten, und er ist nicht neu.", "de"),
    ("La réunion de lundi est avec les autres.", "fr"),
    ("Este es un texto que no dice nada de la casa.", "es"),
    ("Это текст о том, как всё было.", "ru"),
    ("Це текст про те, що було, і не про це.", "uk"),
    ("修理自行车的人", "zh"),
    ("毎日ご飯を食べます", "ja"),
    ("자전거를 수리하는 방법", "ko"),
    ("كيف يمكن إصلاح الدراجة في البيت", "ar"),
    ("यह हिन्दी में है", "hi"),
    ("วิธีซ่อมจักรยาน", "th"),
    ("Kubernetes pod", ""),
    ("12345 !!", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "language"), NOTES)
def test_the_language_of_a_note(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_prose_without_small_words_is_left_to_the_model() -> None:
    text = "Jezera i planine Hrvatske privlače brojne posjetitelje tijekom cijele godine, osobito ljeti kada sunce sja"
    assert detect_language(text) in {"hr", "sr", "sl"}


@pytest.mark.parametrize(
    ("text", "of_notes", "language"),
    [
        ("How many points did they lose?", ["de"], "en"),
        ("Wie viele Punkte gab die Verteidigung ab?", ["en"], "de"),
        ("apple pie recipe", ["en", "de"], "en"),
        ("Rezept Apfelkuchen", ["de", "en"], "de"),
        ("自行车", ["en"], "zh"),
        ("мир", ["en"], "ru"),
        ("мир", ["uk", "en"], "uk"),
        ("backup", [], ""),
        ("", ["en"], ""),
    ],
)
def test_the_language_of_a_question(text: str, of_notes: list[str], language: str) -> None:
    assert question_language(text, of_notes) == language
