// One state that all views share: who is chosen, where it was moved to, what is brushed, which axes; kept in the address.
import type { Data, Goal, Norm, On, Reached } from "./contract.ts";
import { Space, type Verdict } from "./solve/space.ts";

export type Limits = Map<number, [number, number]>;  // by metric; −1 is the score
export interface State {
  x: number;
  y: number;
  norm: Norm;
  on: On;
  mixtures: boolean;
  goal: Goal;
  chosen: number;  // a classifier, or labels.length + k for the k-th tested one
  moved: number[] | null;  // a new classifier's metrics, all of them
  limits: Limits;
  weights: number[];
  ratio: number;
  prevalence: number;
  budgets: (number | null)[];
}

/** As advice nothing gets worse; what is tested has its closest target; where the facets are not known, the peers have. */
function firstGoal(data: Data): Goal {
  if (data.front && !data.front.hull) return "peers";
  return data.tested.length ? "closest" : "better";
}

const RESTED = 60;  // milliseconds without a change after which the address is written

type Listener = (changed: Set<keyof State>) => void;

export class World {
  readonly space: Space | null;
  readonly state: State;
  private readonly listeners: Listener[] = [];
  private readonly remembered = new Map<string, Verdict>();
  private last: { key: string; found: Verdict | null } | null = null;
  private writing = 0;

  constructor(readonly data: Data, private readonly addressed: boolean) {
    this.space = data.front ? new Space(data, data.front) : null;
    this.state = {
      x: data.first[0], y: data.first[1], norm: data.norm, on: data.on, mixtures: data.mixtures, goal: firstGoal(data), chosen: data.start, moved: null,
      limits: new Map(), weights: data.metrics.map(() => 1), ratio: 1, prevalence: 0.5, budgets: data.metrics.map(() => null),
    };
    if (addressed) this.recall(location.hash.slice(1));
  }

  get count(): number { return this.data.labels.length; }
  get all(): number { return this.count + this.data.tested.length; }
  name(i: number): string { return i < this.count ? this.data.labels[i] : this.data.tested[i - this.count].label; }
  value(m: number, i: number): number | null {
    return i < this.count ? this.data.values[m][i] : this.data.tested[i - this.count].values[m];
  }
  efficiency(i: number): number | null {
    return i < this.count ? this.data.ranking.scores[i] : this.data.tested[i - this.count].efficiency;
  }
  /** The metrics of what the page judges: the chosen classifier's, or those it was moved to. */
  get now(): (number | null)[] { return this.state.moved ?? this.data.metrics.map((_, m) => this.value(m, this.state.chosen)); }
  /** Where a name stands: in full, else in any case, else the best ranked one that holds the words. */
  where(words: string): number {
    const all = [...this.data.labels, ...this.data.tested.map((one) => one.label)], lower = all.map((name) => name.toLowerCase());
    const exact = all.indexOf(words), alike = lower.indexOf(words.toLowerCase());
    if (exact >= 0 || alike >= 0) return exact >= 0 ? exact : alike;
    const order = [...this.data.ranking.order, ...this.data.tested.map((_, k) => this.count + k)];
    return order.find((i) => lower[i].includes(words.toLowerCase())) ?? -1;
  }

  listen(act: Listener): void { this.listeners.push(act); }
  set(change: Partial<State>): void {
    const keys = (Object.keys(change) as (keyof State)[]).filter((key) => this.state[key] !== change[key]);
    if (!keys.length) return;
    Object.assign(this.state, change);
    if (change.chosen !== undefined && !("moved" in change)) { this.state.moved = null; keys.push("moved"); }
    for (const act of this.listeners) act(new Set(keys));
    if (!this.addressed) return;
    // A choice can be taken back by the browser's Back; what is dragged or typed would fill its history, and is written once it rests.
    clearTimeout(this.writing);
    if (change.chosen !== undefined) history.pushState(null, "", "#" + this.address());
    else this.writing = setTimeout(() => history.replaceState(null, "", "#" + this.address()), RESTED);
  }

