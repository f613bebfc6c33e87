// The line above a live notebook: how far it is, where the work is kept, and how to start over.
// Reads the notebook's kernel through `jupyterapp`, which JupyterLite shows to the page.
(function () {
  "use strict";
  var WORDS = {
    page: "Step 1 of 3: the notebook is loading.",
    python: "Step 2 of 3: Python is loading into your browser, about 25 MB the first time. You can read on.",
    packages: "Step 3 of 3: the first cell loads NumPy and matplotlib.",
    ready: "Ready. Run a cell with Shift+Enter. What you write stays in this browser; Download saves the file to hand in.",
    slow: "This takes longer than usual. If it does not end: is the network there? Then reload the page.",
    none: "This browser could not start the notebook. Download it from the chapter's page and run it in Jupyter.",
    back: "Back to the chapter",
    all: "Run all cells",
    over: "Start over",
    sure: "Replace what you wrote in this notebook by the chapter as it came?"
  };
  var path = new URLSearchParams(location.search).get("path") || "";
  var name = path.replace(/\.ipynb$/, "");
  var started = Date.now();
  var said, line;
  var ready = 0; // 1: the kernel has started; 2: it has run a cell

  function make(kind, text) {
    var element = document.createElement(kind);
    element.textContent = text;
    return element;
  }

  function button(text, action) {
    var element = make("button", text);
    element.type = "button";
    element.onclick = function () { if (panel()) { action(); } };
    return element;
  }

  function say(key) {
    if (said !== key) {
      said = key;
      line.textContent = WORDS[key];
      document.documentElement.dataset.live = key;
    }
  }

  function panel() {
    var app = window.jupyterapp;
    var widgets = app && app.shell ? Array.from(app.shell.widgets("main")) : [];
    return widgets.find(function (widget) { return widget.content && widget.content.widgets && widget.sessionContext; });
  }

  function look() {
    var notebook = panel();
    var session = notebook && notebook.sessionContext.session;
    var status = session && session.kernel ? session.kernel.status : "";
    var late = Date.now() - started > 60000;
    if (!notebook) {
      say(late ? "none" : "page");
    } else if (status === "idle" || ready > 1) {
      ready = said === "packages" ? 2 : Math.max(ready, 1);
      say("ready");
    } else {
      say(ready ? "packages" : late ? "slow" : "python");
    }
  }

  // JupyterLite's own command ends at the first check of what is not written yet, even where a cell may raise.
  async function runAll() {
    var content = panel().content;
    for (var index = 0; index < content.widgets.length; index += 1) {
      var model = content.widgets[index].model;
      if (model.type === "code") {
        content.activeCellIndex = index;
        content.deselectAll();
        var went = await window.jupyterapp.commands.execute("notebook:run-cell");
        if (went === false && (model.getMetadata("tags") || []).indexOf("raises-exception") < 0) { return; }
      }
    }
  }

  async function startOver() {
    if (!window.confirm(WORDS.sure)) { return; }
    var answer = await fetch("../files/" + encodeURIComponent(path), { cache: "no-store" });
    var model = { type: "notebook", format: "json", content: await answer.json() };
    var notebook = panel();
    await window.jupyterapp.serviceManager.contents.save(path, model);
    await notebook.context.revert();
  }

  document.addEventListener("DOMContentLoaded", function () {
    var bar = make("div", "");
    bar.id = "live-line";
    bar.setAttribute("role", "region");
    bar.setAttribute("aria-label", "About this notebook");
    line = make("p", "");
    line.setAttribute("role", "status");
    var back = make("a", WORDS.back);
    back.href = "../../chapters/" + encodeURIComponent(name) + ".html";
    bar.append(line, button(WORDS.all, runAll), button(WORDS.over, startOver), back);
    document.body.prepend(bar);
    new ResizeObserver(function () {
      document.body.style.setProperty("--live-height", bar.offsetHeight + "px");
      window.dispatchEvent(new Event("resize")); // the notebook takes what is left
    }).observe(bar);
    look();
    setInterval(look, 250);
  });
})();
