// The leaderboard and every other table: sort by a heading, filter by words or by "TPR > 0.8", pages, copy, CSV; a row of a classifier chooses it.
import type { Cell, Data, Metric, Table } from "../contract.ts";
import { button, make, seen, short } from "../dom.ts";
import { decimals, shown } from "../numbers.ts";
import { copy, csv, download, tabbed } from "../save.ts";
import type { World } from "../world.ts";
import { extent } from "./chart.ts";

const PAGE = 25, PRINTED = 300;
type Decorate = (v: Cell, i: number, words: string) => Node | string;
interface Content {
  columns: string[];
  rows: Cell[][];
  keys: (number | null)[] | null;  // the classifier of each row, by its place in labels
  decorate?: Map<number, Decorate>;  // by column: how its cells are shown
  tiers?: (number | null)[];  // of each row: a rule is drawn where it rises
}

/** The tables that hold what the workspace has anyway are made of that. */
export function content(table: Table, data: Data | null): Content {
  if (!data || !table.from) return { columns: table.columns, rows: table.rows ?? [], keys: data ? named(table.rows ?? [], data.labels) : null };
  const { ranking } = data, keys = table.rows ? named(table.rows, data.labels) ?? [] : ranking.order;
  if (table.from === "weights") {
    return { columns: table.columns, keys, rows: keys.map((i) => [data.labels[i as number], ...ranking.weights.map((w) => w.values[i as number])]) };
  }
  const made = boardCells(data);
  return { columns: table.columns, keys, rows: table.rows ?? ranking.order.map((i) => table.columns.map((name) => made.get(name)?.(i) ?? null)),
    decorate: decorations(data, table.columns), tiers: keys.map((i) => data.uncertainty?.tier?.[i as number] ?? null) };
}

/** The cells of the leaderboard by the name of their column, in its order. */
function boardCells(data: Data): Map<string, (i: number) => Cell> {
  const { ranking, uncertainty, weightings } = data, cells = new Map<string, (i: number) => Cell>();
  cells.set(data.rowName, (i) => data.labels[i]).set(ranking.measure, (i) => ranking.scores[i]).set("rank", (i) => ranking.ranks[i]);
  cells.set("efficient", (i) => ranking.efficient[i]);
  if (uncertainty) cells.set("lower", (i) => uncertainty.lower[i]).set("upper", (i) => uncertainty.upper[i]);
  const { verdict, bestRank, worstRank, tier } = uncertainty ?? {};
  if (verdict && bestRank && worstRank && tier) {
    cells.set("verdict", (i) => verdict[i]).set("best_rank", (i) => bestRank[i]).set("worst_rank", (i) => worstRank[i]).set("tier", (i) => tier[i]);
  }
  data.metrics.forEach((metric, m) => cells.set(boardName(metric, cells), (i) => data.values[m][i]));
  if (weightings) cells.set(RANGE, (i) => rankRange(weightings.rankBest[i], weightings.rankWorst[i]));
  return cells.set("peers (λ)", (i) => peersOf(data, i));
}

/** The columns of the leaderboard, for a place that has no table yet. */
export const boardColumns = (data: Data): string[] => [...boardCells(data).keys()];

const RANGE = "ranks over all weightings";
const rankRange = (best: number, worst: number): string => best === worst ? String(best) : `${best}–${worst}`;

/** A metric with its direction; longer where the leaderboard has a column of that name. */
function boardName(metric: Metric, taken: Map<string, unknown>): string {
  return `${metric.name}${taken.has(metric.name) ? " (metric)" : ""} ${metric.high ? "↑" : "↓"}`;
}

function peersOf({ ranking }: Data, i: number): string {
  const flat = ranking.peers[i], pairs = Array.from({ length: flat.length / 2 }, (_, k): [number, number] => [flat[2 * k], flat[2 * k + 1]])
    .filter(([, lam]) => lam >= 0.005).sort((a, b) => b[1] - a[1]);
  return pairs.slice(0, 6).map(([k, lam]) => `${short(ranking.reference[k], 16)} ${lam.toFixed(2)}`).join(", ") + (pairs.length > 6 ? `, +${pairs.length - 6}` : "");
}

