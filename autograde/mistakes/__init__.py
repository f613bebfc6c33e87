"""The catalogue: for each exercise, wrong answers with the sentence that names them, and other right answers.

Owns the form of an entry and the loading of a chapter's list; the entries stand in ``NN_name.py`` beside this
file. Nothing here runs an answer.
"""

from __future__ import annotations

import runpy
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autograde.errors import CourseError
from autograde.layout import Layout


@dataclass(frozen=True)
class Wrong:
    """A wrong answer.

    Parameters
    ----------
    exercise: the grade id, which is also the function's name.
    name: a short name of the mistake, unique in its exercise.
    sentence: what the learner is told: what they did, and what it should be.
    code: the text of the learner's whole solution cell.
    unnamed: True if only a hidden test can see it; that test's label then names it.
    """

    exercise: str
    name: str
    sentence: str
    code: str
    unnamed: bool = False


@dataclass(frozen=True)
class Right:
    """A right answer written in another way than the reference."""

    exercise: str
    name: str
    code: str


Entry = Wrong | Right


def variant(text: str, *swaps: tuple[str, str]) -> str:
    """`text` with each old piece replaced by the new one; every old piece must be there."""
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return text


class Catalogue(list[Entry]):
    """A chapter's entries, most of them variants of one right answer.

    unnamed: names of mistakes that show themselves by exceptions alone: the check tells the exception.
    """

    def __init__(self, unnamed: Collection[str] = ()) -> None:
        super().__init__()
        self.unnamed = unnamed

    def wrong(
        self,
        exercise: str,
        name: str,
        sentence: str,
        text: str,
        *swaps: tuple[str, str],
        unnamed: bool = False,
    ) -> None:
        """Add a wrong answer: `text` with some pieces replaced."""
        code = variant(text, *swaps)
        self.append(Wrong(exercise, name, sentence, code, unnamed or name in self.unnamed))

    def right(self, exercise: str, name: str, text: str, *swaps: tuple[str, str]) -> None:
        """Add a right answer: `text` with some pieces replaced."""
        self.append(Right(exercise, name, variant(text, *swaps)))


def load(chapter: str, layout: Layout | None = None) -> list[Entry]:
    """The catalogue of a chapter.

    Raises CourseError if the file is missing, does not define CATALOGUE, or names an answer twice.
    """
    path = (layout or Layout()).catalogue(chapter)
    if not path.exists():
        raise CourseError(path, "the chapter has no catalogue.", "Write it: see guide/author.md.")
    entries = runpy.run_path(str(path)).get("CATALOGUE")
    if not isinstance(entries, list) or not all(isinstance(e, Entry) for e in entries):
        raise CourseError(
            path,
            "CATALOGUE must be a list of Wrong(...) and Right(...).",
            "See autograde/mistakes/03_scores.py for the form.",
        )
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        if (entry.exercise, entry.name) in seen:
            raise CourseError(
                path, f"two answers of {entry.exercise} are called {entry.name!r}.", "Rename one."
            )
        seen.add((entry.exercise, entry.name))
    return entries


def wrong(entries: list[Entry], exercise: str) -> Iterator[Wrong]:
    """The wrong answers of one exercise."""
    return (e for e in entries if isinstance(e, Wrong) and e.exercise == exercise)
