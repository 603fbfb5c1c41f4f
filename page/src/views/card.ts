// The story of the chosen classifier, or of a new one that starts from it: verdict, values to change, peers, what carries its score.
import type { Goal, Norm } from "../contract.ts";
import { button, choice, make, panel, seen, short } from "../dom.ts";
import { decimals, few, rough, score, shown, signed } from "../numbers.ts";
import type { World } from "../world.ts";
import type { Verdict } from "../solve/space.ts";

const MEASURES: Record<Norm, string> = { l1: "L1", l2: "L2", linf: "L∞" };

export function cardView(world: World): HTMLElement {
  const { data, state } = world, listName = `classifiers-${Math.random().toString(36).slice(2, 8)}`;
  const title = make("h3", { class: "who" }), verdict = make("p", { class: "verdict", "aria-live": "polite" });
  const wrong = make("p", { class: "wrong", role: "alert" }), body = make("tbody"), story = make("div", { class: "story" });
  const back = button("back to it", () => world.set({ moved: null }));
  const find = make("input", { type: "text", class: "find", placeholder: "find a system", "aria-label": "find a system", list: listName });
  const list = make("datalist", { id: listName });
  const missing = make("span", { class: "note", "aria-live": "polite" });
  if (data.labels.length <= 2000) list.append(...[...data.labels, ...data.tested.map((t) => t.label)].map((value) => make("option", { value })));
  find.addEventListener("change", () => {
    const i = find.value.trim() ? world.where(find.value.trim()) : -1;
    missing.textContent = i < 0 && find.value ? seen(`no system's name holds '${short(find.value, 40)}'`) : "";
    if (i >= 0) { world.set({ chosen: i }); find.value = ""; }
  });
  const fields = data.metrics.map((metric, m) => {
    const field = make("input", { type: "text", inputmode: "decimal", "aria-label": metric.name, "data-metric": metric.name });
    field.addEventListener("input", () => typed(m));
    return field;
  });
  const places = data.values.map((column) => decimals(column));
  const goals: [string, string][] = [...(data.front?.hull ? [["better", "nothing gets worse"], ["closest", "least change"]] as [string, string][] : []), ["peers", "like its peers"]];
  const goal = choice("target", goals, state.goal, (v) => world.set({ goal: v as Goal }));
  let text: string[] = [];

  function typed(m: number): void {
    text = fields.map((field) => field.value.trim().replace(",", "."));
    const values = text.map((one, k) => k === m || !same(one, world.now[k]) ? (one === "" ? NaN : Number(one)) : world.now[k] as number);
    const said = values.map((v, k) => world.refused(k, v));
    fields.forEach((field, k) => field.setAttribute("aria-invalid", String(said[k] !== "")));
    wrong.textContent = seen(said.filter(Boolean).join("; "));
    if (wrong.textContent) { verdict.textContent = "No verdict: a value cannot be."; delete verdict.dataset.position; delete verdict.dataset.distance; gaps(null); return; }
    world.set({ moved: values });
    tell();
  }
  const written = (v: number | null): string => v === null ? "" : String(Number(v.toPrecision(6)));
  const same = (one: string, v: number | null): boolean => one === written(v);

  function tell(): void {
    const found = world.current;
    title.textContent = state.moved ? seen(`A new system, from ${world.name(state.chosen)}`) : seen(world.name(state.chosen));
    back.hidden = !state.moved;
    verdict.textContent = seen(sentence(found));
    verdict.dataset.position = found?.position ?? "";
    verdict.dataset.distance = String(found?.distance ?? "");
    verdict.dataset.efficiency = String((state.moved ? found?.efficiency : world.efficiency(state.chosen)) ?? "");
    gaps(found);
  }

  function sentence(found: Verdict | null): string {
    if (!found) return world.space ? "Its metrics are not all known." : data.remark;
    const who = state.moved ? "It" : short(world.name(state.chosen), 40), members = found.members.slice(0, 6).map((i) => short(world.name(i), 32));
    const score_ = state.moved && found.efficiency !== null ? ` Its efficiency would be ${score(found.efficiency)}.` : "";
    const where = `${who} is ${found.position} the frontier${state.mixtures ? "" : " of what is there, without mixtures"}`;
    if (found.target === null) return `${where}; ${found.why}.${score_}`;
    const named = members.join(", ") + (found.members.length > 6 ? ", …" : "");
    const extended = state.mixtures && state.on === "facets" && state.goal === "closest";
    const on = extended ? "on the extended facet of " : found.members.length > 1 ? "on the face of " : "at ";
    if ((found.distance ?? 0) < 1e-9) return `${where} and lacks nothing.${score_}`;
    const target = { better: "the closest point at which nothing gets worse", closest: "its closest target", peers: "the mix of its peers" }[state.goal];
    return `${where}; ${target} is ${rough(found.distance as number)} away (${MEASURES[found.norm]}${counted()}), ${state.goal === "peers" ? "of " : on}${named}.${found.way ? ` ${found.way}` : ""}${score_}`;
  }

  const counted = () => data.front?.factor.some((one) => one !== 1) ? ", in shares of each metric's range" : "";

  function gaps(found: Verdict | null): void {
    const used = world.space?.metrics ?? [];
    body.replaceChildren(...data.metrics.map((metric, m) => {
      const r = used.indexOf(m), figure = (v: number | undefined, words: string): HTMLTableCellElement =>
        make("td", { class: "number", "data-value": v === undefined ? "" : String(v) }, words);
      const target = found?.target && r >= 0 ? found.target[r] : undefined, gap = found?.gaps && r >= 0 ? found.gaps[r] : undefined;
      return make("tr", { "data-metric": metric.name }, make("th", { scope: "row", title: metric.high ? "higher is better" : "lower is better" },
        `${short(metric.name, 22)} ${metric.high ? "↑" : "↓"}`), make("td", {}, fields[m]),
        figure(target, target === undefined ? "" : shown(target, places[m])), figure(gap, gap === undefined ? "" : signed(gap, places[m])));
    }));
  }

  function tellStory(): void {
    const i = state.chosen, parts: HTMLElement[] = [];
    if (i < world.count) parts.push(...facts(i), ...peers(i), ...carried(i));
    else parts.push(make("p", {}, seen(`${world.name(i)} was tested: it does not span the frontier.`
      + (world.efficiency(i) === null ? "" : ` Against the others its efficiency is ${score(world.efficiency(i))}.`))));
    story.replaceChildren(...parts);
  }

  function facts(i: number): HTMLElement[] {
    const { ranking, uncertainty } = data, said = data.stories?.[i].split("\n") ?? [ranking.scores[i] === null ? `${world.name(i)} has no ${ranking.measure}.`
      : `${world.name(i)} ${ranking.efficient[i] ? "is efficient" : "is not efficient"} (${ranking.measure} ${score(ranking.scores[i])}, rank ${ranking.ranks[i]} of ${world.count}).`];
    if (uncertainty && uncertainty.lower[i] !== null && !(data.stories && uncertainty.verdict)) said.push(`Its interval: ${score(uncertainty.lower[i])} to ${score(uncertainty.upper[i])}`
      + (uncertainty.level === null ? "." : ` at ${few(100 * uncertainty.level)} %, ${uncertainty.scope}.`) + (uncertainty.verdict ? ` Verdict: ${uncertainty.verdict[i]}.` : ""));
    const gap = ranking.gap?.[i];
    if (gap !== null && gap !== undefined) said.push(gap <= 1e-9 ? "✓ Its score is proved." : `Its proof misses by ${gap.toExponential(1)}.`);
    const box = make("div", { class: "said" });
    box.append(...said.map((line) => make("p", {}, line)));
    box.dataset.efficiency = String(ranking.scores[i] ?? "");
    box.dataset.efficient = String(ranking.efficient[i]);
    return [box];
  }

  function peers(i: number): HTMLElement[] {
    const flat = data.ranking.peers[i], rows: HTMLElement[] = [];
    const pairs = Array.from({ length: flat.length / 2 }, (_, k): [number, number] => [flat[2 * k], flat[2 * k + 1]]).sort((a, b) => b[1] - a[1]);
    for (const [k, lam] of pairs) {
      const own = data.ranking.own[k], label = data.ranking.reference[k];
      if (own === i) continue;
      const name = own >= 0 ? button(short(label, 26), () => world.set({ chosen: own }), { class: "link" }) : make("span", {}, short(label, 26));
      rows.push(make("li", { "data-peer": label, "data-share": lam }, name, bar(lam), make("span", { class: "number" }, lam.toFixed(2))));
    }
    return rows.length ? [make("h4", {}, "Its peers and their shares λ"), make("ul", { class: "bars" }, ...rows)] : [];
  }

  function carried(i: number): HTMLElement[] {
    const rows = data.ranking.shares.flatMap(({ name, values }) => values[i] === null ? [] : [make("li", { "data-metric": name, "data-share": values[i] as number },
      make("span", {}, short(name, 26)), bar(values[i] as number), make("span", { class: "number" }, `${Math.round(100 * (values[i] as number))} %`))]);
    return rows.length ? [make("h4", {}, "What carries its score"), make("ul", { class: "bars" }, ...rows)] : [];
  }
  function bar(share: number): HTMLElement {
    const node = make("span", { class: "share" });
    node.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
    return node;
  }

  function refresh(): void {
    wrong.textContent = "";
    fields.forEach((field, m) => {
      field.setAttribute("aria-invalid", "false");
      if (field !== document.activeElement || !same(field.value.trim(), world.now[m])) {
        if (field !== document.activeElement || Number(field.value.trim().replace(",", ".")) !== world.now[m]) field.value = written(world.now[m]);
      }
    });
    tell();
  }
  const step = (by: number): void => {
    const at = data.ranking.order.indexOf(state.chosen);
    world.set({ chosen: data.ranking.order[Math.min(world.count - 1, Math.max(0, at + by))] });
  };
  world.listen((changed) => {
    if (changed.has("chosen")) tellStory();
    if (["chosen", "moved", "norm", "on", "mixtures", "goal"].some((key) => changed.has(key as never))) refresh();
  });
  tellStory();
  refresh();
  return panel("The chosen system", "card", make("div", { class: "bar" }, find, list,
    button("‹ better", () => step(-1)), button("worse ›", () => step(1)), missing), title, verdict, back, wrong, make("div", { class: "controls" }, goal),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "values and target" }, make("table", { class: "gaps" }, make("caption", {}, "Its values (type others for a new system) and its target"),
      make("thead", {}, make("tr", {}, ...["metric", "value", "target", "gap"].map((words) => make("th", { scope: "col" }, words)))), body)), story);
}