  /** The verdict on what the page judges: the chosen classifier, or the place to which it was moved. */
  get current(): Verdict | null {
    const { moved, chosen, norm, on, mixtures, goal } = this.state, key = [moved, chosen, norm, on, mixtures, goal].join(";");
    if (this.last?.key !== key) this.last = { key, found: moved ? this.verdict(moved) : this.verdictOf(chosen) };
    return this.last.found;
  }

  /** The verdict on a point in the space of the frontier; null where its metrics are not all known. */
  verdict(values: (number | null)[], chosen = -1): Verdict | null {
    if (!this.space) return null;
    const own = this.space.metrics.map((m) => values[m]), { norm, on, mixtures, goal } = this.state;
    if (own.some((v) => v === null)) return null;
    const found = this.space.judge(own as number[], norm, on, mixtures, goal);
    if (goal === "peers") return this.mixed(found, own as number[], chosen);
    // Where nothing may get worse, targets are on faces whatever the choice.
    const same = norm === this.data.norm && (goal === "better" || on === this.data.on) && mixtures;
    return chosen >= 0 && same ? this.known(chosen, found) : found;
  }
  /** The mixture of the ranking's peers as target; a point that was not ranked has no peers. */
  private mixed(found: Verdict, own: number[], chosen: number): Verdict {
    const { ranking, values } = this.data, flat = chosen >= 0 && chosen < this.count ? ranking.peers[chosen] : [];
    const none = { ...found, distance: null, target: null, gaps: null, members: [] };
    const pairs = Array.from({ length: flat.length / 2 }, (_, k): [number, number] => [ranking.own[flat[2 * k]], flat[2 * k + 1]]);
    if (!this.space || !pairs.length || pairs.some(([i]) => i < 0)) return { ...none, why: "it has no peers in this ranking" };
    const target = this.space.metrics.map((m) => pairs.reduce((t, [i, share]) => t + share * (values[m][i] ?? NaN), 0));
    if (target.some((v) => !Number.isFinite(v))) return { ...none, why: "its peers lack a value" };
    return { ...this.space.toward(own, found.position, target, pairs.map(([i]) => i), this.state.norm), efficiency: found.efficiency };
  }
  /** The verdict on a classifier as it is. */
  verdictOf(i: number): Verdict | null {
    const key = [i, this.state.norm, this.state.on, this.state.mixtures, this.state.goal].join();
    const old = this.remembered.get(key);
    if (old) return old;
    const found = this.verdict(this.data.metrics.map((_, m) => this.value(m, i)), i);
    if (found) this.remembered.set(key, found);
    return found;
  }
  /** Of several targets as close the page repeats the one that the tables list. */
  private known(i: number, found: Verdict): Verdict {
    if (this.state.goal !== (i < this.count ? "better" : "closest")) return found;
    const listed: Reached | null = i < this.count ? this.data.own : this.data.reached;
    const k = listed ? listed.rows.indexOf(i < this.count ? i : i - this.count) : -1;
    if (!listed || k < 0 || listed.distance[k] === null || !this.space) return found;
    const target = listed.target[k] as number[], own = this.space.metrics.map((m) => this.value(m, i) as number);
    return { ...found, position: listed.position[k] as Verdict["position"], distance: listed.distance[k], norm: this.data.norm, target,
      gaps: target.map((v, r) => v - own[r]), members: listed.members[k], why: "", way: listed.way[k] };
  }

  /** Whether a classifier lies within all brushes. */
  within(i: number): boolean {
    for (const [m, [low, high]] of this.state.limits) {
      const v = m < 0 ? this.efficiency(i) : this.value(m, i);
      if (v === null || v < low || v > high) return false;
    }
    return true;
  }

