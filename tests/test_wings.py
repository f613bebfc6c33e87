"""The house: a wing imports the wings below it and the ground, never one above, and there is no circle.

What imports what is measured by `book/draw_house.py`, which also draws the picture of it.
"""

from __future__ import annotations

import ast
import re
import sys
from graphlib import TopologicalSorter

import pytest

from autograde.layout import ROOT

sys.path.insert(0, str(ROOT / "book"))
import draw_house as house

sys.path.pop(0)
WINGS = list(house.WINGS)
DATA = ["cells", "course"]
GRAPH = house.graph()


def height(module: str) -> int:
    """How high a module stands: the front above all wings, the ground and the data below them."""
    place = house.place(module)
    if place in house.FRONT:
        return len(WINGS) + 1
    return len(WINGS) - WINGS.index(place) if place in WINGS else 0


def test_every_module_has_a_place():
    known = {*WINGS, *house.GROUND, *house.FRONT, *DATA, ""}
    assert sorted({house.place(module) for module in GRAPH} - known) == []
    folders = {p.parent.name for p in house.PACKAGE.glob("*/__init__.py")} - {"mistakes"}
    assert folders == set(WINGS)


@pytest.mark.parametrize("module", sorted(GRAPH))
def test_nothing_is_imported_upwards(module):
    upwards = {other for other in GRAPH[module] if height(other) > height(module)}
    assert not upwards


def test_there_is_no_circle():
    tuple(TopologicalSorter(GRAPH).static_order())


def test_what_is_visible_inside_imports_nothing_else():
    for module, used in GRAPH.items():
        if module.startswith("sandbox.inside"):
            assert all(other.startswith("sandbox.inside") for other in used), module


@pytest.mark.parametrize("wing", WINGS)
def test_the_door_of_a_wing_says_what_it_owns_and_imports_nothing(wing):
    text = (house.PACKAGE / wing / "__init__.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(tree.body) == 1
    said = ast.get_docstring(tree) or ""
    assert "Owns" in said
    assert re.search(r"never|nothing", said), "what it never touches"
    assert "Start" in said, "where a reader starts"


def test_the_picture_shows_the_imports_as_they_are():
    stored = (ROOT / "book" / "static" / "house.svg").read_text(encoding="utf-8")
    assert stored == house.svg(GRAPH), "run `python book/draw_house.py`"
    arrows = stored.count('class="tip"')
    assert arrows == len(house.between(GRAPH))


def test_table_of_imports(record_property):
    """Printed below the test run: how many imports lead from a wing (row) to another (column)."""
    counted = house.between(GRAPH)
    head = " " * 9 + "".join(f"{name:>9}" for name in WINGS)
    rows = [
        f"{wing:9}" + "".join(f"{counted[wing, other] or '':>9}" for other in WINGS)
        for wing in WINGS
    ]
    record_property("table", "\n".join(["imports (row imports column)", head, *rows]))
    assert counted
