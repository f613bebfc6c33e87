"""Whose is it: how an inbox names its students.

An inbox can be *read* in several ways: by the names an LMS gave, by folders, by the names of files. Each reading
says of each file whose it is, or that it is nobody's. A reading is taken only if it says everything that another
could say; where two are possible, nothing is guessed: a person is asked. Owns the forms in which Canvas, Moodle,
Gradescope, GitHub Classroom, drives and nbgrader hand work over, and the spelling of a name that nbgrader can
carry. Opens nothing but the list that Gradescope adds to its downloads.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograde.collect.inbox import EMPTY, File, RefusedError, is_notebook, printable
from autograde.collect.roster import Person, find
from autograde.collect.submissions import Submission
from autograde.errors import CourseError
from autograde.layout import CHAPTER_NAME

AROUND = re.compile(
    r"submissions?|submitted|inbox|class|assignment_\d+_export|.+[-_ ]submissions"
    r"|(?P<drive>.+)-\d{8}T\d{6}Z(-\d+)*",
    re.I,
)
"""What LMSs, GitHub Classroom and drives call the folder or zip around a class."""
CANVAS = re.compile(
    r"(?:(?P<name>(?:(?!_\d+_)[^\WA-Z])+?)_(?:(?i:LATE)_)?(?P<number>\d+)"
    r"|(?:LATE_)?anon_(?P<code>[A-Za-z0-9]{5}))_(?:(?P<file>\d+)_.+|(?:text|link)\.html)"
)
"""lib/content_zipper.rb of Canvas: name in small letters, LATE, number of the user, of the file, name of the file."""
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_.*)?")
"""mod/assign of Moodle: full name without `_`, number of the participant in this assignment, kind of work."""
BLACKBOARD = re.compile(r".+_(?P<name>[^_]+)_attempt_\d{4}(-\d\d){5}(_.+|\.txt)")
"""Name of the assignment, login, time, name of the file."""
GRADESCOPE = re.compile(r"submission_\d+")
MARK = re.compile(
    r"^Copy of | ?\(\d{1,3}\)$|-Copy\d+$|-checkpoint$| - Copy( \(\d+\))?$| copy( \d+)?$"
)
"""How drives, browsers, Jupyter, Windows and macOS mark a copy."""
MAX_ID = 100
"""Bytes of a name that its id keeps; a folder's name may have 255."""
SHOWN = 6
"""Lines of a reading that a question shows."""


@dataclass(frozen=True)
class Who:
    """A student, as the inbox names them.

    Attributes
    ----------
    lms: ``canvas``, ``moodle``, ``gradescope`` or ``folder``.
    number: the number the LMS gives them, for the way back; empty if there is none.
    is_code: the LMS hides who it is; what stands for the student is no login and no name.
    rule, sure: by which rule they are named, and how sure that is.
    """

    name: str
    lms: str = "folder"
    number: str = ""
    mail: str = ""
    is_code: bool = False
    rule: str = field(default="", compare=False)
    sure: str = field(default="sure", compare=False)


@dataclass(frozen=True)
class HandedIn:
    """Everything one student handed in, oldest first; files of unknown time come before the others.

    `id` is the student in the gradebook; `top` the folder or file by which they are named.
    """

    id: str
    who: Who
    files: tuple[File, ...]
    notes: tuple[str, ...] = ()
    top: str = ""


Owners = list[tuple[Who, ...]]
"""For each file, in order, whose it is; empty for nobody's."""


