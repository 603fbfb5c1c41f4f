"use strict";
// The frontier of any two metrics, and a new classifier to drag or type: its position, closest target and gaps.
const MOST_DOTS = 1500, W = 640, H = 480, EDGE = { left: 64, right: 16, top: 14, bottom: 46 };
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, settings, text) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(settings)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
const byId = (id) => document.getElementById(id);
const few = (v) => Math.abs(v) < 1e-9 ? "0" : Number(v.toPrecision(6)).toString();

function livePlot(data) {
  const { metrics, labels, values, efficiency, peers, tested, whole } = data;
  const svg = byId("plot"), tip = byId("tip");
  const state = { x: data.first[0], y: data.first[1], norm: data.norm, on: data.on, scope: "plane", now: {}, told: -1 };
  const column = (m) => values.map((row) => row[m]);
  const planes = new Map();
  const plane = () => {
    const key = state.x + "," + state.y;
    if (!planes.has(key)) planes.set(key, planeHull(values.map((row) => [row[state.x], row[state.y]])));
    return planes.get(key);
  };
  const all = whole && { ...whole, points: whole.rows.map((i) => whole.metrics.map((m) => values[i][m])) };
  const scoped = () => state.scope === "all" && all ? { hull: all, at: all.metrics, rows: all.rows }
    : { hull: plane(), at: [state.x, state.y], rows: plane().rows };
  const reach = (at, now) => { const { hull, at: used } = scoped(); return closestTarget(hull, used.map((m) => now[m]), state.norm, state.on); };
  const drawn = thinned();
  let scale;

  function thinned() {
    if (values.length <= MOST_DOTS) return values.map((_, i) => i);
    const step = Math.ceil(values.length / MOST_DOTS);
    return values.map((_, i) => i).filter((i) => i % step === 0 || efficiency[i] >= 1 - 1e-9);
  }
  function scales() {
    const range = (m) => {
      const every = [...column(m), ...tested.map((t) => t.values[m])].filter((v) => v !== null);
      let low = Infinity, high = -Infinity;
      for (const v of every) { low = Math.min(low, v); high = Math.max(high, v); }
      const pad = 0.08 * (high - low) || 0.05 * high || 1;
      return [Math.max(low - pad, 0), high + pad];
    };
    const [x0, x1] = range(state.x), [y0, y1] = range(state.y);
    const w = W - EDGE.left - EDGE.right, h = H - EDGE.top - EDGE.bottom;
    scale = { x0, x1, y0, y1, x: (v) => EDGE.left + (v - x0) / (x1 - x0) * w, y: (v) => H - EDGE.bottom - (v - y0) / (y1 - y0) * h,
      ux: (p) => Math.max(0, x0 + (p - EDGE.left) / w * (x1 - x0)), uy: (p) => Math.max(0, y0 + (H - EDGE.bottom - p) / h * (y1 - y0)) };
  }
  function ticks(low, high) {
    const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const size = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
    const out = [];
    for (let k = Math.ceil(low / size); k * size <= high; k++) out.push(Number((k * size).toPrecision(12)));
    return out;
  }
  function axes() {
    const parts = [];
    for (const v of ticks(scale.x0, scale.x1)) {
      parts.push(draw("line", { x1: scale.x(v), x2: scale.x(v), y1: EDGE.top, y2: H - EDGE.bottom, class: "grid" }),
        draw("text", { x: scale.x(v), y: H - EDGE.bottom + 16, "text-anchor": "middle" }, few(v)));
    }
    for (const v of ticks(scale.y0, scale.y1)) {
      parts.push(draw("line", { y1: scale.y(v), y2: scale.y(v), x1: EDGE.left, x2: W - EDGE.right, class: "grid" }),
        draw("text", { x: EDGE.left - 6, y: scale.y(v) + 4, "text-anchor": "end" }, few(v)));
    }
    parts.push(draw("text", { x: (W + EDGE.left) / 2, y: H - 8, "text-anchor": "middle", class: "name" }, metrics[state.x] + " →"),
      draw("text", { x: 14, y: H / 2, "text-anchor": "middle", class: "name", transform: `rotate(-90 14 ${H / 2})` }, metrics[state.y] + " →"));
    return parts;
  }
  function frontierLines() {
    const points = plane().points, xy = (p) => `${scale.x(p[0])},${scale.y(p[1])}`;
    const first = points[0], last = points[points.length - 1];
    const outline = [[scale.x0, first[1]], ...points, [last[0], scale.y0]];
    const parts = [draw("polygon", { points: [[scale.x0, scale.y0], ...outline].map(xy).join(" "), class: "area" }),
      draw("polyline", { points: outline.map(xy).join(" "), class: "flat" }), draw("polyline", { points: points.map(xy).join(" "), class: "facets" })];
    if (state.on === "facets" && points.length <= 12) for (let k = 0; k + 1 < points.length; k++) {
      const [a, b] = [points[k], points[k + 1]], far = 20;
      const end = (s) => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])];
      const [p, q] = [end(-far), end(1 + far)];
      parts.push(draw("line", { x1: scale.x(p[0]), y1: scale.y(p[1]), x2: scale.x(q[0]), y2: scale.y(q[1]), class: "extended" }));
    }
    return parts;
  }
  function names(extreme) {
    const at = (row, label) => ({ x: scale.x(row[state.x]), y: scale.y(row[state.y]), text: label.length > 22 ? label.slice(0, 21) + "…" : label });
    const marked = [...tested.map((t) => at(t.values, t.label)), ...extreme.map((i) => at(values[i], labels[i]))];
    const boxes = marked.map(({ x, y }) => [x - 6, y - 6, x + 6, y + 6]), parts = [];
    const hits = (box) => boxes.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1]);
    for (const { x, y, text } of marked) {
      const w = 6.8 * text.length + 2;
      for (const [right, up] of [[true, true], [false, true], [true, false], [false, false]]) {
        const left = right ? x + 7 : x - 7 - w, base = up ? y - 7 : y + 16, box = [left, base - 11, left + w, base + 3];
        if (left < EDGE.left || left + w > W - 2 || base - 11 < 0 || hits(box)) continue;
        boxes.push(box);
        parts.push(draw("text", { x: right ? x + 7 : x - 7, y: base, "text-anchor": right ? "start" : "end", class: "label" }, text));
        break;
      }
    }
    return parts;
  }
  function paint() {
    scales();
    const extreme = new Set(plane().rows), parts = [...axes(), ...frontierLines()];
    for (const i of drawn) if (!extreme.has(i)) parts.push(dot(i, "dmu", drawn.length > 300 ? 2.5 : 4));
    for (const i of extreme) parts.push(dot(i, "extreme", 5.5));
    for (const t of tested) parts.push(draw("path", { d: triangle(scale.x(t.values[state.x]), scale.y(t.values[state.y]), 6), class: "tested" }));
    parts.push(...names(plane().rows));
    parts.push(draw("g", { id: "moved" }));
    svg.replaceChildren(svg.querySelector("title"), svg.querySelector("desc"),
      draw("rect", { x: 0, y: 0, width: W, height: H, class: "back" }), ...parts);
    follow();
  }
  const dot = (i, kind, r) => draw("circle", { cx: scale.x(values[i][state.x]), cy: scale.y(values[i][state.y]), r, class: kind });
  const triangle = (x, y, r) => `M${x},${y - r}L${x + r},${y + r}L${x - r},${y + r}Z`;

  // What depends on the new classifier only: cheap enough for every movement.
  function follow() {
    const { at, rows } = scoped(), found = reach(at, state.now), group = svg.querySelector("#moved");
    const put = (m) => at.includes(m) && found.target ? found.target[at.indexOf(m)] : state.now[m];
    const [x, y] = [scale.x(state.now[state.x]), scale.y(state.now[state.y])];
    group.replaceChildren(draw("path", { d: triangle(x, y, 8), class: "mine" }));
    if (found.target) {
      const [tx, ty] = [scale.x(put(state.x)), scale.y(put(state.y))];
      group.prepend(draw("line", { x1: x, y1: y, x2: tx, y2: ty, class: "way" }),
        draw("path", { d: `M${tx - 5},${ty - 5}L${tx + 5},${ty + 5}M${tx - 5},${ty + 5}L${tx + 5},${ty - 5}`, class: "target" }));
    }
    svg.querySelector("desc").textContent = sentence(found, rows);
    report(found, at, rows);
  }
  function sentence(found, rows) {
    if (found.refused) return found.refused + ".";
    const named = found.members.slice(0, 6).map((k) => labels[rows[k]]).join(", ") + (found.members.length > 6 ? ", …" : "");
    return `The new classifier is ${found.position} the frontier; its closest target is ${few(found.distance)} away (${state.norm}), ` +
      (state.on === "facets" ? "on the extended facet of " : found.members.length > 1 ? "a mixture of " : "at ") + named + ".";
  }
  function report(found, at, rows) {
    byId("verdict").textContent = sentence(found, rows);
    byId("verdict").dataset.position = found.position ?? "";
    byId("verdict").dataset.distance = found.distance ?? "";
    byId("gaps").tBodies[0].replaceChildren(...(found.target ? at.map((m, r) => {
      const figures = [state.now[m], found.target[r], found.gaps[r]].map((v) => {
        const node = make("td", { className: "number", textContent: few(v) });
        node.dataset.value = v;
        return node;
      });
      const head = make("th", { textContent: metrics[m], scope: "row" });
      return make("tr", {}, head, ...figures);
    }) : []));
  }
  function fields() {
    const { at } = scoped();
    byId("typed").replaceChildren(...at.map((m) => {
      const field = make("input", { type: "number", step: "any", min: "0", value: state.now[m] });
      field.dataset.metric = metrics[m];
      field.addEventListener("input", () => { if (field.value !== "" && field.valueAsNumber >= 0) { state.now[m] = field.valueAsNumber; follow(); } });
      return make("label", {}, metrics[m] + " ", field);
    }));
  }
  function typed() { for (const f of byId("typed").querySelectorAll("input")) f.value = state.now[metrics.indexOf(f.dataset.metric)]; }
  function tell(i, event) {
    const row = values[i], found = reach(scoped().at, row);
    const lines = [labels[i], ...metrics.map((m, k) => row[k] === null ? null : `${m}: ${few(row[k])}`), efficiency[i] === null ? null : `efficiency: ${few(efficiency[i])}`,
      peers[i] ? `peers: ${peers[i]}` : null, found.target ? `${found.position}; closest target: ` + scoped().at.map((m, r) => `${metrics[m]} ${few(found.target[r])}`).join(", ") : null];
    tip.replaceChildren(...lines.filter((t) => t !== null).map((textContent, k) => make(k ? "div" : "strong", { textContent })));
    tip.hidden = false;
    if (!event) return;
    const box = byId("figure").getBoundingClientRect();
    tip.style.left = Math.min(event.clientX - box.left + 14, box.width - 240) + "px";
    tip.style.top = event.clientY - box.top + 14 + "px";
  }
  const spot = (event) => { const b = svg.getBoundingClientRect(); return [(event.clientX - b.left) * W / b.width, (event.clientY - b.top) * H / b.height]; };
  function nearest([x, y]) {
    let best = -1, far = 12 ** 2;
    for (const i of drawn) {
      const d = (scale.x(values[i][state.x]) - x) ** 2 + (scale.y(values[i][state.y]) - y) ** 2;
      if (d < far) { far = d; best = i; }
    }
    return best;
  }
  const move = ([x, y]) => { state.now[state.x] = scale.ux(x); state.now[state.y] = scale.uy(y); typed(); follow(); };
  let held = false;
  svg.addEventListener("pointerdown", (event) => { held = true; svg.setPointerCapture(event.pointerId); move(spot(event)); tip.hidden = true; });
  svg.addEventListener("pointerup", () => { held = false; });
  svg.addEventListener("pointermove", (event) => {
    if (held) return move(spot(event));
    const i = nearest(spot(event));
    if (i < 0) { tip.hidden = true; return; }
    tell(i, event);
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const far = event.shiftKey ? 20 : 3;
    move([scale.x(state.now[state.x]) + far * by[0], scale.y(state.now[state.y]) + far * by[1]]);
  });
  const choices = (id, names, value, act) => {
    const select = byId(id);
    if (!select) return;
    if (names) select.replaceChildren(...names.map((n, k) => make("option", { textContent: n, value: k })));
    select.value = value;
    select.addEventListener("change", () => { act(select.value); fields(); paint(); });
  };
  choices("x", metrics, state.x, (v) => { state.x = Number(v); });
  choices("y", metrics, state.y, (v) => { state.y = Number(v); });
  choices("norm", null, state.norm, (v) => { state.norm = v; });
  choices("on", null, state.on, (v) => { state.on = v; });
  choices("scope", null, state.scope, (v) => { state.scope = v; });
  const middle = (m) => { const c = column(m).filter((v) => v !== null).sort((a, b) => a - b); return c[Math.floor(c.length / 2)]; };
  metrics.forEach((_, m) => { state.now[m] = tested.length ? tested[0].values[m] : middle(m); });
  const finder = byId("dmu");
  finder.addEventListener("change", () => { const i = labels.indexOf(finder.value); if (i >= 0) { tell(i); tip.style.left = "70px"; tip.style.top = "20px"; } });
  if (labels.length <= 1000) byId("dmus").replaceChildren(...labels.map((value) => make("option", { value })));
  if (drawn.length < values.length) byId("thinned").textContent = `The plot shows ${drawn.length} of ${values.length} classifiers: every efficient one and an even share of the others; frontier and targets use all of them.`;
  fields();
  paint();
}

function start() {
  const data = JSON.parse(byId("data").textContent);
  for (const [id, table] of Object.entries(data.tables)) liveTable(byId(id), table);
  if (data.plot) livePlot(data.plot);
  document.documentElement.dataset.ready = Math.round(performance.now());  // milliseconds since the page was asked for
}
start();