/** Which classifier each row is about, where most rows begin with a classifier's name. */
function named(rows: Cell[][], labels: string[]): (number | null)[] | null {
  const place = new Map(labels.map((label, i) => [label, i])), keys = rows.map((row) => place.get(String(row[0])) ?? null);
  return keys.filter((key) => key !== null).length * 2 > keys.length ? keys : null;
}

/** Bars for metrics in their own direction, a dot with its interval for the score and for the ranks, words for what is efficient. */
function decorations(data: Data, columns: string[]): Map<number, Decorate> {
  const { ranking, uncertainty, weightings } = data, shown_ = new Map<number, Decorate>(), at = (name: string, act: Decorate): unknown => shown_.set(columns.indexOf(name), act);
  const best = ranking.measure === "efficiency" ? 1 : 0, [low, high] = extent([...ranking.scores, ...uncertainty?.lower ?? [], ...uncertainty?.upper ?? [], best]);
  const share = (v: number, a: number, b: number): number => b > a ? (v - a) / (b - a) : 1;
  at(ranking.measure, (v, i, words) => typeof v !== "number" ? words : scored(words, share(v, low, high),
    uncertainty?.lower[i] == null || uncertainty.upper[i] == null ? null : [share(uncertainty.lower[i], low, high), share(uncertainty.upper[i], low, high)]));
  at("efficient", (_, i, words) => verdictWords(data, i, words));
  if (weightings) {
    const place = (rank: number): number => share(rank, 1, data.labels.length);
    at(RANGE, (_, i, words) => scored(words, place(weightings.rankMean[i]), [place(weightings.rankBest[i]), place(weightings.rankWorst[i])], "range"));
  }
  const taken = new Map(columns.map((name) => [name, 0]));
  data.metrics.forEach((metric, m) => {
    const [a, b] = extent(data.values[m]);
    at(boardName(metric, taken), (v, _, words) => typeof v !== "number" ? words : barred(words, metric.high ? share(v, a, b) : share(-v, -b, -a)));
  });
  return shown_;
}

/** Efficient, weakly efficient (the best score, and something left to gain in one metric) or not. */
function verdictWords(data: Data, i: number, words: string): string {
  const score = data.ranking.scores[i], best = data.ranking.measure === "efficiency" ? 1 : 0;
  if (score === null || data.ranking.efficient[i]) return words;
  return Math.abs(score - best) <= 1e-9 ? "weakly" : words;
}

function barred(words: string, share: number): HTMLElement {
  const node = make("span", { class: "cellbar" }, words);
  node.style.setProperty("--share", share.toFixed(4));
  return node;
}

function scored(words: string, share: number, limits: [number, number] | null, kind = "sure"): HTMLElement {
  const node = make("span", { class: `cellscore ${limits ? kind : ""}` }, words);
  node.style.setProperty("--share", share.toFixed(4));
  if (limits) limits.forEach((limit, k) => node.style.setProperty(k ? "--to" : "--from", limit.toFixed(4)));
  return node;
}