@dataclass(frozen=True)
class Understood:
    """What an inbox holds: who handed in what, what is nobody's, who of the roster is missing.

    `trusted` says that nbgrader's own collector wrote it, so that its timestamp.txt count.
    """

    hands: list[HandedIn]
    nobody: list[File]
    missing: list[Person]
    extra: list[str]
    trusted: bool

    def table(self) -> str:
        """One line for each student: who, from which file, by which rule, how sure."""
        lines = [f"missing: {p.id}  {p.name}" for p in self.missing]
        lines += [f"not on the roster: {id}" for id in self.extra]
        rows = [("student", "from", "by", "how sure")]
        for hand in self.hands:
            work = [f for f in hand.files if _is_work(f)] or hand.files
            more = f" (+{len(work) - 1})" if len(work) > 1 else ""
            rows.append((hand.id, work[-1].where + more, hand.who.rule, hand.who.sure))
        return "\n".join([*map(printable, lines), *in_columns(rows)])


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as lines of text, no cell wider than 60 characters."""
    short = [[c if len(c) <= 60 else f"{c[:28]} … {c[-29:]}" for c in row] for row in rows]
    wide = [max(map(len, column)) for column in zip(*short, strict=True)]
    return [
        printable("  ".join(f"{c:{w}}" for c, w in zip(row, wide, strict=True)).rstrip())
        for row in short
    ]


def understand(
    files: list[File],
    chapter: str,
    inbox: Path,
    people: list[Person],
    known: Iterable[Submission] = (),
    wanted: str = "",
) -> Understood:
    """Find out whose each file is.

    `wanted`: how to read the inbox, if a person has said so: ``folders``, ``files`` or ``lms``.
    Raises CourseError, with the readings side by side, where two are possible.
    """
    files, opened = _opened(files, chapter, inbox)
    trusted = "submitted" in (inbox.name, *opened)
    files, astray = _of_this_chapter(files, chapter, chapter in opened)
    files, lms = _by_lms(files)
    folders, names = _by_folder(files, chapter), _by_file(files, chapter)
    readings = {"lms": lms, "folders": folders, "files": names}
    owners = readings[wanted or _only_reading(readings, files, chapter, inbox, people)]
    hands = _told_apart(_sorted(files, owners), people, list(known))
    tops = {hand.top for hand in hands}
    nobody = [f for f, mine in zip(files, owners, strict=True) if not mine]
    nobody += [f for f in astray if f.parts[0] not in tops]
    if not hands and any(f.is_notebook for f in files):
        raise CourseError(
            inbox,
            f"no file or folder in it says whose it is; the first is {files[0].where}.",
            "Put each student's files in a folder of their name.",
        )
    here = {hand.id for hand in hands}
    missing = [p for p in people if clean_id(p.id) not in here]
    on_it = {clean_id(p.id) for p in people}
    extra = [h.id for h in hands if people and h.id not in on_it]
    return Understood(hands, nobody, missing, extra, trusted)


# ------------------------------------------------------------------------ what is around the class
def _opened(files: list[File], chapter: str, inbox: Path) -> tuple[list[File], set[str]]:
    """Take away the folders and zips around the class that are known as such, and name them."""
    gone: set[str] = set()
    own = {inbox.name, _unmarked(inbox.stem, chapter)}
    for _ in range(4):
        own |= {m["drive"] for name in (*gone, inbox.stem) if (m := AROUND.fullmatch(name))}
        below = defaultdict(list)
        for file in files:
            if len(file.parts) > 1:
                below[file.parts[0]].append(file.parts[1:])
        around = {top for top, inner in below.items() if _is_around(top, inner, chapter, own)}
        if not around and all(map(_is_of_lms, below.values())):
            around = set(below)
        if not around:
            break
        gone |= around
        files = [
            replace(f, parts=f.parts[1:], time=f.inside or f.time) if f.parts[0] in around else f
            for f in files
        ]
        files = [f for f in files if f.parts != ("",) or f.refused != EMPTY]
    return files, gone


def _is_of_lms(inner: list[tuple[str, ...]]) -> bool:
    return sum(bool(_lms_who(p) or GRADESCOPE.fullmatch(p[0])) for p in inner) * 2 > len(inner)


def _is_around(top: str, inner: list[tuple[str, ...]], chapter: str, own: set[str]) -> bool:
    """Whether a folder is called as what is around a class, and something in it is called otherwise."""
    name = _unmarked(top, chapter)
    if not (AROUND.fullmatch(name) or {top, name} & (own | {""})):
        return False
    said = [part for p in inner if is_notebook(p[-1]) or not p[-1] for part in p if part]
    return any(_unmarked(_stem(part), chapter) for part in said) or _is_of_lms(inner)


def _of_this_chapter(
    files: list[File], chapter: str, chapters: bool
) -> tuple[list[File], list[File]]:
    """Leave out what lies in another chapter's folder, as in nbgrader's ``<student>/<chapter>/``.

    `chapters` says that a folder for each chapter lies at the top. The second list holds a file, refused, for
    each folder that was left out.
    """

    def other(parts: tuple[str, ...]) -> bool:
        folders = parts[not chapters : 2][: len(parts) - 1]
        return any(CHAPTER_NAME.fullmatch(name) and name != chapter for name in folders)

    first = {f.parts[:2]: f for f in reversed(files) if other(f.parts)}
    why = f"it lies in the folder of another chapter, and there is nothing of {chapter}"
    left_out = [replace(f, refused=why) for _, f in sorted(first.items()) if f.parts[-1]]
    return [f for f in files if not other(f.parts)], left_out


# ------------------------------------------------------------------------ readings
def _lms_who(parts: tuple[str, ...]) -> Who | None:
    """Whose a file is, by the name that Canvas, Moodle or Blackboard gave it or its folder."""
    if m := MOODLE.fullmatch(parts[0]):
        return Who(m["name"], "moodle", m["number"], rule="Moodle's name")
    if m := BLACKBOARD.fullmatch(parts[0]):
        return Who(m["name"], "blackboard", rule="Blackboard's name")
    if (m := CANVAS.fullmatch(parts[0])) is None or (len(parts) > 1 and m["file"] is None):
        return None
    if m["code"]:
        rule = "Canvas's code, names are hidden"
        return Who(m["code"], "canvas", m["code"], is_code=True, rule=rule)
    return Who(m["name"], "canvas", m["number"], rule="Canvas's name")


def _by_lms(files: list[File]) -> tuple[list[File], Owners]:
    """The reading by names that an LMS gave; the files with the times that it tells."""
    listed = [f for f in files if f.parts == ("submission_metadata.yml",)]
    if listed and any(GRADESCOPE.fullmatch(f.parts[0]) for f in files):
        return _by_gradescope(files, _gradescope_list(listed[0]))
    owners: Owners = []
    for file in files:
        who = _lms_who(file.parts)
        if who is None and len(file.parts) > 1 and GRADESCOPE.fullmatch(file.parts[0]):
            rule = "Gradescope's number, its submission_metadata.yml is missing"
            who = Who(file.parts[0], "gradescope", is_code=True, rule=rule, sure="not sure")
        owners.append((who,) if who else ())
    found = {(who, f.parts[0]) for f, mine in zip(files, owners, strict=True) for who in mine}
    canvas = {who for who, _ in found if who.lms == "canvas"}
    uploads = [m["file"] for who, top in found if (m := CANVAS.fullmatch(top)) and m["file"]]
    if len({w.number for w in canvas}) < len(canvas) or len(set(uploads)) < len(uploads):
        return files, [()] * len(files)  # Canvas numbers each person and each file once
    words = {who.name for who, _ in found if who.lms == "moodle"}
    hidden = words == {"Participant"} or (len(words) == 1 and len(canvas) == 0 and len(found) > 2)
    if hidden:
        rule = "Moodle's code, names are hidden"
        code = [tuple(replace(w, name=f"{w.name} {w.number}", is_code=True, rule=rule) for w in o) for o in owners]  # fmt: skip
        return files, code
    return files, owners


def _gradescope_list(file: File) -> dict[str, Any]:
    import yaml  # only for Gradescope

    try:
        found = yaml.load(file.read(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return {k: v for k, v in found.items() if isinstance(v, dict)}
    except (RefusedError, yaml.YAMLError, AttributeError, ValueError, RecursionError) as error:
        raise CourseError(
            file.where, f"the list of Gradescope cannot be read ({error}).", "Export it again."
        ) from error


def _by_gradescope(files: list[File], listed: dict[str, Any]) -> tuple[list[File], Owners]:
    """By the list in Gradescope's download; what a group handed in is each member's."""
    timed, owners = [], []
    for file in files:
        about = listed.get(file.parts[0], {})
        people = about.get(":submitters") or []
        said = [
            [str(p.get(key) or "") for key in (":name", ":sid", ":email")]
            for p in people
            if isinstance(p, dict)
        ]
        owners.append(
            tuple(
                Who(name or mail or sid, "gradescope", sid, mail, rule="Gradescope's list")
                for name, sid, mail in said
                if name or mail or sid
            )
        )
        if file.parts[0] in listed and not owners[-1]:
            owners[-1] = (Who(file.parts[0], "gradescope", is_code=True, sure="not sure"),)
        when = about.get(":created_at")
        aware = isinstance(when, datetime) and (when if when.tzinfo else when.replace(tzinfo=UTC))
        timed.append(replace(file, time=aware) if aware else file)
    return timed, owners


def _by_folder(files: list[File], chapter: str) -> Owners:
    """Each folder or zip at the top is a student."""
    tops = [f.parts[0] for f in files if len(f.parts) > 1]
    names = _names(tops, chapter)
    return [
        (replace(names[f.parts[0]], rule="folder" + names[f.parts[0]].rule),)
        if len(f.parts) > 1 and names[f.parts[0]].name
        else ()
        for f in files
    ]


def _by_file(files: list[File], chapter: str) -> Owners:
    """The student is the name of the notebook or zip; if that says nothing, the nearest folder whose name does."""

    loose = any(len(f.parts) == 1 and f.is_notebook for f in files)

    def own(file: File) -> str:
        *folders, name = file.parts
        tries = [_stem(name), *reversed(folders)] if _is_work(file) else []
        tries = folders[:1] if loose and file.is_in_upload else tries
        return next((t for t in tries if _unmarked(t, chapter)), "")

    said = [own(f) for f in files]
    names = _names(said, chapter)
    return [
        (replace(names[s], rule="file name" + names[s].rule),) if s and names[s].name else ()
        for s in said
    ]


def _is_work(file: File) -> bool:
    """Whether a file may be what a student was asked for: a notebook, or a folder in which none can be found."""
    return file.is_notebook or not file.parts[-1]


def _stem(name: str) -> str:
    return re.sub(r"(\.(ipynb|zip|json|txt|html?))+$", "", name, flags=re.I)


def _chapter_in(chapter: str) -> str:
    number, *words = chapter.split("_")
    said = r"[\W_]*".join([rf"0*{int(number)}", *map(re.escape, words)])
    return rf"(?<![^\W_])(?:Copy of )?(?:chapters?[\W_]*)?{said}(?![^\W_])"


def _named(text: str, chapter: str, after: str = "") -> str:
    """A name without the chapter's."""
    bare = re.sub(_chapter_in(chapter) + after, " ", text, flags=re.I)
    return text if bare == text else bare.strip(" _-–.,") and " ".join(bare.split()).strip(" _-–.,")


