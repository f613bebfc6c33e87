"""The verbs of ``python -m autograde``. Reads the command line and hands on; no logic."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograde.errors import CourseError, in_words

if TYPE_CHECKING:
    from autograde.grade.grade import Submitted, Summary
    from autograde.layout import Layout

Verb = Callable[[argparse.Namespace], int]


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; return the exit status: 0 well, 1 a fault that the message explains, 130 stopped by Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a console without ü shows \xfc and goes on
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        status = int(options.run(options) or 0)
        sys.stdout.flush()
        return status
    except CourseError as error:
        return told(error)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("stopped; the same command goes on where it stopped", file=sys.stderr)
        return 130
    except Exception as error:
        if (words := in_words(error)) is None:
            raise
        return told(words)


def told(error: CourseError) -> int:
    """Tell a person what to put right; the exit status."""
    print(f"error: {error}", file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m autograde", description="Build, check and grade the course."
    )
    verbs = top.add_subparsers(title="verbs", required=True, metavar="VERB")

    verb = verbs.add_parser("release", help="build the notebooks whose source changed")
    verb.add_argument(
        "chapters", nargs="*", metavar="CHAPTER", help="03_scores, or 3; default: all"
    )
    verb.add_argument("--force", action="store_true", help="build even what is current")
    verb.set_defaults(run=release)

    verb = verbs.add_parser(
        "drift", help="say which built notebooks do not match their source; runs nothing"
    )
    verb.set_defaults(run=drift)

    verb = verbs.add_parser("book", help="build the pages, warnings as errors")
    verb.add_argument("--force", action="store_true", help="build even if nothing changed")
    verb.add_argument(
        "--pyodide",
        type=Path,
        metavar="PATH",
        help="folder or archive of the official Pyodide release, for live notebooks without another host",
    )
    verb.set_defaults(run=book)

    verb = verbs.add_parser("demo", help="grade a made-up class the stock way, expected and earned")
    verb.add_argument("chapters", nargs="*", metavar="CHAPTER", help="default: the first one")
    verb.set_defaults(run=demo)

    verb = verbs.add_parser("sample", help="take a made-up class through the whole grading loop")
    verb.add_argument("chapters", nargs="*", metavar="CHAPTER", help="default: every chapter")
    verb.add_argument("--inbox", type=Path, metavar="FOLDER", help="only write what they hand in")
    how_to_grade(verb)
    verb.set_defaults(run=sample)

    verb = chapter_verb(verbs, "collect", collect, "normalise what learners handed in")
    verb.add_argument("inbox", type=Path, metavar="INBOX", help="a folder or a zip file")
    verb.add_argument(
        "--students",
        choices=["folders", "files", "lms"],
        default="",
        help="what names the students, where an inbox can be read in two ways",
    )

    verb = chapter_verb(verbs, "grade", grade, "grade what was collected, and record the marks")
    how_to_grade(verb)
    verb.add_argument(
        "--json", type=Path, metavar="FILE", help="write the verdicts there, one a line"
    )
    verb.add_argument("--no-record", action="store_true", help="leave the gradebook as it is")

    verb = chapter_verb(verbs, "feedback", feedback, "write a page for each learner")
    verb.add_argument("students", nargs="*", metavar="STUDENT", help="default: all")

    verb = chapter_verb(verbs, "export", export, "write the marks for a spreadsheet or an LMS")
    verb.add_argument("--format", metavar="FORM", default="csv", help="csv, canvas or moodle")

    verb = chapter_verb(verbs, "regrade", regrade, "grade again after a test was corrected")
    how_to_grade(verb)

    verb = verbs.add_parser(
        "verify", help="compare the marks in the gradebook with the log of verdicts"
    )
    verb.add_argument(
        "chapters", nargs="*", metavar="CHAPTER", help="default: all that were graded"
    )
    verb.add_argument(
        "--head", default="", help="the log's last hash, as an earlier run printed it"
    )
    verb.set_defaults(run=verify)
    return top


def chapter_verb(verbs: Any, name: str, run: Verb, about: str) -> argparse.ArgumentParser:
    """A verb whose first argument is a chapter."""
    verb: argparse.ArgumentParser = verbs.add_parser(
        name, help=about, description=f"{about[0].upper()}{about[1:]}."
    )
    verb.add_argument("chapter", metavar="CHAPTER", help="03_scores, or 3")
    verb.set_defaults(run=run)
    return verb


def how_to_grade(verb: argparse.ArgumentParser) -> None:
    """The options of the verbs that run learners' code."""
    verb.add_argument(
        "--workers", type=int, metavar="N", help="processes, at least 1; default: one a core"
    )
    verb.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:port")
    verb.add_argument(
        "--sandbox",
        choices=["bubblewrap", "rlimits"],
        default="bubblewrap",
        help="rlimits: limits without isolation, where bubblewrap cannot run (default: bubblewrap)",
    )


