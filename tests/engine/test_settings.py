"""Settings: every declaration is sound, bad lines are named and skipped, what the person wrote stays."""

from __future__ import annotations

import dataclasses

import pytest

from engine.errors import UserError
from engine.paths import Home
from engine.settings import Settings, check, declarations, load, save

DEFAULTS = dataclasses.asdict(Settings())


@pytest.mark.parametrize("name", DEFAULTS)
def test_each_declaration_is_sound(name: str) -> None:
    declaration = declarations()[name]
    assert declaration.section
    assert declaration.text
    assert check(name, DEFAULTS[name]) == ""
    if declaration.choices:
        assert "is not one" not in declaration.choices
        assert "takes one of" in check(name, "is not one")
    number = isinstance(DEFAULTS[name], int | float) and not isinstance(DEFAULTS[name], bool)
    assert number == (declaration.low is not None and declaration.high is not None)
    if number:
        kind = type(DEFAULTS[name])
        assert check(name, kind(declaration.low)) == check(name, kind(declaration.high)) == ""
        assert "at least" in check(name, kind(declaration.low - 1))
        assert "at most" in check(name, kind(declaration.high + 1))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("results", "many", "takes a whole number, not 'many'"),
        ("results", True, "takes a whole number, not True"),
        ("results", 20.5, "takes a whole number"),
        ("roam_cloud", 1, "takes true or false, not 1"),
        ("theme", 3, "takes text"),
        ("brake_fraction", "half", "takes a number"),
        ("reslts", 3, "did you mean 'results'?"),
        ("zzzzzz", 3, "there is no setting 'zzzzzz'"),
    ],
)
def test_a_wrong_value_is_explained(name: str, value: object, words: str) -> None:
    assert words in check(name, value)


def test_a_whole_number_is_a_fraction_too(home: Home) -> None:
    home.settings_file.write_text("[indexing]\nbrake_fraction = 1\n", "utf-8")
    settings, notices = load(home)
    assert settings.brake_fraction == 1.0
    assert isinstance(settings.brake_fraction, float)
    assert notices == ()


def test_no_file_means_defaults(home: Home) -> None:
    assert load(home) == (Settings(), ())


def test_what_is_saved_is_loaded(home: Home) -> None:
    chosen = Settings(results=50, theme="dark", protection="plain", brake_fraction=0.5)
    save(home, chosen)
    assert load(home) == (chosen, ())
    save(home, dataclasses.replace(chosen, theme="system"))
    assert load(home)[0].theme == "system"
    assert "theme" not in home.settings_file.read_text("utf-8")


def test_a_bad_line_costs_only_itself(home: Home) -> None:
    home.settings_file.write_text('[search]\nresults = "many"\nfusion = "rrf"\nresuls = 3\n', "utf-8")
    settings, notices = load(home)
    assert settings == Settings(fusion="rrf")
    assert len(notices) == 2
    assert "'results' takes a whole number" in notices[0]
    assert "did you mean 'results'?" in notices[1]


@pytest.mark.parametrize("content", [b"[search\nresults = 3", b"\xff\xfe\x00"])
def test_an_unreadable_file_is_said_and_defaults_are_used(home: Home, content: bytes) -> None:
    home.settings_file.write_bytes(content)
    settings, notices = load(home)
    assert settings == Settings()
    assert len(notices) == 1
    assert "defaults are used" in notices[0]


def test_comments_order_and_foreign_lines_stay(home: Home) -> None:
    before = '# mine\n[appearance]\ntheme = "dark" # at night\n\n[search]\nresults = 30\nfuture = 1\n'
    home.settings_file.write_text(before, "utf-8")
    save(home, dataclasses.replace(load(home)[0], results=40))
    assert home.settings_file.read_text("utf-8") == before.replace("30", "40")


def test_what_makes_no_sense_is_put_aside_and_not_overwritten(home: Home) -> None:
    for text in ("[search\nresults = 3", "x = " + "[" * 5_000, "\ud800"):
        before = text.encode("utf-8", "surrogatepass")
        home.settings_file.write_bytes(before)
        save(home, Settings(results=50))
        assert home.settings_file.with_suffix(".damaged").read_bytes() == before
        assert load(home) == (Settings(results=50), ())


def test_what_cannot_be_read_is_not_replaced(home: Home) -> None:
    home.settings_file.mkdir()
    settings, notices = load(home)
    assert settings == Settings()
    assert "something else stands in its place" in notices[0]
    with pytest.raises(UserError, match="something else"):
        save(home, Settings(results=50))
    assert home.settings_file.is_dir()
