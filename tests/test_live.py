"""A chapter as a live notebook in a real browser: no other host, a named mistake, full marks for what is downloaded.

Needs a Pyodide release, as `make book PYODIDE=...` does: $PYODIDE, or the folder ../shared/pyodide beside the course.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograde.build import live
from autograde.build.live import CDN, CORE, LOCK, PYODIDE, build_live
from autograde.collect.collect import collect
from autograde.errors import CourseError
from autograde.grade.grade import grade, read_verdicts
from autograde.layout import ROOT, Layout
from autograde.mistakes import Wrong, load
from bench import corpus
from tests.answers import chapter
from tests.test_book import FLAGS, Quiet, executable

NAME = "03_scores"
EXERCISES = list(chapter(NAME).solutions)
RELEASE = Path(os.environ.get("PYODIDE") or ROOT.parent / "shared" / "pyodide")
pytestmark = pytest.mark.xdist_group("live")
slow = pytest.mark.slow


# ---------------------------------------------------------------- the site
@pytest.fixture(scope="module")
def release() -> Path:
    if not RELEASE.exists():
        pytest.skip(f"no Pyodide {PYODIDE}: set PYODIDE to the folder or archive of a release")
    return RELEASE


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, release: Path) -> Path:
    """The live notebooks alone, with their own Pyodide."""
    root = tmp_path_factory.mktemp("course")
    for name in ("chapters", "book"):
        (root / name).symlink_to(ROOT / name)
    (root / "_build" / "html").mkdir(parents=True)
    build_live(root, root / "_build" / "html", pyodide=release, say=lambda text: None)
    return root / "_build" / "html"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/{live.address(NAME)}"
        server.shutdown()
        thread.join()


class Notebook:
    """A live notebook, driven as a reader drives it: the mouse, the keyboard, the buttons."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.problems = page, list[str]()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("requestfailed", lambda request: self.problems.append(request.url))
        page.on("response", lambda r: self.problems.append(r.url) if r.status >= 400 else None)
        self.started = time.monotonic()
        page.goto(address)
        self.wait("ready", 180)
        self.seconds = time.monotonic() - self.started

    def wait(self, state: str, seconds: float) -> None:
        script = f"document.documentElement.dataset.live === '{state}'"
        self.page.wait_for_function(script, timeout=1000 * seconds)

    def press(self, text: str) -> None:
        self.page.locator("#live-line button", has_text=text).click()

    def write(self, name: str, code: str) -> None:
        """Replace the source of the cell of an exercise, by keyboard."""
        place = (
            "cells.findIndex(c => c.model.metadata.nbgrader && c.model.metadata.nbgrader.grade_id"
        )
        index = self.ask(f"cells => {place} === '{name}')")
        self.page.evaluate(
            f"async index => {{ const content = {NOTEBOOK}; content.activeCellIndex = index; "
            "await content.scrollToItem(index); await jupyterapp.commands.execute('notebook:enter-edit-mode'); }",
            index,
        )
        self.page.locator(".jp-Notebook-cell.jp-mod-active .cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(f"# mine\n{code}")
        self.page.keyboard.press("Escape")

    def run_all(self) -> list[dict[str, Any]]:
        """Run everything; the code cells with their outputs."""
        count = self.ask("cells => cells.filter(c => c.model.type === 'code').length")
        self.ask(
            "cells => cells.forEach(c => { if (c.model.type === 'code') c.model.executionCount = null; })"
        )
        self.press("Run all cells")
        done = (
            "cells.filter(c => c.model.type === 'code' && c.model.executionCount !== null).length"
        )
        self.page.wait_for_function(
            f"() => {{ const cells = {CELLS}; return {done} === {count}; }}", timeout=300_000
        )
        self.page.wait_for_timeout(1000)
        found: list[dict[str, Any]] = self.ask(
            "cells => cells.filter(c => c.model.type === 'code').map(c => c.model.toJSON())"
        )
        return found

    def ask(self, script: str) -> Any:
        return self.page.evaluate(f"() => ({script})({CELLS})")


NOTEBOOK = (
    "Array.from(jupyterapp.shell.widgets('main')).find(w => w.content && w.content.widgets && w.sessionContext)"
    ".content"
)
CELLS = f"{NOTEBOOK}.widgets"


@pytest.fixture(scope="module")
def window(address: str) -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync.sync_playwright() as play:
        path = executable(play.chromium.executable_path)
        if path is None:
            pytest.skip("no Chromium: set CHROMIUM, or run `playwright install chromium`")
        chromium = play.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        chromium.close()


def errors(cells: list[dict[str, Any]]) -> list[str]:
    return [o["evalue"] for c in cells for o in c["outputs"] if o["output_type"] == "error"]


@slow
def test_a_chapter_runs_in_the_browser_and_earns_full_marks(
    window, address, tmp_path, record_property
):
    notebook = Notebook(window.new_page(), address)
    record_property("live", f"{notebook.seconds:.1f} s from the click to a kernel that is ready")

    untouched = errors(notebook.run_all())
    assert len(untouched) == len(EXERCISES)
    assert all("not written yet" in text for text in untouched)

    known = (e for e in load(NAME) if isinstance(e, Wrong) and not e.unnamed)
    wrong = next(e for e in known if e.exercise == EXERCISES[0])
    notebook.write(wrong.exercise, wrong.code)
    [told] = [text for text in errors(notebook.run_all()) if "not written yet" not in text]
    assert wrong.sentence in told

    for name, code in chapter(NAME).solutions.items():
        notebook.write(name, code)
    assert errors(notebook.run_all()) == []

    with notebook.page.expect_download() as waiting:
        notebook.page.locator(".jp-Toolbar", has_text="Download").get_by_text("Download").click()
    handed_in = tmp_path / "inbox" / "ada" / waiting.value.suggested_filename
    handed_in.parent.mkdir(parents=True)
    waiting.value.save_as(handed_in)
    layout = corpus.copy_of_the_course(tmp_path / "course")
    lines = tmp_path / "lines.jsonl"
    grade(
        NAME,
        collect(NAME, tmp_path / "inbox", layout),
        layout,
        workers=1,
        json_file=lines,
        progress=False,
    )
    [verdict] = read_verdicts(lines)
    assert verdict.score == verdict.max_score > 0

    notebook.page.reload()
    notebook.wait("ready", 180)
    assert notebook.ask(
        "cells => cells.filter(c => c.model.sharedModel.source.startsWith('# mine')).length"
    ) == len(EXERCISES)
    notebook.page.on("dialog", lambda dialog: dialog.accept())
    notebook.press("Start over")
    gone = f"() => !{CELLS}.some(c => c.model.sharedModel.source.startsWith('# mine'))"
    notebook.page.wait_for_function(gone, timeout=30_000)
    assert notebook.problems == []


# ---------------------------------------------------------------- without a browser
def test_every_chapter_page_offers_its_live_notebook():
    from autograde.build.pages import build_book

    pages = build_book(ROOT).parent
    for name in Layout().names():
        text = (pages / "chapters" / f"{name}.html").read_text(encoding="utf-8")
        link = re.search(r'<a class="run-here" href="\.\./([^"?]*)\?path=([^"]*)"', text)
        assert link
        assert link[2] == f"{name}.ipynb"
        assert (pages / link[1]).is_file()
        assert (pages / live.FOLDER / "files" / link[2]).is_file()
        assert "pyodide" not in text.lower()  # nothing of it is loaded before the click


def test_without_a_release_only_its_public_home_is_named(tmp_path):
    for name in ("chapters", "book"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "_build" / "html").mkdir(parents=True)
    build_live(tmp_path, tmp_path / "_build" / "html", say=lambda text: None)
    settings = json.loads((tmp_path / "_build" / "html" / "live" / "jupyter-lite.json").read_text())
    kernel = settings["jupyter-config-data"]["litePluginSettings"][f"{live.KERNEL}:kernel"]
    assert (kernel["pyodideUrl"], kernel["disablePyPIFallback"]) == (CDN, True)


def small_release(folder: Path, version: str = PYODIDE) -> Path:
    """The form of a release, with one package of one byte."""
    folder.mkdir()
    for name in CORE:
        (folder / name).write_bytes(b"")
    about = {"file_name": "numpy.whl", "sha256": live.sha256(b"1").hexdigest(), "depends": []}
    (folder / "numpy.whl").write_bytes(b"1")
    (folder / LOCK).write_text(
        json.dumps({"info": {"version": version}, "packages": {"numpy": about}})
    )
    return folder


def test_a_release_may_be_an_archive(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "PACKAGES", ("numpy",))
    folder = small_release(tmp_path / "pyodide")
    archive = tmp_path / "pyodide.tar.bz2"
    with tarfile.open(archive, "w:bz2") as packed:
        packed.add(folder, "pyodide")
    with live.release(archive) as found:
        live.copy_release(found, tmp_path / "copy")
    assert (tmp_path / "copy" / "numpy.whl").read_bytes() == b"1"


def test_what_is_no_release_is_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "PACKAGES", ("numpy",))
    for path, words in [
        (tmp_path / "none", "no such folder"),
        (small_release(tmp_path / "old", "0.26.0"), "it is Pyodide 0.26.0"),
        (tmp_path, f"holds no {LOCK}"),
    ]:
        with pytest.raises(CourseError, match=words), live.release(path):
            pass
    (tmp_path / "text.tar").write_text("no archive")
    with (
        pytest.raises(CourseError, match="cannot be unpacked"),
        live.release(tmp_path / "text.tar"),
    ):
        pass
    folder = small_release(tmp_path / "bad")
    (folder / "numpy.whl").write_bytes(b"2")
    with pytest.raises(CourseError, match="not the one of the release"):
        live.copy_release(folder, tmp_path / "copy2")
    (folder / CORE[0]).unlink()
    with pytest.raises(CourseError, match="it is missing"):
        live.copy_release(folder, tmp_path / "copy3")


# ---------------------------------------------------------------- elsewhere
def test_a_repository_gives_the_links_of_a_chapter():
    from book.launch import links

    found = dict(
        links(
            "chapters/03_scores", "https://github.com/who/course", "main", "https://hub.example.org"
        )
    )
    assert found == {
        "Colab": "https://colab.research.google.com/github/who/course/blob/main/chapters/03_scores.ipynb",
        "Binder": "https://mybinder.org/v2/gh/who/course/main?urlpath=lab/tree/chapters/03_scores.ipynb",
        "JupyterHub": "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2Fwho%2Fcourse"
        "&branch=main&urlpath=lab/tree/course/chapters/03_scores.ipynb",
        "Edit": "https://github.com/who/course/edit/main/solutions/03_scores.md",
    }
    assert links("guide/learner", "https://github.com/who/course", "main", "") == [
        ("Edit", "https://github.com/who/course/edit/main/guide/learner.md")
    ]
