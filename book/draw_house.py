"""Draw the picture of the package: its wings from the top down, and who imports whom, measured from the imports.

    python book/draw_house.py

writes book/static/house.svg. A wing may import the wings below it and the ground, never one above; the test of the
wings uses the same measurement, and fails if the picture is not the one that the imports give.
"""

from __future__ import annotations

import ast
import html
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "autograde"
WINGS = {
    "sample": "an invented class, and the whole loop on it",
    "records": "verdicts → gradebook, log, feedback, exports",
    "collect": "any inbox → one submission for each student",
    "build": "solutions → chapters → pages",
    "grade": "submission, tests, environment → verdict",
    "sandbox": "what isolates learners' code",
}
"""From the top down, with what each does."""
GROUND = (
    "settings",
    "nbgrader_bridge",
    "notebook",
    "verdict",
    "mistakes",
    "layout",
    "files",
    "errors",
)
FRONT = ("__main__", "cli")
"""What may import everything."""


# ---------------------------------------------------------------- measuring
def module_of(path: Path) -> str:
    """autograde/grade/plan.py -> grade.plan"""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def place(module: str) -> str:
    """The wing, or the module of the ground, that a module belongs to."""
    return module.split(".")[0]


def imports(path: Path) -> set[str]:
    """The modules of the package that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "autograde":
                while not is_module(parts):
                    parts.pop()
                found.add(".".join(parts[1:]))
    return found - {""}


def is_module(parts: list[str]) -> bool:
    path = ROOT.joinpath(*parts)
    return path.with_suffix(".py").exists() or path.is_dir()


def graph() -> dict[str, set[str]]:
    """module -> the modules it imports; the settings of the course, which nbgrader executes, included."""
    files = [p for p in sorted(PACKAGE.rglob("*.py")) if "cells" not in p.parts]
    return {module_of(path): imports(path) for path in files}


def between(found: dict[str, set[str]]) -> Counter[tuple[str, str]]:
    """(wing, other wing) -> how many imports lead from the one to the other."""
    pairs = [(place(module), place(other)) for module, used in found.items() for other in used]
    return Counter((a, b) for a, b in pairs if a in WINGS and b in WINGS and a != b)


# ---------------------------------------------------------------- drawing
WIDTH, ROW, HIGH, LEFT, BOX = 500, 106, 88, 6, 400
STYLE = """\
.house text { font-family: system-ui, sans-serif; fill: var(--ink, #1c1c1c); }
.house .name { font-weight: 650; font-size: 16px; }
.house .does { font-size: 14px; }
.house .parts { font-size: 12.5px; fill: var(--muted, #595959); }
.house rect { fill: none; stroke: var(--ink, #1c1c1c); stroke-width: 1.2; rx: 6; }
.house .ground { stroke-dasharray: 5 4; }
.house path { fill: none; stroke: var(--ink, #1c1c1c); stroke-width: 1.2; }
.house .tip { fill: var(--ink, #1c1c1c); stroke: none; }
"""


def svg(found: dict[str, set[str]]) -> str:
    """The picture: a box for each wing, an arrow for each pair of wings with imports between them."""
    names = list(WINGS)
    arrows = sorted(between(found), key=lambda pair: names.index(pair[1]) - names.index(pair[0]))
    told = "; ".join(
        f"{wing} imports {', '.join(sorted(b for a, b in arrows if a == wing)) or 'no other wing'}"
        for wing in names
    )
    height = ROW * (len(names) + 1) + 14
    parts = [
        f'<svg class="house" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{html.escape(f"The six wings of the package, from the top down: {told}. All stand on the ground.")}">',
        f"<style>{STYLE}</style>",
    ]
    modules = {
        wing: sorted(m.split(".")[-1] for m in found if place(m) == wing and "." in m)
        for wing in names
    }
    for row, (wing, does) in enumerate(WINGS.items()):
        parts += box(row, f"{wing}/", does, ", ".join(modules[wing]))
    parts += box(
        len(names), "the ground", "what every wing may import", ", ".join(sorted(GROUND)), "ground"
    )
    for lane, (above, below) in enumerate(arrows):
        x = LEFT + BOX + 18 + lane * 13
        start = 10 + names.index(above) * ROW + HIGH * 0.68
        end = 10 + names.index(below) * ROW + HIGH * 0.32
        edge = LEFT + BOX
        parts.append(f'<path d="M{edge} {start:g} H{x:g} V{end:g} H{edge + 7}"/>')
        parts.append(f'<path class="tip" d="M{edge} {end:g} l9 -4.5 v9 z"/>')
    return "\n".join([*parts, "</svg>", ""])


def box(row: int, name: str, does: str, parts: str, kind: str = "") -> list[str]:
    """One box with its three texts; long lists of modules are broken in two."""
    y = 10 + row * ROW
    words, lines = parts.split(", "), [""]
    for word in words:
        if len(lines[-1]) + len(word) > 58:
            lines.append("")
        lines[-1] += word + ", "
    made = [f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{BOX}" height="{HIGH}"/>']
    made.append(f'<text class="name" x="{LEFT + 14}" y="{y + 21}">{html.escape(name)}</text>')
    made.append(f'<text class="does" x="{LEFT + 14}" y="{y + 41}">{html.escape(does)}</text>')
    for n, line in enumerate(lines):
        text = html.escape(line.rstrip(", "))
        made.append(f'<text class="parts" x="{LEFT + 14}" y="{y + 60 + 16 * n}">{text}</text>')
    return made


def files() -> dict[str, str]:
    """The text of each file, by its name."""
    return {"house.svg": svg(graph())}


if __name__ == "__main__":
    for name, text in files().items():
        (Path(__file__).parent / "static" / name).write_text(text, encoding="utf-8")
