// The page: the workspace where there are metrics, and the tables below it. The same workspace is the notebook's widget.
import type { Data, Document } from "./contract.ts";
import { make } from "./dom.ts";
import { keepKeys, share, type Model } from "./notebook.ts";
import { closest, position } from "./solve/closest.ts";
import { radial, section } from "./solve/section.ts";
import { Space } from "./solve/space.ts";
import { cardView } from "./views/card.ts";
import { dotsView } from "./views/dots.ts";
import { frontierView } from "./views/frontier.ts";
import { parallelView } from "./views/parallel.ts";
import { facetsView, peersView } from "./views/peers.ts";
import { preferencesView } from "./views/preferences.ts";
import { boardColumns, content, liveTable } from "./views/table.ts";
import { weightingsView } from "./views/weightings.ts";
import { World } from "./world.ts";

/** Build the workspace of `data` inside an element; its second part may stand elsewhere on the page. */
export function mount(place: Element, data: Data, addressed = false, below: Element | null = null, regions: Element | null = null): World {
  const world = new World(data, addressed), facets = facetsView(world), weights = weightingsView(world);
  const first = make("div", { class: "desk" }, frontierView(world), cardView(world));
  const others = [make("div", { class: "desk even" }, parallelView(world), preferencesView(world)),
    make("div", { class: "desk even" }, peersView(world), ...(facets ? [facets] : []))];
  if (weights && !regions) others.unshift(make("div", {}, weights));
  if (weights && regions) regions.replaceWith(weights);  // in place of the picture for those without scripts
  place.classList.add("deabench");
  if (below) {
    place.replaceChildren(first);
    below.replaceChildren(...others);
  } else place.replaceChildren(first, board(world), ...others);
  return world;
}

/** The leaderboard where the page has no table for it: in a notebook. */
function board(world: World): HTMLElement {
  const columns = boardColumns(world.data), heads = columns.map((name) => make("th", { scope: "col" }, name));
  const table = make("table", { class: "board" }, make("caption", {}, "Ranking"), make("thead", {}, make("tr", {}, ...heads)), make("tbody"));
  const place = make("section", { class: "panel", "aria-label": "explore: Ranking" },
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ranking" }, table));
  liveTable(table, content({ columns, from: "ranking" }, world.data), world);
  return place;
}

/** Show the workspace of a notebook's widget; returns what ends it. */
export function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  el.classList.add("notebook");
  keepKeys(el);
  return share(model, mount(el, model.get("data")));
}

/** Start a report: its data stand in the element with the id "data". */
export function start(): void {
  const said = JSON.parse((document.getElementById("data") as HTMLElement).textContent as string) as Document;
  const place = document.getElementById("workspace"), world = place && said.data ? mount(place, said.data, true, document.getElementById("workspace-below"),
    document.getElementById("picture-winning-regions")) : null;
  const answer = document.querySelector(".answer");
  if (world && answer) place?.querySelector(".desk")?.prepend(answer);  // beside the picture, before the card
  document.documentElement.dataset.ready = String(Math.round(performance.now()));  // milliseconds since the page was asked for
  const rest = Object.entries(said.tables);
  const next = (): void => {  // a table at a time: what a reader does meanwhile comes first
    const one = rest.shift(), node = one && document.getElementById(one[0]);
    if (one && node instanceof HTMLTableElement) liveTable(node, content(one[1], said.data), world);
    if (rest.length) setTimeout(next); else document.documentElement.dataset.whole = String(Math.round(performance.now()));
  };
  setTimeout(next);
  for (const one of said.dots) document.getElementById(one.table)?.replaceChildren(dotsView(one));
  addEventListener("beforeprint", () => { for (const page of document.querySelectorAll("details")) page.open = true; });
  // The menu moves the page and leaves the address: that keeps what was chosen.
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a[href^='#']")) {
    link.addEventListener("click", (event) => {
      const section = document.getElementById(link.hash.slice(1));
      if (!world || !section) return;
      event.preventDefault();
      section.setAttribute("tabindex", "-1");
      section.focus({ preventScroll: true });
      section.scrollIntoView();
    });
  }
  // Back, Forward and a pasted link hold a state; the address of a section does not.
  if (world) addEventListener("hashchange", () => { if ((!location.hash || location.hash.includes("=")) && location.hash.slice(1) !== world.address()) location.reload(); });
}

export { Space, World, closest, position, radial, section };
