// The page: the workspace where there are metrics, and the tables below it. The same workspace is the notebook's widget.
import type { Data, Document } from "./contract.ts";
import { make } from "./dom.ts";
import { closest, position } from "./solve/closest.ts";
import { radial, section } from "./solve/section.ts";
import { Space } from "./solve/space.ts";
import { cardView } from "./views/card.ts";
import { dotsView } from "./views/dots.ts";
import { frontierView } from "./views/frontier.ts";
import { parallelView } from "./views/parallel.ts";
import { facetsView, peersView } from "./views/peers.ts";
import { preferencesView } from "./views/preferences.ts";
import { rankingView } from "./views/ranking.ts";
import { content, liveTable } from "./views/table.ts";
import { World } from "./world.ts";

/** Build the workspace of `data` inside an element. */
export function mount(place: Element, data: Data, addressed = false): World {
  const world = new World(data, addressed), facets = facetsView(world);
  place.classList.add("deabench");
  place.replaceChildren(
    make("div", { class: "desk" }, frontierView(world), cardView(world)),
    make("div", { class: "desk even" }, rankingView(world), parallelView(world)),
    make("div", { class: "desk even" }, preferencesView(world), make("div", {}, peersView(world), ...(facets ? [facets] : []))));
  return world;
}

/** Start a report: its data stand in the element with the id "data". */
export function start(): void {
  const said = JSON.parse((document.getElementById("data") as HTMLElement).textContent as string) as Document;
  const place = document.getElementById("workspace"), world = place && said.data ? mount(place, said.data, true) : null;
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
  if (world) addEventListener("hashchange", () => { if (location.hash.includes("=") && location.hash.slice(1) !== world.address()) location.reload(); });
}

export { Space, World, closest, position, radial, section };
