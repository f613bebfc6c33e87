"""Who is who: every form of inbox that the field found, and what is understood of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograde.collect.collect import collect, collect_with_report
from autograde.collect.inbox import File
from autograde.collect.naming import Understood, understand
from autograde.collect.roster import Person, read_roster
from autograde.collect.submissions import load
from autograde.errors import CourseError
from autograde.layout import Layout
from tests import tiny
from tests.test_collect import make_zip, put, text

CHAPTER = "03_scores"
N = f"{CHAPTER}.ipynb"
THEN = datetime(2026, 10, 1, tzinfo=UTC)
DRIVE = "Week 3-20261012T101500Z"
LISTED = b"""\
submission_11:
  :created_at: 2026-10-10 10:00:00.5 Z
  :submitters:
  - :name: Ada Lovelace
    :sid: '7'
    :email: ada@uni.org
  - :name: Bob
    :sid: '8'
    :email: bob@uni.org
submission_12:
  :submitters:
  - :name: Eve
    :sid:
    :email: eve@uni.org
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return tiny.make(tmp_path / "checkout")


def understood(
    paths: Sequence[str],
    inbox: str = "downloads",
    people: Sequence[Person] = (),
    wanted: str = "",
    content: bytes = b"{}",
) -> Understood:
    files = []
    for path in sorted(paths):
        parts = tuple(path.split("/"))
        files.append(File(parts, THEN, lambda: content, path=parts))
    return understand(files, CHAPTER, Path(inbox), list(people), wanted=wanted)


def students(*args, **kwargs) -> list[str]:
    return [hand.id for hand in understood(*args, **kwargs).hands]


def person(id: str, *more: str) -> Person:
    return Person(id, id.title(), frozenset([id, *more]))


