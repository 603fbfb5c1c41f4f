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

/** A name as it can be shown: control characters and signs that turn the direction of writing become a visible mark. */
export const seen = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd").toWellFormed();

export const short = (text: string, most = 24): string => {
  const signs = Array.from(seen(text));
  if (signs.length <= most) return signs.join("");
  const head = Math.ceil((most - 1) * 0.6);  // names often differ at their ends
  return signs.slice(0, head).join("") + "…" + signs.slice(head + 1 - most).join("");
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
