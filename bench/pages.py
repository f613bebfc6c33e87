"""What the pages weigh, how fast they are, and who can read them: a table of all pages.

    python -m bench.pages [--runs 3] [page …]

Lighthouse (mobile preset, the middle of some runs), axe in both themes, and whether the page slides sideways at
320, 360 and 390 px. Both come from npm into `_build/audit`, at the versions below; Node.js 18 or newer and
Chromium must be there. Speed depends on what else the machine does: audit alone, compare ratios.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from tqdm import tqdm

from autograde.build.pages import build_book, page_names
from autograde.layout import ROOT

NEEDED = ("lighthouse@12.8.2", "axe-core@4.14.1")
FOLDER = ROOT / "_build" / "audit"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
WIDTHS = (320, 360, 390)
COMPRESSED = (".html", ".css", ".js", ".svg")
HEAD = ("page", "KB", "perf", "a11y", "best", "seo", "TBT ms", "shift", "axe", "too wide at")
ROW = "{:24}{:>6}{:>6}{:>6}{:>6}{:>5}{:>8}{:>7}{:>5}  {}"


class Compressed(http.server.SimpleHTTPRequestHandler):
    """A silent file server that compresses text, as the servers of pages do."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        if not file.is_file():
            self.send_error(404)
            return
        data = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(file))
        if file.suffix in COMPRESSED:
            data = gzip.compress(data)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the folder while the context lasts; yields its address."""
    handler = functools.partial(Compressed, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def chromium() -> str:
    """The browser; ends the program with what to do if there is none."""
    found = next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM", ""), *BROWSERS])), None)
    return found or sys.exit("The audit needs Chromium: install it, or name it in CHROMIUM.")


def install() -> None:
    """Bring Lighthouse and axe; ends the program with what to do if they cannot come."""
    if not (shutil.which("npm") and shutil.which("node")):
        sys.exit("The audit needs Node.js 18 or newer with npm: apt-get install nodejs npm.")
    if not all((FOLDER / "node_modules" / name.split("@")[0]).is_dir() for name in NEEDED):
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), *NEEDED]
        subprocess.run(command, check=True, capture_output=True)


def lighthouse(address: str) -> dict[str, float]:
    """One run of Lighthouse: its four marks, bytes, blocking time and layout shift."""
    command = [
        *("node", str(FOLDER / "node_modules/lighthouse/cli/index.js"), address, "--quiet"),
        *("--output=json", "--chrome-flags=--headless=new --no-sandbox"),
    ]
    said = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "CHROME_PATH": chromium()}
    )
    if said.returncode:
        raise RuntimeError(said.stderr.strip()[-500:])
    report = json.loads(said.stdout)
    marks: dict[str, float] = {
        name: 100 * (report["categories"][name]["score"] or 0) for name in CATEGORIES
    }
    for name in ("total-byte-weight", "total-blocking-time", "cumulative-layout-shift"):
        marks[name] = report["audits"][name]["numericValue"]
    return marks


def read_by(page: Any, address: str) -> tuple[int, list[int]]:
    """(what axe finds in both themes, widths at which the page slides sideways)."""
    axe = (FOLDER / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    findings, wide = 0, []
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address)
        page.evaluate(axe)
        findings += len(page.evaluate("axe.run().then(found => found.violations)"))
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(150)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(width)
    return findings, wide


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if axe finds something or a page is too wide."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of Lighthouse for each page")
    parser.add_argument("pages", nargs="*", help="as in _toc.yml; all of them if none is named")
    options = parser.parse_args(arguments)
    install()
    site, bad = build_book(ROOT, say=lambda text: None).parent, False
    tqdm.write(ROW.format(*HEAD))
    with served(site) as base, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        for name in tqdm(options.pages or page_names(ROOT), disable=None):
            address = f"{base}{name}.html"
            findings, wide = read_by(page, address)
            runs = [lighthouse(address) for _ in range(options.runs)]
            middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            marks = [round(middle[category]) for category in CATEGORIES]
            speed = (
                round(middle["total-blocking-time"]),
                f"{middle['cumulative-layout-shift']:.3f}",
            )
            weight = round(middle["total-byte-weight"] / 1024)
            widths = ", ".join(map(str, wide)) or "none"
            tqdm.write(ROW.format(name.split("/")[-1], weight, *marks, *speed, findings, widths))
            bad = bad or bool(findings or wide)
        browser.close()
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
