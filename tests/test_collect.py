"""What arrives in an inbox, and what the collector makes of it. The inputs are small notebooks made here."""

from __future__ import annotations

import ast
import copy
import errno
import io
import json
import os
import re
import stat
import subprocess
import time
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograde.collect import collect as collect_module
from autograde.collect import inbox as inbox_module
from autograde.collect import rebuild as rebuild_module
from autograde.collect.collect import collect, collect_with_report, report
from autograde.collect.naming import clean_id
from autograde.collect.rebuild import UnreadableError, read_cells, rebuild
from autograde.collect.submissions import Submission, load, refresh, transplant
from autograde.collect.which_chapter import Book, Cell
from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.settings import Schedule, read_schedule
from tests import tiny

NN = tiny.CHAPTER


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return tiny.make(tmp_path / "checkout")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def put(path: Path, content: NotebookNode | str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, NotebookNode):
        content = json.dumps(content)  # unlike nbformat.write, this writes broken notebooks too
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def right(layout: Layout) -> NotebookNode:
    return tiny.handed_in(layout, **tiny.RIGHT)


def only(submissions: list[Submission]) -> Submission:
    (submission,) = submissions
    return submission


def answers(submission: Submission) -> dict[str, str]:
    notebook = nbformat.read(submission.notebook, as_version=4)
    return {name: tiny.cell_of(notebook, name).source for name in tiny.RIGHT}


# ------------------------------------------------------------------------ cells
Mangle = Callable[[NotebookNode], None]


def _index(notebook: NotebookNode, grade_id: str) -> int:
    return notebook.cells.index(tiny.cell_of(notebook, grade_id))


def paste_test(n: NotebookNode) -> None:
    n.cells.append(copy.deepcopy(tiny.cell_of(n, "test_total")))


def copy_solution(n: NotebookNode) -> None:
    old = copy.deepcopy(tiny.cell_of(n, "double"))
    old.source = "def double(x):\n    return 0"
    n.cells.insert(_index(n, "double"), old)


def copy_solution_stub_last(n: NotebookNode) -> None:
    stub = copy.deepcopy(tiny.cell_of(n, "double"))
    stub.source = 'def double(x):\n    """Twice `x`."""\n    raise NotImplementedError'
    n.cells.insert(_index(n, "double") + 1, stub)