# ------------------------------------------------------------------------ what is clear
CLEAR: dict[str, tuple[str, list[str], list[str]]] = {
    "numbered loose files": (
        "downloads",
        [f"student-{n:02}.ipynb" for n in range(1, 13)],
        [f"student-{n:02}" for n in range(1, 13)],
    ),
    "numbered groups": (
        "downloads",
        [f"group-{n}.ipynb" for n in range(1, 5)],
        ["group-1", "group-2", "group-3", "group-4"],
    ),
    "logins with a number": (
        "downloads",
        ["smith-98.ipynb", "smith-99.ipynb", "jones.ipynb"],
        ["jones", "smith-98", "smith-99"],
    ),
    "one login with a number keeps it": (
        "downloads",
        ["smith-98.ipynb", "jones.ipynb"],
        ["jones", "smith-98"],
    ),
    "many selected files, renamed by Windows": (
        "downloads",
        ["student (1).ipynb", "student (2).ipynb", "student (3).ipynb"],
        ["student (1)", "student (2)", "student (3)"],
    ),
    "a folder around the class, with a README": (
        "week3.zip",
        ["week3/README.txt", f"week3/ada/{N}", f"week3/bob/{N}"],
        ["ada", "bob"],
    ),
    "a folder around the class, with a loose notebook, downloaded twice": (
        "week3 (1).zip",
        [f"week3/{N}", f"week3/ada/{N}", f"week3/bob/{N}"],
        ["ada", "bob"],
    ),
    "a drive's zip": (f"{DRIVE}-001.zip", ["Week 3/ada.ipynb", "Week 3/bob.ipynb"], ["ada", "bob"]),
    "a drive's zips in a folder": (
        "downloads",
        [f"{DRIVE}-001/Week 3/ada.ipynb", f"{DRIVE}-002/Week 3/bob.ipynb"],
        ["ada", "bob"],
    ),
    "a drive's zip with one student in it": (
        f"{DRIVE}-001.zip",
        [f"Week 3/ada/{N}"],
        ["ada"],
    ),
    "what is not a notebook beside the folders is nobody's": (
        "downloads",
        [f"ada/{N}", f"bob/{N}", "grades.csv", "README.md", "index.html"],
        ["ada", "bob"],
    ),
    "marks of a copy": (
        "downloads",
        [
            *("ada.ipynb", "ada-Copy1.ipynb", "Copy of bob.ipynb", "eve.ipynb", "eve (1).ipynb"),
            *("zoe.ipynb", "zoe - Copy.ipynb", "max.ipynb", "tim.ipynb", "kim.ipynb"),
        ],
        ["ada", "bob", "eve", "kim", "max", "tim", "zoe"],
    ),
    "Canvas": (
        "submissions.zip",
        [
            *(f"lovelaceada_4711_90001_{N}", f"o_brien_LATE_4712_90002_{CHAPTER}-1.ipynb"),
            "turingalan_4713_text.html",
        ],
        ["4711", "4712", "4713"],
    ),
    "Canvas, unpacked into a folder": (
        "downloads",
        [f"hw3 submissions/lovelaceada_4711_90001_{N}", f"hw3 submissions/x_4712_90002_{N}"],
        ["4711", "4712"],
    ),
    "names that look like Canvas's, with a number that several share": (
        "downloads",
        ["hw_3_1_ada.ipynb", "hw_3_1_bob.ipynb"],
        ["hw_3_1_ada", "hw_3_1_bob"],
    ),
    "dates in names": (
        "downloads",
        ["ada_2026_10_12.ipynb", "bob_2026_10_12.ipynb"],
        ["ada_2026_10_12", "bob_2026_10_12"],
    ),
    "a folder's owner is not changed by a file called as from Canvas": (
        "downloads",
        [f"eve/lovelaceada_4711_90001_{N}", f"ada/{N}"],
        ["ada", "eve"],
    ),
    "Moodle": (
        "C-A-12.zip",
        [
            *(
                f"Ada Lovelace_101_assignsubmission_file_/{N}",
                f"Li Wei_102_assignsubmission_file_{N}",
            ),
            "Max_103_assignsubmission_onlinetext_/onlinetext.html",
        ],
        ["Ada Lovelace", "Li Wei", "Max"],
    ),
    "GitHub Classroom": (
        "downloads",
        [f"03-scores-submissions/03-scores-{who}/{CHAPTER}.ipynb" for who in ("ada", "bob-b")]
        + ["03-scores-submissions/03-scores-ada/README.md"],
        ["ada", "bob-b"],
    ),
    "GitHub Classroom, the folders alone": (
        "downloads",
        ["03-scores-ada/src/a.ipynb", "03-scores-bob/src/a.ipynb"],
        ["ada", "bob"],
    ),
    "Google Classroom": (
        "downloads",
        [f"Ada Lovelace - {N}", f"Bob - Copy of {N}"],
        ["Ada Lovelace", "Bob"],
    ),
    "Blackboard": (
        "gradebook.zip",
        [
            *(f"HW 3_{who}_attempt_2026-10-12-10-15-00_{N}" for who in ("ada", "bob")),
            *(
                f"HW 3_ada_attempt_2026-10-13-10-15-00_{N}",
                "HW 3_ada_attempt_2026-10-13-10-15-00.txt",
            ),
        ],
        ["ada", "bob"],
    ),
    "Canvas, downloaded twice into one folder": (
        "downloads",
        [
            *(f"submissions (1)/lovelaceada_4711_90001_{N}", f"submissions (1)/x_4712_90002_{N}"),
            f"submissions (2)/lovelaceada_4711_90077_{N}",
        ],
        ["4711", "4712"],
    ),
    "Moodle's zips of two groups": (
        "downloads",
        [f"C-HW3-A/Ada_1_assignsubmission_file_{N}", f"C-HW3-B/Bob_2_assignsubmission_file_{N}"],
        ["Ada", "Bob"],
    ),
    "a folder for each chapter": (
        "downloads",
        [f"{CHAPTER}/ada/x.ipynb", f"{CHAPTER}/bob/x.ipynb", "02_projections/eve/x.ipynb"],
        ["ada", "bob"],
    ),
    "nbgrader": (
        "submitted",
        [f"ada/{CHAPTER}/{N}", f"ada/{CHAPTER}/timestamp.txt", "ada/07_masking/07_masking.ipynb"],
        ["ada"],
    ),
    "two attempts of one in the class": (
        "downloads",
        ["ada/work.ipynb", "ada/better.ipynb", f"bob/{N}", f"eve/{N}"],
        ["ada", "bob", "eve"],
    ),
    "the same folders in each": (
        "downloads",
        [f"{who}/{part}/x.ipynb" for who in ("ada", "bob") for part in ("a", "b")],
        ["ada", "bob"],
    ),
}