def _unmarked(text: str, chapter: str) -> str:
    """A name without the chapter's and without marks of a copy; what Canvas adds stands behind the chapter's."""
    name = text
    while (shorter := MARK.sub("", name)) != name:
        name = shorter
    name = _named(name, chapter, after=r"(?:-\d{1,2}(?!\d))?")
    while (shorter := MARK.sub("", name)) != name:
        name = shorter
    return name if name == text else name.strip(" _-–.,")


def _names(said: Iterable[str], chapter: str) -> dict[str, Who]:
    """What names of files or folders say of their students.

    A mark is one of a copy if nobody else would become the same by it, or if the unmarked one is there too and
    marks are the exception. Otherwise each keeps its own name.
    """
    texts = dict.fromkeys(said)
    same: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        same[_unmarked(text, chapter)].append(text)
    marked = sum(_named(t, chapter) != _unmarked(t, chapter) for t in texts)
    found = {}
    for name, group in same.items():
        alone = len(group) == 1
        original = name in (_named(t, chapter) for t in group) and marked * 2 <= len(texts) + 1
        for text in group:
            own = _named(text, chapter)
            if alone or original or not name:
                rule = "" if own == name else ", its mark of a copy left out"
                found[text] = Who(name, rule=rule, sure="likely")
            else:
                found[text] = Who(own, rule=", a copy or another?", sure="not sure")
    if len({w.name for w in found.values() if w.name}) < len({n for n in same if n}):
        return {t: Who(t, sure="likely") for t in texts}
    return found