def split_same_id(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    rest = copy.deepcopy(cell)
    cell.source, rest.source = "def double(x):", "    return x + x"
    n.cells.insert(_index(n, "double") + 1, rest)


def split_new_cell(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    cell.source = 'def double(x):\n    """Twice `x`."""'
    n.cells.insert(_index(n, "double") + 1, new_code_cell("    return x + x"))


def the_test_to_raw(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "test_double")
    cell.cell_type = "raw"
    del cell["outputs"], cell["execution_count"]


def solution_to_markdown(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    cell.cell_type = "markdown"
    del cell["outputs"], cell["execution_count"]


def solution_fenced(n: NotebookNode) -> None:
    solution_to_markdown(n)
    cell = tiny.cell_of(n, "double")
    cell.source = f"```python\n{cell.source}\n```"


def delete_test(n: NotebookNode) -> None:
    n.cells.remove(tiny.cell_of(n, "test_double"))


def edit_locked(n: NotebookNode) -> None:
    tiny.cell_of(n, "setup").source = "def claim(true, sentence):\n    pass"
    tiny.cell_of(n, "test_double").source = "pass"


def strip_metadata(n: NotebookNode) -> None:
    for cell in n.cells:
        cell.metadata = {}
    n.metadata = {}


def answer_below(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    n.cells.insert(_index(n, "double") + 1, new_code_cell(cell.source))
    cell.source = 'def double(x):\n    """Twice `x`."""\n    raise NotImplementedError'


def answer_below_the_test(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    n.cells.append(new_code_cell(cell.source))
    cell.source = 'def double(x):\n    """Twice `x`."""\n    raise NotImplementedError'


def answer_again_below(n: NotebookNode) -> None:
    cell = tiny.cell_of(n, "double")
    n.cells.insert(_index(n, "double") + 1, new_code_cell(cell.source))
    cell.source = "def double(x):\n    return 3"


def flip_flags(n: NotebookNode) -> None:
    about = tiny.cell_of(n, "test_double").metadata["nbgrader"]
    about.update(solution=True, grade=False, locked=False, points=100)
    tiny.cell_of(n, "double").metadata["nbgrader"].update(solution=False, grade=True, points=50)


def swap_ids(n: NotebookNode) -> None:
    answer, test = tiny.cell_of(n, "double"), tiny.cell_of(n, "test_double")
    answer.metadata["nbgrader"]["grade_id"] = "test_double"
    test.metadata["nbgrader"]["grade_id"] = "double"


def foreign_kernel(n: NotebookNode) -> None:
    n.metadata["kernelspec"] = {"name": "conda-env-x", "display_name": "Python [root]"}


def colab(n: NotebookNode) -> None:
    n.metadata["colab"] = {"provenance": []}
    for number, cell in enumerate(n.cells):
        cell.metadata = {"id": f"aB{number}", "colab": {"nbgrader": cell.metadata.get("nbgrader")}}
        cell.pop("id")
    n.nbformat_minor = 0


def ids_in_4_4(n: NotebookNode) -> None:
    n.nbformat_minor = 4


def same_ids(n: NotebookNode) -> None:
    for cell in n.cells:
        cell["id"] = "x"


def skip_execution(n: NotebookNode) -> None:
    tiny.cell_of(n, "test_double").metadata["tags"] = ["skip-execution"]


def forged_output(n: NotebookNode) -> None:
    output = {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}}
    tiny.cell_of(n, "test_double").outputs = [output | {"execution_count": 1}]


CELLS: dict[str, tuple[Mangle, str | None]] = {
    "a pasted test cell": (paste_test, "test_total stands there twice"),
    "a solution cell copied": (copy_solution, "2 cells carry the id double"),
    "the stub copied below": (copy_solution_stub_last, None),
    "a changed cell type": (the_test_to_raw, None),
    "split, both halves with the id": (split_same_id, "split into 2 cells"),
    "split, a new cell": (split_new_cell, "split into 2 cells"),
    "a test cell deleted": (delete_test, "test_double is missing"),
    "deleting a test lowers nothing": (delete_test, "test_double is missing"),
    "no metadata at all": (strip_metadata, "found by its function's name"),
    "the answer in a new cell": (answer_below, "in a new cell"),
    "the answer at the end": (answer_below_the_test, "in a new cell"),
    "a better answer in a new cell": (answer_again_below, "in a new cell below its own"),
    "flags flipped": (flip_flags, None),
    "ids swapped": (swap_ids, "found by its function's name"),
    "code turned into markdown": (solution_to_markdown, "was in a markdown cell"),
    "code fenced in markdown": (solution_fenced, "was in a markdown cell"),
    "a kernel nobody has": (foreign_kernel, None),
    "saved by Colab": (colab, None),
    "locked cells edited": (edit_locked, "locked cell test_double was changed"),
    "cell ids in format 4.4": (ids_in_4_4, None),
    "the same cell id everywhere": (same_ids, None),
    "the tag skip-execution": (skip_execution, None),
    "a forged result": (forged_output, None),
}


@pytest.mark.parametrize("case", CELLS)
def test_the_answer_is_found_and_all_else_is_the_released_chapter(
    case: str, layout: Layout, inbox: Path
) -> None:
    mangle, repair = CELLS[case]
    notebook = right(layout)
    mangle(notebook)
    put(inbox / "ada" / f"{NN}.ipynb", notebook)
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    ada, bob = collect(NN, inbox, layout)
    assert ada.problem is None
    got = {name: "".join(text.split()) for name, text in answers(ada).items()}
    want = {name: "".join(text.split()) for name, text in tiny.RIGHT.items()}
    got["double"] = got["double"].replace('"""Twice`x`."""', "")
    assert got == want
    assert bob.repairs == ()  # the rest of the class is unaffected
    if repair is None:
        assert not any("missing" in r for r in ada.repairs)
    else:
        assert any(repair in r for r in ada.repairs), ada.repairs
    rebuilt = nbformat.read(ada.notebook, as_version=4)
    nbformat.validate(rebuilt)
    released = nbformat.read(layout.chapter(NN), as_version=4)
    solution_ids = set(tiny.RIGHT)
    kept = [c for c in rebuilt.cells if not c.id.startswith("own-")]
    assert [c.id for c in kept] == [c.id for c in released.cells]
    for mine, theirs in zip(kept, released.cells, strict=True):
        assert mine.metadata == theirs.metadata
        if theirs.metadata.get("nbgrader", {}).get("grade_id") not in solution_ids:
            assert mine.source == theirs.source
        if mine.cell_type == "code":
            assert mine.outputs == []
    assert rebuilt.metadata == released.metadata


def test_other_code_stays_where_it_was_as_plain_cells(layout: Layout, inbox: Path) -> None:
    notebook = right(layout)
    at = _index(notebook, "double")
    notebook.cells.insert(at, new_code_cell("two = 2", metadata={"nbgrader": {"grade_id": "z"}}))
    notebook.cells.append(new_code_cell("print('done')"))
    notebook.cells.append(new_markdown_cell("<script>alert(1)</script>"))
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    cells = nbformat.read(submission.notebook, as_version=4).cells
    own = [c for c in cells if c.id.startswith("own-")]
    assert [c.source for c in own] == ["two = 2", "print('done')"]
    assert all(c.metadata == {} for c in own)
    assert cells.index(own[0]) < cells.index(
        tiny.cell_of(nbformat.v4.new_notebook(cells=cells), "double")
    )
    assert cells[-1] == own[1]
    assert "1 text cells of the learner's own are not carried over" in submission.repairs


def test_an_experiment_below_the_test_does_not_replace_the_answer(
    layout: Layout, inbox: Path
) -> None:
    notebook = right(layout)
    notebook.cells.append(new_code_cell("def double(x):\n    return x ** 2  # what if?"))
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    assert answers(submission)["double"] == tiny.RIGHT["double"]
    cells = nbformat.read(submission.notebook, as_version=4).cells
    sources = [c.source for c in cells]
    # it runs before the answer, so that the answer is what the name stands for in the end
    assert sources.index("def double(x):\n    return x ** 2  # what if?") < sources.index(
        tiny.RIGHT["double"]
    )


def test_an_untouched_chapter_keeps_its_stubs(layout: Layout, inbox: Path) -> None:
    put(inbox / "ada.ipynb", tiny.handed_in(layout))
    submission = only(collect(NN, inbox, layout))
    assert "raise NotImplementedError" in answers(submission)["double"]
    assert submission.repairs == ()


def test_the_hash_is_of_the_answers_alone(layout: Layout, inbox: Path) -> None:
    one, other = right(layout), right(layout)
    foreign_kernel(other)
    paste_test(other)
    third = tiny.handed_in(layout, **(tiny.RIGHT | {"double": "def double(x):\n    return 2 * x"}))
    for name, notebook in (("a", one), ("b", other), ("c", third)):
        put(inbox / name / "x.ipynb", notebook)
    a, b, c = collect(NN, inbox, layout)
    assert a.sha256 == b.sha256 != c.sha256


def test_a_corrected_test_reaches_what_was_collected_and_changes_no_hash(
    layout: Layout, inbox: Path
) -> None:
    notebook = right(layout)
    notebook.cells.insert(3, new_code_cell("two = 2"))
    copy_solution(notebook)
    put(inbox / "ada.ipynb", notebook)
    put(inbox / "broken.ipynb", "{")
    before = collect(NN, inbox, layout)
    corrected = tiny.solution()
    tiny.cell_of(corrected, "test_double").source = 'claim(double(2) == 4, "4")'
    tiny.build(layout, corrected)
    after = refresh(NN, layout)
    assert after == before
    assert [s.sha256 for s in collect(NN, inbox, layout)] == [s.sha256 for s in before]
    for submission in after:
        cells = nbformat.read(submission.notebook, as_version=4)
        assert tiny.cell_of(cells, "test_double").source == 'claim(double(2) == 4, "4")'
    assert answers(after[0])["double"] == tiny.RIGHT["double"]


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            Cell,
            st.sampled_from(["code", "markdown", "raw", "x"]),
            st.one_of(
                st.text(max_size=40),
                st.sampled_from([tiny.DOUBLE, tiny.TEST_TOTAL, "def double(x):", "    return 1"]),
            ),
            st.sampled_from([None, "double", "total", "test_double", "setup", "else"]),
        ),
        max_size=12,
    )
)
def test_any_cells_give_a_valid_notebook_that_moves_to_the_same_release_unchanged(
    cells: list[Cell],
) -> None:
    released = tiny.released(tiny.solution())
    once = rebuild(cells, released)
    nbformat.validate(nbformat.from_dict(once.notebook))
    assert transplant(once.notebook, released) == once.notebook


def test_long_cells_that_define_an_exercise_are_not_parsed_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    real = rebuild_module.parsed

    def counted(source: str) -> ast.Module:
        read.append(source)
        return real(source)

    monkeypatch.setattr(rebuild_module, "parsed", counted)
    long = "def double(x):\n    return x + x\n" + "x = 1\n" * 2_000
    short = [f"def double(x):\n    return {n}" for n in range(50)]
    cells = [Cell("code", source) for source in [*[long] * 50, *short]]
    built = rebuild(cells, tiny.released(tiny.solution()))
    assert tiny.cell_of(nbformat.from_dict(built.notebook), "double").source == short[-1]
    assert read.count(long) == 0
    assert len(read) < 3 * len(short)


# ------------------------------------------------------------------------ files
BROKEN: dict[str, tuple[bytes, str]] = {
    "truncated JSON": (b'{"cells": [{"cell_type": "code", "sou', "cut off"),
    "merge-conflict markers": (
        b'{\n<<<<<<< HEAD\n "cells": []\n=======\n>>>>>>> x\n}',
        "Git merge",
    ),
    "an empty file": (b"  \n", "empty"),
    "an HTML page": (b"<!DOCTYPE html><html><body>Sign in</body></html>", "web page"),
    "a zip, renamed": (b"PK\x03\x04...", "zip"),
    "a list": (b"[1, 2]", "not a notebook"),
    "no cells": (b'{"cells": 7}', "no cells"),
    "nested too deep": (b'{"cells": ' + b"[" * 200_000, "nested too deep"),
    "not JSON at all": (b"print('hello')", "not valid JSON"),
    "null": (b"null", "not a notebook"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_read_gets_a_reason_and_the_class_goes_on(
    case: str, layout: Layout, inbox: Path
) -> None:
    data, reason = BROKEN[case]
    put(inbox / "ada" / f"{NN}.ipynb", data)
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    ada, bob = collect(NN, inbox, layout)
    assert ada.problem is not None
    assert reason in ada.problem
    assert bob.problem is None
    assert "not readable  ada" in report([ada, bob], [], read_schedule(layout))
    # the bare chapter stands in its place, so that whoever opens it sees that nothing was answered
    assert "raise NotImplementedError" in answers(ada)["double"]


ODD_JSON: dict[str, object] = {
    "source as a list": {"cell_type": "code", "source": ["def double(x):\n", "    return x + x"]},
    "format 3": {"cell_type": "code", "input": "def double(x):\n    return x + x"},
    "a lone surrogate": {
        "cell_type": "code",
        "source": "# \ud800\ndef double(x):\n    return x + x",
    },
    "a null byte elsewhere": {"cell_type": "code", "source": "def double(x):\n    return x + x"},
}


@pytest.mark.parametrize("case", ODD_JSON)
def test_odd_but_readable(case: str, layout: Layout, inbox: Path) -> None:
    cells = [ODD_JSON[case], 7, {"cell_type": "code", "source": {}}, {"source": "\x00"}]
    notebook = {"worksheets": [{"cells": cells}]} if case == "format 3" else {"cells": cells}
    put(inbox / "ada.ipynb", json.dumps(notebook))
    submission = only(collect(NN, inbox, layout))
    assert submission.problem is None
    assert answers(submission)["double"].endswith("def double(x):\n    return x + x")
    assert any("cell 2 is no cell" in r for r in submission.repairs)


def test_encodings(layout: Layout, inbox: Path) -> None:
    text = json.dumps(right(layout))
    put(inbox / "bom.ipynb", b"\xef\xbb\xbf" + text.encode())
    put(inbox / "utf16.ipynb", text.encode("utf-16"))
    put(inbox / "latin.ipynb", text.replace("Two", "Zw\xf6lf").encode("latin-1"))
    for submission in collect(NN, inbox, layout):
        assert answers(submission) == tiny.RIGHT


def test_caps_on_cells_and_their_length(layout: Layout, inbox: Path) -> None:
    long = {"cell_type": "code", "source": "#" * 600_000}
    notebook = json.loads(json.dumps(right(layout)))
    notebook["cells"].append(long)
    put(inbox / "ada.ipynb", json.dumps(notebook))
    put(inbox / "bob.ipynb", json.dumps({"cells": [{}] * 5001}))
    ada, bob = collect(NN, inbox, layout)
    assert answers(ada) == tiny.RIGHT
    assert any("more than 500000 characters" in r for r in ada.repairs)
    assert bob.problem is not None
    assert "5001 cells" in bob.problem


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_reason(data: bytes) -> None:
    reason = "read"
    try:
        read_cells(data)
    except UnreadableError as error:
        reason = str(error)
    assert reason


# ------------------------------------------------------------------------ names
NAMES = [
    f"{NN} (1).ipynb",
    "my answers.ipynb",
    f"chapters_{NN}.ipynb",
    f"{NN}-Copy1.ipynb",
    "Untitled.ipynb",
    "90-TINY.IPYNB",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_renamed_file_is_read_all_the_same(name: str, layout: Layout, inbox: Path) -> None:
    put(inbox / "ada" / name, right(layout))
    submission = only(collect(NN, inbox, layout, "folders"))
    assert (submission.student, submission.problem) == ("ada", None)
    assert answers(submission) == tiny.RIGHT
    assert submission.notebook.name == f"{NN}.ipynb"


def test_a_file_per_student(layout: Layout, inbox: Path) -> None:
    for name in (
        "ada.ipynb",
        f"{NN} - Grace Hopper.ipynb",
        f"{NN}_turing (2).ipynb",
        f"noether_{NN}-1.ipynb",
        f"gauss_chapters_{NN}.ipynb",
    ):
        put(inbox / name, right(layout))
    put(inbox / f"{NN}.ipynb", right(layout))
    done = collect_with_report(NN, inbox, layout)
    submissions, others = done.submissions, done.others
    assert [s.student for s in submissions] == ["Grace Hopper", "ada", "gauss", "noether", "turing"]
    assert others == [f"{NN}.ipynb: its name says no student"]


def test_an_empty_folder(layout: Layout, inbox: Path) -> None:
    (inbox / "ada").mkdir()
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    put(inbox / "eve" / "essay.pdf", b"%PDF")
    ada, bob, eve = collect(NN, inbox, layout)
    assert ada.problem == "ada/: the folder is empty"
    assert bob.problem is None
    assert eve.problem is not None
    assert "essay.pdf" in eve.problem


ODD_NAMES = [
    "(a)", "[b]", "c+d", "e f", "DOMAIN\\ada", "1234567", "a,b", 'q"uote', "=1+2", "+1", "-1", "@x",
    "*", "a?b", "$(touch x)", "..a", "{x}", "%41", "#1", "a'b", "Zoë", "李雷", "x" * 150, "~", "a<b>",
]  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names(name: str, layout: Layout, inbox: Path) -> None:
    put(inbox / name / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    by_name = {s.name: s for s in collect(NN, inbox, layout)}
    assert set(by_name) == {name, "bob"}
    assert answers(by_name[name]) == tiny.RIGHT
    student = by_name[name].student
    assert not set(student) & set("/\\[]*?{}%#,\"'=<>$|:")
    assert student[0].isalnum() or student[0] == "_"
    assert by_name[name].notebook.is_relative_to(layout.course / "collected" / student)


@settings(deadline=None)
@given(st.lists(st.text("aA=,/ \\\u0301é", min_size=1, max_size=6), min_size=2, unique=True))
def test_two_names_never_become_one(names: list[str]) -> None:
    different = {unicodedata.normalize("NFC", name) for name in names}
    assert len({clean_id(name) for name in different}) == len(different)


SAME_AT_A_GLANCE = {
    "a blank that does not break": (b"Ada Lovelace", "Ada\u00a0Lovelace".encode()),
    "two blanks": (b"Ada Lovelace", b"Ada  Lovelace"),
    "not UTF-8": (b"m\xfcller", b"m\xf6ller"),
    "composed or not": ("Zoë".encode(), unicodedata.normalize("NFD", "Zoë").encode()),
}


@pytest.mark.parametrize("case", SAME_AT_A_GLANCE)
def test_students_whose_names_look_the_same_keep_their_own_work(
    case: str, layout: Layout, inbox: Path
) -> None:
    for number, name in enumerate(SAME_AT_A_GLANCE[case]):
        work = text(layout, double=f"def double(x):\n    return {number}")
        put(inbox / os.fsdecode(name) / f"{NN}.ipynb", work)
    one, other = collect(NN, inbox, layout)
    assert one.student != other.student
    assert {answers(s)["double"][-1] for s in (one, other)} == {"0", "1"}
    assert clean_id("m\udcfcller") != clean_id("m\udcf6ller")


# ------------------------------------------------------------------------ inboxes
def make_zip(
    path: Path, entries: dict[str, bytes | str], when: tuple[int, ...] | None = None
) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, (when or (2026, 10, 1, 12, 0, 0)))  # type: ignore[arg-type]
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def text(layout: Layout, **answers: str) -> str:
    return json.dumps(tiny.handed_in(layout, **(answers or tiny.RIGHT)))


def test_canvas(layout: Layout, tmp_path: Path) -> None:
    path = make_zip(
        tmp_path / "submissions.zip",
        {
            f"lovelaceada_4711_90001_{NN}.ipynb": text(layout),
            f"hoppergrace_LATE_4712_90002_{NN}-1.ipynb": text(layout),
            "turingalan_4713_90003_my_2_answers.ipynb": text(layout),
            "turingalan_4713_90004_notes.pdf": b"%PDF",
        },
    )
    submissions = collect(NN, path, layout)
    assert [(s.student, s.name, s.lms, s.number) for s in submissions] == [
        ("4711", "lovelaceada", "canvas", "4711"),
        ("4712", "hoppergrace", "canvas", "4712"),
        ("4713", "turingalan", "canvas", "4713"),
    ]
    assert "Canvas marks it as late" in submissions[1].repairs
    assert all(answers(s) == tiny.RIGHT for s in submissions)


@pytest.mark.parametrize("slash", ["/", ""], ids=["in folders", "flat"])
def test_moodle(slash: str, layout: Layout, tmp_path: Path) -> None:
    path = make_zip(
        tmp_path / "class.zip",
        {
            f"Ada Lovelace_101_assignsubmission_file_{slash}{NN}.ipynb": text(layout),
            f"Grace Hopper_102_assignsubmission_file_{slash}{NN}.ipynb": text(layout),
            f"Grace Hopper_103_assignsubmission_file_{slash}x.ipynb": text(layout),
            "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": b"<p>hi",
        },
    )
    done = collect_with_report(NN, path, layout)
    submissions, others = done.submissions, done.others
    assert [(s.student, s.name, s.number) for s in submissions] == [
        ("Ada Lovelace", "Ada Lovelace", "101"),
        ("Grace Hopper (102)", "Grace Hopper", "102"),
        ("Grace Hopper (103)", "Grace Hopper", "103"),
    ]
    assert others == []


def test_one_learners_file_name_does_not_decide_the_form_of_the_inbox(
    layout: Layout, tmp_path: Path
) -> None:
    canvas: dict[str, bytes | str] = {
        f"lovelaceada_4711_90001_{NN}.ipynb": text(layout),
        f"hoppergrace_4712_90002_{NN}.ipynb": text(layout),
        f"eve_4713_90003_Eve_7_assignsubmission_file_{NN}.ipynb": text(layout),
    }
    path = make_zip(tmp_path / "canvas.zip", canvas)
    assert [s.student for s in collect(NN, path, layout)] == ["4711", "4712", "4713"]
    moodle: dict[str, bytes | str] = {
        f"Ada_101_assignsubmission_file_{NN}.ipynb": text(layout),
        "Eve_102_assignsubmission_file_x_4712_90002_y.ipynb": text(layout),
    }
    path = make_zip(tmp_path / "moodle.zip", moodle)
    other = tiny.make(tmp_path / "other")
    assert [s.student for s in collect(NN, path, other)] == ["Ada", "Eve"]


def test_nbgraders_own_submitted_folder_is_read_and_not_touched(layout: Layout) -> None:
    submitted = layout.course / "submitted"
    put(submitted / "ada" / NN / f"{NN}.ipynb", right(layout))
    put(submitted / "ada" / NN / "timestamp.txt", "2026-10-01 10:00:00 UTC")
    put(submitted / "ada" / "91_other" / "91_other.ipynb", "{}")
    put(submitted / "bob" / "91_other" / "91_other.ipynb", "{}")
    before = {p: p.read_bytes() for p in submitted.rglob("*") if p.is_file()}
    submission = only(collect(NN, submitted, layout))
    assert submission.received == datetime(2026, 10, 1, 10, tzinfo=UTC)
    assert {p: p.read_bytes() for p in submitted.rglob("*") if p.is_file()} == before


def test_zips_with_a_folder_around_everything(layout: Layout, tmp_path: Path) -> None:
    inboxes: list[dict[str, bytes | str]] = [
        {f"0/ada/{NN}.ipynb": text(layout), f"0/bob/{NN}.ipynb": text(layout)},
        {
            f"submitted/ada/{NN}/{NN}.ipynb": text(layout),
            f"submitted/bob/{NN}/x.ipynb": text(layout),
        },
        {
            "inbox/ada.ipynb": text(layout),
            "inbox/bob.ipynb": text(layout),
            "__MACOSX/._ada.ipynb": b"x",
        },
        {"ada\\a.ipynb": text(layout), "bob\\a.ipynb": text(layout)},
        {
            "submissions/ada_4_5_x.ipynb": text(layout),
            "submissions/bob_5_6_x.ipynb": text(layout),
        },
    ]
    for number, entries in enumerate(inboxes):
        path = make_zip(tmp_path / f"{number}.zip", entries)
        found = collect(NN, path, tiny.make(tmp_path / str(number)))
        assert [s.name for s in found] == ["ada", "bob"], entries


def test_several_attempts_the_newest_counts_and_all_are_kept(layout: Layout, inbox: Path) -> None:
    for number, (name, days) in enumerate(
        {f"{NN} (10).ipynb": 3, f"{NN} (2).ipynb": 9, f"{NN}.ipynb": 1}.items()
    ):
        path = put(
            inbox / "ada" / name, text(layout, double=f"def double(x):\n    return {number}")
        )
        when = time.time() - days * 86400
        os.utime(path, (when, when))
    submission = only(collect(NN, inbox, layout))
    assert answers(submission)["double"].endswith("return 2")
    assert submission.attempts == 3
    kept = list((layout.course / "originals" / NN / "ada").iterdir())
    assert len(kept) == 3
    assert {p.read_bytes() for p in kept} == {p.read_bytes() for p in (inbox / "ada").iterdir()}


def test_attempts_of_the_same_second_go_by_the_number_in_the_name(
    layout: Layout, tmp_path: Path
) -> None:
    path = make_zip(
        tmp_path / "x.zip",
        {
            f"ada/{NN} ({n}).ipynb": text(layout, double=f"def double(x):\n    return {n}")
            for n in (10, 9, 2)
        },
    )
    assert answers(only(collect(NN, path, layout)))["double"].endswith("return 10")


def test_the_newest_that_can_be_read_counts(layout: Layout, inbox: Path) -> None:
    old = put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    os.utime(old, (time.time() - 9999, time.time() - 9999))
    put(inbox / "ada" / f"{NN} (1).ipynb", "{")
    submission = only(collect(NN, inbox, layout))
    assert answers(submission) == tiny.RIGHT
    assert any("(1).ipynb is not used: it is cut off" in r for r in submission.repairs)


def test_another_notebook_beside_the_chapter_is_not_taken_for_it(
    layout: Layout, inbox: Path
) -> None:
    put(inbox / "ada" / "work.ipynb", right(layout))
    os.utime(inbox / "ada" / "work.ipynb", (1_700_000_000, 1_700_000_000))
    put(inbox / "ada" / "scratch.ipynb", nbformat.v4.new_notebook(cells=[new_code_cell("1")]))
    put(inbox / "bob" / "91_other.ipynb", "{}")
    submission = only(collect(NN, inbox, layout))
    assert answers(submission) == tiny.RIGHT


def test_a_second_inbox_adds_and_replaces_only_what_is_newer(
    layout: Layout, tmp_path: Path
) -> None:
    def zipped(name: str, hour: int, **answers: str) -> Path:
        return make_zip(
            tmp_path / name, {f"ada/{NN}.ipynb": text(layout, **answers)}, (2026, 10, 1, hour, 0, 0)
        )

    first = zipped("1.zip", 12, double="def double(x):\n    return 1")
    collect(NN, first, layout)
    put(tmp_path / "more" / "bob" / f"{NN}.ipynb", right(layout))
    both = collect(NN, tmp_path / "more", layout)
    assert [s.student for s in both] == ["ada", "bob"]
    older = zipped("0.zip", 11, double="def double(x):\n    return 0")
    assert answers(collect(NN, older, layout)[0])["double"].endswith("1")
    newer = zipped("2.zip", 13, double="def double(x):\n    return 2")
    assert answers(collect(NN, newer, layout)[0])["double"].endswith("2")


def test_collecting_again_changes_no_byte(layout: Layout, inbox: Path) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / "x.ipynb", "{")
    first = collect(NN, inbox, layout)
    before = {p: p.read_bytes() for p in layout.course.rglob("*") if p.is_file()}
    assert collect(NN, inbox, layout) == first == load(NN, layout)
    assert {p: p.read_bytes() for p in layout.course.rglob("*") if p.is_file()} == before


def test_originals_are_untouched(layout: Layout, inbox: Path) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "ada" / "timestamp.txt", "1990-01-01 00:00:00 UTC")
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in inbox.rglob("*") if p.is_file()}
    submission = only(collect(NN, inbox, layout))
    assert {
        p: (p.read_bytes(), p.stat().st_mtime_ns) for p in inbox.rglob("*") if p.is_file()
    } == before
    # a time stamp that the student wrote is not believed
    assert submission.received is not None
    assert submission.received.year > 2000
    assert any("only nbgrader's own collector is believed" in r for r in submission.repairs)


@pytest.mark.parametrize("what", ["nothing there", "no zip", "a damaged zip"])
def test_an_inbox_that_is_none(what: str, layout: Layout, tmp_path: Path) -> None:
    path = tmp_path / "inbox.zip"
    if what == "no zip":
        path.write_text("hello")
    if what == "a damaged zip":
        path.write_bytes(make_zip(tmp_path / "y.zip", {"a.ipynb": "{}"}).read_bytes()[:40])
    with pytest.raises(CourseError, match="What to do"):
        collect(NN, path, layout)


# ------------------------------------------------------------------------ hostile inboxes
def test_a_name_of_many_long_letters_and_one_that_is_not_utf_8(
    layout: Layout, inbox: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["李" * 84, os.fsdecode(b"m\xfcller"), "ada"]
    for name in names:
        put(inbox / name / os.fsdecode(b"\xfc.ipynb"), right(layout))
    (inbox / os.fsdecode(b"\xff")).mkdir()
    done = collect_with_report(NN, inbox, layout)
    submissions, others = done.submissions, done.others
    assert [s.problem for s in submissions if s.name != "\\xff"] == [None] * 3
    assert all(len(s.student.encode()) < 120 for s in submissions)
    assert "m\\xfcller" in {s.name for s in submissions}
    report(submissions, others, read_schedule(layout)).encode()


def test_a_moodle_name_of_95_cjk_letters(layout: Layout, tmp_path: Path) -> None:
    path = make_zip(
        tmp_path / "x.zip", {f"{'李' * 95}/x.ipynb": text(layout), "bob/x.ipynb": text(layout)}
    )
    assert [s.problem for s in collect(NN, path, layout)] == [None, None]


@pytest.mark.parametrize("when", [1e12, -6e10, 0])
def test_a_time_that_no_calendar_has_is_no_time(when: float, layout: Layout, inbox: Path) -> None:
    os.utime(put(inbox / "ada" / f"{NN}.ipynb", right(layout)), (when, when))
    put(inbox / "bob" / "x.ipynb", right(layout))
    ada, bob = collect(NN, inbox, layout)
    assert (ada.received, ada.problem) == (None, None)
    assert bob.received is not None


@pytest.mark.parametrize("name", [".", "./", "", "././."])
def test_a_zip_entry_without_a_name(name: str, layout: Layout, tmp_path: Path) -> None:
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), text(layout))
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), text(layout))
        archive.writestr(f"ada/{NN}.ipynb", text(layout))
        archive.writestr("bob.zip", inner.read_bytes())
    submissions = collect(NN, path, layout)
    assert [s.student for s in submissions if s.problem is None] == ["ada"]


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), ValueError("odd")])
def test_one_submission_that_stops_the_collector_does_not_stop_the_class(
    error: Exception, layout: Layout, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", '{"cells": []}')
    put(inbox / "bob" / "x.ipynb", right(layout))
    real = collect_module.rebuild

    def fails(cells, released, book):
        if not cells:
            raise error
        return real(cells, released, book)

    monkeypatch.setattr(collect_module, "rebuild", fails)
    ada, bob = collect(NN, inbox, layout)
    assert "the collector failed on it" in (ada.problem or "")
    assert bob.problem is None


def test_many_large_attempts_in_a_small_zip_cost_the_memory_of_one(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    padding = json.dumps({"cell_type": "code", "source": "#" * 400_000})
    cells = ", ".join([padding] * 10)
    end = text(layout).split('"cells": [', 1)[1]
    large = f'{{"cells": [{cells}, {end}'
    inner = make_zip(tmp_path / "inner.zip", {f"{n:02}.ipynb": large for n in range(12)})
    entries: dict[str, bytes | str] = {"eve.zip": inner.read_bytes(), "ada.ipynb": text(layout)}
    path = make_zip(tmp_path / "x.zip", entries)
    assert path.stat().st_size < 200_000
    monkeypatch.setattr(collect_module, "MAX_READ", 10 * len(large) - 1)
    tracemalloc.start()
    ada, eve = collect(NN, path, layout)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 9 * len(large)
    assert (ada.problem, answers(eve)) == (None, tiny.RIGHT)
    assert any("2 older files are not read" in note for note in eve.repairs)


def test_zips_in_a_zip_are_not_held_in_memory(layout: Layout, tmp_path: Path) -> None:
    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("x.ipynb", text(layout))
        archive.writestr("padding", os.urandom(2**23))
    path = make_zip(tmp_path / "x.zip", {f"s{n}.zip": inner.read_bytes() for n in range(8)})
    tracemalloc.start()
    submissions = collect(NN, path, layout)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [s.problem for s in submissions] == [None] * 8
    assert peak < 6 * 2**23


def test_of_many_attempts_the_newest_twenty_are_read(layout: Layout, tmp_path: Path) -> None:
    path = make_zip(
        tmp_path / "x.zip",
        {
            f"ada/{NN} ({n}).ipynb": text(layout, double=f"def double(x):\n    return {n}")
            for n in range(30)
        },
    )
    submission = only(collect(NN, path, layout))
    assert answers(submission)["double"].endswith("return 29")
    assert submission.attempts == 30
    said = report([submission], [], read_schedule(layout))
    assert "10 older files are not read: of one student it is at most 20 files and 128 MB" in said
    assert len(list((layout.course / "originals" / NN / "ada").iterdir())) == 20


def test_a_stamp_that_lies_deeper_is_the_students_own(layout: Layout) -> None:
    folder = layout.course / "submitted" / "eve" / NN
    put(folder / f"{NN}.ipynb", right(layout))
    put(folder / "timestamp.txt", "2026-10-12 10:00:00 UTC")
    put(folder / "a" / "timestamp.txt", "2026-10-01 10:00:00 UTC")
    put(folder / "z" / "timestamp.txt", "2026-10-02 10:00:00 UTC")
    submission = only(collect(NN, layout.course / "submitted", layout))
    assert submission.received == datetime(2026, 10, 12, 10, tzinfo=UTC)
    assert any("only nbgrader's own collector is believed" in r for r in submission.repairs)


def test_work_of_another_chapter_is_reported(layout: Layout, inbox: Path) -> None:
    put(inbox / "ada" / NN / f"{NN}.ipynb", right(layout))
    put(inbox / "ada" / "91_other" / "91_other.ipynb", "{}")
    put(inbox / "bob" / "91_other" / "91_other.ipynb", "{}")
    put(inbox / "eve" / "91_other.ipynb", "{}")
    done = collect_with_report(NN, inbox, layout)
    submissions, others = done.submissions, done.others
    assert [s.student for s in submissions] == ["ada"]
    assert len(others) == 2
    assert others[0].startswith("bob/91_other/91_other.ipynb: it lies in the folder of another")
    assert others[1] == "eve: all that was handed in is of another chapter"


def test_no_file_name_writes_a_line_of_the_report(layout: Layout, inbox: Path) -> None:
    evil = "x\n  not readable  bob: \x1b[2Kgone\u202e.ipynb"
    put(inbox / "eve" / evil, "{")
    put(inbox / "ada" / evil, right(layout))
    put(inbox / f"{NN}\n.ipynb", right(layout))
    done = collect_with_report(NN, inbox, layout)
    submissions, others = done.submissions, done.others
    said = report(submissions, others, read_schedule(layout))
    assert all(line.isprintable() for line in said.split("\n"))
    assert not any(line.startswith("  not readable  bob") for line in said.split("\n"))


def test_links_are_not_followed(layout: Layout, inbox: Path, tmp_path: Path) -> None:
    secret = put(
        tmp_path / "secret.ipynb", text(layout, double="def double(x):\n    return 'secret'")
    )
    (inbox / "ada").mkdir()
    (inbox / "ada" / f"{NN}.ipynb").symlink_to(secret)
    (inbox / "bob").symlink_to(tmp_path)
    put(inbox / "eve" / f"{NN}.ipynb", right(layout))
    (inbox / "eve" / "data").symlink_to("/etc")
    os.mkfifo(inbox / "eve" / "pipe.ipynb")
    submissions = collect_with_report(NN, inbox, layout).submissions
    by_student = {s.student: s for s in submissions}
    assert "it is a link" in (by_student["ada"].problem or "")
    assert by_student["eve"].problem is None
    assert any("it is a link" in r for r in by_student["eve"].repairs)
    assert "bob" not in by_student or by_student["bob"].problem
    for path in layout.course.rglob("*"):
        assert not path.is_symlink()
        assert not path.is_file() or b"secret'" not in path.read_bytes()


def test_zip_entries_that_point_outside(layout: Layout, tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"../../up/{NN}.ipynb", text(layout))
        archive.writestr(f"/abs/{NN}.ipynb", text(layout))
        archive.writestr("C:\\win\\x.ipynb", text(layout))
        link = zipfile.ZipInfo(f"eve/{NN}.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(f"bob/{NN}.ipynb", text(layout))
    before = {p for p in tmp_path.rglob("*") if not p.is_relative_to(layout.course)}
    submissions = collect_with_report(NN, path, layout).submissions
    fine = [s.student for s in submissions if s.problem is None]
    assert fine == ["bob"]
    assert "it is a link" in next(s.problem or "" for s in submissions if s.student == "eve")
    assert {p for p in tmp_path.rglob("*") if not p.is_relative_to(layout.course)} == before


def test_a_small_zip_that_unpacks_to_200_mb(layout: Layout, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(f"ada/{NN}.ipynb", "w", force_zip64=True) as entry:
            for _ in range(200):
                entry.write(b" " * 2**20)
        archive.writestr(f"bob/{NN}.ipynb", text(layout))
    assert path.stat().st_size < 300_000
    ada, bob = collect(NN, path, layout)
    assert "larger than 32 MB (200 MB, from 0.2 MB packed)" in (ada.problem or "")
    assert bob.problem is None


def test_a_zip_that_lies_about_its_sizes(layout: Layout, tmp_path: Path) -> None:
    honest = make_zip(tmp_path / "a.zip", {f"ada/{NN}.ipynb": b" " * 2**20}).read_bytes()
    size = (2**20).to_bytes(4, "little")
    assert size in honest
    path = put(tmp_path / "lie.zip", honest.replace(size, (5).to_bytes(4, "little")))
    assert only(collect(NN, path, layout)).problem


def test_a_zip_in_a_zip_is_opened_once(layout: Layout, tmp_path: Path) -> None:
    def packed(entries: dict[str, bytes | str]) -> bytes:
        return make_zip(tmp_path / "inner.zip", entries).read_bytes()

    deep = packed({"again.zip": packed({"x.ipynb": text(layout)})})
    path = make_zip(
        tmp_path / "x.zip",
        {"ada.zip": packed({f"{NN}.ipynb": text(layout)}), "bob.zip": deep, "eve.zip": b"PK"},
    )
    by_student = {s.student: s for s in collect(NN, path, layout)}
    assert answers(by_student["ada"]) == tiny.RIGHT
    assert by_student["bob"].problem
    assert "cannot be opened as a zip" in (by_student["eve"].problem or "")


def test_files_that_cannot_be_opened(
    layout: Layout, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    real = os.open

    def no_permission(path, *rest):  # root may read everything, so the refusal is made here
        if str(inbox / "ada") in str(path):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(inbox_module.os, "open", no_permission)
    ada, bob = collect(NN, inbox, layout)
    assert "Permission denied" in (ada.problem or "")
    assert bob.problem is None


def test_an_encrypted_or_damaged_entry(layout: Layout, tmp_path: Path) -> None:
    data = bytearray(make_zip(tmp_path / "x.zip", {f"ada/{NN}.ipynb": text(layout)}).read_bytes())
    data[120] ^= 0xFF
    assert only(collect(NN, put(tmp_path / "y.zip", bytes(data)), layout)).problem


# ------------------------------------------------------------------------ times
def set_zone(layout: Layout, zone: str, deadline: str | None = None) -> None:
    lines = ["c = get_config()", f"c.Exchange.timezone = {zone!r}"]
    if deadline:
        lines.append(f"c.Course.deadlines = {{{NN!r}: {deadline!r}}}")
    put(layout.course / "nbgrader_config.py", "\n".join(lines))


STAMPS = {
    "2026-10-12 23:59:00": "2026-10-12 21:59",  # no zone: the course's, here two hours ahead of UTC
    "2026-10-12T23:59:00Z": "2026-10-12 23:59",
    "2026-10-12 23:59:00 UTC": "2026-10-12 23:59",
    "2026-10-12 23:59:00.5 -0500": "2026-10-13 04:59",
    "2026-10-12 23:59:00+02:00": "2026-10-12 21:59",
    "2026-12-12 23:59": "2026-12-12 22:59",  # winter
}


@pytest.mark.parametrize("stamp", STAMPS)
def test_stamps_are_read_in_the_courses_zone(stamp: str, layout: Layout) -> None:
    set_zone(layout, "Europe/Berlin")
    folder = layout.course / "submitted" / "ada" / NN
    put(folder / f"{NN}.ipynb", right(layout))
    put(folder / "timestamp.txt", stamp)
    submission = only(collect(NN, layout.course / "submitted", layout))
    assert submission.received is not None
    assert f"{submission.received.astimezone(UTC):%Y-%m-%d %H:%M}" == STAMPS[stamp]


@pytest.mark.parametrize("stamp", ["yesterday", "", "2026-99-99 00:00:00", "12/10/2026 23:59"])
def test_an_unreadable_stamp_is_reported_and_the_files_time_counts(
    stamp: str, layout: Layout
) -> None:
    folder = layout.course / "submitted" / "ada" / NN
    path = put(folder / f"{NN}.ipynb", right(layout))
    put(folder / "timestamp.txt", stamp)
    submission = only(collect(NN, layout.course / "submitted", layout))
    assert submission.received == datetime.fromtimestamp(path.stat().st_mtime, UTC)
    assert any("timestamp.txt is not readable" in r for r in submission.repairs)


def test_deadlines_are_typed_in_local_time(layout: Layout, tmp_path: Path) -> None:
    set_zone(layout, "America/New_York", "2026-10-01 12:00")
    schedule = read_schedule(layout)
    assert schedule.deadline(NN) == datetime(2026, 10, 1, 16, tzinfo=UTC)
    on_time = make_zip(
        tmp_path / "a.zip", {f"ada/{NN}.ipynb": text(layout)}, (2026, 10, 1, 12, 0, 0)
    )
    late = make_zip(tmp_path / "b.zip", {f"bob/{NN}.ipynb": text(layout)}, (2026, 10, 1, 12, 0, 2))
    collect(NN, on_time, layout)
    said = report(collect(NN, late, layout), [], schedule)
    assert "bob: late: came 2026-10-01 12:00 EDT" in said
    assert "ada:" not in said


def test_no_time_at_all_is_reported_and_on_time(layout: Layout, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {f"ada/{NN}.ipynb": text(layout)}, (1980, 1, 1, 0, 0, 0))
    submission = only(collect(NN, path, layout))
    assert submission.received is None
    assert "counts as on time" in report([submission], [], read_schedule(layout))


def test_a_time_in_the_future_is_no_time(layout: Layout, inbox: Path) -> None:
    path = put(inbox / "ada.ipynb", right(layout))
    then = (datetime.now(UTC) + timedelta(days=400)).timestamp()
    os.utime(path, (then, then))
    assert only(collect(NN, inbox, layout)).received is None


@pytest.mark.parametrize(
    ("zone", "deadline"), [("Mars/Olympus", None), ("UTC", "next week")], ids=["zone", "deadline"]
)
def test_wrong_settings_are_named(zone: str, deadline: str | None, layout: Layout) -> None:
    set_zone(layout, zone, deadline)
    with pytest.raises(CourseError, match=r"nbgrader_config\.py"):
        read_schedule(layout)


def test_the_hour_that_comes_twice_is_read_as_the_first() -> None:
    schedule = Schedule(ZoneInfo("Europe/Berlin"), {})
    assert schedule.read("2026-10-25 02:30").astimezone(UTC).hour == 0


def test_a_utc_stamp_inside_a_zip_wins_over_the_local_one(layout: Layout, tmp_path: Path) -> None:
    stamp = datetime(2026, 10, 1, 8, tzinfo=UTC)
    info = zipfile.ZipInfo(f"ada/{NN}.ipynb", (2026, 10, 1, 3, 0, 0))
    info.extra = b"UT\x05\x00\x01" + int(stamp.timestamp()).to_bytes(4, "little")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, text(layout))
    assert only(collect(NN, put(tmp_path / "x.zip", buffer.getvalue()), layout)).received == stamp


# ------------------------------------------------------------------------ what counts as an answer
def other_chapter(layout: Layout) -> NotebookNode:
    """Release a later chapter, whose recap cell holds the answers of this one."""
    notebook = tiny.solution()
    notebook.cells[0].source = "# Another chapter"
    answers = "\n\n\n".join(re.sub(r" *###.*\n?", "", c) for c in (tiny.DOUBLE, tiny.TOTAL))
    recap = copy.deepcopy(tiny.cell_of(notebook, "setup"))
    recap.id, recap.source = "recap", answers
    recap.metadata.nbgrader.grade_id = "recap"
    for old, new in (("double", "triple"), ("total", "mean")):
        for name in (old, f"test_{old}"):
            cell = tiny.cell_of(notebook, name)
            cell.metadata.nbgrader.grade_id = name.replace(old, new)
            cell.source = cell.source.replace(old, new)
    notebook.cells.insert(2, recap)
    released = tiny.released(notebook)
    nbformat.write(released, layout.chapter("91_other"))
    return released


@pytest.mark.parametrize("stripped", [False, True], ids=["as it is", "without metadata"])
@pytest.mark.parametrize("name", [f"{NN}.ipynb", "x.ipynb", "91_other.ipynb"])
def test_an_untouched_later_chapter_is_no_answer_whatever_it_is_called(
    name: str, stripped: bool, layout: Layout, inbox: Path
) -> None:
    notebook = other_chapter(layout)
    if stripped:
        strip_metadata(notebook)
    put(inbox / "ada" / name, notebook)
    put(inbox / "bob" / name, right(layout))
    done = collect_with_report(NN, inbox, layout)
    assert [s.student for s in done.submissions] == ["bob"]
    assert done.others == ["ada: all that was handed in is of another chapter"]


@pytest.mark.parametrize("stripped", [False, True], ids=["as it is", "without metadata"])
def test_cells_of_a_later_chapter_pasted_into_this_one_answer_nothing(
    stripped: bool, layout: Layout, inbox: Path
) -> None:
    notebook, other = tiny.handed_in(layout), other_chapter(layout)
    if stripped:
        strip_metadata(other)
    notebook.cells += other.cells
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    assert all("NotImplementedError" in text for text in answers(submission).values())


def test_no_built_chapter_is_taken_for_another() -> None:
    layout = Layout()
    names = [name for name in layout.names() if layout.chapter(name).exists()]
    cells = {name: read_cells(layout.chapter(name).read_bytes())[0] for name in names}
    for name in names:
        book = Book(name, layout)
        for other in names:
            bare = [Cell(c.kind, c.source) for c in cells[other]]
            expected = 2 if other == name else -1
            for some in (cells[other], bare):
                assert book.fits(some, f"{name}.ipynb") == expected, (name, other)


def own_code(submission: Submission) -> list[str]:
    cells = nbformat.read(submission.notebook, as_version=4).cells
    return [c.source for c in cells if c.id.startswith("own-")]


ADDED = {"setup": "import math", "test_double": "def half(x):\n    return x / 2"}


@pytest.mark.parametrize("where", ADDED)
def test_what_is_added_to_a_locked_cell_runs_as_a_cell_of_its_own_before_it(
    where: str, layout: Layout, inbox: Path
) -> None:
    notebook = right(layout)
    cell = tiny.cell_of(notebook, where)
    released = cell.source
    cell.source = f"{ADDED[where]}\n{released}"
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    cells = nbformat.read(submission.notebook, as_version=4).cells
    at = next(n for n, c in enumerate(cells) if c.id == where.replace("_", "-"))
    assert (cells[at - 1].source, cells[at].source) == (ADDED[where], released)
    assert any(f"{where} was changed" in r and "own before it" in r for r in submission.repairs)
    assert answers(submission) == tiny.RIGHT


def test_an_answer_in_a_locked_cell_is_one(layout: Layout, inbox: Path) -> None:
    notebook = tiny.handed_in(layout)
    tiny.cell_of(notebook, "test_double").source += "\n" + tiny.RIGHT["double"]
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    assert answers(submission)["double"] == tiny.RIGHT["double"]


READ_AS_JUPYTER_DOES = {
    "a cell magic": "%%time\ndef double(x):\n    return x + x",
    "a whole cell indented": "    def double(x):\n        return x + x",
    "pasted prompts": ">>> def double(x):\n...     return x + x",
    "a line magic": "%matplotlib inline\ndef double(x):\n    return x + x",
    "a line separator in a comment": "def double(x):  # \u2028 from a PDF\n    return x + x",
    "other line ends that are none": "def double(x):\n    return x + x  # \x85 \x0c \x0b \x1c \x1e",
    "a carriage return": "def double(x):\r    return x + x",
    "in a condition": "if True:\n    def double(x):\n        return x + x",
    "in a try": "try:\n    import gone\nexcept ImportError:\n    def double(x):\n        return x + x",
    "an import": "%%writefile helper.py\ndef double(x):\n    return 0\n---\nfrom helper import double",
}


@pytest.mark.parametrize("metadata", [True, False], ids=["with metadata", "without"])
@pytest.mark.parametrize("case", READ_AS_JUPYTER_DOES)
def test_a_cell_is_read_as_jupyter_reads_it(
    case: str, metadata: bool, layout: Layout, inbox: Path
) -> None:
    *before, source = READ_AS_JUPYTER_DOES[case].split("\n---\n")
    notebook = tiny.handed_in(layout, double=source)
    for other in before:
        notebook.cells.insert(_index(notebook, "double"), new_code_cell(other))
    if not metadata:
        strip_metadata(notebook)
    put(inbox / "ada.ipynb", notebook)
    submission = only(collect(NN, inbox, layout))
    assert answers(submission)["double"] == source.replace("\r", "\n")
    assert own_code(submission) == before


def test_a_function_within_a_function_is_no_answer(layout: Layout, inbox: Path) -> None:
    inner = "def other():\n    if True:\n        def double(x):\n            return x"
    put(inbox / "ada.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": inner}]}))
    submission = only(collect(NN, inbox, layout))
    assert "NotImplementedError" in answers(submission)["double"]
    assert own_code(submission) == [inner]