@pytest.mark.parametrize("case", CLEAR)
def test_what_is_clear_is_not_asked(case: str) -> None:
    inbox, paths, expected = CLEAR[case]
    assert students(paths, inbox) == expected


def test_a_group_of_gradescope_is_each_of_its_members() -> None:
    export = "assignment_5_export"
    paths = [f"{export}/submission_11/a.ipynb", f"{export}/submission_12/b.ipynb"]
    found = understood([*paths, f"{export}/submission_metadata.yml"], content=LISTED)
    assert [(h.id, h.who.name, h.who.mail) for h in found.hands] == [
        ("7", "Ada Lovelace", "ada@uni.org"),
        ("8", "Bob", "bob@uni.org"),
        ("eve@uni.org", "Eve", "eve@uni.org"),
    ]
    assert found.hands[0].files[0].time == datetime(2026, 10, 10, 10, 0, 0, 500_000, UTC)
    assert all(h.who.is_code for h in understood(paths).hands)  # the list is not there
    with pytest.raises(CourseError, match="list of Gradescope"):
        understood([*paths, f"{export}/submission_metadata.yml"], content=b"{")


def test_codes_are_no_logins() -> None:
    canvas = understood(["anon_aB3dE_1_x.ipynb", "LATE_anon_Xy12z_2_x.ipynb"]).hands
    assert [(h.id, h.who.is_code) for h in canvas] == [("Xy12z", True), ("aB3dE", True)]
    assert "late" in canvas[0].notes[0]
    moodle = [f"Participant_{n}_assignsubmission_file_x.ipynb" for n in (1, 2)]
    assert all(h.who.is_code for h in understood(moodle).hands)
    german = [f"Teilnehmer_{n}_assignsubmission_file_x.ipynb" for n in (1, 2, 3)]
    assert len({h.id for h in understood(german).hands if h.who.is_code}) == 3


# ------------------------------------------------------------------------ what is asked
TWO_WAYS: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "a folder around the class, of any name": (
        ["hw/README.txt", f"hw/ada/{N}", f"hw/bob/{N}"],
        {"folders": ["hw"], "files": ["ada", "bob"]},
    ),
    "a folder around one student": ([f"hw/ada/{N}"], {"folders": ["hw"], "files": ["ada"]}),
    "a folder around one file": (["hw/ada.ipynb"], {"folders": ["hw"], "files": ["ada"]}),
    "sections": (
        ["s1/ada.ipynb", "s1/bob.ipynb", "s2/eve.ipynb", "s2/zoe.ipynb"],
        {"folders": ["s1", "s2"], "files": ["ada", "bob", "eve", "zoe"]},
    ),
    "a loose file beside folders": (
        [f"ada/{N}", f"bob/{N}", "eve.ipynb"],
        {"folders": ["ada", "bob"], "files": ["ada", "bob", "eve"]},
    ),
    "a loose file beside Canvas's": (
        [f"lovelaceada_4711_90001_{N}", f"hopper_4712_90002_{N}", "eve.ipynb"],
        {"lms": ["4711", "4712"]},
    ),
}


@pytest.mark.parametrize("case", TWO_WAYS)
def test_where_two_readings_are_possible_a_person_is_asked(case: str) -> None:
    paths, readings = TWO_WAYS[case]
    with pytest.raises(CourseError) as asked:
        understood(paths)
    for name, expected in readings.items():
        assert f"--students {name}: students {len(expected)}" in str(asked.value)
        assert students(paths, wanted=name) == expected
    everybody = [who for name in readings for who in students(paths, wanted=name)]
    if "lms" not in readings:
        assert all(f"      {who} " in str(asked.value) for who in everybody)


