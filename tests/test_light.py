"""The pass that makes pages light: what it takes away, and what it must leave."""

from __future__ import annotations

import sys

from autograde.layout import ROOT

sys.path.insert(0, str(ROOT / "book"))
import light

sys.path.pop(0)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}"></svg>'
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\2\0\0\0\3"


def test_code_loses_spans_without_colour_and_no_text():
    code = '<pre><span></span><span class="k">def</span><span class="w"> </span><span class="p">(</span></pre>'
    assert light.slim(code, {"k"}) == '<pre><span class="k">def</span> (</pre>'


def test_spans_outside_of_code_stay():
    text = '<p><span class="p">a</span> <code class="docutils"><span class="pre">f(x)</span></code></p>'
    assert (
        light.slim(text, set())
        == '<p><span class="p">a</span> <code class="docutils">f(x)</code></p>'
    )


def test_a_button_with_a_picture_only_has_a_name():
    assert 'aria-label="Contents"' in light.slim('<button class="b" title="Contents">', set())
    named = '<button aria-label="Colours" title="Contents">'
    assert light.slim(named, set()) == named


def test_pictures_get_their_size_and_come_late(tmp_path):
    (tmp_path / "a.svg").write_text(SVG.format("30pt", "60pt", 30, 60))
    (tmp_path / "b.png").write_bytes(PNG)
    page = light.with_sizes('<img alt="x" src="a.svg" /><img src="b.png">', tmp_path)
    assert '<img alt="x" src="a.svg" width="40" height="80" loading="lazy"' in page
    assert '<img src="b.png" width="258" height="3" loading="lazy"' in page


def test_pictures_with_a_size_or_without_a_file_are_left(tmp_path):
    page = '<img src="logo.svg" width="36"/><img src="missing.png"/>'
    assert light.with_sizes(page, tmp_path) == page


# ---------------------------------------------------------------- the stylesheet
def test_rules_that_no_page_can_use_go():
    sheet = ".a, .gone { color: red } .gone p { color: red } #b > em:hover { margin: 0 }"
    assert light.purged(sheet, {"a", "b", "em", "p"}) == ".a{color:red}#b > em:hover{margin:0}"


def test_conditions_are_kept_with_what_is_left_in_them():
    sheet = "@media print { .a { color: red } .gone { color: red } } @supports (a: b) { .gone { c: d } }"
    assert light.purged(sheet, {"a"}) == "@media print{.a{color:red}}"


def test_what_a_selector_asks_beside_names_is_not_judged():
    sheet = 'a[href^="#x"]:not(.gone)::before{content:"{ ; }"}:is(.gone,p) b{top:0!important}'
    assert light.purged(sheet, {"a", "b"}) == sheet


def test_variables_that_nothing_uses_go_and_chains_of_them():
    sheet = ":root{--a:1;--b:var(--a);--c:var(--b);--d:2}p{top:var(--d)}"
    assert light.purged(sheet, {"p", "root"}) == ":root{--d:2}p{top:var(--d)}"


def test_addresses_are_as_from_the_joined_file(tmp_path):
    (tmp_path / "styles").mkdir()
    (tmp_path / "basic.css").write_text("p { background: url(p.png) }")
    sheet = tmp_path / "styles" / "theme.css"
    sheet.write_text('@import "../basic.css";\na { background: url("../x/a.png"), url(data:b) }')
    joined = light.joined_styles([sheet], tmp_path)
    assert joined.index("../p.png") < joined.index('url("../x/a.png")')
    assert "url(data:b)" in joined
    assert "@import" not in joined


# ---------------------------------------------------------------- a site
def test_a_site_has_one_stylesheet_and_one_script(tmp_path):
    static = tmp_path / "_static"
    for name in ("css/book.css", "js/book.js", "scripts/bootstrap.js", "searchtools.js"):
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(
            ".a { top: 0 } .b { top: 0 }" if "css" in name else f"/*{name}*/"
        )
    head = (
        '<link rel="stylesheet" href="{0}css/book.css?v=1" />\n<script src="{0}js/book.js"></script>\n'
        '<script src="{0}scripts/bootstrap.js"></script>\n'
    )
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters" / "a.html").write_text(head.format("../_static/") + '<p class="a">')
    (tmp_path / "search.html").write_text(
        head.format("_static/") + '<script src="_static/searchtools.js"></script>'
    )
    light.lighten_site(tmp_path)
    chapter = (tmp_path / "chapters" / "a.html").read_text()
    assert chapter.count("<script") == chapter.count("<link") == 1
    assert "../_static/css/site.css?v=" in chapter
    assert "searchtools.js" in (tmp_path / "search.html").read_text()
    assert (static / "css/site.css").read_text() == ".a{top:0}"
    assert (static / "js/site.js").read_text() == "/*js/book.js*/"
    assert not (static / "scripts/bootstrap.js").exists()
