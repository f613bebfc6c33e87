"""What learners and other programs get: feedback without secrets or scripts, and tables that stay tables."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from autograde.collect.collect import collect
from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.records.export import export, safe, unmatched
from autograde.records.feedback import CONTROL, feedback
from autograde.records.gradebook import open_gradebook, register
from autograde.records.record import record
from autograde.verdict import Outcome
from tests import tiny
from tests.marked import CLASS, NN, hand_in, marked_class, verdict, write
from tests.test_collect import make_zip

RIGHT, WRONG = Outcome.RIGHT, Outcome.WRONG


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = tiny.make(tmp_path_factory.mktemp("registered"))
    register(NN, layout)
    return layout


@pytest.fixture
def layout(registered: Layout, tmp_path: Path) -> Layout:
    shutil.copytree(registered.root, tmp_path / "checkout")
    return Layout(tmp_path / "checkout")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    return tmp_path / "inbox"


class Tags(HTMLParser):
    """The tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def pages(layout: Layout, student: str) -> tuple[str, str]:
    folder = layout.course / "feedback" / student / NN
    return (folder / f"{NN}.html").read_text(), (folder / f"{NN}.md").read_text()


def table(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.reader(file))


# ------------------------------------------------------------------------ feedback
def test_the_page_says_score_state_mistake_and_shows_the_answer(
    layout: Layout, inbox: Path
) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    assert len(feedback(NN, layout)) == 3
    for text in (Tags(pages(layout, "bob")[0]).text, pages(layout, "bob")[1]):
        assert "3 of 5 points" in " ".join(text.split())
        assert "You may have squared it." in text
        assert "def double(x):  # bob" in text
        assert "not right yet" in text
        assert "ada" not in text
    assert "not finished in time" in pages(layout, "eve")[0]
    assert "not attempted" in pages(layout, "eve")[1]


def test_n917_n1363_no_hidden_test_and_none_of_its_constants(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    feedback(NN, layout)
    for student in CLASS:
        for text in pages(layout, student):
            assert str(tiny.SECRET) not in text
            assert "HIDDEN" not in text
            assert "claim(" not in text


def test_o138_a_failed_hidden_test_is_not_called_passed(layout: Layout, inbox: Path) -> None:
    (ada,) = hand_in(layout, inbox, ["ada"])
    label = {"test_double": "double is wrong for large numbers."}
    write(layout, [verdict(ada, {"test_double": WRONG, "test_total": RIGHT}, messages=label)])
    record(NN, layout)
    feedback(NN, layout)
    html, text = pages(layout, "ada")
    assert "double is wrong for large numbers." in html
    assert "`double`: 0 of 2, not right yet" in text
    assert "passed" not in text.lower()


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</code></pre><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}",
    "```\n<script>alert(1)</script>\n```",
    "````",
    "\x1b[31mred\x1b[0m \u202e \x00",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_attack_17_nothing_a_student_wrote_is_markup(
    text: str, layout: Layout, inbox: Path
) -> None:
    notebook = tiny.handed_in(layout, double=f"def double(x):\n    return '''{text}'''")
    (inbox / "ada").mkdir(parents=True)
    (inbox / "ada" / f"{NN}.ipynb").write_text(json.dumps(notebook))
    (ada,) = collect(NN, inbox, layout)
    write(layout, [verdict(ada, {"test_double": WRONG}, messages={"test_double": f"got {text}"})])
    record(NN, layout)
    feedback(NN, layout)
    html, markdown = pages(layout, "ada")
    page = Tags(html)
    assert not page.tags & {"script", "img", "iframe", "link", "object", "svg", "a", "form"}
    assert not {
        name for name in page.attributes if name.startswith("on") or name in ("src", "href")
    }
    assert CONTROL.sub("\ufffd", text) in page.text
    assert not CONTROL.search(html)
    assert not CONTROL.search(markdown)
    rendered = Tags(MarkdownIt().render(markdown))
    assert not rendered.tags & {"script", "img", "a"}


def test_a_name_is_no_markup_either(layout: Layout, inbox: Path) -> None:
    submissions = hand_in(layout, inbox, ["<b>ada<b>", "*x*_y_"])
    write(layout, [verdict(s, CLASS["bob"]) for s in submissions])
    record(NN, layout)
    feedback(NN, layout)
    for submission in submissions:
        html, markdown = pages(layout, submission.student)
        assert "b" not in Tags(html).tags
        assert submission.name in Tags(html).text
        rendered = Tags(MarkdownIt().render(markdown))
        assert not rendered.tags & {"b", "em", "strong"}
        assert submission.name in rendered.text


