"""The sample class: made-up students, what they hand in, and what it must earn.

Owns the invention; every answer comes from the reference or the catalogue. Grades nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograde import mistakes
from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.mistakes import Entry, Right, Wrong
from autograde.nbgrader_bridge import ready

Answers = dict[str, str]
"""Exercise -> the text of its whole solution cell. An exercise that is missing was left as it came."""
PEOPLE = ("submitted", "autograded", "collected")
"""Folders of the course that hold one folder per student."""


@dataclass(frozen=True)
class Sample:
    """A made-up student: what they hand in for a chapter, and what it must earn."""

    student: str
    chapter: str
    answers: Answers
    expected: float


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter: its name, the reference answer and the points of its test."""

    name: str
    reference: str
    points: float


def exercises(chapter: str, layout: Layout) -> list[Exercise]:
    """The exercises of a chapter in order, from the built solution notebook."""
    references: Answers = {}
    points: dict[str, float] = {}
    for cell in read_notebook(layout.solution(chapter)).cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("solution"):
            references[about["grade_id"]] = cell.source
        elif about.get("grade"):
            points[about["grade_id"].removeprefix("test_")] = float(about["points"])
    return [Exercise(name, text, points[name]) for name, text in references.items()]


def sample_class(chapter: str, layout: Layout) -> list[Sample]:
    """About nine students, named by what they are, with answers from the chapter's catalogue."""
    exercise_list = exercises(chapter, layout)
    catalogue = mistakes.load(chapter, layout)
    reference = {e.name: e.reference for e in exercise_list}
    half = [e.name for e in exercise_list[: len(exercise_list) // 2]]

    def sample(student: str, answers: Answers, right: Container[str]) -> Sample:
        return Sample(
            student, chapter, answers, sum(e.points for e in exercise_list if e.name in right)
        )

    samples = [
        sample("right-reference", reference, reference),
        sample("right-otherwise", reference | _pick(catalogue, Right, 0), reference),
        sample("right-yet-otherwise", reference | _pick(catalogue, Right, -1), reference),
        sample("half-done", {name: reference[name] for name in half}, half),
        sample("blank", {}, []),
        sample(
            "wrong-throughout", wrong := _pick(catalogue, Wrong, 0), set(reference) - set(wrong)
        ),
    ]
    for entry in _one_wrong_each(exercise_list, catalogue):
        samples.append(
            sample(
                f"wrong-{entry.exercise}-{entry.name}".replace("_", "-"),
                reference | {entry.exercise: entry.code},
                set(reference) - {entry.exercise},
            )
        )
    return samples


def all_samples(layout: Layout, chapters: Sequence[str] | None = None) -> list[Sample]:
    """The sample classes of these chapters; default: of all that are built and have a catalogue."""
    wanted = [layout.find(c) for c in chapters] if chapters else built(layout)
    return [sample for chapter in wanted for sample in sample_class(chapter, layout)]


def hand_in(sample: Sample, layout: Layout, folder: Path) -> Path:
    """Write what the student hands in, a filled-in copy of the released chapter, as folder/NN.ipynb."""
    notebook = read_notebook(layout.chapter(sample.chapter))
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("solution") and about["grade_id"] in sample.answers:
            cell.source = sample.answers[about["grade_id"]].strip("\n")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{sample.chapter}.ipynb"
    nbformat.write(notebook, path)
    return path


def read_notebook(path: Path) -> NotebookNode:
    """A notebook that the build wrote. Raises CourseError if it is not there."""
    if not path.exists():
        raise CourseError(path, "the notebook is not built.", "Run `make notebooks` first.")
    return nbformat.read(path, as_version=4)


def _pick(catalogue: Sequence[Entry], kind: type[Right] | type[Wrong], position: int) -> Answers:
    """For each exercise, the code of its entry of this kind at this position."""
    found: dict[str, list[str]] = {}
    for entry in catalogue:
        if isinstance(entry, kind):
            found.setdefault(entry.exercise, []).append(entry.code)
    return {exercise: codes[position] for exercise, codes in found.items()}


def _one_wrong_each(exercise_list: Sequence[Exercise], catalogue: Sequence[Entry]) -> list[Wrong]:
    """One wrong answer per exercise: the second in the catalogue, so that it is not the common one.

    An exercise that a later reference answer calls is left out: its mistake would cost both.
    """
    chosen = []
    for exercise in exercise_list:
        others = (e.reference for e in exercise_list if e.name != exercise.name)
        if any(f"{exercise.name}(" in text for text in others):
            continue
        entries = list(mistakes.wrong(list(catalogue), exercise.name))
        chosen += entries[1:2] or entries[:1]
    return chosen


def compare(
    samples: Sequence[Sample], earned: dict[tuple[str, str], float | None]
) -> tuple[str, list[Sample]]:
    """A table of expected and earned points, and the samples for which they differ."""
    wide = max(len(s.student) for s in samples)
    lines = [f"{'student':<{wide}}  {'chapter':<12} {'expected':>8} {'earned':>8}"]
    differing = []
    for sample in samples:
        points = earned.get((sample.student, sample.chapter))
        agrees = points is not None and abs(points - sample.expected) < 1e-9
        if not agrees:
            differing.append(sample)
        shown = "none" if points is None else f"{points:g}"
        note = "" if agrees else "  differs"
        lines.append(
            f"{sample.student:<{wide}}  {sample.chapter:<12} {sample.expected:>8g} {shown:>8}{note}"
        )
    agreed = len(samples) - len(differing)
    lines.append(f"{agreed} of {len(samples)} submissions earned what was expected.")
    return "\n".join(lines), differing


def built(layout: Layout) -> list[str]:
    """The chapters that are built and have a catalogue. Raises CourseError if there is none."""
    names = [
        name
        for name in layout.names()
        if layout.solution(name).exists() and layout.catalogue(name).exists()
    ]
    if not names:
        raise CourseError(layout.solutions, "no chapter is built.", "Run `make notebooks` first.")
    return names


def make_room(layout: Layout, students: set[str]) -> None:
    """Remove an earlier sample class. Raises CourseError rather than touch anybody else's work."""
    ready(layout)
    found: set[str] = set()
    for step in PEOPLE:
        folder = layout.course / step
        found |= {p.name for p in folder.iterdir() if p.is_dir()} if folder.is_dir() else set()
    if unknown := sorted(found - students):
        raise CourseError(
            layout.course,
            f"this course holds the work of students who are not of the sample class "
            f"({', '.join(unknown[:3])}{', …' if len(unknown) > 3 else ''}).",
            "Run it in another checkout.",
        )
    for name in (*PEOPLE, "feedback", "originals", "exports", "verdicts", "regrades"):
        shutil.rmtree(layout.course / name, ignore_errors=True)
    for name in ("gradebook.db", "grades.csv", "verdicts.log"):
        (layout.course / name).unlink(missing_ok=True)
