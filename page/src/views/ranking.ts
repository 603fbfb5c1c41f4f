// Every classifier by its rank: a row each where there is room, else a curve with the ends, the chosen one and the tiers named.
import { pointer } from "d3-selection";
import { draw, panel, seen, short } from "../dom.ts";
import { few, score } from "../numbers.ts";
import type { World } from "../world.ts";
import { axes, chart, dots, extent, scaleOf, sized, type Frame } from "./chart.ts";

const ROWS = 40, ROW = 18, BINS = 30, OVER = 56;

export function rankingView(world: World): HTMLElement {
  const { data, state } = world, { ranking, uncertainty } = data;
  const order = ranking.order.filter((i) => ranking.scores[i] !== null), n = order.length, many = n > ROWS;
  const drawn = chart("ranking", "every classifier's score, best first", paint), svg = drawn.svg;
  const place = new Map(order.map((i, k) => [i, k]));
  let row = (_: number): number => 0, back = (_: number): number => 0;

  function paint(width: number): void {
    const room = Math.min(150, Math.max(90, width * 0.34)), top = many ? OVER + 18 : 10;
    const height = many ? 470 : top + n * ROW + 44;
    const frame: Frame = { left: room, right: 12, top, bottom: 40, width, height }, tall = height - top - frame.bottom;
    row = (k) => top + (k + 0.5) * tall / Math.max(n, 1);
    back = (y) => Math.floor((y - top) / tall * n);
    const best = ranking.measure === "efficiency" ? 1 : 0, every = [...ranking.scores, ...(uncertainty?.lower ?? []), best];
    const x = scaleOf(every, [room, width - frame.right]);
    const parts: SVGElement[] = [axes({ ...frame, left: room }, x, scaleOf([0], [0, 0]), `${ranking.measure} (${best}: on the frontier)`, "")];
    parts[0].lastElementChild?.remove();
    parts[0].children[1]?.remove();
    if (many) parts.push(...histogram(x, top - 18));
    if (uncertainty) {
      parts.push(draw("path", { class: "interval", d: order.flatMap((i, k) => uncertainty.lower[i] === null ? []
        : [`M${x(uncertainty.lower[i] as number).toFixed(1)},${row(k).toFixed(1)}H${x(uncertainty.upper[i] as number).toFixed(1)}`]).join("") }), ...tiers(frame));
    }
    const at = (i: number): [number, number] => [x(ranking.scores[i] as number), row(place.get(i) as number)];
    const kinds: Record<string, number[]> = { out: [], dmu: [], efficient: [] };
    for (const i of order) kinds[!world.within(i) ? "out" : ranking.efficient[i] ? "efficient" : "dmu"].push(i);
    const crowded = many ? "crowded" : "";
    parts.push(draw("path", { d: dots(kinds.out.map(at)), class: `dots out ${crowded}` }), draw("path", { d: dots(kinds.dmu.map(at)), class: `dots rim ${crowded}` }),
      draw("path", { d: dots(kinds.dmu.map(at)), class: `dots hole ${crowded}` }), draw("path", { d: dots(kinds.efficient.map(at)), class: `dots efficient ${crowded}` }));
    parts.push(...named(tall).map((k) => draw("text", { x: room - 8, y: row(k) + 4, "text-anchor": "end",
      class: `row ${order[k] === state.chosen ? "chosen" : ""}` }, short(world.name(order[k]), Math.floor(room / (order[k] === state.chosen ? 8.4 : 7.6))))));
    if (place.has(state.chosen)) {
      const [p, q] = at(state.chosen);
      parts.push(draw("circle", { cx: p, cy: q, r: 9, class: "ring" }));
    }
    sized(svg, width, height, draw("rect", { width, height, class: "back" }), ...parts);
    drawn.words.textContent = `${n} classifiers; the best is ${n ? world.name(order[0]) : "none"}`;
  }

  /** The rows that are named: all, or the ends, the chosen one, and what has room between them. */
  function named(tall: number): number[] {
    if (!many) return order.map((_, k) => k);
    const step = tall / n, kept: number[] = [], free = (k: number): boolean => kept.every((other) => Math.abs(other - k) * step >= 14);
    const wanted = [place.get(state.chosen) ?? 0, 0, n - 1, ...Array.from({ length: 30 }, (_, t) => Math.round(t * (n - 1) / 29))];
    for (const k of wanted) if (free(k)) kept.push(k);
    return kept;
  }

  function histogram(x: ReturnType<typeof scaleOf>, bottom: number): SVGElement[] {
    const [low, high] = extent(ranking.scores), width = (high - low) / BINS || 1, counts = new Array<number>(BINS).fill(0);
    for (const i of order) counts[Math.min(BINS - 1, Math.floor(((ranking.scores[i] as number) - low) / width))]++;
    const most = Math.max(...counts);
    const bars = counts.flatMap((c, k) => c ? [draw("rect", { x: x(low + k * width) + 0.5, y: bottom - c / most * (OVER - 16),
      width: Math.max(1, x(low + (k + 1) * width) - x(low + k * width) - 1), height: c / most * (OVER - 16), class: "bar" })] : []);
    return [...bars, draw("text", { x: x.range()[0] - 8, y: bottom, "text-anchor": "end", class: "row" }, "how many"),
      draw("text", { x: x.range()[0] - 8, y: bottom - OVER + 26, "text-anchor": "end", class: "row" }, String(most))];
  }

  /** A line where a tier ends: below it everyone is proved below somebody above. */
  function tiers(frame: Frame): SVGElement[] {
    const tier = uncertainty?.tier;
    if (!tier) return [];
    return order.flatMap((i, k) => k && tier[i] > tier[order[k - 1]] ? [draw("line", { x1: frame.left, x2: frame.width - frame.right,
      y1: (row(k) + row(k - 1)) / 2, y2: (row(k) + row(k - 1)) / 2, class: "tier" })] : []);
  }

  svg.addEventListener("click", (event) => {
    const k = back(pointer(event, svg)[1]);
    if (k >= 0 && k < n) world.set({ chosen: order[k] });
  });
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key], now = place.get(state.chosen);
    if (!by) return;
    event.preventDefault();
    world.set({ chosen: order[Math.min(n - 1, Math.max(0, (now ?? -1) + by))] });
  });
  world.listen((changed) => { if (["chosen", "limits"].some((key) => changed.has(key as never))) drawn.repaint(); });
  const head = [...new Set([ranking.order[0], ranking.order[ranking.order.length - 1]])].map((i) => `${world.name(i)} ${score(ranking.scores[i])}`);
  return panel("Ranking", "ranking-panel", drawn.place, note(head, ranking.measure));

  function note(ends: string[], measure: string): HTMLElement {
    const p = document.createElement("p");
    p.className = "note";
    p.textContent = seen(`Filled: efficient. From ${ends.join(" to ")} (${measure}). A click chooses the row's classifier.`
      + (uncertainty ? ` Lines: intervals${uncertainty.level === null ? "" : ` at ${few(100 * uncertainty.level)} % (${uncertainty.scope})`}.` : ""));
    return p;
  }
}