@pytest.mark.parametrize("source", ["", "# I do not know", '"""Twice."""'])
def test_a_changed_cell_is_never_replaced_by_the_stub_without_a_word(
    source: str, layout: Layout, inbox: Path
) -> None:
    put(inbox / "ada.ipynb", tiny.handed_in(layout, double=source))
    submission = only(collect(NN, inbox, layout))
    assert source in answers(submission)["double"] or any(
        "double was changed" in r for r in submission.repairs
    )


def test_as_many_cells_as_are_allowed_are_run(layout: Layout, inbox: Path) -> None:
    notebook = json.loads(json.dumps(right(layout)))
    more = [{"cell_type": "code", "source": f"n{i} = {i}", "metadata": {}} for i in range(4_900)]
    notebook["cells"][3:3] = [*more, {"cell_type": "code", "source": "def (", "metadata": {}}]
    put(inbox / "ada.ipynb", json.dumps(notebook))
    submission = only(collect(NN, inbox, layout))
    own = own_code(submission)
    assert len(own) <= 1_001
    assert "\n".join(own).split("\n") == [*(f"n{i} = {i}" for i in range(4_900)), "def ("]
    assert any(
        "4901 cells of the learner's own are run 5 at a time" in r for r in submission.repairs
    )


# ------------------------------------------------------------------------ trouble
def test_folders_nested_a_thousand_deep(layout: Layout, inbox: Path) -> None:
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    put(inbox / "eve" / f"{NN}.ipynb", right(layout))
    folder = inbox / "eve" / "/".join(["d"] * 1_200)
    subprocess.run(["mkdir", "-p", folder], check=True)
    try:
        bob, eve = collect(NN, inbox, layout)
    finally:  # what clears temporary folders recurses
        subprocess.run(["rm", "-r", inbox / "eve" / "d"], check=True)
    assert (bob.problem, eve.problem) == (None, None)
    assert any("nested more than 50 deep" in r for r in eve.repairs)


