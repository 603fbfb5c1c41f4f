// Elements, made by name; whatever comes from data is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
type Attributes = Record<string, string | number | null>;
type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  set(node, attributes);
  node.append(...children.map((child) => typeof child === "string" ? seen(child) : child));
  return node;
}

export function draw<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, text?: string): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag);
  set(node, attributes);
  if (text !== undefined) node.textContent = seen(text);
  return node;
}

function set(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(name, String(value));
}

/** Characters that control, turn or hide others: the set of deabench/utils/text.py. */
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f"
  + "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"
  + "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u2065"
  + "\\u206a-\\u206f\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}"
  + "\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}"
  + "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}"
  + "\\ud800-\\udfff\\ufffe\\uffff]",
  "gu");

/** A name as it can be shown: control characters and signs that turn the direction of writing become a visible mark. */
export const seen = (text: string): string =>
  text.replace(UNSEEN, "\ufffd").toWellFormed();

export const short = (text: string, most = 24): string => {
  const signs = Array.from(seen(text));
  if (signs.length <= most) return signs.join("");
  const head = Math.ceil((most - 1) * 0.6);  // names often differ at their ends
  return signs.slice(0, head).join("") + "…" + signs.slice(signs.length + head + 1 - most).join("");
};

export function button(words: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const node = make("button", { type: "button", ...attributes }, words);
  node.addEventListener("click", act);
  return node;
}

export function choice(words: string, options: [string, string][], value: string, act: (value: string) => void): HTMLLabelElement {
  const select = make("select", { "aria-label": words });
  select.append(...options.map(([key, text]) => make("option", { value: key }, text)));
  select.value = value;
  select.addEventListener("change", () => act(select.value));
  return make("label", {}, words + " ", select);
}

export function panel(title: string, kind: string, ...children: Child[]): HTMLElement {
  return make("section", { class: `panel ${kind}`, "aria-label": `explore: ${title}` }, make("h3", {}, title), ...children);
}

declare global { interface String { toWellFormed(): string } }
