// The workspace as a notebook's widget: who is chosen, moved and brushed is a state that Python reads and sets.
import type { Data } from "./contract.ts";
import type { Limits, State, World } from "./world.ts";

/** The state as Python has it: names instead of positions, null for an end that is open. */
interface Shared {
  chosen: string;
  moved: Record<string, number> | null;
  limits: Record<string, [number | null, number | null]>;
}

/** What anywidget gives to a view. */
export interface Model {
  get(key: "data"): Data;
  get(key: "state"): Shared;
  set(key: "state", value: Shared): void;
  save_changes(): void;
  on(event: string, act: () => void): void;
  off(event: string, act: () => void): void;
}

const SHARED: (keyof State)[] = ["chosen", "moved", "limits"];
const RESTED = 60;  // milliseconds without a change after which Python is told

/** Keep the state of a workspace and of its model the same; returns what ends it. */
export function share(model: Model, world: World): () => void {
  const { data, state } = world;
  // Limits of the score stand under the name of its measure, unless a metric has that name.
  const scoreName = data.metrics.some((metric) => metric.name === data.ranking.measure) ? "" : data.ranking.measure;
  const nameOf = (m: number): string => m < 0 ? scoreName : data.metrics[m].name;
  const metricOf = (name: string): number => data.metrics.findIndex((metric) => metric.name === name);
  const end = (v: number): number | null => Number.isFinite(v) ? v : null;
  let waiting = 0;

  function read(): Shared {
    return {
      chosen: world.name(state.chosen),
      moved: state.moved && Object.fromEntries(data.metrics.map(({ name }, m) => [name, (state.moved as number[])[m]])),
      limits: Object.fromEntries([...state.limits].map(([m, [low, high]]) => [nameOf(m), [end(low), end(high)]])),
    };
  }
  function tell(): void {
    if (JSON.stringify(read()) === JSON.stringify(model.get("state"))) return;
    model.set("state", read());
    model.save_changes();
  }
  function take(): void {
    clearTimeout(waiting);  // what Python says last is what holds
    const { chosen, moved, limits } = model.get("state"), now = read();
    const labels = [...data.labels, ...data.tested.map((one) => one.label)];
    const change: Partial<State> = {};
    if (chosen !== now.chosen) change.chosen = labels.indexOf(chosen);
    // A choice takes back what was moved: both go together.
    if (JSON.stringify(moved) !== JSON.stringify(now.moved) || "chosen" in change) change.moved = moved && data.metrics.map(({ name }) => moved[name]);
    if (JSON.stringify(limits) !== JSON.stringify(now.limits)) {
      change.limits = new Map(Object.entries(limits).map(([name, [low, high]]) => [metricOf(name), [low ?? -Infinity, high ?? Infinity]])) as Limits;
    }
    world.set(change);
  }
  take();
  model.on("change:state", take);
  world.listen((changed) => {
    if (!SHARED.some((key) => changed.has(key))) return;
    clearTimeout(waiting);
    waiting = setTimeout(tell, RESTED);
  });
  return () => { model.off("change:state", take); clearTimeout(waiting); };
}

/** Keep JupyterLab from taking the keys of a widget for its cells. */
export function keepKeys(el: HTMLElement): void {
  // Only the mark of the element that has the focus counts.
  el.addEventListener("focusin", ({ target }) => { (target as HTMLElement).dataset.lmSuppressShortcuts = "true"; });
  // There, Enter in a field is not a change of it.
  el.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target instanceof HTMLInputElement) target.dispatchEvent(new Event("change"));
  });
}
