// What the charts share: a drawing as wide as its place, scales, axes in the metric's own direction, names that do not collide.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog, type ScaleLinear, type ScaleLogarithmic } from "d3-scale";
import { select } from "d3-selection";
import type { Metric } from "../contract.ts";
import { draw, make, short } from "../dom.ts";
import { few } from "../numbers.ts";
import { takeaway } from "../save.ts";

const DECADES = 30;  // about one and a half decades: beyond that a straight axis puts most values into one corner

export type Scale = ScaleLinear<number, number> | ScaleLogarithmic<number, number>;
export interface Chart { svg: SVGSVGElement; place: HTMLElement; words: SVGDescElement; repaint: () => void }

/** A chart that is drawn again whenever its place gets wider or narrower. */
export function chart(name: string, title: string, paint: (width: number) => void): Chart {
  const words = draw("desc"), svg = draw("svg", { class: `chart ${name}`, role: "img", "aria-label": title });
  svg.append(words);
  const place = make("div", { class: "place" }, svg, takeaway(svg, name));
  let width = 0;
  const repaint = (): void => { if (width) paint(width); };
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry.contentRect.width);
    if (!now || Math.abs(now - width) < 2 || matchMedia("print").matches) return;
    width = now;
    repaint();
  }).observe(place);
  return { svg, place, words, repaint };
}

export function sized(svg: SVGSVGElement, width: number, height: number, ...parts: Node[]): void {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(...svg.querySelectorAll(":scope > desc"), ...parts);
}

