"""The verbs of ``python -m autograde``. Reads the command line and hands on; no logic."""

from __future__ import annotations

import argparse
import sys

from autograde.errors import CourseError


def main(arguments: list[str] | None = None) -> int:
    """Run one verb; return the exit status (0 well, 1 a fault that the message explains)."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except CourseError as error:
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
    verb.set_defaults(run=book)

    verb = verbs.add_parser("demo", help="grade a made-up class the stock way, expected and earned")
    verb.add_argument("chapters", nargs="*", metavar="CHAPTER", help="default: every chapter")
    verb.set_defaults(run=demo)
    return top


def release(options: argparse.Namespace) -> int:
    from autograde.release import build

    built = build(options.chapters, options.force)
    print("built: " + ", ".join(built) if built else "Every notebook is current.")
    return 0


def drift(options: argparse.Namespace) -> int:
    from autograde.release import drift as faults

    found = faults()
    print("\n".join(found) or "Every built notebook matches its source.")
    return 1 if found else 0


def book(options: argparse.Namespace) -> int:
    from autograde.book import build_book

    first = build_book(force=options.force)
    print(f"open {first}, or run `make serve`")
    return 0


def demo(options: argparse.Namespace) -> int:
    from autograde.layout import Layout
    from autograde.stock import demo as run

    return run(Layout(), options.chapters or None)