def test_the_page_loads_nothing_and_reads_well_on_a_phone_and_in_the_dark(
    layout: Layout, inbox: Path
) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    feedback(NN, layout)
    html, _ = pages(layout, "bob")
    assert "http://" not in html
    assert "https://" not in html
    assert "default-src 'none'" in html
    assert 'name="viewport"' in html
    assert "prefers-color-scheme: dark" in html
    assert len(html) < 12_000


def test_n1712_feedback_is_there_after_the_instructor_repaired_a_notebook(
    layout: Layout, inbox: Path
) -> None:
    path = inbox / "ada" / f"{NN}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    write(layout, [verdict(s, {}) for s in collect(NN, inbox, layout)])
    record(NN, layout)
    feedback(NN, layout)
    assert "could not be read" in pages(layout, "ada")[0]
    path.write_text(json.dumps(tiny.handed_in(layout, **tiny.RIGHT)))
    write(layout, [verdict(s, CLASS["ada"]) for s in collect(NN, inbox, layout)])
    record(NN, layout)
    feedback(NN, layout)
    html = " ".join(Tags(pages(layout, "ada")[0]).text.split())
    assert "5 of 5 points" in html
    assert "Marked before: 0 points" in html
    assert "you handed in again" in html


def test_line_37_a_corrected_test_is_told_with_the_mark_before(layout: Layout, inbox: Path) -> None:
    submissions = marked_class(layout, inbox)
    record(NN, layout)
    write(layout, [verdict(s, CLASS["ada"], tests_sha256="3" * 64) for s in submissions])
    record(NN, layout)
    feedback(NN, layout)
    assert "Marked before: 3 points" in pages(layout, "bob")[0]
    assert "the tests were corrected" in pages(layout, "bob")[1]
    assert "Marked before" not in pages(layout, "ada")[0]


