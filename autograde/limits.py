"""The limits of a course: the defaults of `Limits`, with what the course's settings file changes."""

from __future__ import annotations

from dataclasses import fields, replace

from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.sandbox import Limits
from autograde.schedule import CONFIG, settings


def read_limits(layout: Layout) -> Limits:
    """The limits that `c.Limits.… = …` in the course's nbgrader_config.py sets; the rest are the defaults.

    Raises CourseError for a limit that does not exist or a value that is not a positive number.
    """
    wanted = dict(settings(layout).get("Limits", {}))
    known = {field.name: type(getattr(Limits(), field.name)) for field in fields(Limits)}
    where = layout.course / CONFIG
    for name, value in wanted.items():
        if name not in known:
            raise CourseError(
                where, f"there is no limit {name!r}.", f"Name one of {', '.join(known)}."
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise CourseError(
                where, f"the limit {name} is {value!r}.", "Give it a number larger than 0."
            )
        wanted[name] = known[name](value)
    return replace(Limits(), **wanted)
