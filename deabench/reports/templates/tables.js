"use strict";
// Every table: sort by a click or Enter on a heading, filter, pages, copy, CSV. Cells are set as text, never as markup.
const PAGE = 25, PRINTED = 500;
const shown = (v, whole) => v === null ? "" : typeof v === "boolean" ? (v ? "yes" : "no") : typeof v !== "number" ? v
  : whole ? String(v) : Math.abs(v) >= 1e-9 && Math.abs(v) < 1e-4 ? v.toExponential(2) : (Math.abs(v) < 1e-9 ? 0 : v).toFixed(4);
const guarded = (text) => /^[=+\-@\t\r]/.test(text) ? "'" + text : text;
const quoted = (text) => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
const cell = (v) => v === null ? "" : typeof v === "string" ? quoted(guarded(v)) : String(v);
const csvText = (columns, rows) => [columns.map((c) => quoted(guarded(c))), ...rows.map((row) => row.map(cell))]
  .map((row) => row.join(",")).join("\n") + "\n";
const plainCell = (v) => v === null ? "" : guarded(String(v)).replace(/[\t\r\n]/g, " ");
const tabbed = (columns, rows) => [columns, ...rows].map((row) => row.map(plainCell).join("\t")).join("\n") + "\n";
const make = (tag, settings = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), settings);
  node.append(...children);
  return node;
};

function liveTable(table, { columns, rows }) {
  const numeric = columns.map((_, c) => rows.some((r) => typeof r[c] === "number"));
  const whole = columns.map((_, c) => rows.every((r) => typeof r[c] !== "number" || Number.isInteger(r[c])));
  const state = { by: -1, down: false, filter: "", page: 0, size: PAGE };
  let kept = rows;
  const find = make("input", { type: "search", placeholder: "filter rows" });
  find.setAttribute("aria-label", "filter the rows of " + table.caption.textContent);
  const count = make("span", { className: "count" });
  count.setAttribute("aria-live", "polite");
  const button = (words, act) => { const b = make("button", { type: "button", textContent: words }); b.addEventListener("click", act); return b; };
  const before = button("‹ previous", () => { state.page--; draw(); });
  const after = button("next ›", () => { state.page++; draw(); });
  const bar = make("div", { className: "bar" }, find, before, after, count,
    button("copy", () => copied(tabbed(columns, kept), count)),
    button("download CSV", () => download(table.id + ".csv", csvText(columns, kept))));
  if (rows.length > 8) table.parentNode.before(bar);
  find.addEventListener("input", () => { state.filter = find.value.toLowerCase(); state.page = 0; select(); });
  [...table.tHead.rows[0].cells].forEach((head, c) => {
    const turn = button(head.textContent, () => {
      state.down = state.by === c ? !state.down : numeric[c];
      state.by = c; state.page = 0;
      [...table.tHead.rows[0].cells].forEach((h, i) => h.setAttribute("aria-sort", i !== c ? "none" : state.down ? "descending" : "ascending"));
      select();
    });
    head.replaceChildren(turn);
    head.setAttribute("aria-sort", "none");
  });
  function select() {
    kept = state.filter ? rows.filter((r) => r.some((v, c) => shown(v, whole[c]).toLowerCase().includes(state.filter))) : rows.slice();
    if (state.by >= 0) {
      const c = state.by, sign = state.down ? -1 : 1;
      const order = new Intl.Collator("en", { numeric: true });
      kept.sort((a, b) => a[c] === b[c] ? 0 : a[c] === null ? 1 : b[c] === null ? -1
        : sign * (typeof a[c] === "string" ? order.compare(a[c], b[c]) : a[c] - b[c]));
    }
    draw();
  }
  function draw() {
    const pages = Math.max(1, Math.ceil(kept.length / state.size));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const part = kept.slice(state.page * state.size, (state.page + 1) * state.size);
    table.tBodies[0].replaceChildren(...part.map((row) => make("tr", {}, ...row.map((v, c) => {
      const node = make(c === 0 ? "th" : "td", { textContent: shown(v, whole[c]) });
      if (c === 0) node.scope = "row";
      if (numeric[c]) node.className = "number";
      else if (c > 0 && node.textContent.length > 24) node.className = "text";
      return node;
    }))));
    before.disabled = state.page === 0;
    after.disabled = state.page === pages - 1;
    before.hidden = after.hidden = pages === 1;
    count.textContent = (kept.length === rows.length ? `${rows.length} rows` : `${kept.length} of ${rows.length} rows`)
      + (pages > 1 ? `, page ${state.page + 1} of ${pages}` : "");
  }
  addEventListener("beforeprint", () => { state.size = PRINTED; draw(); });
  addEventListener("afterprint", () => { state.size = PAGE; draw(); });
  select();
}
addEventListener("beforeprint", () => { for (const page of document.querySelectorAll("details")) page.open = true; });
function download(name, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
function copied(text, said) {
  const area = make("textarea", { value: text, className: "away" });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");  // the clipboard API is closed to pages opened from a disk
  area.remove();
  said.textContent = done ? "copied" : "the browser does not let the page copy; download the CSV";
}
