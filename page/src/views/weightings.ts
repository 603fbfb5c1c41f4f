// Under which weights each row is first: a strip for two metrics, a triangle for three, intervals for more. The dot is what the sliders say.
import type { Weightings, WinningRegion } from "../contract.ts";
import { draw, make, panel, seen, short } from "../dom.ts";
import type { World } from "../world.ts";
import { axes, chart, fitted, scaleOf, sized, textWidth, type Box, type Frame } from "./chart.ts";

type Pair = [number, number];
const STRIP = 56, ROW = 22;

/** The weights that the sliders stand for: they count a metric by its range, and the regions may count it by its best value. */
export function slidersAsWeights(world: World, weightings: Weightings): number[] | null {
  const { data, state } = world, parts = weightings.metrics.map((m) => {
    const metric = data.metrics[m], values = data.values[m].flatMap((v) => v === null ? [] : [metric.shift + metric.sign * v]);
    const best = Math.max(...values), range = best - Math.min(...values);
    return state.weights[m] * (weightings.unit === "range" || !range ? 1 : best / range);
  }), total = parts.reduce((a, b) => a + b, 0);
  return total > 0 ? parts.map((part) => part / total) : null;
}

export function weightingsView(world: World): HTMLElement | null {
  const weightings = world.data.weightings, regions = weightings?.regions.filter((region) => region.share > 0) ?? [];
  if (!weightings || regions.length < 2) return null;
  const { data, state } = world, metric = (k: number): string => data.metrics[weightings.metrics[k]].name;
  const count = weightings.metrics.length, drawn = chart("regions", "the weights under which each row is first", paint), svg = drawn.svg;
  const said = make("p", { class: "note", "aria-live": "polite" });

  function paint(width: number): void {
    if (count === 2) strip(width); else if (count === 3) triangle(width); else intervals(width);
    tell();
  }
  const kind = (region: WinningRegion): string => `region ${region.row === state.chosen ? "chosen" : ""} ${world.within(region.row) ? "" : "out"}`;
  function shape(region: WinningRegion, node: SVGElement): SVGElement {
    node.setAttribute("class", kind(region));
    node.setAttribute("data-row", String(region.row));
    node.append(draw("title", {}, `${data.labels[region.row]} ${(region as WinningRegion).text}`));
    node.addEventListener("click", () => world.set({ chosen: region.row }));
    return node;
  }

  function strip(width: number): void {
    const height = STRIP + 66, left = 16, right = 16, x = scaleOf([], [0, 0]), frame: Frame = { left, right, top: 20, bottom: 46, width, height };
    x.domain([0, 100]).range([left, width - right]);
    const ruler = axes(frame, x, scaleOf([], [0, 0]), `what ${short(metric(0), 30)} counts, % (the rest counts ${short(metric(1), 30)})`, "");
    ruler.lastElementChild?.remove();
    ruler.children[1]?.remove();
    const parts = regions.flatMap((region) => {
      const a = x(100 * region.least[0]), b = x(100 * region.most[0]), name = data.labels[region.row], room = b - a - 8;
      const block = shape(region, draw("rect", { x: a, y: 22, width: Math.max(1, b - a), height: STRIP - 6 }));
      return room < textWidth("mm…") ? [block] : [block, draw("text", { x: (a + b) / 2, y: 22 + STRIP / 2, "text-anchor": "middle", class: "label" }, fitted(name, room))];
    });
    const now = slidersAsWeights(world, weightings as Weightings);
    const dot = now ? [draw("path", { d: `M${x(100 * now[0])},20v${STRIP - 2}`, class: "now" })] : [];
    sized(svg, width, height, draw("rect", { width, height, class: "back" }), ruler, ...parts, ...dot);
  }

  function triangle(width: number): void {
    const side = Math.min(420, Math.max(150, width - 170)), height = Math.round(side * 0.866) + 56, top = 26, left = Math.max(12, Math.min((width - side) / 2, width - side - 150));
    const corners: Pair[] = [[left, top + side * 0.866], [left + side, top + side * 0.866], [left + side / 2, top]];
    const at = (w: number[]): Pair => [0, 1].map((d) => w.reduce((t, share, k) => t + share * corners[k][d], 0)) as Pair;
    const outline = (points: number[][]): string => "M" + points.map((w) => at(w).map((v) => v.toFixed(1)).join(",")).join("L") + "Z";
    const parts = regions.map((region) => shape(region, draw("path", { d: outline(region.corners) })));
    const edge = left + side / 2, now = slidersAsWeights(world, weightings as Weightings), dot = now ? at(now) : null;
    const boxes: Box[] = [];
    const box = (x: number, y: number, wide: number): Box => [x, y - 12, x + wide, y + 4];
    const clear = (one: Box): boolean => !boxes.some((b) => one[0] < b[2] && one[2] > b[0] && one[1] < b[3] && one[3] > b[1]);
    const labels = [...regions].sort((a, b) => at(a.centroid)[1] - at(b.centroid)[1]).flatMap((region) => {
      const y = at(region.centroid)[1], [from, to] = chord(region.corners.map(at), y), kind_ = region.row === state.chosen ? "chosen" : "", name = data.labels[region.row];
      const middle = (from + to) / 2, wide = textWidth(name) * 1.1;
      const covered = dot && Math.abs(dot[1] - y) < 12 && Math.abs(dot[0] - middle) < textWidth(name) / 2 + 8;
      const inside = box(middle - wide / 2, y + (covered ? 22 : 4), wide);
      if (wide + 10 < to - from && clear(inside)) {
        boxes.push(inside);
        return [draw("text", { x: middle, y: y + (covered ? 22 : 4), "text-anchor": "middle", class: `label ${kind_}` }, name)];
      }
      // A name that has no room inside stands beside the triangle, joined to its region, below those that stand there.
      const onLeft = middle < edge && left > wide + 24, end = edge - (y - top) / 1.732 - 24;
      const start = onLeft ? end - wide : Math.min(edge + (y - top) / 1.732 + 24, width - 8 - Math.min(wide, 170));
      let base = y;
      while (!clear(box(start, base + 4, wide)) && base < height) base += 2;
      boxes.push(box(start, base + 4, wide));
      return onLeft
        ? [draw("line", { x1: middle, y1: y, x2: end + 4, y2: base, class: "lead" }), draw("text", { x: end, y: base + 4, "text-anchor": "end", class: `label ${kind_}` }, name)]
        : [draw("line", { x1: middle, y1: y, x2: start - 4, y2: base, class: "lead" }), draw("text", { x: start, y: base + 4, class: `label ${kind_}` }, fitted(name, width - start - 4))];
    });
    const anchors = ["start", "end", "middle"];
    const ends = corners.map(([x, y], k) => {
      const words = fitted(`${metric(k)} alone`, k < 2 ? side / 2 - 4 : width - 24);
      return draw("text", { x: k < 2 ? x : Math.max(x, textWidth(words) / 2 + 6), y: k < 2 ? y + 18 : y - 8, "text-anchor": anchors[k], class: "name" }, words);
    });
    sized(svg, width, height, draw("rect", { width, height, class: "back" }), draw("path", { d: "M" + corners.map((c) => c.join(",")).join("L") + "Z", class: "flat" }), ...parts, ...ends, ...labels,
      ...dot ? [draw("circle", { cx: dot[0], cy: dot[1], r: 5, class: "now" })] : []);
  }

  /** Where a horizontal line cuts a polygon. */
  function chord(points: Pair[], y: number): Pair {
    const cuts = points.flatMap(([x, q], k) => {
      const [a, b] = points[(k + 1) % points.length];
      return (q - y) * (b - y) < 0 ? [x + (a - x) * (y - q) / (b - q)] : [];
    });
    return [Math.min(...cuts), Math.max(...cuts)];
  }

  function intervals(width: number): void {
    const left = Math.min(150, width * 0.3), columns = (width - left - 10) / count, height = 40 + regions.length * ROW;
    const x = (k: number, w: number): number => left + k * columns + w * (columns - 16);
    const heads = weightings!.metrics.map((_, k) => draw("text", { x: x(k, 0), y: 16, class: "name" }, fitted(metric(k), columns - 18)));
    const zero = columns - 16 > textWidth("0  100 %") ? "0" : "";  // both ends of a scale, or the one that has the unit
    const ends = weightings!.metrics.flatMap((_, k) => [draw("text", { x: x(k, 0), y: 31, class: "tick" }, zero), draw("text", { x: x(k, 1), y: 31, "text-anchor": "end", class: "tick" }, "100 %")]);
    const rows = regions.flatMap((region, r) => {
      const y = 36 + r * ROW;
      return [draw("text", { x: left - 8, y: y + 15, "text-anchor": "end", class: `row ${region.row === state.chosen ? "chosen" : ""}` }, fitted(data.labels[region.row], left - 12)),
        ...region.least.map((low, k) => shape(region, draw("rect", { x: x(k, low), y: y + 4, width: Math.max(1, x(k, region.most[k]) - x(k, low)), height: ROW - 8 })))];
    });
    const now = slidersAsWeights(world, weightings as Weightings);
    const marks = now ? now.map((w, k) => draw("path", { d: `M${x(k, w)},36v${regions.length * ROW}`, class: "now" })) : [];
    sized(svg, width, height, draw("rect", { width, height, class: "back" }), ...heads, ...ends, ...rows, ...marks);
  }

  function tell(): void {
    const mine = weightings!.regions.find((region) => region.row === state.chosen);
    said.textContent = seen(`${mine ? `${world.name(state.chosen)} ${mine.text}.` : state.chosen < world.count ? `${world.name(state.chosen)} is never first.` : ""} The ${count > 3 || count === 2 ? "line marks" : "dot marks"} the weights of the sliders.`);
  }
  world.listen((changed) => { if (["chosen", "limits", "weights"].some((key) => changed.has(key as never))) drawn.repaint(); });
  return panel("Every weighting", "weightings-panel", drawn.place, said);
}