def flagged(layout: Layout, tmp_path: Path, offset: int, value: int) -> bytes:
    """A zip of which one entry's record in the list at the end has another byte."""
    entries: dict[str, bytes | str] = {
        "m\xfcller/x.ipynb".encode("latin-1").decode("cp437"): text(layout),
        f"bob/{NN}.ipynb": text(layout),
    }
    data = bytearray(make_zip(tmp_path / "f.zip", entries).read_bytes())
    data[data.index(b"PK\x01\x02") + offset] = value
    return bytes(data)


FLAGGED = {"a name that is not UTF-8": (46 + 1, 0xFF), "a version of the format from 2099": (6, 99)}


@pytest.mark.parametrize("inner", [False, True], ids=["a zip", "a zip in a zip"])
@pytest.mark.parametrize("case", FLAGGED)
def test_one_wrong_entry_does_not_refuse_the_whole_zip(
    case: str, inner: bool, layout: Layout, tmp_path: Path
) -> None:
    data = flagged(layout, tmp_path, *FLAGGED[case])
    path = put(tmp_path / "class.zip", data)
    if inner:
        path = make_zip(tmp_path / "outer.zip", {"zoe.ipynb": text(layout), "work.zip": data})
        found = collect(NN, path, layout)
        assert [s.problem for s in found] == [None, None]
    else:
        found = collect(NN, path, layout)
        assert {s.student: s.problem for s in found}["bob"] is None
        assert len(found) == 2


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_trouble_of_the_course_folder_is_not_one_students(
    number: int, layout: Layout, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    before = collect(NN, inbox, layout)
    put(inbox / "ada" / f"{NN}.ipynb", tiny.handed_in(layout))

    def fails(path: Path, content: bytes | str) -> None:
        raise OSError(number, os.strerror(number), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(collect_module, "write_whole", fails)
        with pytest.raises(OSError, match=os.strerror(number)):
            collect(NN, inbox, layout)
    assert load(NN, layout) == before  # nobody is marked as unreadable for it
    assert len(collect(NN, inbox, layout)) == 2


def test_a_name_that_the_disk_refuses_is_told_and_the_class_goes_on(
    layout: Layout, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    real = collect_module.write_whole

    def fails(path: Path, content: bytes | str) -> None:
        if "ada" in path.parts:
            raise OSError(errno.EINVAL, "Invalid argument", str(path))
        real(path, content)

    monkeypatch.setattr(collect_module, "write_whole", fails)
    done = collect_with_report(NN, inbox, layout)
    assert [s.student for s in done.submissions] == ["bob"]
    assert done.others[0].startswith("ada: not collected, Invalid argument (")


def test_nothing_new_is_not_read_again(
    layout: Layout, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    put(inbox / "bob" / f"{NN}.ipynb", right(layout))
    first = collect(NN, inbox, layout)
    put(inbox / "bob" / f"{NN}.ipynb", tiny.handed_in(layout))
    read: list[bytes] = []
    real = collect_module.read_cells

    def counted(data: bytes) -> tuple[list[Cell], list[str]]:
        read.append(data)
        return real(data)

    monkeypatch.setattr(collect_module, "read_cells", counted)
    ada, bob = collect(NN, inbox, layout)
    assert len(read) == 1
    assert ada == first[0]
    assert bob.sha256 != first[1].sha256


def test_a_zip_made_of_hollow_zips_is_not_opened(layout: Layout, inbox: Path) -> None:
    inner = inbox.parent / "inner.zip"
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("x.ipynb", b" " * 2**23)
    make_zip(inbox / "eve.zip", {f"{n}.zip": inner.read_bytes() for n in range(20)})
    put(inbox / "ada" / f"{NN}.ipynb", right(layout))
    ada, eve = collect(NN, inbox, layout)
    assert ada.problem is None
    assert "made to fill the disk" in (eve.problem or "")


HOSTILE_CELLS = {
    "blank lines": "\n" * 400_000 + "double",
    "imports in a line": "from a " + "import double." * 30_000,
    "functions in a function": "def f():\n" + "    def double(x): pass\n" * 15_000,
    "copies of a name": "double = (" * 40_000,
}


@pytest.mark.parametrize("case", HOSTILE_CELLS)
def test_no_cell_takes_long_to_look_at(case: str, layout: Layout) -> None:
    cells = [Cell("code", HOSTILE_CELLS[case])] * 4
    cells += [Cell("code", HOSTILE_CELLS[case], "setup")] * 40
    start = time.process_time()
    rebuild(cells, tiny.released(tiny.solution()))
    assert time.process_time() - start < 30  # a rule that is quadratic takes hours


def test_ten_thousand_notebooks_of_one_student_are_opened_once(
    layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = make_zip(tmp_path / "inner.zip", {f"{n}.ipynb": "{}" for n in range(10_000)})
    path = make_zip(tmp_path / "x.zip", {"eve.zip": inner.read_bytes(), "ada.ipynb": text(layout)})
    opened: list[object] = []
    real = zipfile.ZipFile

    def counted(file: object) -> zipfile.ZipFile:
        opened.append(file)
        return real(file)  # type: ignore[call-overload]

    monkeypatch.setattr(inbox_module.zipfile, "ZipFile", counted)
    ada, eve = collect(NN, path, layout)
    assert ada.problem is None
    assert eve.attempts == 10_000
    assert len(opened) == 2
