// All metrics side by side, better up; a brush on an axis keeps what lies within it, everywhere on the page.
import { brushY, type D3BrushEvent } from "d3-brush";
import { pointer, select } from "d3-selection";
import { button, draw, make, panel, seen, short } from "../dom.ts";
import { few, rough } from "../numbers.ts";
import type { World } from "../world.ts";
import { chart, extent, fitted, scaleOf, sized, type Scale } from "./chart.ts";

const HEIGHT = 300, TOP = 40, BOTTOM = 24;

export function parallelView(world: World): HTMLElement {
  const { data, state } = world, axes = [...data.metrics.map((_, m) => m), -1];
  const drawn = chart("parallel", "all metrics of every system, better up", paint), svg = drawn.svg;
  const back = draw("g"), front = draw("g"), handles = draw("g");
  const count = make("span", { class: "count", "aria-live": "polite" });
  const fields = new Map<number, [HTMLInputElement, HTMLInputElement]>();
  let scales: Scale[] = [], at: number[] = [];
  const value = (m: number, i: number): number | null => m < 0 ? world.efficiency(i) : world.value(m, i);
  const high = (m: number): boolean => m < 0 ? data.ranking.measure === "efficiency" : data.metrics[m].high;
  const column = (m: number): (number | null)[] => m < 0 ? [...data.ranking.scores, ...data.tested.map((t) => t.efficiency), mineEfficiency()] : [...data.values[m], ...data.tested.map((t) => t.values[m]), world.now[m]];
  const mineEfficiency = (): number | null => state.moved ? world.current?.efficiency ?? null : world.efficiency(state.chosen);
  const called = (m: number): string => m < 0 ? data.ranking.measure : data.metrics[m].name;

  function paint(width: number): void {
    const edge = Math.min(70, width / (axes.length * 2));
    at = axes.map((_, k) => edge + k * (width - 2 * edge) / Math.max(1, axes.length - 1));
    scales = axes.map((m) => scaleOf(column(m), high(m) ? [HEIGHT - BOTTOM, TOP] : [TOP, HEIGHT - BOTTOM],
      m < 0 ? undefined : data.metrics[m]));
    const room = width / axes.length - 8, ends = room > 64;
    const rulers = axes.flatMap((m, k) => {
      const [low, top] = extent(m < 0 ? data.ranking.scores : data.values[m]), [up, down] = high(m) ? [top, low] : [low, top];
      return [draw("line", { x1: at[k], x2: at[k], y1: TOP, y2: HEIGHT - BOTTOM, class: "ruler" }),
        draw("text", { x: at[k], y: 14, "text-anchor": "middle", class: "name" }, fitted(called(m), room)),
        draw("text", { x: at[k], y: 30, "text-anchor": "middle", class: "tick" }, ends ? `best ${rough(up)}` : k % 2 ? "" : rough(up)),
        draw("text", { x: at[k], y: HEIGHT - 8, "text-anchor": "middle", class: "tick" }, ends || !(k % 2) ? rough(down) : "")];
    });
    sized(svg, width, HEIGHT, draw("rect", { width, height: HEIGHT, class: "back" }), back, ...rulers, front, handles);
    lines();
    follow();
    brushes();
  }
  /** Whether the chosen point lies on the axes as they are drawn. */
  function fits(): boolean {
    return axes.every((m, k) => {
      const v = m < 0 ? mineEfficiency() : world.now[m], ends = scales[k].domain();
      return v === null || (v >= Math.min(...ends) && v <= Math.max(...ends));
    });
  }

  const path = (i: number): string => joined((m) => value(m, i));
  /** A line over all axes, broken where a value is missing. */
  const joined = (valueOf: (m: number) => number | null): string => {
    let d = "", broken = true;
    axes.forEach((m, k) => {
      const v = valueOf(m);
      if (v === null) { broken = true; return; }
      d += `${broken ? "M" : "L"}${at[k].toFixed(1)},${scales[k](v).toFixed(1)}`;
      broken = false;
    });
    return d;
  };

  function lines(): void {
    const kept: string[] = [], out: string[] = [], efficient: string[] = [];
    let within = 0;
    data.labels.forEach((_, i) => {
      const inside = world.within(i);
      if (inside) within++;
      (inside ? data.ranking.efficient[i] ? efficient : kept : out).push(path(i));
    });
    back.replaceChildren(draw("path", { d: state.limits.size ? out.join("") : "", class: "line out" }), draw("path", { d: kept.join(""), class: "line" }),
      draw("path", { d: efficient.join(""), class: "line efficient" }));
    back.setAttribute("class", data.labels.length > 300 ? "crowd" : "");
    const names = [...data.labels.keys()].filter((i) => state.limits.size && world.within(i)).slice(0, 6).map((i) => world.name(i));
    count.textContent = !state.limits.size ? "drag along an axis to keep a range, or type one"
      : `${within} of ${world.count} kept${names.length ? ": " + seen(names.map((name) => short(name, 30)).join(", ")) + (within > names.length ? ", …" : "") : ""}`;
  }

  /** The line of the chosen point and of its target: all that a movement changes. */
  function follow(): void {
    const verdict = world.current, target = verdict?.target, used = world.space?.metrics ?? [];
    const goal = target ? axes.flatMap((m, k) => used.includes(m) ? [`${at[k].toFixed(1)},${scales[k](target[used.indexOf(m)]).toFixed(1)}`] : []) : [];
    const mine = joined((m) => m < 0 ? mineEfficiency() : world.now[m]);
    front.replaceChildren(draw("path", { d: goal.length > 1 ? "M" + goal.join("L") : "", class: "line goal" }),
      draw("path", { d: mine, class: "line mine" }));
  }

  function brushes(): void {
    handles.replaceChildren(...axes.map((m, k) => {
      const g = draw("g", { class: "brush", "data-axis": called(m), transform: `translate(${at[k]},0)` });
      const brush = brushY<unknown>().extent([[-13, TOP], [13, HEIGHT - BOTTOM]]).filter((event: PointerEvent) => !event.button)
        .on("brush end", (event: D3BrushEvent<unknown>) => {
          if (!event.sourceEvent) return;
          const range = event.selection as [number, number] | null;
          keep(m, range ? [scales[k].invert(range[0]), scales[k].invert(range[1])].sort((a, b) => a - b) as [number, number] : null);
        });
      select(g).call(brush);
      const limits = state.limits.get(m);
      if (limits) select(g).call(brush.move, limits.map((v) => scales[k](clamped(v, scales[k]))).sort((a, b) => a - b) as [number, number]);
      return g;
    }));
  }
  const clamped = (v: number, scale: Scale): number => Math.min(Math.max(v, scale.domain()[0]), scale.domain()[1]);

  function keep(m: number, range: [number, number] | null): void {
    const limits = new Map(state.limits);
    if (range) limits.set(m, range); else limits.delete(m);
    world.set({ limits });
  }

  svg.addEventListener("click", (event) => {
    const [px, py] = pointer(event, svg);
    let best = -1, far = 12;
    const k = at.findIndex((x, q) => q + 1 < at.length && px >= x && px <= at[q + 1]);
    if (k < 0) return;
    data.labels.forEach((_, i) => {
      const a = value(axes[k], i), b = value(axes[k + 1], i);
      if (a === null || b === null || !world.within(i)) return;
      const share = (px - at[k]) / (at[k + 1] - at[k]), y = scales[k](a) + share * (scales[k + 1](b) - scales[k](a));
      if (Math.abs(y - py) < far) { far = Math.abs(y - py); best = i; }
    });
    if (best >= 0) world.set({ chosen: best });
  });

  /** The same ranges for those who type. */
  function typed(): HTMLElement {
    const rows = axes.map((m) => {
      const pair = ["from", "to"].map((end) => {
        const field = make("input", { type: "text", inputmode: "decimal", "aria-label": `${called(m)} ${end}`, placeholder: end });
        field.addEventListener("change", () => {
          const [a, b] = (fields.get(m) as HTMLInputElement[]).map((one) => one.value.trim());
          const low = a === "" ? -Infinity : Number(a), top = b === "" ? Infinity : Number(b);
          const wrong = Number.isNaN(low) || Number.isNaN(top) || low > top;
          field.setAttribute("aria-invalid", String(wrong));
          if (!wrong) keep(m, a === "" && b === "" ? null : [low, top]);
        });
        return field;
      });
      fields.set(m, pair as [HTMLInputElement, HTMLInputElement]);
      return make("label", {}, short(called(m), 20) + " ", ...pair);
    });
    return make("details", {}, make("summary", {}, "type ranges"), make("div", { class: "ranges" }, ...rows));
  }
  function shownLimits(): void {
    for (const [m, pair] of fields) {
      const range = state.limits.get(m);
      pair.forEach((field, k) => { if (field !== document.activeElement) field.value = range && Number.isFinite(range[k]) ? few(range[k]) : ""; });
    }
  }

  world.listen((changed) => {
    if (changed.has("limits")) shownLimits();
    if (!scales.length) return;  // not drawn yet
    if (changed.has("limits") && !handles.matches(":active")) brushes();
    if (!fits()) drawn.repaint();
    else {
      if (changed.has("limits")) lines();
      follow();
    }
  });
  const box = panel("All metrics", "parallel-panel", drawn.place, make("div", { class: "bar" }, count,
    button("clear", () => world.set({ limits: new Map() }))), typed());
  shownLimits();
  return box;
}
