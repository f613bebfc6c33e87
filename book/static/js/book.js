// Wide things scroll in their own box; a box that scrolls can be reached and moved by keyboard.
(function () {
  "use strict";
  var boxes = "div.math > .equation, .pst-scrollable-table-container, .scroll-box, pre, .cell_output > .output";

  function mark() {
    document.querySelectorAll(boxes).forEach(function (box) {
      var wide = box.scrollWidth > box.clientWidth + 1;
      if (wide) {
        box.tabIndex = 0;
        if (!box.hasAttribute("role")) box.setAttribute("role", "group");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", label(box));
      } else if (box.getAttribute("role") === "group") {
        box.removeAttribute("tabindex");
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    });
  }

  function label(box) {
    if (box.matches("pre")) return "Code, scrolls sideways";
    if (box.matches(".equation")) return "Equation, scrolls sideways";
    if (box.querySelector("table")) return "Table, scrolls sideways";
    return "Output, scrolls sideways";
  }

  // A table in the text or in an output that the theme left unwrapped gets its own box.
  function wrap() {
    document.querySelectorAll("article table").forEach(function (table) {
      if (table.closest(".pst-scrollable-table-container, .scroll-box, .highlight")) return;
      var box = document.createElement("div");
      box.className = "scroll-box";
      table.replaceWith(box);
      box.appendChild(table);
    });
  }

  // The names of buttons that show a picture only.
  function name() {
    document.querySelectorAll("button[title]:not([aria-label])").forEach(function (button) {
      button.setAttribute("aria-label", button.title);
    });
    document.querySelectorAll("summary[aria-label]").forEach(function (summary) {
      summary.removeAttribute("aria-label"); // its text is the better name
    });
    document.querySelectorAll(".headerlink").forEach(function (link) {
      link.setAttribute("aria-label", "Link to this heading");
    });
  }

  // What the search found is text: write a formula as text too, √d_k and not its LaTeX.
  function plain(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      var text = node.nodeValue.replace(/\\\(([\s\S]*?)(\\\)|$)/g, function (whole, tex) {
        return tex.replace(/\\sqrt\{([^{}]*)\}/g, "√$1").replace(/\^\\top/g, "ᵀ").replace(/\\cdot/g, "·")
          .replace(/\\times/g, "×").replace(/\\(?:text|mathrm|operatorname|mathbb)\b/g, "").replace(/\\[,;!: ]/g, " ").replace(/[\\{}]/g, "");
      });
      if (text !== node.nodeValue) node.nodeValue = text;
    } else node.childNodes.forEach(plain);
  }

  function watch() {
    var results = document.getElementById("search-results");
    if (!results) return;
    new MutationObserver(function () { plain(results); }).observe(results, {childList: true, subtree: true});
  }

  function start() {
    watch();
    wrap();
    name();
    mark();
    var wait;
    window.addEventListener("resize", function () {
      clearTimeout(wait);
      wait = setTimeout(mark, 200);
    });
    document.addEventListener("toggle", mark, true); // a <details> opened
    window.addEventListener("load", function () {
      setTimeout(mark, 400); // after the theme's own pass over the same boxes
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
