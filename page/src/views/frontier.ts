// The frontier in any two metrics: with three and more the section through the chosen classifier, which can be moved.
import { Delaunay } from "d3-delaunay";
import { drag } from "d3-drag";
import { pointer, select } from "d3-selection";
import { line } from "d3-shape";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { button, choice, draw, make, panel, seen } from "../dom.ts";
import { decimals, few, shown } from "../numbers.ts";
import type { Norm, On } from "../contract.ts";
import type { Section } from "../solve/space.ts";
import type { World } from "../world.ts";
import { cloudOf, type Kind } from "./cloud.ts";
import { axes, boxesAlong, chart, directed, isLog, names, scaleOf, sized, textWidth, type Box, type Frame, type Scale } from "./chart.ts";

type Pair = [number, number];
const NAMED = 14, FADED = 1e-9;

export function frontierView(world: World): HTMLElement {
  const { data, state } = world, clipName = `clip-${Math.random().toString(36).slice(2, 8)}`;
  const view = { width: 0, frame: {} as Frame, x: {} as Scale, y: {} as Scale, section: null as Section | null, outline: [] as Pair[], transform: zoomIdentity as ZoomTransform };
  const places = data.values.map((column) => decimals(column)), merits = new Array<number>(world.count).fill(1e9);
  data.ranking.order.forEach((i, k) => { merits[i] = k; });
  const said = make("p", { class: "note section" }), drawn = chart("frontier", "the frontier, and the chosen system", paint);
  const svg = drawn.svg, trail = draw("g"), mine = draw("path", { class: "mine" }), grip = draw("circle", { class: "grip", r: 20 });
  const moved = draw("g", { class: "moved" });
  moved.append(trail, grip, mine);  // the same nodes all the time: a finger that holds one must not lose it
  // Arrow keys move the point: a picture (role img) would keep them from those who listen to the page.
  for (const [name, value] of Object.entries({ tabindex: "0", role: "application", "aria-roledescription": "chart", "aria-keyshortcuts": "ArrowLeft ArrowRight ArrowUp ArrowDown Escape" })) svg.setAttribute(name, value);
  svg.setAttribute("aria-label", "the frontier: arrow keys move the chosen system's point, Escape takes it back");
  const under = draw("g"), triangles = draw("g"), over = draw("g"), cloud = cloudOf(data.labels.length > 1000 ? "crowded" : "");
  let finder: Delaunay<unknown> | null = null, spots: { at: Pair; i: number }[] = [];

  function paint(width: number): void {
    view.width = width;
    const height = Math.round(Math.min(520, Math.max(300, 0.6 * width)));
    view.frame = { left: 62, right: 14, top: 18, bottom: 44, width, height };
    const { left, right, top, bottom } = view.frame;
    const range = (m: number): (number | null)[] => [...data.values[m], ...data.tested.map((t) => t.values[m]), world.now[m]];
    view.x = view.transform.rescaleX(scaleOf(range(state.x), [left, width - right], data.metrics[state.x]) as never) as Scale;
    view.y = view.transform.rescaleY(scaleOf(range(state.y), [height - bottom, top], data.metrics[state.y]) as never) as Scale;
    spots = [];
    for (let i = 0; i < world.all; i++) {
      const at = place(world.value(state.x, i), world.value(state.y, i));
      if (at) spots.push({ at, i });
    }
    finder = null;
    cloud.place(spots.map((spot) => spot.at));
    const inner = draw("g");
    inner.append(under, cloud.layer, triangles);
    const clip = draw("clipPath", { id: clipName }), hole = draw("rect", { x: left, y: top, width: width - left - right, height: height - top - bottom });
    clip.append(hole);
    inner.setAttribute("clip-path", `url(#${clipName})`);
    sized(svg, width, height, clip, draw("rect", { width, height, class: "back" }),
      axes(view.frame, view.x, view.y, directed(data.metrics[state.x]), directed(data.metrics[state.y])), inner, over, moved);
    refresh();
  }

  /** What the chosen point changes of the drawing: the section through it, who lies beyond that, and the names. */
  function refresh(): void {
    under.replaceChildren(...surface(), ...band());
    const beyond = beyondSection();
    cloud.paint((k) => kindOf(spots[k].i, beyond));
    triangles.replaceChildren(draw("path", { d: spots.filter(({ i }) => i >= world.count).map(({ at: [x, y] }) => `M${x},${y - 6}L${x + 6},${y + 6}L${x - 6},${y + 6}Z`).join(""), class: "tested" }));
    over.replaceChildren(...labels(), better());
    follow();
  }
  function kindOf(i: number, beyond: (i: number) => boolean): Kind {
    if (i >= world.count) return "none";
    if (!world.within(i)) return "out";
    const efficient = data.ranking.efficient[i];
    return beyond(i) ? efficient ? "strong" : "faded" : efficient ? "efficient" : "dmu";
  }
  /** Whether the chosen point lies within the axes as they are drawn. */
  function fits(): boolean {
    return ([[state.x, view.x], [state.y, view.y]] as [number, Scale][]).every(([m, scale]) => {
      const v = world.now[m], ends = scale.domain();
      return view.transform.k > 1 || v === null || (v >= Math.min(...ends) && v <= Math.max(...ends));
    });
  }

  function place(a: number | null, b: number | null): Pair | null {
    if (a === null || b === null) return null;
    const p = view.x(a), q = view.y(b);
    return Number.isFinite(p) && Number.isFinite(q) ? [p, q] : null;
  }

  /** The attainable area and its edge; curved where an axis is logarithmic. */
  function surface(): SVGElement[] {
    const space = world.space, used = space?.metrics ?? [];
    said.textContent = "";
    view.section = null;
    view.outline = [];
    if (!space) { said.textContent = data.remark; return []; }
    if (!used.includes(state.x) || !used.includes(state.y)) {
      const out = [state.x, state.y].filter((m) => !used.includes(m)).map((m) => data.metrics[m].name);
      said.textContent = seen(`No frontier is drawn: it is of ${used.map((m) => data.metrics[m].name).join(", ")}, without ${out.join(" and ")}.`);
      return [];
    }
    const now = used.map((m) => world.now[m]);
    if (now.some((v) => v === null)) return [];
    const found = space.section(now as number[], state.x, state.y, state.mixtures);
    const others = used.filter((m) => m !== state.x && m !== state.y);
    const held = others.map((m) => `${data.metrics[m].name} ${shown(world.now[m], places[m])}`).join(", ");
    if (!found) { said.textContent = seen(`Nothing reaches ${held}: there is no section of the frontier to draw.`); return []; }
    if (others.length) {
      said.textContent = seen(`The line is the section of the frontier of all ${used.length} metrics where ${held}, as the chosen point has. `
        + "Faded systems are beyond it: they are worse in what it holds.");
      view.section = found;
    }
    if (band().length) {
      const level = data.uncertainty?.level ?? null;
      said.textContent += ` Shaded: where the frontier of the true metrics lies${level === null ? "" : `, at ${few(100 * level)} %`}.`;
    }
    if (!state.mixtures) said.textContent += " Without mixtures only what is there counts: the edge has steps.";
    return edge(found.corners, found.steps);
  }

  function edge(corners: Pair[], steps: boolean): SVGElement[] {
    const [x, y] = [data.metrics[state.x], data.metrics[state.y]], [a, b] = [view.x.domain(), view.y.domain()];
    const worstX = x.high ? Math.min(...a) : Math.max(...a), worstY = y.high ? Math.min(...b) : Math.max(...b);
    const path = steps ? corners.flatMap((p, k) => k ? [[corners[k][0], corners[k - 1][1]] as Pair, p] : [p]) : corners;
    // the last metric's best comes first: flat from the worst x to it, and down from the last corner
    const first: Pair = [worstX, path[0][1]], last: Pair = [path[path.length - 1][0], worstY];
    const whole = dense([first, ...path, last]);
    view.outline = whole.map((p): Pair => [view.x(p[0]), view.y(p[1])]);
    const through = line<Pair>().x((p) => view.x(p[0])).y((p) => view.y(p[1]));
    const area = through([...whole, [worstX, worstY]]) + "Z", parts: SVGElement[] = [draw("path", { d: area, class: "area" }),
      draw("path", { d: through(whole) ?? "", class: "flat" })];
    if (path.length > 1) parts.push(draw("path", { d: through(dense(path)) ?? "", class: steps ? "steps" : "facets" }));
    if (state.on === "facets" && !steps && world.space?.metrics.length === 2 && path.length <= 12) parts.push(...extended(path));
    return parts;
  }

  function dense(path: Pair[]): Pair[] {
    if (!isLog(view.x) && !isLog(view.y)) return path;
    return path.flatMap((p, k) => k ? Array.from({ length: 24 }, (_, t): Pair => {
      const q = path[k - 1], share = (t + 1) / 24;
      return [q[0] + share * (p[0] - q[0]), q[1] + share * (p[1] - q[1])];
    }) : [p]);
  }
  function extended(path: Pair[]): SVGElement[] {
    return path.slice(1).map((b, k) => {
      const a = path[k], way: Pair = [b[0] - a[0], b[1] - a[1]], at = (t: number): Pair => [a[0] + t * way[0], a[1] + t * way[1]];
      const [p, q] = [at(-20), at(21)];
      return draw("line", { x1: view.x(p[0]), y1: view.y(p[1]), x2: view.x(q[0]), y2: view.y(q[1]), class: "extended" });
    });
  }

  /** Whether a classifier lies beyond the section that is drawn, because another metric of it is worse. */
  function beyondSection(): (i: number) => boolean {
    const found = view.section;
    if (!found) return () => false;
    const across = data.metrics[state.x].high ? 1 : -1, up = data.metrics[state.y].high ? 1 : -1;
    const corners = found.corners.map(([p, q]): Pair => [across * p, up * q]), last = corners[corners.length - 1];
    const size = Math.max(...corners.flat().map(Math.abs), 1e-300);
    return (i) => {
      const a = world.value(state.x, i), b = world.value(state.y, i);
      if (a === null || b === null) return false;
      const p = across * a, q = up * b, k = firstAtLeast(corners, p - FADED * size);
      if (k === corners.length) return p > last[0];
      const [right, left] = [corners[k], corners[Math.max(0, k - 1)]];
      const edge_ = found.steps || right[0] === left[0] || p <= left[0] ? (p <= corners[0][0] ? corners[0] : right)[1]
        : left[1] + (p - left[0]) / (right[0] - left[0]) * (right[1] - left[1]);
      return q > edge_ + FADED * size;
    };
  }

  /** The first corner, of those sorted across, that lies at `p` or beyond. */
  function firstAtLeast(corners: Pair[], p: number): number {
    let low = 0, high = corners.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (corners[middle][0] >= p) high = middle; else low = middle + 1;
    }
    return low;
  }

  /** An arrow in the corner where both metrics are better. */
  function better(): SVGElement {
    const x = data.metrics[state.x].high, y = data.metrics[state.y].high, [start, , , end] = corner();
    const arrow = y ? (x ? "better ↗" : "↖ better") : x ? "better ↘" : "↙ better";
    return draw("text", { x: start, y: end - 3, class: "label better" }, arrow);
  }

  /** Where the true frontier lies, for two metrics and samples. */
  function band(): SVGElement[] {
    const known = data.uncertainty?.band;
    if (!known || !state.mixtures || ![known.x, known.y].every((m) => m === state.x || m === state.y)) return [];
    const turn = known.x === state.x ? (p: number[]): Pair => [p[0], p[1]] : (p: number[]): Pair => [p[1], p[0]];
    const low = view.x.domain()[0], bottom = view.y.domain()[0];
    const outline = (points: number[][]): Pair[] => {
      const p = points.map(turn).sort((a, b) => a[0] - b[0]);
      return [[low, p[0][1]], ...p, [p[p.length - 1][0], bottom]];
    };
    const through = line<Pair>().x((p) => view.x(p[0])).y((p) => view.y(p[1]));
    return [draw("path", { d: through([...outline(known.upper), ...outline(known.lower).reverse()]) + "Z", class: "band" })];
  }

  function labels(): SVGElement[] {
    const { left, right, top, bottom, width, height } = view.frame;
    const inside = ([x, y]: Pair): boolean => x >= left && x <= width - right && y >= top && y <= height - bottom;
    const wanted = spots.filter(({ at, i }) => inside(at) && (i >= world.count || i === state.chosen || data.winners.includes(i) || (data.ranking.efficient[i] && world.within(i))))
      .sort((a, b) => rank(a.i) - rank(b.i)).slice(0, NAMED);
    function rank(i: number): number {
      if (i === state.chosen) return -3;
      if (data.winners.includes(i)) return -2;
      return i >= world.count ? -1 : merits[i];
    }
    const taken = spots.length <= 400 ? spots.map((s) => s.at) : wanted.map((s) => s.at);
    return names(wanted.map(({ at, i }) => ({ x: at[0], y: at[1], text: world.name(i), kind: i === state.chosen ? "chosen" : data.winners.includes(i) ? "winner" : "" })), view.frame, taken,
      [...boxesAlong(view.outline), corner()]);
  }

  /** The place of the words that say where both metrics are better: above the marks and lines. */
  function corner(): Box {
    const { left, right, top, width } = view.frame, wide = textWidth("better ↗") + 4;
    const start = data.metrics[state.x].high ? width - right - wide : left;
    return [start, top - 16, start + wide, top - 2];
  }

  /** What depends on the chosen point alone: cheap enough for every movement. */
  function follow(): void {
    const at = place(world.now[state.x], world.now[state.y]), verdict = world.current;
    trail.replaceChildren();
    moved.setAttribute("visibility", at ? "visible" : "hidden");
    if (!at) return;
    const used = world.space?.metrics ?? [], of = (m: number): number | null =>
      verdict?.target && used.includes(m) ? verdict.target[used.indexOf(m)] : world.now[m];
    const to = verdict?.target ? place(of(state.x), of(state.y)) : null;
    if (to && Math.hypot(to[0] - at[0], to[1] - at[1]) > 0.5) {
      trail.append(draw("line", { x1: at[0], y1: at[1], x2: to[0], y2: to[1], class: "way" }),
        draw("path", { d: `M${to[0] - 5},${to[1] - 5}l10,10m-10,0l10,-10`, class: "target" }));
    }
    if (!state.moved) trail.append(draw("circle", { cx: at[0], cy: at[1], r: 11, class: "ring" }));
    grip.setAttribute("cx", String(at[0]));
    grip.setAttribute("cy", String(at[1]));
    mine.setAttribute("d", `M${at[0]},${at[1] - 8}l8,16h-16Z`);
    for (const k of verdict?.members ?? []) {
      const spot = place(world.value(state.x, k), world.value(state.y, k));
      if (spot) trail.prepend(draw("circle", { cx: spot[0], cy: spot[1], r: 7.5, class: "peer" }));
    }
  }

  function shift(x: number, y: number): void {
    const full = world.now.slice(), kept = (m: number, v: number): number => {
      const { least, most } = data.metrics[m];
      return Math.min(Math.max(Number(v.toPrecision(10)), least ?? -Infinity), most ?? Infinity);
    };
    if (full.some((v) => v === null)) return;
    full[state.x] = kept(state.x, view.x.invert(x));
    full[state.y] = kept(state.y, view.y.invert(y));
    world.set({ moved: full as number[] });
  }

  select(moved).call(drag<SVGGElement, unknown>().container(() => svg).subject((event) => ({ x: event.x, y: event.y }))
    .on("drag", (event: { x: number; y: number }) => shift(event.x, event.y)) as never);
  const zooming = zoom<SVGSVGElement, unknown>().scaleExtent([1, 60])
    .filter((event: WheelEvent & TouchEvent) => event.type === "wheel" ? event.ctrlKey || event.metaKey
      : event.touches ? event.touches.length > 1 : !event.button && view.transform.k > 1 && !moved.contains(event.target as Node))
    .on("zoom", (event: { transform: ZoomTransform }) => { view.transform = event.transform; drawn.repaint(); });
  select(svg).call(zooming).on("dblclick.zoom", null);
  const scaled = (by: number): void => { zooming.scaleBy(select(svg), by); };

  svg.addEventListener("click", (event) => {
    const i = nearest(pointer(event, svg));
    if (i >= 0) world.set({ chosen: i });
  });
  function nearest([x, y]: Pair): number {
    if (!spots.length) return -1;
    finder ??= Delaunay.from(spots.map((spot) => spot.at));
    const spot = spots[finder.find(x, y)];
    return Math.hypot(spot.at[0] - x, spot.at[1] - y) < 24 ? spot.i : -1;
  }
  const tip = make("div", { class: "tip", "aria-hidden": "true" });
  svg.addEventListener("pointermove", (event) => {
    const i = event.pointerType === "mouse" ? nearest(pointer(event, svg)) : -1;
    tip.classList.toggle("on", i >= 0);
    if (i < 0) return;
    tip.replaceChildren(make("strong", {}, world.name(i)), ...data.metrics.flatMap((m, k) => world.value(k, i) === null ? []
      : [make("div", {}, `${m.name}: ${shown(world.value(k, i), places[k])}`)]));
    const box = drawn.place.getBoundingClientRect();
    tip.style.left = Math.min(event.clientX - box.left + 14, box.width - 180) + "px";
    tip.style.top = event.clientY - box.top + 14 + "px";
  });
  svg.addEventListener("pointerleave", () => tip.classList.remove("on"));
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.moved) { world.set({ moved: null }); return; }
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const at = place(world.now[state.x], world.now[state.y]);
    if (!by || !at) return;
    event.preventDefault();
    const far = event.shiftKey ? 20 : 3;
    shift(at[0] + far * by[0], at[1] + far * by[1]);
  });
  drawn.place.append(tip);

  const metrics = data.metrics.map((m, k): [string, string] => [String(k), m.name]);
  const axis = (words: string, own: "x" | "y", other: "x" | "y"): HTMLLabelElement => choice(words, metrics, String(state[own]), (v) => {
    world.set(Number(v) === state[other] ? { [own]: Number(v), [other]: state[own] } : { [own]: Number(v) });  // the same one twice says nothing
  });
  const across = axis("across", "x", "y"), up = axis("up", "y", "x");
  const controls = make("div", { class: "controls" }, across, up);
  const zoomed = make("span", { class: "zoom" }, button("+", () => scaled(1.6), { "aria-label": "zoom in" }),
    button("−", () => scaled(1 / 1.6), { "aria-label": "zoom out" }), button("all", () => zooming.transform(select(svg), zoomIdentity), { "aria-label": "show all" }));
  controls.append(zoomed);
  if (world.space) {
    controls.append(make("details", { class: "more" }, make("summary", {}, "distance and mixtures"), make("div", { class: "controls" },
      choice("distance", [["l1", "L1: sum of the changes"], ["l2", "L2: straight line"], ["linf", "L∞: largest change"]], state.norm, (v) => world.set({ norm: v as Norm })),
      choice("targets", [["faces", "on faces: mixtures of real ones"], ["facets", "on facets, extended"]], state.on, (v) => world.set({ on: v as On })),
      choice("mixtures", [["yes", "count"], ["no", "do not count"]], state.mixtures ? "yes" : "no", (v) => world.set({ mixtures: v === "yes" })))));
  }
  world.listen((changed) => {
    if (changed.has("x") || changed.has("y")) {
      (across.lastElementChild as HTMLSelectElement).value = String(state.x);
      (up.lastElementChild as HTMLSelectElement).value = String(state.y);
      view.transform = zoomIdentity;
      select(svg).property("__zoom", zoomIdentity);
    }
    const apart = [...changed].every((key) => key === "weights" || key === "budgets" || key === "ratio" || key === "prevalence");
    if (apart || !view.width) return;
    if (changed.has("x") || changed.has("y") || !fits()) drawn.repaint();
    else if (changed.size === 1 && changed.has("moved") && world.space?.metrics.length === 2) follow();
    else refresh();
  });
  return panel("Frontier", "frontier-panel", controls, drawn.place, said);
}

