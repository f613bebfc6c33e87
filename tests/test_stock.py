"""The stock path: what `python -m autograde demo` promises, on a chapter of two exercises."""

from __future__ import annotations

import re

import pytest

from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.sample import nbgrader as stock
from autograde.sample import people
from tests import tiny


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, int]:
    layout = tiny.make(tmp_path_factory.mktemp("course"))
    return layout, stock.demo(layout)


def test_the_sample_earns_what_the_catalogue_says(graded: tuple[Layout, int]) -> None:
    layout, status = graded
    assert status == 0
    earned = stock.read_grades(layout.course / "grades.csv")
    assert earned == {
        ("right-reference", tiny.CHAPTER): 5,
        ("right-otherwise", tiny.CHAPTER): 5,
        ("right-yet-otherwise", tiny.CHAPTER): 5,
        ("half-done", tiny.CHAPTER): 2,
        ("blank", tiny.CHAPTER): 0,
        ("wrong-throughout", tiny.CHAPTER): 0,
        ("wrong-double-same", tiny.CHAPTER): 3,
        ("wrong-total-first", tiny.CHAPTER): 2,
    }


def test_every_student_gets_feedback(graded: tuple[Layout, int]) -> None:
    layout, _ = graded
    students = {p.parent.parent.name for p in layout.course.glob("feedback/*/*/*.html")}
    assert students == {s.student for s in people.sample_class(tiny.CHAPTER, layout)}


def test_a_mark_that_differs_is_seen(graded: tuple[Layout, int]) -> None:
    layout, _ = graded
    samples = people.sample_class(tiny.CHAPTER, layout)
    earned: dict[tuple[str, str], float | None] = {
        (s.student, s.chapter): s.expected for s in samples
    }
    assert people.compare(samples, earned)[1] == []
    earned["blank", tiny.CHAPTER] = 1
    earned["half-done", tiny.CHAPTER] = None
    table, differing = people.compare(samples, earned)
    assert {s.student for s in differing} == {"blank", "half-done"}
    assert re.search(r"blank .* 0 +1  differs", table)


def test_the_demo_does_not_touch_real_work(graded: tuple[Layout, int]) -> None:
    layout, _ = graded
    real = layout.course / "submitted" / "ada" / tiny.CHAPTER
    real.mkdir(parents=True)
    with pytest.raises(CourseError, match="ada"):
        stock.demo(layout)
    assert real.exists()
    real.rmdir()
    real.parent.rmdir()


def test_a_chapter_that_is_not_built_is_named(tmp_path) -> None:
    layout = tiny.make(tmp_path)
    layout.solution(tiny.CHAPTER).unlink()
    with pytest.raises(CourseError, match="not built"):
        stock.register(tiny.CHAPTER, layout)
