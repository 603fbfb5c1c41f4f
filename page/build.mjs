// Build templates/page.js, and with --compare say whether the committed one is what the sources give.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url)), goal = join(here, "..", "deabench", "report", "templates", "page.js");
const BUNDLED = ["d3-array", "d3-axis", "d3-brush", "d3-color", "d3-delaunay", "d3-dispatch", "d3-drag", "d3-ease", "d3-format",
  "d3-interpolate", "d3-path", "d3-scale", "d3-selection", "d3-shape", "d3-time", "d3-time-format", "d3-timer", "d3-transition", "d3-zoom",
  "delaunator", "robust-predicates"];

const notice = `/*! deabench's page, MIT. Bundled: ${BUNDLED.join(", ")}; their licences are in LICENCES.md beside this file */`;
const made = await build({
  entryPoints: [join(here, "src", "main.ts")], bundle: true, minify: true, format: "iife", globalName: "deabench", target: "es2022",
  charset: "utf8", legalComments: "none", write: false, metafile: true, banner: { js: notice },
});
const used = [...new Set(Object.keys(made.metafile.inputs).flatMap((path) => /node_modules\/([^/]+)\//.exec(path)?.[1] ?? []))].sort();
const unsaid = used.filter((name) => !BUNDLED.includes(name)), text = made.outputFiles[0].text;
if (unsaid.length) throw new Error(`bundled without being said: ${unsaid.join(", ")}`);
if (process.argv.includes("--compare")) {
  const same = readFileSync(goal, "utf8") === text;
  console.log(same ? "templates/page.js is what the sources give" : "templates/page.js is not what the sources give: run 'npm run build'");
  process.exitCode = same ? 0 : 1;
} else {
  writeFileSync(goal, text);
  console.log(`${text.length} characters; ${used.join(", ")}`);
}