export function liveTable(table: HTMLTableElement, { columns, rows, keys, decorate, tiers }: Content, world: World | null): void {
  const numeric = columns.map((_, c) => rows.some((r) => typeof r[c] === "number"));
  const places = columns.map((_, c) => decimals(rows.map((r) => r[c])));
  const state = { by: -1, down: false, filter: "", page: 0, size: PAGE };
  const title = table.caption?.textContent ?? "", heads = [...(table.tHead as HTMLTableSectionElement).rows[0].cells];
  let kept = rows.map((_, k) => k);
  const find = make("input", { type: "search", placeholder: "filter: words, or TPR > 0.8", "aria-label": "filter the rows of " + title });
  const count = make("span", { class: "count", "aria-live": "polite" });
  const before = button("‹ previous", () => { state.page--; paint(); }), after = button("next ›", () => { state.page++; paint(); });
  const taken = (): Cell[][] => kept.map((k) => rows[k]);
  const bar = make("div", { class: "bar" }, find, before, after, count, button("copy", () => { count.textContent = copy(tabbed(columns, taken())); }),
    button("CSV", () => download(table.id + ".csv", new Blob([csv(columns, taken())], { type: "text/csv" })), { "aria-label": "download CSV" }));
  if (rows.length > 8) (table.parentElement as HTMLElement).before(bar);
  find.addEventListener("input", () => { state.filter = find.value; state.page = 0; choose(); });
  heads.forEach((head, c) => {
    const turn = button(columns[c], () => {
      state.down = state.by === c ? !state.down : numeric[c];
      state.by = c;
      state.page = 0;
      heads.forEach((h, i) => h.setAttribute("aria-sort", i !== c ? "none" : state.down ? "descending" : "ascending"));
      choose();
    });
    head.replaceChildren(turn);
    head.setAttribute("aria-sort", "none");
  });

  function choose(): void {
    const keep = filter(state.filter);
    kept = rows.map((_, k) => k).filter((k) => keep(rows[k]) && isKept(k));
    if (state.by >= 0) {
      const c = state.by, sign = state.down ? -1 : 1, order = new Intl.Collator("en", { numeric: true });
      kept.sort((p, q) => {
        const a = rows[p][c], b = rows[q][c];
        return a === b ? 0 : a === null ? 1 : b === null ? -1
          : sign * (typeof a === "number" && typeof b === "number" ? a - b : order.compare(String(a), String(b)));
      });
    }
    paint();
  }
  function isKept(k: number): boolean {
    const key = keys?.[k] ?? null;
    return key === null || !world || world.within(key);
  }
  function filter(text: string): (row: Cell[]) => boolean {
    const compared = /^\s*(.+?)\s*(<=|>=|<|>|=)\s*(-?[\d.]+(?:e-?\d+)?)\s*$/i.exec(text);
    const c = compared ? columns.findIndex((name) => bare(name) === bare(compared[1])) : -1;
    if (compared && c >= 0) {
      const limit = Number(compared[3]), holds: Record<string, (v: number) => boolean> = { "<": (v) => v < limit, ">": (v) => v > limit,
        "<=": (v) => v <= limit, ">=": (v) => v >= limit, "=": (v) => v === limit };
      return (row) => typeof row[c] === "number" && holds[compared[2]](row[c] as number);
    }
    const words = text.toLowerCase();
    return (row) => !words || row.some((v, k) => shown(v, places[k]).toLowerCase().includes(words));
  }
  function paint(): void {
    const pages = Math.max(1, Math.ceil(kept.length / state.size));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const part = kept.slice(state.page * state.size, (state.page + 1) * state.size);
    table.tBodies[0].replaceChildren(...part.map((k, n) => {
      const i = keys?.[k] ?? -1, line = make("tr", { class: i >= 0 && world?.state.chosen === i ? "here" : null });
      // Below the rule everybody is shown to be below somebody above it.
      if (tiers && state.by < 0 && n && (tiers[k] ?? 0) > (tiers[part[n - 1]] ?? 0)) line.classList.add("tier");
      line.append(...rows[k].map((v, c) => {
        const words = seen(shown(v, places[c]));
        if (c) return make("td", { class: numeric[c] ? "number" : words.length > 24 ? "text" : null }, decorate?.get(c)?.(rows[k][c], i, words) ?? words);
        return make("th", { scope: "row" }, i >= 0 && world ? button(words, () => world.set({ chosen: i }), { class: "link" }) : words);
      }));
      return line;
    }));
    before.disabled = state.page === 0;
    after.disabled = state.page === pages - 1;
    before.hidden = after.hidden = pages === 1;
    count.textContent = (kept.length === rows.length ? `${rows.length} rows` : `${kept.length} of ${rows.length} rows`)
      + (pages > 1 ? `, page ${state.page + 1} of ${pages}` : "");
  }
  addEventListener("beforeprint", () => { state.size = PRINTED; paint(); });
  addEventListener("afterprint", () => { state.size = PAGE; paint(); });
  if (keys && world) world.listen((changed) => { if (changed.has("limits")) { state.page = 0; choose(); } else if (changed.has("chosen")) paint(); });
  choose();
}

const bare = (name: string): string => name.replace(/[↑↓]/g, "").trim().toLowerCase();
