"""Whether the built notebooks of a chapter are current: asked by every run of the grader, so it has to be cheap.

Keeps in the course's cache what the files looked like when they were last compared. Where none has changed since,
nothing is read, and neither Jupytext nor nbformat is imported.
"""

from __future__ import annotations

from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import ROOT, Layout


def require_current(name: str, layout: Layout) -> None:
    """Raise CourseError if a chapter's built notebooks do not match its source: old tests would be used."""
    stamp = layout.course / "cache" / f"{name}-current"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == seen(name, layout):
        return
    from autograde.build.release import state
    from autograde.build.source import read_all

    if fault := state(name, read_all(layout), layout):
        where, what = fault.split(": ", 1)
        raise CourseError(
            where, what.split(";")[0] + ".", "Run make notebooks, then the same command again."
        )
    write_whole(stamp, seen(name, layout))


def seen(name: str, layout: Layout) -> str:
    """Size and time of every file that a chapter is built from, of what was built, and of the builder."""
    paths = [layout.solution(name), layout.chapter(name), *layout.solutions.glob("*.md")]
    paths += [*layout.mistakes.glob("*.py"), *ROOT.glob("autograde/cells/*")]
    paths += ROOT.glob("autograde/build/*.py")
    looks = [(str(p), p.stat()) for p in sorted(paths) if p.exists()]
    return "\n".join(f"{path} {look.st_size} {look.st_mtime_ns}" for path, look in looks)
