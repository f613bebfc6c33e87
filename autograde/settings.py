"""When work was due and when it came: the course's time zone, its deadlines, and the reading of time stamps.

Owns the one rule about time: a stamp that names no zone is read in the course's zone, which stands in
`autograde/course/nbgrader_config.py`. nbgrader's gradebook keeps UTC without a zone; `utc` makes that form.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograde.errors import CourseError
from autograde.layout import Layout

CONFIG = "nbgrader_config.py"


@dataclass(frozen=True)
class Schedule:
    """The time zone of a course and its deadlines: chapter -> the last moment that is on time."""

    zone: tzinfo
    deadlines: dict[str, datetime]

    def read(self, stamp: str) -> datetime:
        """The moment that a time stamp names, in the course's zone.

        Accepted: ISO 8601, such as ``2026-10-12 23:59`` or ``2026-10-12T23:59:07.5+02:00``, or the same and then the
        name of a zone, ``UTC``, ``Europe/Berlin``, or an abbreviation that the course's own zone has then, ``CEST``.
        Without a zone it is the course's; of an hour that comes twice, the first. Raises ValueError for anything else.
        """
        text = stamp.strip()
        if ":" not in text:
            raise ValueError(f"{text[:40]!r} is not a time stamp (it has no time of day)")
        with contextlib.suppress(ValueError):
            moment = datetime.fromisoformat(text.replace(" +", "+").replace(" -", "-"))
            if moment.tzinfo is None:
                return moment.replace(tzinfo=self.zone)
            return moment.astimezone(self.zone)
        date, _, name = text.rpartition(" ")
        try:
            return self._in_zone(datetime.fromisoformat(date), name)
        except ValueError as error:
            raise ValueError(f"{text[:40]!r} is not a time stamp ({error})") from error

    def _in_zone(self, moment: datetime, name: str) -> datetime:
        """The moment of a clock that stood in the zone called `name`.

        An abbreviation of the course's own zone, such as CEST, says which of two hours is meant when the clocks
        go back. Raises ValueError if there is no such zone.
        """
        seasons = [moment, moment.replace(month=1, day=1), moment.replace(month=7, day=1)]
        for season in (*seasons, moment.replace(fold=1)):
            own = season.replace(tzinfo=self.zone)
            if own.tzname() == name and (offset := own.utcoffset()) is not None:
                return moment.replace(tzinfo=timezone(offset)).astimezone(self.zone)
        try:
            return moment.replace(tzinfo=ZoneInfo(name)).astimezone(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"{name!r} is not a time zone") from error

    def deadline(self, chapter: str) -> datetime | None:
        """The last moment at which a chapter is on time; None if it has none."""
        return self.deadlines.get(chapter)


def utc(moment: datetime) -> datetime:
    """The moment in the form of nbgrader's gradebook: UTC, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def settings(layout: Layout) -> Config:
    """nbgrader's settings of the course. Raises CourseError if the file does not run."""
    folder = layout.course
    if not (folder / CONFIG).exists():
        folder = Layout().course
    try:
        return PyFileConfigLoader(CONFIG, path=str(folder)).load_config()
    except Exception as error:
        raise CourseError(
            folder / CONFIG, f"it does not run: {error!r}.", "Correct it; it is a Python file."
        ) from error


def read_schedule(layout: Layout) -> Schedule:
    """The schedule of the course, from nbgrader's settings.

    Raises CourseError for a zone that does not exist or a deadline that is not a time stamp.
    """
    config = settings(layout)
    where = layout.course / CONFIG
    name = config.Exchange.get("timezone", "UTC")
    try:
        schedule = Schedule(ZoneInfo(name), {})
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise CourseError(
            where, f"{name!r} is not a time zone.", 'Write TIME_ZONE = "Europe/Berlin", or yours.'
        ) from error
    for chapter, stamp in dict(config.Course.get("deadlines", {})).items():
        try:
            schedule.deadlines[chapter] = schedule.read(stamp)
        except ValueError as error:
            raise CourseError(
                where,
                f"the deadline of {chapter}: {error}.",
                'Write it as "2026-10-12 23:59", in the time zone of the course.',
            ) from error
    return schedule


# ------------------------------------------------------------------------ limits
NOBODY = 65534


@dataclass(frozen=True)
class Limits:
    """How much one submission may use; the one place where this is set.

    Attributes
    ----------
    memory: bytes of address space of each process.
    processes: processes and threads at one time.
    disk: bytes of the temporary folder, the only place that can be written.
    question_seconds: wall time of one question, and of one of the student's own cells.
    submission_seconds: wall time of a whole submission; also its CPU time.
    output: characters that one cell or one call may print.
    message: bytes of one value that a function returns.
    callbacks: calls that one question may make of a function it was handed.
    callback_items: numbers in the arguments of one such call.
    user: user id that student code runs as when the grader runs as root.
    """

    memory: int = 1 << 30
    processes: int = 16
    disk: int = 64 << 20
    question_seconds: float = 5.0
    submission_seconds: float = 60.0
    output: int = 1 << 20
    message: int = 16 << 20
    callbacks: int = 10_000
    callback_items: int = 4096
    user: int = NOBODY


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