export function extent(values: (number | null)[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
  return low <= high ? [low, high] : [0, 1];
}

/** Logarithmic where values span decades, else straight; with room at both ends, inside the metric's range. */
export function scaleOf(values: (number | null)[], range: [number, number], metric?: Metric): Scale {
  const [low, high] = extent(values);
  if (metric && metric.most === null && low > 0 && high / low >= DECADES) return scaleLog().domain([low / 1.3, high * 1.3]).range(range);
  const pad = 0.08 * (high - low) || 0.05 * Math.abs(high) || 1;
  const least = metric?.least ?? (low >= 0 ? 0 : -Infinity), most = metric?.most ?? Infinity;
  const start = Math.max(low - pad, Math.min(least, low) - pad / 4), end = Math.min(high + pad, Math.max(most, high) + pad / 4);
  return scaleLinear().domain([start, end]).range(range);
}

export const isLog = (scale: Scale): boolean => "base" in scale;

function ticks(scale: Scale, count: number): number[] {
  const all = scale.ticks(count);
  if (!isLog(scale)) return all;
  const tens = all.filter((v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9);
  return tens.length >= 2 ? tens : all.filter((v) => [1, 2, 5].includes(Number(String(v.toExponential())[0])));
}

export interface Frame { left: number; right: number; top: number; bottom: number; width: number; height: number }

/** Both axes with their grid and the words that say which way is better. */
export function axes(frame: Frame, x: Scale, y: Scale, across: string, up: string): SVGGElement {
  const g = draw("g", { class: "axes" }), { left, right, top, bottom, width, height } = frame;
  const xs = ticks(x, Math.max(2, (width - left - right) / 90)), ys = ticks(y, Math.max(2, (height - top - bottom) / 60));
  const horizontal = draw("g", { transform: `translate(0,${height - bottom})` }), vertical = draw("g", { transform: `translate(${left},0)` });
  select(horizontal).call(axisBottom(x).tickValues(xs).tickFormat((v) => few(Number(v))).tickSize(-(height - top - bottom)).tickPadding(6));
  select(vertical).call(axisLeft(y).tickValues(ys).tickFormat((v) => few(Number(v))).tickSize(-(width - left - right)).tickPadding(6));
  for (const node of [horizontal, vertical]) for (const name of ["fill", "font-size", "font-family"]) node.removeAttribute(name);
  g.append(horizontal, vertical,
    draw("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, across),
    draw("text", { transform: `translate(13,${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "name" }, up));
  return g;
}

/** A metric's name with the direction that is better. */
export const directed = (metric: Metric): string => `${short(metric.name, 30)} ${metric.high ? "(higher is better)" : "(lower is better)"}`;

/** Many dots as one path: strokes of no length with round ends. */
export const dots = (points: [number, number][]): string => points.map(([x, y]) => `M${x.toFixed(1)},${y.toFixed(1)}h0`).join("");

let ruler: CanvasRenderingContext2D | null = null;

/** The width of a text in a chart, in pixels. */
export function textWidth(text: string): number {
  ruler ??= make("canvas").getContext("2d");
  if (!ruler) return 7.6 * Array.from(text).length;
  ruler.font = "12px system-ui, sans-serif";
  return ruler.measureText(text).width;
}

/** A name cut in its middle to what has room. */
export function fitted(text: string, room: number): string {
  let most = Array.from(text).length, words = short(text, Math.max(most, 1));
  while (most > 2 && textWidth(words) > room) words = short(text, --most);
  return words;
}

interface Named { x: number; y: number; text: string; kind?: string }
export type Box = [number, number, number, number];  // left, top, right, bottom

/** Boxes along a line, for names to avoid. */
export function boxesAlong(path: [number, number][]): Box[] {
  return path.slice(1).flatMap(([x, y], k) => {
    const [a, b] = path[k], steps = Math.min(200, Math.ceil(Math.hypot(x - a, y - b) / 4));
    return Array.from({ length: steps + 1 }, (_, t): Box => {
      const p = a + (x - a) * t / Math.max(steps, 1), q = b + (y - b) * t / Math.max(steps, 1);
      return [p - 1, q - 1, p + 1, q + 1];
    });
  });
}

/** Where a name may stand: to the right (1) or left of its point, and how far below it. */
const NEAR = [[1, -7], [-1, -7], [1, 16], [-1, 16], [1, 4], [-1, 4], [1, -20], [-1, -20]];
/** Where one that matters may stand with a line to its point. */
const FAR = [34, -36, 54, -56, 74, 94, 114, 134].flatMap((dy) => [[-1, dy], [1, dy]]);

/** Each name beside its point where there is room; the first ones first. */
export function names(marked: Named[], frame: Frame, taken: [number, number][] = [], blocked: Box[] = []): SVGElement[] {
  const boxes: Box[] = [...blocked, ...marked.map(({ x, y }): Box => [x - 5, y - 5, x + 5, y + 5]), ...taken.map(([x, y]): Box => [x - 3, y - 3, x + 3, y + 3])];
  const free = (box: Box): boolean => box[0] >= frame.left && box[2] <= frame.width - 2 && box[1] >= 0 && box[3] <= frame.height - frame.bottom
    && !boxes.some((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1]);
  return marked.flatMap(({ x, y, text, kind }) => {
    // Those that matter are named in a shorter form, or farther off, where the whole name has no room.
    for (const [room, places, gap] of kind ? [[172, NEAR, 7], [110, NEAR, 7], [172, FAR, 16], [70, FAR, 16]] as const : [[172, NEAR, 7]] as const) {
      const words = fitted(text, room), w = textWidth(words) * (kind ? 1.1 : 1) + 2;  // names of a kind are bold
      for (const [side, dy] of places) {
        const start = x + side * gap, left = side > 0 ? start : start - w, base = y + dy, box: Box = [left, base - 11, left + w, base + 3];
        if (!free(box)) continue;
        boxes.push(box);
        const name = draw("text", { x: start, y: base, "text-anchor": side > 0 ? "start" : "end", class: `label ${kind ?? ""}` }, words);
        return places === NEAR ? [name] : [draw("line", { x1: x, y1: y, x2: start, y2: dy > 0 ? base - 8 : base, class: "leader" }), name];
      }
    }
    return [];
  });
}
