"""Who is in the class: `autograde/course/roster.csv`, if there is one.

Owns the reading of a table that a person or an LMS wrote, and the rule by which what an inbox says of a student
is one person on it. Never writes to it.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import CourseError
from autograde.layout import Layout

COLUMNS = {
    "id": {"id", "student", "studentid", "userid", "login", "username"},
    "name": {"name", "fullname", "studentname"},
    "first": {"firstname", "givenname"},
    "last": {"lastname", "surname", "familyname"},
    "mail": {"email", "mail", "emailaddress"},
}
"""What is read from a roster -> how its column may be called, without capitals, blanks and signs."""
HOW = "Its first line names the columns: id, and if you like name, e-mail, canvas id, moodle id, …"


@dataclass(frozen=True)
class Person:
    """Somebody on the roster; `keys` is everything that an inbox may call them."""

    id: str
    name: str
    keys: frozenset[str]


def read_roster(layout: Layout) -> list[Person]:
    """The class, in the order of the file; empty if there is none. Raises CourseError for a broken one."""
    path = layout.course / "roster.csv"
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(path, "it is not UTF-8.", "Save it as “CSV UTF-8”.") from error
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    sign = max(",;\t", key=lines[0].count)
    head, *rows = csv.reader((line for line in lines), delimiter=sign)
    names = [re.sub(r"[\W_]", "", column.casefold()) for column in head]
    places = {what: [n for n, c in enumerate(names) if c in of] for what, of in COLUMNS.items()}
    if not places["id"]:
        raise CourseError(path, f"it has no column “id” ({', '.join(head)[:80]}).", HOW)
    people = []
    for number, row in enumerate(rows, 2):
        if any(cell.strip() for cell in row):
            cells = [cell.strip() for cell in row] + [""] * (len(head) - len(row))
            people.append(_person(cells, places, path, number))
    twice = [id for id, times in Counter(p.id for p in people).items() if times > 1]
    if twice or not people:
        what = f"the id {twice[0]} stands there twice." if twice else "nobody stands on it."
        raise CourseError(path, what, "Give each student one line with an id of its own.")
    return people


def _person(cells: list[str], places: dict[str, list[int]], path: Path, number: int) -> Person:
    def cell(what: str) -> str:
        return next((cells[n] for n in places[what] if cells[n]), "")

    if not cell("id"):
        raise CourseError(f"{path}, line {number}", "the id is missing.", "Fill it in.")
    name = cell("name") or f"{cell('first')} {cell('last')}".strip()
    words = name.replace(",", " ").split()
    turns = [words, words[1:] + words[:1], words[-1:] + words[:-1]]  # Lovelace, Ada; lovelaceada
    apart = {n for what in ("name", "first", "last") for n in places[what]}
    said = [c for n, c in enumerate(cells) if n not in apart] + ["".join(turn) for turn in turns]
    said += [c.partition("@")[0] for c in cells if "@" in c]
    return Person(cell("id"), name, frozenset(map(squashed, said)) - {""})


def squashed(text: str) -> str:
    """What is left of a name or an id when spelling does not count."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", text).casefold())


def find(people: list[Person], said: Iterable[str]) -> Person | None:
    """The one person whom one of these names or ids can mean; None if it is nobody, or several."""
    keys = set(map(squashed, said)) - {""}
    found = [person for person in people if person.keys & keys]
    return found[0] if len(found) == 1 else None
