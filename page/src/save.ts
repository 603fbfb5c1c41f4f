// What a reader takes away: text to the clipboard, CSV with every digit, a chart as SVG or PNG.
import type { Cell } from "./contract.ts";
import { button, make } from "./dom.ts";

const guarded = (text: string): string => /^[=+\-@\t\r]/.test(text) ? "'" + text : text;  // no cell starts a formula
const quoted = (text: string): string => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const cell = (v: Cell): string => v === null ? "" : typeof v === "string" ? quoted(guarded(v)) : String(v);
export const csv = (columns: string[], rows: Cell[][]): string =>
  [columns.map((c) => quoted(guarded(c))), ...rows.map((row) => row.map(cell))].map((row) => row.join(",")).join("\n") + "\n";
const plain = (v: Cell): string => v === null ? "" : guarded(String(v)).replace(/[\t\r\n]/g, " ");
export const tabbed = (columns: string[], rows: Cell[][]): string =>
  [columns, ...rows].map((row) => row.map(plain).join("\t")).join("\n") + "\n";

export function download(name: string, content: Blob): void {
  const link = make("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Copy text; the clipboard API is closed to pages opened from a disk. */
export function copy(text: string): string {
  const area = make("textarea", { class: "away", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done ? "copied" : "the browser does not let the page copy; download the file";
}

const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "fill-opacity",
  "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "display", "visibility"];

/** The chart as a file of its own: every look is written into it, so that it needs no style sheet. */
export function standalone(svg: SVGSVGElement): string {
  const copied = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll("*")], to = [copied, ...copied.querySelectorAll("*")];
  from.forEach((node, k) => {
    const look = getComputedStyle(node);
    for (const name of LOOKS) to[k].setAttribute(name, look.getPropertyValue(name));
    for (const name of ["style", "class", "tabindex"]) to[k].removeAttribute(name);
  });
  const box = svg.getBoundingClientRect();
  copied.setAttribute("width", String(Math.round(box.width)));
  copied.setAttribute("height", String(Math.round(box.height)));
  const back = document.createElementNS(svg.namespaceURI, "rect");
  back.setAttribute("width", "100%");
  back.setAttribute("height", "100%");
  back.setAttribute("fill", getComputedStyle(svg).getPropertyValue("--paper") || "#fff");
  copied.prepend(back);
  return new XMLSerializer().serializeToString(copied);
}

function png(svg: SVGSVGElement, name: string): void {
  const box = svg.getBoundingClientRect(), image = new Image(), scale = 2;
  image.onload = () => {
    const canvas = make("canvas", { width: Math.round(box.width * scale), height: Math.round(box.height * scale) });
    (canvas.getContext("2d") as CanvasRenderingContext2D).drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { if (blob) download(name, blob); }, "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(standalone(svg));
}

/** The buttons under a chart. */
export function takeaway(svg: SVGSVGElement, name: string): HTMLElement {
  return make("div", { class: "take" },
    button("SVG", () => download(name + ".svg", new Blob([standalone(svg)], { type: "image/svg+xml" })),
      { "aria-label": `download the ${name} chart as SVG` }),
    button("PNG", () => png(svg, name + ".png"), { "aria-label": `download the ${name} chart as PNG` }));
}