def test_the_roster_answers_the_question() -> None:
    people = [person(id) for id in ("ada", "bob", "eve", "zoe", "max")]
    found = understood(TWO_WAYS["sections"][0], people=people)
    assert [h.id for h in found.hands] == ["ada", "bob", "eve", "zoe"]
    assert found.table().startswith("missing: max")


def test_a_folder_in_a_zip_can_be_named(layout: Layout, tmp_path: Path) -> None:
    names = [f"x/hw/{who}/{tiny.CHAPTER}.ipynb" for who in ("ada", "bob")]
    path = make_zip(tmp_path / "down.zip", {name: text(layout) for name in names})
    with pytest.raises(CourseError, match="in 2 ways"):
        collect(tiny.CHAPTER, path, layout)
    assert load(tiny.CHAPTER, layout) == []  # nothing was recorded
    found = collect(tiny.CHAPTER, path / "x" / "hw", layout)
    assert [s.student for s in found] == ["ada", "bob"]


def test_an_inbox_in_which_nothing_says_whose_it_is() -> None:
    with pytest.raises(CourseError, match="says whose it is"):
        understood([N, f"{CHAPTER}(1).ipynb"])


# ------------------------------------------------------------------------ nobody is merged, nobody vanishes
def test_one_name_in_two_downloads_is_told() -> None:
    paths = [f"{DRIVE}-001/Week 3/ada.ipynb", "Week 3-20261019T101500Z-001/Week 3/ada.ipynb"]
    (ada,) = understood(paths).hands
    assert len(ada.files) == 2
    assert "taken for one student" in ada.notes[0]


def test_two_people_of_one_name_in_two_downloads(layout: Layout, tmp_path: Path) -> None:
    def download(number: int, answer: int, day: int) -> Path:
        name = f"Li Wei_{number}_assignsubmission_file_/x.ipynb"
        work = text(layout, double=f"def double(x):\n    return {answer}")
        return make_zip(tmp_path / f"{number}-{day}.zip", {name: work}, (2026, 10, day, 0, 0, 0))

    collect(tiny.CHAPTER, download(101, 1, 1), layout)
    done = collect_with_report(tiny.CHAPTER, download(102, 2, 2), layout)
    assert [(s.student, s.number) for s in done.submissions] == [
        ("Li Wei", "101"),
        ("Li Wei (102)", "102"),
    ]
    assert any("another student is called Li Wei" in note for note in done.submissions[1].repairs)
    # both hand in again: still two, each with the newer work
    done = collect_with_report(tiny.CHAPTER, download(101, 3, 3), layout)
    done = collect_with_report(tiny.CHAPTER, download(102, 4, 4), layout)
    assert [(s.student, s.number) for s in done.submissions] == [
        ("Li Wei", "101"),
        ("Li Wei (102)", "102"),
    ]
    assert any("Li Wei (102)" in line and "replaces" in line for line in done.others)


def test_names_that_differ_in_capitals_alone_are_two() -> None:
    one, other = understood(["Ada.ipynb", "ada.ipynb"]).hands
    assert one.id.casefold() != other.id.casefold()  # a disk may not tell them apart


