// Who wins under what a reader wants: weights of the metrics, a cost ratio of errors, a budget.
import { button, make, panel, short } from "../dom.ts";
import { rough } from "../numbers.ts";
import type { World } from "../world.ts";
import { extent } from "./chart.ts";

const SHOWN = 5;

export interface Winner { i: number; worth: number }

/** The weighted mean of each metric's place between its worst (0) and best value (1), among those within the budgets. */
export function byWeights(world: World): Winner[] {
  const { data, state } = world, ends = data.values.map((column) => extent(column)), total = state.weights.reduce((a, b) => a + b, 0);
  if (!total) return [];
  return affordable(world).map((i) => ({ i, worth: data.metrics.reduce((t, metric, m) => {
    const [low, high] = ends[m], v = data.values[m][i] as number, share = high > low ? (v - low) / (high - low) : 0.5;
    return t + state.weights[m] * (metric.high ? share : 1 - share);
  }, 0) / total })).sort((a, b) => b.worth - a.worth || a.i - b.i);
}

/** Expected cost in units of a false positive's: ratio · positives · (1 − TPR) + (1 − positives) · (1 − TNR). */
export function byCost(world: World, tpr: number, tnr: number): Winner[] {
  const { data, state } = world, one = Math.max(extent(data.values[tpr])[1], extent(data.values[tnr])[1]) > 1 ? 100 : 1;
  return affordable(world).map((i) => ({ i, worth: state.ratio * state.prevalence * (1 - (data.values[tpr][i] as number) / one)
    + (1 - state.prevalence) * (1 - (data.values[tnr][i] as number) / one) })).sort((a, b) => a.worth - b.worth || a.i - b.i);
}

export function affordable(world: World): number[] {
  const { data, state } = world;
  return [...data.labels.keys()].filter((i) => world.within(i) && data.metrics.every((metric, m) => {
    const limit = state.budgets[m], v = data.values[m][i];
    return v !== null && (limit === null || (metric.high ? v >= limit : v <= limit));
  }));
}

export function preferencesView(world: World): HTMLElement {
  const { data, state } = world, weights = make("div", { class: "sliders" }), budgets = make("div", { class: "ranges" });
  const won = make("ol", { class: "winners" }), cheap = make("ol", { class: "winners" }), kept = make("p", { class: "note", "aria-live": "polite" });
  const tpr = data.metrics.findIndex((m) => m.name === "TPR"), tnr = data.metrics.findIndex((m) => m.name === "TNR");
  data.metrics.forEach((metric, m) => {
    const field = make("input", { type: "range", min: 0, max: 10, step: 0.5 }), value = make("output");
    field.value = String(state.weights[m]);
    value.textContent = String(state.weights[m]);
    field.addEventListener("input", () => {
      value.textContent = field.value;
      world.set({ weights: state.weights.map((w, k) => k === m ? Number(field.value) : w) });
    });
    weights.append(make("label", {}, make("span", {}, short(metric.name, 22)), field, value));
    const limit = make("input", { type: "text", inputmode: "decimal", "aria-label": `budget: ${metric.name} at ${metric.high ? "least" : "most"}`,
      placeholder: metric.high ? "at least" : "at most" });
    limit.value = state.budgets[m] === null ? "" : String(state.budgets[m]);
    limit.addEventListener("input", () => {
      const text = limit.value.trim().replace(",", "."), v = text === "" ? null : Number(text);
      limit.setAttribute("aria-invalid", String(v !== null && !Number.isFinite(v)));
      if (v === null || Number.isFinite(v)) world.set({ budgets: state.budgets.map((old, k) => k === m ? v : old) });
    });
    budgets.append(make("label", {}, make("span", {}, short(metric.name, 22)), limit));
  });

  function paint(): void {
    const able = affordable(world).length;
    kept.textContent = state.budgets.some((v) => v !== null) ? `${able} of ${world.count} keep to the budget.` : "";
    fill(won, byWeights(world), "score");
    if (tpr >= 0 && tnr >= 0) fill(cheap, byCost(world, tpr, tnr), "cost");
  }
  function fill(list: HTMLElement, winners: Winner[], what: string): void {
    list.replaceChildren(...winners.slice(0, SHOWN).map(({ i, worth }) => make("li", { "data-name": data.labels[i], "data-worth": worth },
      button(short(data.labels[i], 30), () => world.set({ chosen: i }), { class: "link" }), ` ${what} ${rough(worth)}`)));
    if (!winners.length) list.append(make("li", {}, "none: the weights are all 0, or the budget or the kept range is too tight"));
  }
  const parts: HTMLElement[] = [make("p", { class: "note" }, "Weights count each metric from its worst (0) to its best value here (1)."),
    weights, make("h4", {}, "Best under these weights"), won];
  if (tpr >= 0 && tnr >= 0) parts.push(make("h4", {}, "Least expected cost of errors"), costs(), cheap);
  parts.push(make("details", {}, make("summary", {}, "a budget"), budgets), kept);
  paint();
  world.listen((changed) => { if (["weights", "ratio", "prevalence", "budgets", "limits"].some((key) => changed.has(key as never))) paint(); });
  return panel("Preferences", "preferences-panel", ...parts);

  function costs(): HTMLElement {
    const field = (words: string, value: number, ok: (v: number) => boolean, act: (v: number) => void): HTMLElement => {
      const input = make("input", { type: "text", inputmode: "decimal" });
      input.value = String(value);
      input.addEventListener("input", () => {
        const v = Number(input.value.trim().replace(",", ".")), wrong = input.value.trim() === "" || !ok(v);
        input.setAttribute("aria-invalid", String(wrong));
        if (!wrong) act(v);
      });
      return make("label", {}, words + " ", input);
    };
    return make("div", { class: "controls" },
      field("a false negative costs, in false positives", state.ratio, (v) => v > 0 && v < 1e9, (ratio) => world.set({ ratio })),
      field("share of positives", state.prevalence, (v) => v > 0 && v < 1, (prevalence) => world.set({ prevalence })));
  }
}
