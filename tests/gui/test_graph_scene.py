"""The map as values and pixels: camera, lines, labels, looks, sprites, ground and the exported picture."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.errors import EngineError, NotAllowed
from engine.model import Source, SourceId, SourceKind
from gui.scene.camera import FARTHEST, NEAREST, Camera
from gui.scene.edge_layer import MOST, line_pens, visible_lines
from gui.scene.ground import draw_ground, tint
from gui.scene.labels import LONGEST, choose_labels, label_box, short_name
from gui.scene.looks import flat_scale, height_of, kind_name, look_of, shape_name
from gui.scene.map_data import LEVELS, Line, MapData, Structure, map_data
from gui.scene.map_widget import GraphMap, spoken_structure
from gui.scene.picture import save_picture
from gui.scene.sprites import Sprite, Sprites
from gui.theme import Theme, font

CASES = [Camera(), Camera(cell=12.5, left=-40.0, top=310.0), Camera(is_flat=True, cell=70.0, left=3.0)]


def three() -> MapData:
    """A hub with two ends: a written line and an inferred one."""
    structures = [
        Structure("hub", "Sourdough", "note", 40, group=0),
        Structure("oven", "Steam oven", "tool", 2, is_bare=True, group=0),
        Structure("mara", "Mara", "person", 1, is_written=False, is_pinned=True, group=1),
    ]
    return map_data(structures, [(0, 0), (4, 0), (0, 5)], [Line(0, 1), Line(0, 2, is_written=False)])


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    made = Theme(qapp, "light")
    made.apply()
    return made


# --- camera -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("camera", CASES)
def test_a_place_on_the_screen_leads_back_to_its_cell(camera: Camera) -> None:
    x, y = camera.to_screen(np.array([[3.0, -2.0]]))[0]
    assert camera.to_cell(QPointF(x, y)) == pytest.approx((3.0, -2.0))


@pytest.mark.parametrize("camera", CASES)
def test_what_is_under_the_pointer_stays_there_while_zooming(camera: Camera) -> None:
    about = QPointF(200, 120)
    for factor in (1.3, 0.5, 1e9, 1e-9):
        nearer = camera.zoomed(factor, about)
        assert FARTHEST <= nearer.cell <= NEAREST
        assert nearer.to_cell(about) == pytest.approx(camera.to_cell(about))


@pytest.mark.parametrize("is_flat", [True, False])
def test_a_fitted_map_is_in_view(is_flat: bool) -> None:
    places = np.array([[-30.0, 4.0], [12.0, 50.0], [0.0, -9.0]])
    points = Camera(is_flat=is_flat).fitted(places, QSizeF(900, 600)).to_screen(places)
    assert ((points > 0) & (points < (900, 600))).all()
    assert Camera().fitted(np.zeros((0, 2)), QSizeF(900, 600)).left == 450


# --- what is on it ------------------------------------------------------------------------------------------------


def test_heights_double_and_end() -> None:
    degrees = (0, 1, 2, 3, 4, 255, 256, 10_000)
    structures = [Structure(f"e{n}", "x", "note", n) for n in degrees]
    data = map_data(structures, [(at, 0) for at in range(len(degrees))], [])
    assert data.levels.tolist() == [0, 0, 1, 1, 2, 7, LEVELS - 1, LEVELS - 1]
    assert [height_of(level) for level in range(LEVELS)] == sorted(height_of(level) for level in range(LEVELS))
    assert flat_scale(3) > flat_scale(1)


def test_lines_that_matter_come_first() -> None:
    degrees = (100, 90, 1)
    structures = [Structure(str(at), "x", "note", n) for at, n in enumerate(degrees)]
    data = map_data(structures, [(0, 0), (1, 0), (2, 0)], [Line(0, 1), Line(0, 2, is_written=False)])
    assert data.edges.tolist() == [[0, 2], [0, 1]], "the only line of the third is not lost among those of hubs"
    assert data.inferred.tolist() == [True, False]


def test_only_lines_that_cross_the_view_are_drawn() -> None:
    points = np.array([[10.0, 10.0], [90.0, 90.0], [500.0, 10.0], [600.0, 10.0]])
    edges = np.array([[0, 1], [2, 3], [0, 2]])
    assert visible_lines(points, edges, 100, 100).tolist() == [0, 2]


def test_a_hairball_is_thinned_to_what_is_seen() -> None:
    inside, outside = np.full((50, 2), 50.0), np.full((50, 2), -50.0)
    outside[25:] = 250.0
    points = np.concatenate([inside, outside])
    through = [(50 + at % 25, 75 + at % 25) for at in range(MOST + 1)]
    edges = np.array([(0, 1), *through])
    assert visible_lines(points, edges, 200, 200).tolist() == [0], "what only passes through says nothing"


def test_more_lines_are_paler_and_inferred_ones_dashed(theme: Theme) -> None:
    few, many = line_pens(theme.roles, 20), line_pens(theme.roles, 1_400)
    assert few[0].style() is Qt.PenStyle.SolidLine
    assert few[1].style() is Qt.PenStyle.CustomDashLine
    ground = QColor(theme.roles.window).lightness()
    assert abs(many[0].color().lightness() - ground) < abs(few[0].color().lightness() - ground)


def test_labels_never_stand_on_one_another(theme: Theme) -> None:
    chance = np.random.default_rng(4)
    structures = [Structure(f"e{at}", f"Entity number {at}", "note", 3) for at in range(300)]
    data = map_data(structures, [(at, 0) for at in range(300)], [])
    tops = chance.uniform(0, 600, (300, 2))
    metrics = QFontMetricsF(font("small"))
    chosen = choose_labels(data, tops, range(300), [7], metrics, 30.0)
    assert chosen[0] == 7
    assert 10 < len(chosen) <= 90
    boxes = [label_box(structures[at].name, tops[at], metrics) for at in chosen]
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[:at])
    assert len(choose_labels(data, tops, range(300), [], metrics, 5.0)) <= 36, "from far away, landmarks alone"


def test_long_names_are_cut() -> None:
    assert short_name("a\n b") == "a b"
    assert len(short_name("x" * 80)) == LONGEST


def test_types_differ_by_more_than_colour() -> None:
    kinds = ("note", "tag", "person", "org", "project", "place", "concept", "event", "tool", "source")
    assert len({look_of(kind).plan for kind in kinds}) == len(kinds)
    assert len({shape_name(kind) for kind in kinds}) == len(kinds)
    assert kind_name("zeppelin") == "zeppelin"
    assert look_of("zeppelin") == look_of("concept")


# --- pixels ---------------------------------------------------------------------------------------------------------


def drawn(theme: Theme, sprite: Sprite, *, is_flat: bool = False) -> QImage:
    picture = QImage(160, 200, QImage.Format.Format_RGB32)
    picture.fill(QColor(theme.roles.window))
    painter = QPainter(picture)
    Sprites([sprite], 60.0, theme.roles, is_flat=is_flat).draw(
        painter, np.array([[80.0, 150.0]]), np.array([0]), 1.0, np.array([1.0])
    )
    painter.end()
    return picture


def painted(theme: Theme, picture: QImage) -> list[tuple[int, int]]:
    ground = QColor(theme.roles.window).rgb()
    return [(x, y) for x in range(picture.width()) for y in range(picture.height()) if picture.pixel(x, y) != ground]


def test_more_relations_stand_higher(theme: Theme) -> None:
    tops = [min(y for _, y in painted(theme, drawn(theme, Sprite("note", level, True, False)))) for level in (0, 2, 4)]
    assert tops == sorted(tops, reverse=True)
    assert tops[0] - tops[2] == pytest.approx(60 * (height_of(4) - height_of(0)), abs=3)


def test_inferred_bare_and_flat_look_otherwise(theme: Theme) -> None:
    plain = drawn(theme, Sprite("note", 2, True, False))
    assert drawn(theme, Sprite("note", 2, False, False)) != plain
    assert drawn(theme, Sprite("note", 2, True, True)) != plain
    assert drawn(theme, Sprite("note", 2, True, False), is_flat=True) != plain


def test_ground_is_tinted_where_a_community_stands(theme: Theme) -> None:
    data, camera = three(), Camera(cell=30.0, left=200.0, top=100.0)
    picture = QImage(400, 400, QImage.Format.Format_RGB32)
    picture.fill(QColor(theme.roles.window))
    painter = QPainter(picture)
    points = camera.to_screen(data.places)
    draw_ground(painter, data, camera, points, (400.0, 400.0), theme.roles)
    painter.end()

    def colour(at: int) -> QColor:
        return QColor(picture.pixel(int(points[at][0]), int(points[at][1])))

    assert colour(0) == colour(1) == tint(0, theme.roles)
    assert colour(2) == QColor(theme.roles.window), "one alone is no community"
    assert tint(0, theme.roles) != tint(1, theme.roles)


def test_the_picture_is_a_drawing_with_every_name(theme: Theme, tmp_path: Path) -> None:
    save_picture(tmp_path / "map.svg", three(), theme.roles, [], is_flat=False)
    drawing = (tmp_path / "map.svg").read_text("utf-8")
    assert "<title>Map of the graph</title>" in drawing
    assert {"Sourdough", "Steam oven", "Mara"} <= set(re.findall(r">([^<>\n]+)</text>", drawing))
    assert "stroke-dasharray" in drawing
    save_picture(tmp_path / "map.png", three(), theme.roles, [], is_flat=True)
    picture = QImage(str(tmp_path / "map.png"))
    assert picture.size() == QSize(3200, 2200)
    assert len({picture.pixel(x, y) for x in range(0, 3200, 16) for y in range(0, 2200, 16)}) > 3
    with pytest.raises(EngineError, match="nowhere"):
        save_picture(tmp_path / "nowhere" / "map.png", three(), theme.roles, [], is_flat=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["map.png", "map.svg"]


def test_the_picture_is_never_put_into_a_source(theme: Theme, tmp_path: Path) -> None:
    vault = Source(SourceId("notes"), SourceKind.OBSIDIAN, "Notes", str(tmp_path))
    with pytest.raises(NotAllowed, match="Notes"):
        save_picture(tmp_path / "map.svg", three(), theme.roles, [vault], is_flat=False)
    assert not list(tmp_path.iterdir())


# --- the widget -------------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(theme: Theme, qtbot: QtBot) -> GraphMap:
    widget = GraphMap(theme)
    qtbot.addWidget(widget)
    widget.resize(600, 400)
    with qtbot.waitExposed(widget):
        widget.show()
    with qtbot.waitSignal(widget.rested):
        widget.show_data(three(), fit=True)
    return widget


def test_the_map_is_clicked_dragged_and_zoomed(shown: GraphMap, qtbot: QtBot) -> None:
    x, y = shown.camera.to_screen(shown.data.places[2:3])[0]
    with qtbot.waitSignal(shown.chosen) as chosen:
        QTest.mouseClick(shown, Qt.MouseButton.LeftButton, pos=QPointF(x, y - 4).toPoint())
    assert chosen.args == ["mara"]
    before = shown.camera
    shown.pan(25, -10)
    assert (shown.camera.left - before.left, shown.camera.top - before.top) == (25, -10)
    QTest.keyClick(shown, Qt.Key.Key_Plus)
    assert shown.camera.cell == pytest.approx(before.cell * 1.25)
    QTest.keyClick(shown, Qt.Key.Key_0)
    assert shown.camera.cell == pytest.approx(before.cell)


def test_what_was_chosen_stays_chosen_when_the_data_changes(shown: GraphMap) -> None:
    shown.choose("oven")
    structures = [Structure("new", "New", "note", 1), *three().structures]
    shown.show_data(map_data(structures, [(9, 9), (0, 0), (4, 0), (0, 5)], []), fit=False)
    assert shown.current_id == "oven"
    assert "Steam oven, tool, 2 relations" in shown.accessibleDescription()


def test_what_is_lit_comes_into_view(shown: GraphMap) -> None:
    shown.pan(5_000, 0)
    shown.light(["hub", "mara"])
    shown.reveal(["hub", "mara"])
    points = shown.camera.to_screen(shown.data.places)
    assert ((points > 0) & (points < (600, 400))).all()
    moved = shown.camera
    shown.reveal(["hub"])
    assert shown.camera == moved, "what is in view already moves nothing"


def test_lines_are_painted_at_rest_and_kept_while_moving(shown: GraphMap) -> None:
    assert (shown.edges.drawn, shown.edges.total) == (2, 2)
    still = shown.grab().toImage()
    shown.pan(3, 0)
    assert shown.grab().toImage() != still
    shown.pan(-3, 0)
    assert shown.grab().toImage() == still


def test_a_structure_says_what_it_is() -> None:
    hub, oven, mara = three().structures
    assert spoken_structure(hub) == "Sourdough, note, 40 relations, written by you"
    assert spoken_structure(oven) == "Steam oven, tool, 2 relations, written by you, no note of its own"
    assert spoken_structure(mara) == "Mara, person, 1 relation, inferred by a model, pinned"
