// A pen for small drawings that follow sliders; everything is computed in place. Colours come from the page.
// `words`: name -> sentence with {places}. The build runs this once, so that a page without script shows the start.
function run(name, data, words, draw) {
  var root = document.getElementById(name);
  if (!root) return;
  var svg = root.querySelector("svg"), says = root.querySelector(".touch-says");
  var inputs = Array.prototype.slice.call(root.querySelectorAll("input"));
  var ink = "currentColor", blue = "var(--touch-a, #3b7dd8)", orange = "var(--touch-b, #d9722a)";
  var stops = [[0, 34, 78], [62, 76, 107], [124, 123, 120], [187, 174, 104], [254, 232, 56]];
  function shade(t) { // cividis
    t = Math.max(0, Math.min(1, t)) * 4;
    var i = Math.min(3, Math.floor(t)), f = t - i;
    return stops[i].map(function (c, k) { return Math.round(c + f * (stops[i + 1][k] - c)); });
  }
  function luminance(c) { // WCAG 2
    var l = c.map(function (v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
  }
  function readable(c) { // give way to black or white until a number in white or black has a contrast of 6 : 1
    var aim = luminance(c) > 0.179 ? 255 : 0, l = luminance(c);
    while (l > 0.125 && l < 0.25) { c = c.map(function (v) { return Math.round(v + 0.1 * (aim - v)); }); l = luminance(c); }
    return c;
  }
  function signed(text) { return String(text).replace(/-(?=[\d.])/g, "−"); } // a minus sign, not a hyphen
  function sentence(key, values) {
    if (!(key in words)) throw new Error("words has no sentence called " + key);
    return words[key].replace(/\{(\w+)\}/g, function (whole, place) {
      if (!values || !(place in values)) throw new Error("the sentence " + key + " wants a value for " + place);
      return signed(values[place]);
    });
  }
  function add(tag, attributes, text) {
    var node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (var key in attributes) {
      var value = attributes[key];
      node.setAttribute(key, typeof value === "number" ? Math.round(value * 100) / 100 : value);
    }
    if (text !== undefined) node.textContent = signed(text);
    svg.appendChild(node);
    return node;
  }
  var pen = {
    ink: ink, blue: blue, orange: orange, add: add,
    height: function (h) { svg.setAttribute("viewBox", "0 0 360 " + h); },
    say: function (key, values) { says.textContent = sentence(key, values); },
    word: sentence, // a label out of `words`
    text: function (x, y, text, o) {
      o = o || {};
      add("text", {x: x, y: y, fill: o.color || ink, "font-size": o.size || 12, "text-anchor": o.anchor || "start",
        "font-weight": o.weight || 400, "font-family": "system-ui, sans-serif"}, text);
    },
    line: function (points, o) {
      o = o || {};
      add("polyline", {points: points.map(function (p) { return p[0].toFixed(1) + "," + p[1].toFixed(1); }).join(" "),
        fill: "none", stroke: o.color || blue, "stroke-width": o.width || 2, "stroke-dasharray": o.dash || "none"});
    },
    dot: function (x, y, o) { o = o || {}; add("circle", {cx: x, cy: y, r: o.r || 4, fill: o.color || orange}); },
    // bars(values, {x, y, w, h, max, labels, color, digits}): vertical bars on a base line at y + h
    bars: function (values, o) {
      var step = o.w / values.length, max = o.max || Math.max.apply(null, values.concat([1e-12]));
      values.forEach(function (value, i) {
        var h = Math.max(0, Math.min(1, value / max)) * o.h;
        add("rect", {x: o.x + i * step + step * 0.12, y: o.y + o.h - h, width: step * 0.76, height: h,
          fill: typeof o.color === "function" ? o.color(i) : o.color || blue});
        if (o.digits !== undefined) pen.text(o.x + (i + 0.5) * step, o.y + o.h - h - 4, value.toFixed(o.digits), {anchor: "middle", size: 11});
        if (o.labels) pen.text(o.x + (i + 0.5) * step, o.y + o.h + 15, o.labels[i], {anchor: "middle"});
      });
      pen.line([[o.x, o.y + o.h], [o.x + o.w, o.y + o.h]], {color: ink, width: 1});
    },
    // heat(matrix, {x, y, w, h, low, high, rows, columns, digits}): rows are queries, columns are keys; null is hatched out
    heat: function (matrix, o) {
      var n = matrix.length, m = matrix[0].length, a = o.h / n, b = o.w / m;
      matrix.forEach(function (row, i) {
        row.forEach(function (value, j) {
          var t = value === null ? 0 : (value - o.low) / (o.high - o.low), c = o.digits === undefined ? shade(t) : readable(shade(t)), x = o.x + j * b, y = o.y + i * a;
          add("rect", {x: x, y: y, width: b - 1, height: a - 1, fill: value === null ? "none" : "rgb(" + c.join(",") + ")",
            stroke: value === null ? ink : "none", "stroke-opacity": 0.35});
          if (value === null) { pen.line([[x, y + a - 1], [x + b - 1, y]], {color: ink, width: 0.6}); return; }
          if (o.digits !== undefined) pen.text(x + b / 2, y + a / 2 + 4, value.toFixed(o.digits),
            {anchor: "middle", size: 11, color: luminance(c) > 0.179 ? "#000" : "#fff"});
        });
        if (o.rows) pen.text(o.x - 6, o.y + i * a + a / 2 + 4, o.rows[i], {anchor: "end"});
      });
      (o.columns || []).forEach(function (label, j) { pen.text(o.x + j * b + b / 2, o.y - 6, label, {anchor: "middle"}); });
    },
    softmax: function (scores) {
      var top = Math.max.apply(null, scores), e = scores.map(function (s) { return Math.exp(s - top); });
      var sum = e.reduce(function (p, q) { return p + q; }, 0);
      return e.map(function (x) { return x / sum; });
    }
  };
  function update() {
    var v = {};
    inputs.forEach(function (input) {
      v[input.dataset.key] = Number(input.value);
      document.getElementById(input.id + "-value").textContent = signed(input.value);
    });
    while (svg.firstChild) svg.removeChild(svg.firstChild);
    draw(v, data, pen);
  }
  inputs.forEach(function (input) { input.addEventListener("input", update); });
  update();
}
