"""The same searches in nine languages: whole words, unfinished words, highlights, snippets, sorting, twin names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from engine.inference.fake import FakeEmbedder
from engine.job import Job
from engine.library import Library
from engine.model import Mode, SearchRequest
from engine.paths import Home

FILLER = {
    "en": "The ferry leaves at noon and nobody on the quay seems to mind the rain. ",
    "de": "Die Fähre legt mittags ab und niemand am Kai stört sich an dem Regen. ",
    "ru": "Паром отходит в полдень, и никто на причале не замечает дождя. ",
    "zh": "渡船中午出发，码头上没有人在意下雨。",
    "ja": "フェリーは正午に出発し、埠頭の人は雨を気にしていません。",
    "ko": "여객선은 정오에 떠나고 부두의 사람들은 비를 신경 쓰지 않는다. ",
    "ar": "تغادر العبارة عند الظهر ولا يهتم أحد على الرصيف بالمطر. ",
    "hi": "नौका दोपहर को निकलती है और घाट पर कोई बारिश की परवाह नहीं करता। ",
    "th": "เรือข้ามฟากออกตอนเที่ยงและไม่มีใครบนท่าเรือสนใจฝน ",
}
CASES = {
    # language: (sentence to find, question, unfinished question, text highlighted)
    "en": ("Yesterday I was repairing the old bicycles in the shed.", "repaired bicycle", "bicy", "bicycles"),
    "de": (
        "Gestern habe ich die alten Fahrräder im Schuppen geflickt.",
        "Fahrrad flicken fahrräder",
        "fahrr",
        "Fahrräder",
    ),
    "ru": ("Вчера я чинил старые велосипеды в сарае.", "велосипед сарай", "велос", "велосипеды"),
    "zh": ("我昨天在棚子里修理了自行车。", "修理自行车", "自行", "自行车"),
    "ja": ("昨日は小屋で古い自転車を修理しました。", "自転車 修理", "自転", "自転車"),
    "ko": ("어제 나는 헛간에서 낡은 자전거를 고쳤다.", "자전거 헛간", "자전", "자전거"),
    "ar": ("أمس أصلحتُ الدراجات القديمة في السقيفة.", "الدراجات القديمة", "الدراج", "الدراجات"),
    "hi": ("कल मैंने शेड में पुरानी साइकिलें ठीक कीं।", "पुरानी साइकिलें", "साइकि", "साइकिलें"),
    "th": ("เมื่อวานฉันซ่อมจักรยานเก่าในโรงเก็บของ", "ซ่อมจักรยาน", "จักรยา", "จักรยาน"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    root = tmp_path_factory.mktemp("languages")
    vault = root / "vault"
    vault.mkdir()
    for language, (sentence, *_) in CASES.items():
        (vault / f"{language} rain.md").write_text(FILLER[language] * 3, "utf-8")
        (vault / f"{language} bicycle.md").write_text(FILLER[language] * 6 + sentence + FILLER[language] * 6, "utf-8")
    for form in ("NFC", "NFD"):
        (vault / unicodedata.normalize(form, "Zoé.md")).write_text(f"Twin note in {form}, about cafés.", "utf-8")
    with Library(Home(root / "data", root / "config", root / "logs"), FakeEmbedder(dimensions=128)) as opened:
        opened.add(str(vault), name="v")
        opened.index("v", Job())
        yield opened


@pytest.mark.parametrize("mode", [Mode.WORD, Mode.BOTH])
@pytest.mark.parametrize("language", CASES)
def test_whole_words(library: Library, language: str, mode: Mode) -> None:
    _, question, _, _ = CASES[language]
    assert library.search(SearchRequest(question, mode=mode)).rows[0].title == f"{language} bicycle"


@pytest.mark.parametrize("language", CASES)
def test_unfinished_words(library: Library, language: str) -> None:
    _, _, unfinished, _ = CASES[language]
    titles = [row.title for row in library.search(SearchRequest(unfinished, typing=True)).rows]
    assert f"{language} bicycle" in titles
    assert f"{language} rain" not in titles


@pytest.mark.parametrize("language", CASES)
def test_the_snippet_shows_the_match_and_marks_it(library: Library, language: str) -> None:
    _, question, _, marked = CASES[language]
    hit = library.search(SearchRequest(question, mode=Mode.WORD)).rows[0].hits[0]
    shown = "".join(hit.snippet[start:end] for start, end in hit.spans)
    assert marked in hit.snippet
    assert unicodedata.normalize("NFC", marked) in unicodedata.normalize("NFC", shown)


@pytest.mark.parametrize("language", CASES)
def test_an_exact_phrase(library: Library, language: str) -> None:
    sentence = CASES[language][0]
    phrase = sentence[len(sentence) // 2 :].split(" ", 1)[-1].rstrip(".。।")
    titles = {row.title for row in library.search(SearchRequest(f'"{phrase}"', mode=Mode.WORD)).rows}
    assert titles == {f"{language} bicycle"}


def test_twin_names_both_stay_and_either_form_finds_both(library: Library) -> None:
    for form in ("NFC", "NFD"):
        question = unicodedata.normalize(form, "Zoé")
        rows = library.search(SearchRequest(question, mode=Mode.WORD)).rows
        assert len({row.note for row in rows}) == 2


def test_accents_may_be_left_out(library: Library) -> None:
    assert len(library.search(SearchRequest("cafes", mode=Mode.WORD)).rows) == 2


def test_sorting_by_title_takes_any_script(library: Library) -> None:
    titles = [row.title for row in library.search(SearchRequest("path:bicycle sort:title")).rows]
    assert titles == sorted(titles)
    assert len(titles) == len(CASES)
