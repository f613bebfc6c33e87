// What a page does in the browser: boxes that scroll, colours, side bars, the place in the contents, search.
// Nothing here measures the page while it is being laid out.
(function () {
  "use strict";
  var root = document.documentElement;
  function all(selector, within) { return Array.prototype.slice.call((within || document).querySelectorAll(selector)); }
  function one(selector) { return document.querySelector(selector); }
  function store(where, key, value) { try { where.setItem(key, value); } catch (error) { /* no storage: forget it */ } }

  // Wide things scroll in their own box; a box that scrolls can be reached and moved by keyboard. The browser
  // reports the boxes when it has laid them out: when the page stands, is resized, or a fold opens.
  var boxes = "div.math > .equation, .pst-scrollable-table-container, pre, .cell_output > .output";
  function watchBoxes() {
    function check(some) {
      some = some.filter(function (box) { return !box.closest("details:not([open])"); }); // to ask there would lay out what is folded
      var wide = some.map(function (box) { return box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1; });
      some.forEach(function (box, i) { mark(box, wide[i]); });
    }
    var watch = new ResizeObserver(function (entries) { check(entries.map(function (entry) { return entry.target; })); });
    var found = all(boxes, one("main") || document);
    found.forEach(function (box) { watch.observe(box); });
    if (document.fonts) document.fonts.ready.then(function () { requestAnimationFrame(function () { setTimeout(check, 0, found); }); });
  }
  function mark(box, wide) {
    if (wide && box.tabIndex !== 0) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", label(box) + ", scrolls");
    } else if (!wide && box.getAttribute("role") === "group") {
      ["tabindex", "role", "aria-label"].forEach(function (name) { box.removeAttribute(name); });
    }
  }
  function label(box) {
    return box.matches("pre") ? "Code" : box.matches(".equation") ? "Equation" : box.querySelector("table") ? "Table" : "Output";
  }

  // Light, dark, or as the system says; the head of the page has set what was chosen before.
  var dark = matchMedia("(prefers-color-scheme: dark)");
  function colour(mode) {
    root.dataset.mode = mode;
    root.dataset.theme = mode === "dark" || (mode === "auto" && dark.matches) ? "dark" : "light";
  }
  function watchColours() {
    dark.addEventListener("change", function () { colour(root.dataset.mode); });
    all(".theme-switch-button").forEach(function (button) {
      button.addEventListener("click", function () {
        var order = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
        colour(order[(order.indexOf(root.dataset.mode) + 1) % 3]);
        store(localStorage, "mode", root.dataset.mode);
      });
    });
  }

  // A side bar that has no room is shown in a dialog; the wide page's left one can be put away.
  function watchSideBar(side, toggle, wide) {
    var bar = document.getElementById("pst-" + side + "-sidebar"), dialog = document.getElementById("pst-" + side + "-sidebar-modal");
    var button = one(toggle);
    if (!bar || !dialog || !button) return;
    function move(from, to) {
      while (from.firstChild) to.appendChild(from.firstChild);
      to.className = from.className;
      from.className = "";
    }
    button.addEventListener("click", function () {
      if (matchMedia(wide).matches) { bar.classList.toggle("pst-sidebar-hidden"); return; }
      move(bar, dialog);
      dialog.showModal();
    });
    dialog.addEventListener("close", function () { move(dialog, bar); button.focus(); });
    dialog.addEventListener("click", function (event) {
      if (event.target === dialog || event.target.closest("a[href*='#']")) dialog.close();
    });
  }
  function keepPlace() { // of the left side bar, from page to page
    var bar = one(".bd-sidebar-primary"), here = bar && bar.querySelector("li.current");
    if (!bar) return;
    try { var before = sessionStorage.getItem("sidebar-scroll-top"); } catch (error) { before = null; }
    if (before !== null) bar.scrollTop = +before;
    window.addEventListener("pagehide", function () { store(sessionStorage, "sidebar-scroll-top", bar.scrollTop); });
    if (before === null && here && here.offsetTop > bar.clientHeight) bar.scrollTop = here.offsetTop - bar.clientHeight / 2;
  }

  // The heading that is read stands out in the contents of the page.
  function watchPlace() {
    var links = all("#pst-page-toc-nav a[href^='#']"), of = new Map();
    links.forEach(function (link) {
      var section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (section) of.set(section.querySelector("h1, h2, h3, h4") || section, link);
    });
    function show(link) {
      links.forEach(function (other) {
        other.classList.toggle("active", other === link);
        if (other === link) other.setAttribute("aria-current", "true"); else other.removeAttribute("aria-current");
      });
    }
    var watch = new IntersectionObserver(function (entries) {
      var seen = entries.filter(function (entry) { return entry.isIntersecting; }).pop();
      if (seen) show(of.get(seen.target));
    }, {rootMargin: "0px 0px -70% 0px"});
    of.forEach(function (link, heading) { watch.observe(heading); });
  }

  // The line below the head, and the way back up, once the page has moved.
  function watchScroll() {
    var top = one(".sbt-scroll-pixel-helper"), up = document.getElementById("pst-back-to-top");
    if (up) {
      var before = 0;
      up.addEventListener("click", function () { window.scrollTo(0, 0); });
      window.addEventListener("scroll", function () { // it shows while somebody scrolls up
        up.style.display = before > window.scrollY && window.scrollY > 100 ? "block" : "none";
        before = window.scrollY;
      }, {passive: true});
    }
    if (top) new IntersectionObserver(function (entries) {
      document.body.classList.toggle("scrolled", !entries[0].isIntersecting);
    }).observe(top);
  }

  // Ctrl+K (⌘K) leads to the search field; in a narrow window the side bar with it is opened first.
  function watchSearch() {
    var mac = /Mac|iPhone|iPad/.test(navigator.platform);
    window.addEventListener("keydown", function (event) {
      if (event.key.toLowerCase() !== "k" || event.shiftKey || event.altKey || !(mac ? event.metaKey : event.ctrlKey)) return;
      var field = one("input[type='search']");
      if (!field) return;
      event.preventDefault();
      var bar = field.closest("#pst-primary-sidebar"); // not in the dialog, not on the page of results
      if (bar && (!matchMedia("(min-width: 992px)").matches || bar.classList.contains("pst-sidebar-hidden"))) one(".primary-toggle").click();
      field.focus();
      field.select();
    });
    var results = document.getElementById("search-results");
    if (results) new MutationObserver(function () { plain(results); }).observe(results, {childList: true, subtree: true});
  }

  // A title that the search found is text: write a formula as text too, √d_k and not its LaTeX.
  function plain(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      var text = node.nodeValue.replace(/\\\(([\s\S]*?)(\\\)|$)/g, function (whole, tex) {
        return tex.replace(/\\sqrt\{([^{}]*)\}/g, "√$1").replace(/\^\\top/g, "ᵀ").replace(/\\cdot/g, "·")
          .replace(/\\times/g, "×").replace(/\\(?:text|mathrm|operatorname|mathbb)\b/g, "").replace(/\\[,;!: ]/g, " ").replace(/[\\{}]/g, "");
      });
      if (text !== node.nodeValue) node.nodeValue = text;
    } else node.childNodes.forEach(plain);
  }

  watchColours();
  watchSideBar("primary", ".primary-toggle", "(min-width: 992px)");
  watchSideBar("secondary", ".secondary-toggle", "(min-width: 9999px)");
  watchSearch();
  watchScroll();
  watchPlace();
  watchBoxes();
  if (matchMedia("(min-width: 992px)").matches) requestAnimationFrame(function () { setTimeout(keepPlace, 0); });
})();