  address(): string {
    const { data, state } = this, said = new URLSearchParams(), name = (m: number): string => m < 0 ? "" : data.metrics[m].name;
    if (state.x !== data.first[0]) said.set("x", name(state.x));
    if (state.y !== data.first[1]) said.set("y", name(state.y));
    for (const key of ["norm", "on"] as const) if (state[key] !== data[key]) said.set(key, state[key]);
    if (state.goal !== firstGoal(data)) said.set("target", state.goal);
    if (state.mixtures !== data.mixtures) said.set("mixtures", state.mixtures ? "yes" : "no");
    if (state.chosen !== data.start) said.set("who", this.name(state.chosen).toWellFormed());
    if (state.moved) said.set("at", state.moved.map((v) => v ?? "").join(" "));
    for (const [m, [low, high]] of state.limits) said.append("keep", [name(m), low, high].join("~"));
    if (state.weights.some((w) => w !== 1)) said.set("weights", state.weights.join(" "));
    if (state.ratio !== 1) said.set("ratio", String(state.ratio));
    if (state.prevalence !== 0.5) said.set("positives", String(state.prevalence));
    state.budgets.forEach((v, m) => { if (v !== null) said.append("budget", [name(m), v].join("~")); });
    return said.toString();
  }

  /** Take the state from an address; what is not understood there is left as it is. */
  recall(text: string): void {
    if (!text.includes("=")) return;
    const said = new URLSearchParams(text), { state, data } = this;
    const metric = (name: string | null): number => data.metrics.findIndex((one) => one.name === name);
    const x = metric(said.get("x")), y = metric(said.get("y"));
    if (x >= 0) state.x = x;
    if (y >= 0) state.y = y;
    if (state.x === state.y) [state.x, state.y] = data.first;
    if (["l1", "l2", "linf"].includes(said.get("norm") ?? "")) state.norm = said.get("norm") as Norm;
    if (["faces", "facets"].includes(said.get("on") ?? "")) state.on = said.get("on") as On;
    if (["better", "closest", "peers"].includes(said.get("target") ?? "")) state.goal = said.get("target") as Goal;
    if (said.has("mixtures")) state.mixtures = said.get("mixtures") !== "no";
    const who = data.labels.concat(data.tested.map((one) => one.label)).findIndex((l) => l.toWellFormed() === said.get("who"));
    if (who >= 0) state.chosen = who;
    const numbers = (key: string): number[] | null => {
      const parts = said.get(key)?.split(" ").map((part) => part === "" ? NaN : Number(part));
      return parts && parts.length === data.metrics.length && parts.every((v) => Number.isFinite(v)) ? parts : null;
    };
    state.moved = numbers("at")?.every((v, m) => !this.refused(m, v)) ? numbers("at") : null;
    const weights = numbers("weights");
    if (weights?.every((v) => v >= 0 && v <= 10)) state.weights = weights;
    this.recallRest(said, metric);
  }
  private recallRest(said: URLSearchParams, metric: (name: string) => number): void {
    const { state } = this, ratio = Number(said.get("ratio") ?? 1), positives = Number(said.get("positives") ?? 0.5);
    if (ratio > 0 && ratio < 1e9) state.ratio = ratio;
    if (positives > 0 && positives < 1) state.prevalence = positives;
    for (const one of said.getAll("keep")) {
      const parts = one.split("~"), [low, high] = parts.slice(-2).map(Number), name = parts.slice(0, -2).join("~");
      if (low <= high && (name === "" || metric(name) >= 0)) state.limits.set(name === "" ? -1 : metric(name), [low, high]);
    }
    for (const one of said.getAll("budget")) {
      const cut = one.lastIndexOf("~"), m = metric(one.slice(0, cut)), v = Number(one.slice(cut + 1));
      if (m >= 0 && Number.isFinite(v)) state.budgets[m] = v;
    }
  }

  /** Why a value cannot be one of a metric; empty where it can. */
  refused(m: number, v: number): string {
    const { name, least, most } = this.data.metrics[m];
    if (!Number.isFinite(v)) return `${name} is to be a number`;
    if (least !== null && v < least) return `${name} is at least ${least}`;
    if (most !== null && v > most) return `${name} is at most ${most}`;
    return "";
  }
}
