"""The house: a wing imports the wings below it and the ground, never one above, and there is no circle."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograde.layout import ROOT

PACKAGE = ROOT / "autograde"
WINGS = ["sample", "records", "collect", "build", "grade", "sandbox"]
"""From the top down."""
GROUND = [
    "settings",
    "nbgrader_bridge",
    "notebook",
    "verdict",
    "mistakes",
    "layout",
    "files",
    "errors",
]
"""What every wing may import."""
FRONT = ["__main__", "cli"]
"""What may import everything."""
DATA = ["cells", "course"]


def module_of(path: Path) -> str:
    """autograde/grade/plan.py -> grade.plan"""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def place(module: str) -> str:
    """The wing, or the module of the ground, that a module belongs to."""
    return module.split(".")[0]


def sources() -> list[Path]:
    """Every file that is imported or executed, the settings of the course and the catalogue included."""
    return [p for p in sorted(PACKAGE.rglob("*.py")) if "cells" not in p.parts]


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: write the whole name of what you import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "autograde":
                while parts and not is_module(parts):
                    parts.pop()
                found.add(".".join(parts[1:]))
    return found - {""}


def is_module(parts: list[str]) -> bool:
    path = ROOT.joinpath(*parts)
    return path.with_suffix(".py").exists() or path.is_dir()


GRAPH = {module_of(path): imports(path) for path in sources()}
HEIGHT = {wing: len(WINGS) - n for n, wing in enumerate(WINGS)}


def height(module: str) -> int:
    """How high a module stands: the front above all wings, the ground and the data below them."""
    return len(WINGS) + 1 if place(module) in FRONT else HEIGHT.get(place(module), 0)


def test_every_module_has_a_place():
    known = {*WINGS, *GROUND, *FRONT, *DATA, ""}
    assert sorted({place(module) for module in GRAPH} - known) == []
    folders = {p.parent.name for p in PACKAGE.glob("*/__init__.py")} - {"mistakes"}
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
    text = (PACKAGE / wing / "__init__.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(tree.body) == 1
    said = ast.get_docstring(tree) or ""
    assert "Owns" in said
    assert "never" in said or "knows nothing" in said or "nothing" in said
    assert "Start" in said


def test_table_of_imports(record_property):
    """Printed below the test run: how many modules of a wing (row) import one of another (column)."""
    columns = [*WINGS, "ground"]
    counted = Counter(
        (place(module), place(other) if place(other) in WINGS else "ground")
        for module, used in GRAPH.items()
        if place(module) in WINGS
        for other in used
        if place(other) != place(module)
    )
    head = " " * 9 + "".join(f"{name:>9}" for name in columns)
    rows = [
        f"{wing:9}" + "".join(f"{counted[wing, other] or '':>9}" for other in columns)
        for wing in WINGS
    ]
    record_property("table", "\n".join(["imports (row imports column)", head, *rows]))
    assert all(HEIGHT[a] > HEIGHT.get(b, 0) for a, b in counted)
