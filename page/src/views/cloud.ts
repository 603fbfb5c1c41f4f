// Thousands of dots of which a movement changes few: strips across the chart, each drawn again only where one of its dots changed its kind.
import { draw } from "../dom.ts";
import { dots } from "./chart.ts";

export type Kind = "faded" | "strong" | "out" | "dmu" | "efficient" | "none";
type Pair = [number, number];

/** What is drawn of each kind, the lower layers first. */
const LAYERS: [Kind, string][] = [["faded", "dots faded"], ["strong", "dots efficient faded"], ["out", "dots out"], ["dmu", "dots rim"], ["dmu", "dots hole"], ["efficient", "dots efficient"]];
const STRIP = 128;

export interface Cloud { layer: SVGGElement; place: (at: Pair[]) => void; paint: (kindOf: (k: number) => Kind) => void }

export function cloudOf(crowded: string): Cloud {
  const layer = draw("g");
  let points: Pair[] = [], strips: number[][] = [], kinds: Kind[] = [], paths: SVGPathElement[][] = [];

  function place(at: Pair[]): void {
    points = at;
    kinds = [];
    const order = at.map((_, k) => k);
    if (at.length > 2 * STRIP) order.sort((a, b) => at[a][0] - at[b][0]);
    strips = Array.from({ length: Math.ceil(at.length / STRIP) }, (_, s) => order.slice(s * STRIP, (s + 1) * STRIP));
    const groups = LAYERS.map(() => draw("g"));
    paths = strips.map(() => LAYERS.map(([, name], l) => {
      const path = draw("path", { d: "", class: `${name} ${crowded}`.trim() });
      groups[l].append(path);
      return path;
    }));
    layer.replaceChildren(...groups);
  }

  function paint(kindOf: (k: number) => Kind): void {
    const fresh = points.map((_, k) => kindOf(k));
    strips.forEach((strip, s) => {
      const changed = new Set<Kind>();
      for (const k of strip) if (fresh[k] !== kinds[k]) { changed.add(fresh[k]); changed.add(kinds[k]); }
      if (changed.size) LAYERS.forEach(([kind], l) => { if (changed.has(kind)) paths[s][l].setAttribute("d", dots(strip.filter((k) => fresh[k] === kind).map((k) => points[k]))); });
    });
    kinds = fresh;
  }
  return { layer, place, paint };
}