def test_a_folder_with_nothing_but_checkpoints_is_told(layout: Layout, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    put(inbox / "ada" / ".ipynb_checkpoints" / "x.ipynb", "{}")
    put(inbox / "bob" / f"{tiny.CHAPTER}.ipynb", text(layout))
    put(inbox / ".ipynb_checkpoints" / "y.ipynb", "{}")
    (inbox / "eve" / "a" / "b").mkdir(parents=True)
    ada, bob, eve = collect(tiny.CHAPTER, inbox, layout)
    assert "only .ipynb_checkpoints" in (ada.problem or "")
    assert bob.problem is None
    assert "empty" in (eve.problem or "")


def test_zips_in_a_folder_are_opened(layout: Layout, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    make_zip(inbox / "ada.zip", {f"{tiny.CHAPTER}.ipynb": text(layout)})
    make_zip(inbox / "bob.zip", {f"work/{tiny.CHAPTER}.ipynb": text(layout)})
    put(inbox / "eve.zip", b"PK")
    put(inbox / "zoe.ipynb", text(layout))
    found = {s.student: s.problem for s in collect(tiny.CHAPTER, inbox, layout)}
    assert (found["ada"], found["bob"], found["zoe"]) == (None, None, None)
    assert "cannot be opened as a zip" in (found["eve"] or "")


# ------------------------------------------------------------------------ the table and the roster
def test_the_table_is_shown_before_anything_is_recorded(layout: Layout, tmp_path: Path) -> None:
    put(tmp_path / "inbox" / "ada" / f"{tiny.CHAPTER}.ipynb", text(layout))
    shown: list[str] = []

    def show(table: str) -> None:
        assert not (layout.course / "collected").exists()
        shown.append(table)

    done = collect_with_report(tiny.CHAPTER, tmp_path / "inbox", layout, show=show)
    assert shown == [done.table]
    assert done.table.split("\n")[1].split() == ["ada", "ada/90_tiny.ipynb", "folder", "likely"]


ROSTERS = {
    "plain": "id,name\nal1,Ada Lovelace\nbb2,Bob\n",
    "other order, capitals, BOM, semicolons, CR": "\ufeffE-Mail;NAME;ID\radal@x.org;Ada Lovelace;al1\r;Bob;bb2\r",
    "two columns of names, tabs": "Last name\tFirst name\tStudent ID\nLovelace\tAda\tal1\n\tBob\tbb2\n",
    "ids of an LMS": "id,Canvas ID,name\nal1,4711,\nbb2,12,Bob\n\n",
}


@pytest.mark.parametrize("form", ROSTERS)
def test_a_roster_in_many_forms(form: str, layout: Layout) -> None:
    put(layout.course / "roster.csv", ROSTERS[form])
    people = read_roster(layout)
    assert [p.id for p in people] == ["al1", "bb2"]
    found = understood([f"lovelaceada_4711_90001_{N}", f"hopper_99_90002_{N}"], people=people)
    assert [(h.id, h.who.number) for h in found.hands] == [("99", "99"), ("al1", "4711")]
    assert found.extra == ["99"]
    assert found.table().split("\n")[:2] == ["missing: bb2  Bob", "not on the roster: 99"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"name\nAda\n", "no column"),
        (b"", "no column"),
        (b"id,name\n,Ada\n", "line 2: the id is missing"),
        (b"id\nx\nx\n", "x stands there twice"),
        (b"id,name\n", "nobody"),
        (b"id,name\n1,M\xfcller\n", "not UTF-8"),
    ],
)
def test_a_broken_roster_is_named(content: bytes, fault: str, layout: Layout) -> None:
    put(layout.course / "roster.csv", content)
    with pytest.raises(CourseError, match=fault):
        read_roster(layout)


def test_two_in_the_inbox_are_not_merged_by_the_roster() -> None:
    people = [Person("lw", "Li Wei", frozenset(["lw", "liwei"]))]
    names = [f"Li Wei_{n}_assignsubmission_file_x.ipynb" for n in (101, 102)]
    found = understood(names, people=people)
    assert [h.id for h in found.hands] == ["Li Wei (101)", "Li Wei (102)"]
    assert [p.id for p in found.missing] == ["lw"]
    assert any("could be lw" in note for note in found.hands[0].notes)


def test_a_submission_keeps_what_the_way_back_needs(layout: Layout, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "x.zip", {f"anon_aB3dE_1_{tiny.CHAPTER}.ipynb": text(layout)})
    (found,) = collect(tiny.CHAPTER, path, layout)
    assert (found.lms, found.number, found.is_code) == ("canvas", "aB3dE", True)
    assert found == load(tiny.CHAPTER, layout)[0]
    assert json.loads((layout.course / "collected" / f"{tiny.CHAPTER}.json").read_text())
