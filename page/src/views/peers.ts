// Who is benchmark for whom, and the facets: lists that choose, and keep to, the classifiers that they name.
import { button, make, panel, short } from "../dom.ts";
import { rough } from "../numbers.ts";
import type { World } from "../world.ts";

const MOST = 12, LEAST = 1e-6, FACETS = 30;

export function peersView(world: World): HTMLElement {
  const { data, state } = world, { ranking } = data;
  const followers = ranking.reference.map(() => [] as number[]), shares = ranking.reference.map(() => 0);
  ranking.peers.forEach((flat, i) => {
    for (let k = 0; k < flat.length; k += 2) {
      if (ranking.own[flat[k]] === i || flat[k + 1] <= LEAST) continue;
      followers[flat[k]].push(i);
      shares[flat[k]] += flat[k + 1];
    }
  });
  const order = followers.map((_, k) => k).filter((k) => followers[k].length)
    .sort((a, b) => followers[b].length - followers[a].length || shares[b] - shares[a]);
  const most = order.length ? followers[order[0]].length : 1, list = make("ul", { class: "bars benchmarks" });

  function paint(): void {
    list.replaceChildren(...order.slice(0, MOST).map((k) => {
      const own = ranking.own[k], bar = make("span", { class: "share" });
      bar.style.setProperty("--share", String(followers[k].length / most));
      const learns = followers[k].includes(state.chosen);
      const name = own >= 0 ? button(short(ranking.reference[k], 26), () => world.set({ chosen: own }), { class: "link" })
        : make("span", {}, short(ranking.reference[k], 26));
      return make("li", { class: `${own === state.chosen ? "here" : learns ? "of" : ""} ${own >= 0 && !world.within(own) ? "out" : ""}`.trim(), "data-peer": ranking.reference[k], "data-served": followers[k].length },
        name, bar, make("span", { class: "number" }, String(followers[k].length)));
    }));
  }
  paint();
  world.listen((changed) => { if (changed.has("chosen") || changed.has("limits")) paint(); });
  const said = order.length ? `${order.length === 1 ? "One system is" : `${order.length} systems are`} benchmark for others; the number is for how many.`
    + (order.length > MOST ? ` The first ${MOST} are shown.` : "") + " Marked: the chosen one and its peers." : "Nobody is benchmark for another.";
  return panel("Peers", "peers-panel", make("p", { class: "note" }, said), list);
}

export function facetsView(world: World): HTMLElement | null {
  const { data, state } = world, hull = data.front?.hull, space = world.space;
  if (!hull || !space || !data.front) return null;
  const rows = data.front.rows, list = make("ul", { class: "facets" }), said = make("p", { class: "note" });
  const full = hull.on.map((_, f) => f).filter((f) => hull.full[f]);
  let before = "";

  function paint(): void {
    const { x, y } = state, priced = space?.metrics.includes(x) && space.metrics.includes(y);
    const found = world.current, near = new Set(found?.members ?? []);
    const touching = (f: number): boolean => (hull as NonNullable<typeof hull>).on[f].some((k) => rows[k] === state.chosen);
    const mine = full.filter((f) => touching(f) || (near.size > 0 && [...near].every((i) => (hull as NonNullable<typeof hull>).on[f].some((k) => rows[k] === i))));
    const shown = mine.length ? mine : full;
    said.textContent = mine.length ? `${mine.length} of ${full.length} efficient facets touch the chosen system or its target.`
      : `${full.length} facets are efficient throughout` + (full.length > FACETS ? `; the first ${FACETS} are shown.` : ".");
    const drawn = [x, y, ...shown.slice(0, FACETS), ...rows.filter((i) => world.within(i))].join();
    if (drawn === before) return;  // a movement seldom changes which facets are near
    before = drawn;
    list.replaceChildren(...shown.slice(0, FACETS).map((f) => make("li", { "data-facet": f, class: (hull as NonNullable<typeof hull>).on[f].some((k) => world.within(rows[k])) ? null : "out" },
      ...(hull as NonNullable<typeof hull>).on[f].flatMap((k, n) => [...(n ? [" – "] : []), button(short(world.name(rows[k]), 24), () => world.set({ chosen: rows[k] }), { class: "link" })]),
      priced ? make("span", { class: "rate" }, price(f)) : "")));
  }
  function price(f: number): string {
    const { x, y } = state, [a, b] = [data.metrics[x], data.metrics[y]];
    return `one ${a.high ? "more" : "less"} of ${short(a.name, 16)} costs ${rough((space as NonNullable<typeof space>).tradeOff(f, x, y))} of ${short(b.name, 16)}`;
  }
  paint();
  world.listen((changed) => { if (["chosen", "x", "y", "moved", "norm", "on", "goal", "limits"].some((key) => changed.has(key as never))) paint(); });
  return panel("Facets", "facets-panel", said, list);
}
