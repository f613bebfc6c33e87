"""The chapters as live notebooks: a JupyterLite site beside the pages, in which the reader's browser runs Python.

Owns `_build/live/` and what of it stands in the site. Python in the browser is Pyodide: from its public CDN, or from a
folder or archive of an official release (`make book PYODIDE=...`), and then no other host is needed. Reads the
chapters; runs no notebook.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from autograde.errors import CourseError

PYODIDE = "0.27.7"
"""The release that the kernel's version starts with; newer kernels do not start with it."""
CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/pyodide.js"
CORE = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PACKAGES = (
    *("numpy", "matplotlib", "ipython", "traitlets", "micropip", "jedi", "ssl", "sqlite3"),
    "pyodide-unix-timezones",
)
"""What a chapter and the kernel import; what these need comes with them."""
KERNEL = "@jupyterlite/pyodide-kernel-extension"
TOOLS = ("jupyterlite-core", "jupyterlite-pyodide-kernel", "comm")
COMMAND = "import sys; from jupyterlite_core.app import main; sys.exit(main())"
FOLDER = "live"


def address(chapter: str) -> str:
    """The address of a chapter's live notebook, from the first page of the site."""
    return f"{FOLDER}/notebooks/index.html?path={chapter}.ipynb"


def build_live(
    root: Path,
    site: Path,
    *,
    pyodide: Path | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Put the live notebooks of the course at `root` into `site`, if it is a course that has them.

    pyodide: a folder or archive of the official Pyodide release; without it the browser asks the public CDN.

    Raises CourseError if `pyodide` is not that release, or if the site did not come out with this setting.
    """
    if not ((root / "book" / FOLDER).is_dir() and (root / "chapters").is_dir()):
        return
    made, stamp = root / "_build" / FOLDER, root / "_build" / f"{FOLDER}.json"
    inputs = {"live": fingerprint(root), "pyodide": str(pyodide or CDN)}
    if not (made.is_dir() and stamp.is_file() and json.loads(stamp.read_text()) == inputs):
        say("book: building the live notebooks")
        stamp.unlink(missing_ok=True)
        shutil.rmtree(made, ignore_errors=True)
        run_jupyterlite(root, made, "./static/pyodide/pyodide.js" if pyodide else CDN)
        if pyodide:
            with release(pyodide) as folder:
                copy_release(folder, made / "static" / "pyodide")
        add_progress(root, made / "notebooks" / "index.html")
        icon = made / "notebooks" / "favicon.ico"
        for place in ("static/favicons/favicon-notebook.ico", "static/favicons/favicon-busy-1.ico"):
            (made / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(icon, made / place)  # JupyterLite asks for them and does not bring them
        stamp.write_text(json.dumps(inputs), encoding="utf-8")
    elif (site / FOLDER).is_dir():
        return
    shutil.rmtree(site / FOLDER, ignore_errors=True)
    shutil.copytree(made, site / FOLDER, copy_function=os.link)


def fingerprint(root: Path) -> str:
    """One hash of the chapters, our own files and the tools."""
    total = sha256(" ".join(importlib.metadata.version(tool) for tool in TOOLS).encode())
    own = [*(root / "chapters").glob("*.ipynb"), *(root / "book" / FOLDER).iterdir()]
    for file in sorted([*own, Path(__file__)]):
        total.update(file.name.encode() + sha256(file.read_bytes()).digest())
    return total.hexdigest()


# ---------------------------------------------------------------- JupyterLite
def run_jupyterlite(root: Path, made: Path, pyodide_url: str) -> None:
    """Build the site that runs notebooks. Raises CourseError with what the tool says if it fails."""
    settings = {"pyodideUrl": pyodide_url, "disablePyPIFallback": True}
    config = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "Self-attention, step by step",
            "exposeAppInBrowser": True,
            "litePluginSettings": {f"{KERNEL}:kernel": settings},
        },
    }
    extension = Path(sysconfig.get_path("data"), "share", "jupyter", "labextensions", KERNEL)
    with tempfile.TemporaryDirectory(prefix="live-") as name:
        folder = Path(name)
        (folder / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
        shutil.copy(root / "book" / FOLDER / "overrides.json", folder)
        options = {
            "output_dir": str(made),
            "apps": ["notebooks"],
            "contents": [str(root / "chapters")],
            "ignore_sys_prefix": True,
            "federated_extensions": [str(extension)],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
        wheels = {"piplite_urls": [str(wheel_of("comm", folder))]}
        (folder / "jupyter_lite_config.json").write_text(
            json.dumps({"LiteBuildConfig": options, "PipliteAddon": wheels}), encoding="utf-8"
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", COMMAND, "build", "--lite-dir", name],
            capture_output=True, text=True, encoding="utf-8", errors="replace", cwd=folder, check=False,
        )  # fmt: skip
    config_file = made / "jupyter-lite.json"
    if done.returncode or not config_file.is_file():
        told = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-12:])
        raise CourseError(made, f"the live notebooks were not built:\n  {told}", "See above.")
    found = json.loads(config_file.read_text(encoding="utf-8"))["jupyter-config-data"]
    if found["litePluginSettings"][f"{KERNEL}:kernel"]["pyodideUrl"] != pyodide_url:
        raise CourseError(
            config_file, "it names another Pyodide.", "Delete _build and build again."
        )


def wheel_of(package: str, folder: Path) -> Path:
    """The wheel of an installed package of pure Python, written anew into `folder`: the browser installs it."""
    about = importlib.metadata.distribution(package)
    wheel = folder / f"{package}-{about.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in about.files or ():
            if file.parts[0].startswith(package) and "__pycache__" not in file.parts:
                moment = zipfile.ZipInfo(file.as_posix(), (1980, 1, 1, 0, 0, 0))
                archive.writestr(moment, file.read_binary(), zipfile.ZIP_DEFLATED)
    return wheel


def add_progress(root: Path, page: Path) -> None:
    """Put our own line on the page of a notebook: how far it is, how to keep the work, how to start over."""
    script = (root / "book" / FOLDER / "progress.js").read_text(encoding="utf-8")
    style = (root / "book" / FOLDER / "progress.css").read_text(encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    head = f'<link rel="icon" href="favicon.ico" />\n<style>{style}</style>\n<script>{script}</script>\n</head>'
    page.write_text(
        text.replace("</head>", head, 1).replace("<html>", '<html lang="en">', 1), encoding="utf-8"
    )


# ---------------------------------------------------------------- Pyodide
@contextmanager
def release(path: Path) -> Iterator[Path]:
    """The folder of a Pyodide release, unpacked for a moment if it is an archive. Raises CourseError if it is none."""
    remedy = (
        f"Give the folder or archive of the official release {PYODIDE} (pyodide-{PYODIDE}.tar.bz2)."
    )
    if not path.exists():
        raise CourseError(path, "there is no such folder or archive.", remedy)
    with tempfile.TemporaryDirectory(prefix="pyodide-") as name:
        folder = path
        if path.is_file():
            folder = Path(name)
            try:
                if zipfile.is_zipfile(path):
                    zipfile.ZipFile(path).extractall(folder)
                else:
                    with tarfile.open(path) as archive:
                        archive.extractall(folder, filter="data")
            except (tarfile.TarError, OSError) as fault:
                raise CourseError(path, f"it cannot be unpacked: {fault}", remedy) from fault
        found = sorted(folder.glob(f"**/{LOCK}"))[:1] if path.is_file() else [folder / LOCK]
        if not found or not found[0].is_file():
            raise CourseError(path, f"it holds no {LOCK}.", remedy)
        version = json.loads(found[0].read_text(encoding="utf-8"))["info"]["version"]
        if version != PYODIDE:
            raise CourseError(path, f"it is Pyodide {version}.", remedy)
        yield found[0].parent


def copy_release(folder: Path, place: Path) -> None:
    """Copy what the chapters need of a release, each wheel compared with the hash in its lock file.

    Raises CourseError if a file is missing or another one.
    """
    remedy = "Get the official release again."
    lock = json.loads((folder / LOCK).read_text(encoding="utf-8"))["packages"]
    place.mkdir(parents=True)
    for name in (*CORE, LOCK):
        if not (folder / name).is_file():
            raise CourseError(folder / name, "it is missing.", remedy)
        shutil.copyfile(folder / name, place / name)
    for package in sorted(needed(lock, PACKAGES)):
        name = lock[package]["file_name"]
        data = (folder / name).read_bytes() if (folder / name).is_file() else b""
        if sha256(data).hexdigest() != lock[package]["sha256"]:
            raise CourseError(
                folder / name, "it is missing, or not the one of the release.", remedy
            )
        (place / name).write_bytes(data)


def needed(lock: dict[str, dict[str, list[str]]], wanted: tuple[str, ...]) -> set[str]:
    """The packages wanted, and all that they need."""
    found: set[str] = set()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            waiting += lock[name]["depends"]
    return found