# ------------------------------------------------------------------------ one reading
def _only_reading(
    readings: dict[str, Owners],
    files: list[File],
    chapter: str,
    inbox: Path,
    people: list[Person],
) -> str:
    """The name of the only reading that is possible. Raises CourseError with the question where there are two."""
    work = [n for n, f in enumerate(files) if _is_work(f)] or range(len(files))
    said = {name: {n for n in work if owners[n]} for name, owners in readings.items()}
    plain = _plain_readings(files, chapter, said["files"])
    if said["lms"] and said["lms"] >= set().union(*(said[name] for name in plain)):
        return "lms"
    rivals = [*(["lms"] if said["lms"] else []), *plain]
    hits = {
        name: len(
            {p.id for n in said[name] for w in readings[name][n] if (p := _person(w, people))}
        )
        for name in rivals
    }
    best = max(rivals, key=lambda name: hits[name])
    if len(rivals) == 1 or all(hits[best] > 2 * hits[r] for r in rivals if r != best):
        return best
    raise CourseError(inbox, *_question(rivals, readings, files, inbox))


def _plain_readings(files: list[File], chapter: str, named: set[int]) -> list[str]:
    """Which of folders and files can be the students, if no LMS says it."""
    loose = any(len(files[n].parts) == 1 for n in named)
    inner: dict[str, set[str]] = defaultdict(set)
    for file in files:
        if len(file.parts) > 1 and _is_work(file) and not (loose and file.is_in_upload):
            below = file.parts[1] if len(file.parts) > 2 else _stem(file.parts[1])
            inner[file.parts[0]] |= {_unmarked(below, chapter)} - {""}
    if not inner:
        return ["files"] if loose else ["folders"]
    often = Counter(name for names in inner.values() for name in names)
    own = [{n for n in names if often[n] == 1} for names in inner.values()]
    wraps = sum(len(names) > (len(inner) > 1) for names in own) * 2 > len(inner)
    return ["folders", "files"] if loose or wraps else ["folders"]