def test_what_an_instructor_did_by_hand_is_told(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    with open_gradebook(layout) as gradebook:
        gradebook.find_grade("test_double", NN, NN, "bob").manual_score = 1.0
        gradebook.find_comment("double", NN, NN, "bob").manual_comment = "Nice <try>."
        gradebook.db.commit()
    feedback(NN, layout)
    html = " ".join(Tags(pages(layout, "bob")[0]).text.split())
    assert "4 of 5 points" in html
    assert "1 of 2" in html
    assert "Your instructor writes: Nice <try>." in html


def test_writing_it_again_changes_no_byte(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    before = {p: p.read_bytes() for p in feedback(NN, layout)}
    assert {p: p.read_bytes() for p in feedback(NN, layout)} == before


def test_feedback_before_any_mark_is_refused(layout: Layout) -> None:
    with pytest.raises(CourseError, match="no marks"):
        feedback(NN, layout)


# ------------------------------------------------------------------------ exports
FORMULAS = [
    *("=1+2", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "  =1", "=1\n+2"),
    *(
        "\uff1d1+2",
        "\uff0b1",
        "\uff0d1",
        "\uff20SUM(A1)",
        "\ufeff=1",
        "\u200b=1",
        "\u200b \ufeff+1",
    ),
]


@pytest.mark.parametrize("text", FORMULAS)
def test_line_40_no_cell_is_a_formula(text: str) -> None:
    assert safe(text).startswith("'")
    assert "\n" not in safe(text)


def test_a_semicolon_begins_no_formula(layout: Layout, inbox: Path) -> None:
    assert safe("eve; =1+2") == "eve;' =1+2"
    assert safe("eve; a - b") == "eve; a - b"
    write(layout, [verdict(s, CLASS["bob"]) for s in hand_in(layout, inbox, ["eve;=1+2"])])
    record(NN, layout)
    for form in ("csv", "canvas", "moodle"):
        line = export(NN, layout, form).read_text(encoding="utf-8").splitlines()[-1]
        assert ";=" not in line
        assert line.count('"') == 2 * len(next(csv.reader([line])))


def test_a_name_that_is_not_utf_8_gets_its_page_and_its_marks(layout: Layout, inbox: Path) -> None:
    name = os.fsdecode(b"m\xfcller")
    write(layout, [verdict(s, CLASS["bob"]) for s in hand_in(layout, inbox, [name])])
    record(NN, layout)
    (page,) = feedback(NN, layout)
    assert "m\\xfcller" in page.read_text(encoding="utf-8")
    for form in ("csv", "canvas", "moodle"):
        assert "m\\xfcller" in export(NN, layout, form).read_text(encoding="utf-8")


def test_line_40_commas_quotes_and_equals_signs_shift_nothing(layout: Layout, inbox: Path) -> None:
    names = ["=1+2", "Lovelace, Ada", 'Grace "Amazing" Hopper', "-x", "plain"]
    submissions = hand_in(layout, inbox, names)
    write(layout, [verdict(s, CLASS["bob"]) for s in submissions])
    record(NN, layout)
    for form in ("csv", "canvas", "moodle"):
        rows = table(export(NN, layout, form))
        assert len({len(row) for row in rows}) == 1
        for row in rows[1:]:
            assert not any(cell[:1] in "=+@" for cell in row if cell)
    rows = table(export(NN, layout))
    assert {row[1] for row in rows[1:]} == {"'=1+2", "Lovelace, Ada", names[2], "'-x", "plain"}
    assert {row[3] for row in rows[1:]} == {"3"}


def test_the_csv_for_people(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    rows = table(export(NN, layout))
    by_student = {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}
    assert by_student["bob"]["score"] == "3"
    assert by_student["bob"]["max_score"] == "5"
    assert by_student["bob"]["test_double"] == "0"
    assert by_student["bob"]["test_total"] == "3"
    assert export(NN, layout).read_bytes().startswith("\ufeff".encode())


def graded_zip(layout: Layout, path: Path, name: Callable[[int], str]) -> None:
    text = json.dumps(tiny.handed_in(layout, **tiny.RIGHT))
    make_zip(path, {name(number): text for number in (101, 102)})
    write(layout, [verdict(s, CLASS["bob"]) for s in collect(NN, path, layout)])
    record(NN, layout)


def test_canvas_gets_its_own_columns_and_numbers_back(layout: Layout, tmp_path: Path) -> None:
    graded_zip(layout, tmp_path / "x.zip", lambda n: f"student{n}_{n}_9000{n}_{NN}.ipynb")
    assert table(export(NN, layout, "canvas")) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", NN],
        ["    Points Possible", "", "", "", "", "5"],
        ["student101", "101", "", "", "", "3"],
        ["student102", "102", "", "", "", "3"],
    ]


def test_a_code_that_hides_a_name_is_no_login(layout: Layout, tmp_path: Path) -> None:
    graded_zip(layout, tmp_path / "x.zip", lambda n: f"anon_Ab{n}_9000{n}_{NN}.ipynb")
    rows = table(export(NN, layout, "canvas"))
    assert [row[1:] for row in rows[2:]] == [["", "", "", "", "3"]] * 2
    assert "2 rows hold a code" in unmatched(NN, layout, "canvas")
    assert {row[2] for row in table(export(NN, layout, "moodle"))[1:]} == {""}
    assert unmatched(NN, layout, "csv") == ""


def test_a_code_of_moodle_finds_its_way_back(layout: Layout, tmp_path: Path) -> None:
    graded_zip(
        layout, tmp_path / "x.zip", lambda n: f"Participant_{n}_assignsubmission_file_/x.ipynb"
    )
    rows = table(export(NN, layout, "moodle"))
    assert [row[0] for row in rows[1:]] == ["Participant 101", "Participant 102"]
    assert unmatched(NN, layout, "moodle") == ""
    assert "2 rows" in unmatched(NN, layout, "canvas")


def test_moodle_gets_its_own_columns_and_numbers_back(layout: Layout, tmp_path: Path) -> None:
    graded_zip(layout, tmp_path / "x.zip", lambda n: f"Ada {n}_{n}_assignsubmission_file_/x.ipynb")
    rows = table(export(NN, layout, "moodle"))
    assert rows[0] == [
        *("Identifier", "Full name", "ID number", "Grade", "Maximum Grade"),
        *("Last modified (grade)", "Feedback comments"),
    ]
    assert [row[:5] for row in rows[1:]] == [
        ["Participant 101", "Ada 101", "", "3", "5"],
        ["Participant 102", "Ada 102", "", "3", "5"],
    ]


def test_an_unknown_form_is_refused(layout: Layout, inbox: Path) -> None:
    with pytest.raises(CourseError, match="csv, canvas, moodle"):
        export(NN, layout, "xlsx")
