// Efficiencies of classifiers in groups of data sets: a line of dots per group, a mark and a name at the best of each.
import type { Dots } from "../contract.ts";
import { draw, panel, short } from "../dom.ts";
import { score } from "../numbers.ts";
import { axes, chart, dots, scaleOf, sized } from "./chart.ts";

const ROW = 34;

export function dotsView({ title, groups, names, values }: Dots): HTMLElement {
  const drawn = chart("groups", title, paint);
  const mean = names.map((_, k) => { const known = values.flatMap((row) => row[k] === null ? [] : [row[k] as number]); return known.reduce((a, b) => a + b, 0) / known.length; });
  const best = mean.indexOf(Math.max(...mean));

  function paint(width: number): void {
    const left = Math.min(190, width * 0.38), height = 24 + groups.length * ROW + 40, frame = { left, right: 14, top: 10, bottom: 40, width, height };
    const x = scaleOf(values.flat(), [left, width - frame.right]), y = (k: number): number => 18 + (k + 0.5) * ROW;
    const ruler = axes(frame, x, scaleOf([0], [0, 0]), "efficiency (1: on the group's frontier; higher is better)", "");
    ruler.lastElementChild?.remove();
    ruler.children[1]?.remove();
    const others: [number, number][] = [], leading: [number, number][] = [], words: SVGElement[] = [];
    values.forEach((row, g) => {
      const top = row.reduce<number>((a, v, k) => v !== null && (a < 0 || v > (row[a] as number)) ? k : a, -1);
      row.forEach((v, k) => { if (v !== null) (k === best ? leading : others).push([x(v), y(g)]); });
      words.push(draw("text", { x: left - 8, y: y(g) + 4, "text-anchor": "end", class: "row" }, short(groups[g], Math.floor(left / 6.6))));
      if (top >= 0) words.push(draw("text", { x: Math.min(x(row[top] as number), width - frame.right), y: y(g) - 9, "text-anchor": "end", class: "tick" },
        `${short(names[top], 24)} ${score(row[top])}`));
    });
    sized(drawn.svg, width, height, draw("rect", { width, height, class: "back" }), ruler, draw("path", { d: dots(others), class: "dots rim" }),
      draw("path", { d: dots(others), class: "dots hole" }), draw("path", { d: dots(leading), class: "dots efficient" }), ...words);
  }
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = `Named: the best of each group. Filled: ${short(names[best], 60)}, the best on average. All numbers are in the tables below.`;
  return panel(title, "groups-panel", drawn.place, note);
}