def _question(
    rivals: list[str], readings: dict[str, Owners], files: list[File], inbox: Path
) -> tuple[str, str]:
    """What is not clear, with the readings side by side; and what to type."""
    lines = [f"it can be read in {len(rivals)} ways, and nothing says which is right."]
    for name in rivals:
        firsts: dict[str, str] = {}
        for file, mine in zip(files, readings[name], strict=True):
            for who in mine:
                firsts.setdefault(who.name, file.where)
        left = [
            f.where for f, m in zip(files, readings[name], strict=True) if not m and f.is_notebook
        ]
        lines.append(f"--students {name}: students {len(firsts)}, notebooks of nobody {len(left)}")
        rows = [*firsts.items(), *(("(nobody)", path) for path in left)]
        lines += [f"    {line}" for line in in_columns(rows[:SHOWN])]
        lines += ["    …"] * (len(rows) > SHOWN)
    deep = sorted({f.parts[0] for f in files if len(f.parts) > 2})
    further = f"; or name the folder that holds the class: {inbox / deep[0]}" if deep else ""
    return "\n  ".join(lines), f"Say which: --students {' or '.join(rivals)}{further}."


def _sorted(files: list[File], owners: Owners) -> list[HandedIn]:
    """Each student's files, oldest first."""
    mine: dict[Who, list[File]] = {}
    for file, whose in zip(files, owners, strict=True):
        for who in whose:
            mine.setdefault(who, []).append(file)
    hands = []
    for who, work in mine.items():
        notes = []
        real = [f for f in work if not f.is_hollow] or work
        if any(re.search(r"(^|_)LATE_", f.parts[0]) for f in work if who.lms == "canvas"):
            notes.append("Canvas marks it as late")
        ways = sorted({printable("/".join(f.path[: len(f.path) - len(f.parts) + 1])) for f in real})
        if len(ways) > 1 and who.lms == "folder":
            notes.append(f"came as {' and as '.join(ways[:SHOWN])}; taken for one student")
        hands.append(
            HandedIn("", who, tuple(sorted(real, key=_age)), tuple(notes), work[0].parts[0])
        )
    return hands


