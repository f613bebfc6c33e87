"""Where everything lies. Owns the names of files and folders; never reads or writes one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import CourseError

ROOT = Path(__file__).resolve().parent.parent
CHAPTER_NAME = re.compile(r"\d\dp?_[a-z0-9_]+")
"""03_scores, or 08p_adder for the project that follows chapter 8."""


@dataclass(frozen=True)
class Layout:
    """The folders of a checkout of the course, from its root."""

    root: Path = ROOT

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def chapters(self) -> Path:
        return self.root / "chapters"

    @property
    def mistakes(self) -> Path:
        return self.root / "autograde" / "mistakes"

    @property
    def course(self) -> Path:
        return self.root / "autograde" / "course"

    def source(self, name: str) -> Path:
        """The hand-written text of a chapter."""
        return self.solutions / f"{name}.md"

    def solution(self, name: str) -> Path:
        """The built notebook with the reference solutions."""
        return self.solutions / f"{name}.ipynb"

    def chapter(self, name: str) -> Path:
        """The built notebook that learners open."""
        return self.chapters / f"{name}.ipynb"

    def catalogue(self, name: str) -> Path:
        """The wrong and right answers of a chapter."""
        return self.mistakes / f"{name}.py"

    def names(self) -> list[str]:
        """The chapters that have a source, in order."""
        return sorted(p.stem for p in self.solutions.glob("*.md") if CHAPTER_NAME.fullmatch(p.stem))

    def find(self, wanted: str) -> str:
        """The chapter that `wanted` names: its full name, or the number alone.

        Raises CourseError if there is none.
        """
        names = self.names()
        for name in names:
            number = name.partition("_")[0]
            if wanted in (name, number, number.lstrip("0")):
                return name
        raise CourseError(
            self.solutions,
            f"there is no chapter called {wanted!r}.",
            f"Name one of: {', '.join(names) or '(no chapter yet)'}.",
        )


def number_of(name: str) -> str:
    """What a chapter's headings and equations begin with: 3 for 03_scores, P for a project."""
    number = name.partition("_")[0]
    return "P" if number.endswith("p") else str(int(number))
