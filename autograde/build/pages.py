"""From `_toc.yml` to pages: builds the book with warnings as errors and checks what came out.

Owns `_build/`: builds it from nothing whenever an input changed, and leaves it alone when nothing did.
(Sphinx's own incremental build forgets a warning once it was printed, keeps pages that left the table of
contents, and does not redraw the sidebars of untouched pages.) Never executes a notebook and never touches
a source.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from autograde.build.live import FOLDER as LIVE
from autograde.build.live import build_live
from autograde.errors import CourseError
from autograde.layout import ROOT

SUFFIXES = (".md", ".ipynb")
MADE_BY_THE_THEME = {"search"}
TOOLS = ("jupyter-book", "sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "myst-nb")
COMMAND = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
BANNER = "\n" + "=" * 79


def build_book(
    root: Path = ROOT,
    *,
    force: bool = False,
    pyodide: Path | None = None,
    say: Callable[[str], None] = print,
) -> Path:
    """Build the book of the course at `root`; return the first page.

    Does nothing when the pages are those of the present sources, unless `force`.
    pyodide: see `live.build_live`, which adds the live notebooks.

    Raises CourseError if a page of `_toc.yml` has no source, if the build warns of anything,
    or if the pages that came out are not exactly those of `_toc.yml`.
    """
    sources = page_sources(root)
    site = root / "_build" / "html"
    (root / "_build").mkdir(exist_ok=True)
    with FileLock(root / "_build" / "book.lock"):
        stamp, inputs = root / "_build" / "book.json", fingerprint(root, sources)
        if not force and is_current(stamp, inputs, site, set(sources)):
            say(f"book: {len(sources)} pages, nothing has changed")
            build_live(root, site, pyodide=pyodide, say=say)
            return site / "index.html"
        say(f"book: building {len(sources)} pages")
        stamp.unlink(missing_ok=True)
        for old in (site, root / "_build" / ".doctrees", root / "_build" / "jupyter_execute"):
            shutil.rmtree(old, ignore_errors=True)
        run_jupyter_book(root)
        compare(root, pages(site), set(sources))
        build_live(root, site, pyodide=pyodide, say=say)
        stamp.write_text(json.dumps({"inputs": inputs}) + "\n", encoding="utf-8")
    return site / "index.html"


def page_names(root: Path) -> list[str]:
    """The pages that `_toc.yml` lists, in order, without suffix.

    Raises CourseError if there is no table of contents or it cannot be read.
    """
    from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml

    toc = root / "_toc.yml"
    if not toc.is_file():
        raise CourseError(toc, "there is no table of contents.", "Run this in the course's folder.")
    try:
        names = list(parse_toc_yaml(toc))
    except (MalformedError, ValueError) as problem:
        raise CourseError(toc, str(problem), "Compare with the lines around it.") from None
    return [name.removesuffix(".md").removesuffix(".ipynb") for name in names]


def page_sources(root: Path) -> dict[str, Path]:
    """Page name -> its source, for every page of `_toc.yml`, in order.

    Raises CourseError if a page has no source or two.
    """
    toc, sources = root / "_toc.yml", {}
    for name in page_names(root):
        found = [file for suffix in SUFFIXES if (file := root / f"{name}{suffix}").is_file()]
        if not found:
            remedy = f"Write {name}.md, or take the line out."
            if name.startswith("chapters/"):
                chapter = name.removeprefix("chapters/")
                remedy = f"Run `make notebooks` (it needs solutions/{chapter}.md), or take it out."
            raise CourseError(toc, f"it lists {name}, which does not exist.", remedy)
        if len(found) > 1:
            both = " and ".join(file.name for file in found)
            raise CourseError(toc, f"{name} has two sources, {both}.", "Remove one of them.")
        sources[name] = found[0]
    return sources


def fingerprint(root: Path, sources: dict[str, Path]) -> str:
    """One hash of everything that the pages depend on."""
    files = {root / "_config.yml", root / "_toc.yml", *sources.values(), *root.glob("*.md")}
    for folder in ("book", "guide"):
        files |= {f for f in (root / folder).rglob("*") if f.is_file()}
    total = sha256(" ".join(f"{tool} {version(tool)}" for tool in TOOLS).encode())
    for file in sorted(files):
        if "__pycache__" not in file.parts and file.is_file():
            total.update(f"\0{file.relative_to(root).as_posix()}\0".encode())
            total.update(sha256(file.read_bytes()).digest())
    return total.hexdigest()


def is_current(stamp: Path, inputs: str, site: Path, wanted: set[str]) -> bool:
    """True if the pages stand there, complete, built from these inputs."""
    try:
        recorded = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return recorded == {"inputs": inputs} and pages(site) == wanted


def run_jupyter_book(root: Path) -> None:
    """Build every page; raises CourseError with the warnings, if there is one."""
    options = ["--all", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "build", str(root), *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        cwd=root,
        env={**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"},
        check=False,
    )
    if done.returncode == 0:
        return
    told = COLOUR.sub("", done.stderr).split(BANNER)[0].strip()
    lines = [line.replace(f"{root}{os.sep}", "") for line in told.splitlines() if line.strip()]
    warnings = [
        line for line in lines if "WARNING" in line or "ERROR" in line or "CRITICAL" in line
    ]
    raise CourseError(
        root / "_build",
        "the book does not build without warnings:\n  " + "\n  ".join((warnings or lines)[-40:]),
        "Each line names file and line; mend them and build again.",
    )


def pages(site: Path) -> set[str]:
    """The names of the HTML pages of a site: not the live notebooks, what the theme adds, or `_…`."""
    files = (file.relative_to(site) for file in site.rglob("*.html"))
    found = {
        file.with_suffix("").as_posix()
        for file in files
        if file.parts[0] != LIVE and not file.parts[0].startswith("_")
    }
    return found - MADE_BY_THE_THEME


def compare(root: Path, built: set[str], wanted: set[str]) -> None:
    """Raise CourseError unless the pages are exactly those of the table of contents."""
    if missing := sorted(wanted - built):
        raise CourseError(
            root / "_toc.yml",
            f"no page came out for {', '.join(missing)}.",
            "Look whether exclude_patterns in _config.yml names it.",
        )
    if extra := sorted(built - wanted):
        raise CourseError(
            root / "_config.yml",
            f"pages came out that _toc.yml does not list: {', '.join(extra)}.",
            "Add their folder to exclude_patterns, or list them.",
        )