def _age(file: File) -> tuple[bool, datetime, list[int], tuple[str, ...]]:
    """Order of attempts: by time; then by the numbers in the name, ``(2)`` before ``(10)``."""
    time = file.time or datetime.min.replace(tzinfo=UTC)
    numbers = [int(n) for n in re.findall(r"\d{1,18}", file.parts[-1])]
    return (file.time is not None, time, numbers, file.parts)


# ------------------------------------------------------------------------ ids
def _person(who: Who, people: list[Person]) -> Person | None:
    if who.is_code:
        return None
    numbered = who.lms in ("canvas", "gradescope")  # Moodle's number is of one assignment
    return find(people, [who.name, who.mail, who.number if numbered else ""])


def _told_apart(
    hands: list[HandedIn], people: list[Person], known: list[Submission]
) -> list[HandedIn]:
    """Give each student an id: that of the roster, of an earlier collection, or what the inbox says.

    Two who are named alike get ids of their own, and nobody gets that of another who was collected before.
    """
    found = [_person(hand.who, people) for hand in hands]
    claims = Counter(p.id for p in found if p)
    wishes = [_wish(hand.who) for hand in hands]
    before = {(s.lms, s.name, s.number): s.student for s in known if s.number}
    taken = {s.student: s for s in known}
    alike = Counter(clean_id(wish).casefold() for wish in wishes)
    alike.update(clean_id(p.id).casefold() for p in found if p)
    result = []
    for hand, person, wish in zip(hands, found, wishes, strict=True):
        who, notes, id = hand.who, list(hand.notes), clean_id(wish)
        other = taken.get(id)
        again = before.get((who.lms, who.name, who.number))
        if person and claims[person.id] == 1:
            id = clean_id(person.id)
            rule = f"{who.rule}, on the roster"
            who = replace(who, name=person.name or who.name, rule=rule, sure="sure")
        elif again is not None:
            id = again
        elif alike[id.casefold()] > 1 or (
            other and other.lms == who.lms == "moodle" and other.number != who.number
        ):
            id = clean_id(f"{wish} ({who.number})") if who.number else f"{id}~{_digest(who.name)}"
            notes.append(f"another student is called {who.name} too; this one is {id}")
        if person and claims[person.id] > 1:
            notes.append(f"{claims[person.id]} in this inbox could be {person.id} of the roster")
        result.append(replace(hand, id=id, who=who, notes=tuple(notes)))
    return sorted(result, key=lambda hand: hand.id)


def _wish(who: Who) -> str:
    """What a student is called in the gradebook, if there is no roster."""
    if who.lms in ("canvas", "gradescope"):
        return who.number or who.mail or who.name
    return who.name


def clean_id(raw: str) -> str:
    """A student's name in characters that nbgrader's file patterns, pages and CSV can carry.

    Letters, digits, spaces and ``. _ - @ ( ) +`` stay, if a letter or digit comes first. Where anything else
    was replaced or cut, digits of a hash follow, so that two names never become one.
    """
    name = unicodedata.normalize("NFC", raw)
    clean = re.sub(r"[^\w .@()+-]", "_", re.sub(r"\s+", " ", name).strip())
    clean = clean.encode()[:MAX_ID].decode("utf-8", "ignore").rstrip(" .") or "_"
    if not re.match(r"\w", clean):
        clean = "_" + clean[1:]
    return clean if clean == name else f"{clean}~{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
