"""The first picture of a drawing with sliders, for readers without script.

Runs the drawing's own script once, in a small JavaScript engine, against as much of a page as it uses, and puts
what it drew and said into the output. Reads and writes no file.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from autograde.errors import CourseError

SCRIPT = re.compile(r'<script type="text/javascript">(.*)</script>', re.DOTALL)
SLIDER = re.compile(r'<input type="range" id="([^"]+)" data-key="([^"]+)"[^>]* value="([^"]*)"')
MEMORY, SECONDS = 64 << 20, 5
PAGE = r"""
function Node(tag) {
  return {tag: tag, attributes: {}, children: [], textContent: "", dataset: {},
    setAttribute: function (key, value) { this.attributes[key] = String(value); },
    appendChild: function (child) { this.children.push(child); return child; },
    removeChild: function (child) { this.children.splice(this.children.indexOf(child), 1); },
    get firstChild() { return this.children[0]; },
    addEventListener: function () {},
    querySelector: function (what) { return what === "svg" ? page.svg : page.says; },
    querySelectorAll: function () { return page.inputs; }};
}
var page = {root: Node("div"), svg: Node("svg"), says: Node("p"), inputs: [], values: {}};
sliders.forEach(function (slider) {
  var input = Node("input");
  input.id = slider[0]; input.dataset.key = slider[1]; input.value = slider[2];
  page.inputs.push(input);
  page.values[slider[0] + "-value"] = Node("output");
});
var document = {
  getElementById: function (id) { return id === name ? page.root : page.values[id] || null; },
  createElementNS: function (space, tag) { return Node(tag); }
};
"""
READ = r"""
function plain(node) { return [node.tag, node.attributes, node.textContent, node.children.map(plain)]; }
JSON.stringify({svg: plain(page.svg), says: page.says.textContent,
  values: Object.keys(page.values).map(function (id) { return [id, page.values[id].textContent]; })});
"""


def draw_first(page: str, where: str) -> str:
    """The HTML of a drawing with its start drawn, its sentence said and its values written.

    Raises CourseError if the script fails, draws nothing or says nothing.
    """
    drawn = run(page, where)
    _, attributes, _, shapes = drawn["svg"]
    if not shapes or not drawn["says"].strip():
        fault = "says nothing" if shapes else "draws nothing"
        raise CourseError(where, f"the drawing {fault} at its start.", "Use pen.say and the pen.")
    inside = "".join(markup(shape) for shape in shapes)
    if "viewBox" in attributes:
        box = f'viewBox="{html.escape(attributes["viewBox"])}"'
        page = re.sub(r'viewBox="[^"]*"', lambda _: box, page, count=1)
    page = page.replace("></svg>", f">{inside}</svg>", 1)
    page = filled(page, r'<p class="touch-says"[^>]*>', drawn["says"])
    for id, value in drawn["values"]:
        page = filled(page, rf'<output id="{re.escape(id)}"[^>]*>', value)
    return page


def filled(page: str, tag: str, text: str) -> str:
    """A page with this text after a tag, in place of what stood there."""
    return re.sub(rf"({tag})[^<]*", lambda found: found[1] + html.escape(text), page, count=1)


def run(page: str, where: str) -> dict[str, Any]:
    """What the script of a drawing makes of an empty page. Raises CourseError if it fails."""
    import quickjs

    script = SCRIPT.search(page)
    name = re.search(r'<div class="touch" id="([^"]+)"', page)
    assert script is not None
    assert name is not None
    context = quickjs.Context()
    context.set_memory_limit(MEMORY)
    context.set_time_limit(SECONDS)
    given = f"var name = {json.dumps(name[1])}, sliders = {json.dumps(SLIDER.findall(page))};"
    try:
        context.eval(given + PAGE)
        context.eval(script[1])
        return dict(json.loads(context.eval(READ)))
    except quickjs.JSException as fault:
        raise CourseError(
            where,
            f"the script of its drawing stops: {str(fault).strip().splitlines()[0]}",
            "Correct the JavaScript in touch(...).",
        ) from fault


def markup(node: list[Any]) -> str:
    """A shape as SVG text."""
    tag, attributes, text, children = node
    written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
    inside = html.escape(text) + "".join(map(markup, children))
    return f"<{tag}{written}>{inside}</{tag}>"