def release(options: argparse.Namespace) -> int:
    from autograde.build.release import build

    built = build(options.chapters, options.force)
    print("built: " + ", ".join(built) if built else "Every notebook is current.")
    return 0


def drift(options: argparse.Namespace) -> int:
    from autograde.build.release import drift as faults

    found = faults()
    print("\n".join(found) or "Every built notebook matches its source.")
    return 1 if found else 0


def book(options: argparse.Namespace) -> int:
    from autograde.build.pages import build_book

    first = build_book(force=options.force, pyodide=options.pyodide)
    print(f"open {first}, or run `make serve`")
    return 0


def demo(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.sample.nbgrader import demo as run

    return run(Layout(), options.chapters or None)


def sample(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.sample.loop import hand_in_all, run

    if options.inbox:
        print(hand_in_all(Layout(), options.inbox, options.chapters or None))
        return 0

    def grade_chapter(chapter: str, submissions: Iterable[Submitted], layout: Layout) -> None:
        print(graded(chapter, submissions, layout, options))

    return run(Layout(), grade_chapter, options.chapters or None)


def collect(options: argparse.Namespace) -> int:
    from autograde.collect.collect import collect_with_report, report
    from autograde.layout import Layout
    from autograde.settings import read_schedule

    layout = Layout()
    chapter = layout.find(options.chapter)
    done = collect_with_report(chapter, options.inbox, layout, options.students, print)
    print(report(done.submissions, done.others, read_schedule(layout)))
    return 0


def graded(
    chapter: str, submissions: Iterable[Submitted], layout: Layout, options: argparse.Namespace
) -> Summary:
    """Grade as the command line says."""
    from autograde.grade.grade import grade
    from autograde.settings import read_limits

    return grade(
        chapter,
        submissions,
        layout,
        workers=options.workers,
        scheduler=options.scheduler,
        sandbox=options.sandbox,
        limits=read_limits(layout),
        json_file=getattr(options, "json", None),
    )


def grade(options: argparse.Namespace) -> int:
    from autograde.build.current import require_current
    from autograde.collect.submissions import load
    from autograde.layout import Layout
    from autograde.records.record import record
    from autograde.verdict import State

    layout = Layout()
    chapter = layout.find(options.chapter)
    require_current(chapter, layout)
    submissions = load(chapter, layout)
    if not submissions:
        raise CourseError(
            layout.course / "collected",
            f"there is no work of {chapter} to grade.",
            f"Collect it first: python -m autograde collect {chapter} INBOX",
        )
    summary = graded(chapter, submissions, layout, options)
    print(summary)
    if not options.no_record:
        print(record(chapter, layout, summary.lines))
    return 1 if summary.states[State.INFRASTRUCTURE] else 0


def feedback(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.records.feedback import feedback as write

    layout = Layout()
    pages = write(layout.find(options.chapter), layout, options.students or None)
    print(f"{len(pages)} pages of feedback in {layout.course / 'feedback'}")
    return 0


def export(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.records.export import export as write
    from autograde.records.export import unmatched

    layout = Layout()
    chapter = layout.find(options.chapter)
    print(write(chapter, layout, options.format))
    if told := unmatched(chapter, layout, options.format):
        print(told, file=sys.stderr)
    return 0


def regrade(options: argparse.Namespace) -> int:
    from autograde.build.current import require_current
    from autograde.layout import Layout
    from autograde.records.regrade import regrade as again

    layout = Layout()
    chapter = layout.find(options.chapter)
    require_current(chapter, layout)
    print(again(chapter, layout, lambda them: print(graded(chapter, them, layout, options))))
    return 0


def verify(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.records.verify import verify as compare

    layout = Layout()
    chapters = [layout.find(chapter) for chapter in options.chapters] or None
    result = compare(layout, chapters, options.head)
    print(result)
    return 1 if result.faults else 0
