// Closest targets, as deabench.targets computes them, in metrics whose changes all count alike (boxed metrics times a factor).
import type { Norm, On } from "../contract.ts";
import { dot, nnls, pivot, simplex, type Vector } from "./linear.ts";

import { program } from "./section.ts";

const TIGHT = 1e-10, SLACK = 1e-12;

export interface Shape {  // a hull in the coordinates of the distance
  points: Vector[];
  normals: Vector[];
  full: boolean[];
  on: number[][];
  faces: number[][];
  faceNormals: Vector[];
}
export interface Found { target: Vector; members: number[] }

export function length(v: Vector, norm: Norm): number {
  if (norm === "l2") return Math.hypot(...v);
  return v.reduce((t, x) => norm === "l1" ? t + Math.abs(x) : Math.max(t, Math.abs(x)), 0);
}
const DUAL: Record<Norm, Norm> = { l1: "linf", l2: "l2", linf: "l1" };
const dual = (v: Vector, norm: Norm): number => length(v, DUAL[norm]);

export type Position = "inside" | "on" | "outside";

export function position(normals: Vector[], p: Vector): Position {
  let most = -Infinity;
  for (const w of normals) most = Math.max(most, dot(w, p));
  return Math.abs(most - 1) <= 10 * TIGHT ? "on" : most > 1 ? "outside" : "inside";
}

/** The closest target of p; null where the frontier has no facet to extend. */
export function closest(hull: Shape, p: Vector, norm: Norm, on: On): Found | null {
  return on === "facets" ? onFacets(hull, p, norm) : onFaces(hull, p, norm);
}

function onFacets(hull: Shape, p: Vector, norm: Norm): Found | null {
  const at = hull.full.flatMap((full, k) => full ? [k] : []);
  if (!at.length) return null;
  const normals = at.map((k) => hull.normals[k]);
  const room = normals.map((w) => 1 - dot(w, p));
  if (Math.min(...room) >= -1e-12) {
    const far = room.map((v, f) => Math.abs(v) / dual(normals[f], norm)), f = far.indexOf(Math.min(...far));
    const way = step(normals[f], norm);
    return { target: p.map((v, r) => v + room[f] * way[r]), members: hull.on[at[f]] };
  }
  const target = within(normals, p, room, norm);
  const values = normals.map((w) => dot(w, target));
  return { target, members: hull.on[at[values.indexOf(Math.max(...values))]] };
}

function step(w: Vector, norm: Norm): Vector {
  if (norm === "l2") { const q = dot(w, w); return w.map((v) => v / q); }
  if (norm === "linf") { const t = w.reduce((a, b) => a + b, 0); return w.map(() => 1 / t); }
  const top = w.indexOf(Math.max(...w));
  return w.map((v, r) => r === top ? 1 / v : 0);
}

/** The nearest point of {y : w·y <= 1} to a point outside; all w > 0. */
function within(normals: Vector[], p: Vector, room: Vector, norm: Norm): Vector {
  if (norm === "linf") {
    const down = Math.max(...room.map((v, f) => -v / dual(normals[f], "linf")));
    return p.map((v) => v - down);
  }
  if (norm === "l2") {  // least distance programming, Lawson and Hanson (1974)
    const columns = normals.map((w, f) => [...w, -room[f]]), b = [...p.map(() => 0), 1];
    const mu = nnls(columns, b);
    const left = b.map((v, i) => columns.reduce((t, c, f) => t + c[i] * mu[f], -v));
    return p.map((v, r) => v + left[r] / left[p.length]);
  }
  // the dual: max mu·excess, Σ mu w_r <= 1; its prices are how far each metric goes down
  const rows = p.map((_, r) => [...normals.map((w) => w[r]), ...p.map((__, q) => q === r ? 1 : 0), 1]);
  const gain = [...room.map((v) => -v), ...p.map(() => 0), 0];
  const { cost } = simplex(rows, p.map((_, r) => normals.length + r), gain);
  return p.map((v, r) => v + cost[normals.length + r]);
}

/** The nearest point of the Pareto-efficient faces: a bound for each says which are worth a projection. */
function onFaces(hull: Shape, p: Vector, norm: Norm): Found {
  const bounds = hull.faces.map((face, f) => bound(hull, face, hull.faceNormals[f], p, norm));
  const order = bounds.map((_, f) => f).sort((a, b) => bounds[a] - bounds[b] || a - b);
  const project = { l1: faceL1, l2: faceL2, linf: faceLinf }[norm];
  let best = Infinity, found: Found = { target: p, members: [] };
  for (const f of order) {
    if (bounds[f] >= best) break;
    const vertices = hull.faces[f].map((k) => hull.points[k]), lam = project(vertices, p);
    const target = p.map((_, r) => vertices.reduce((t, v, k) => t + lam[k] * v[r], 0));
    const far = length(target.map((v, r) => v - p[r]), norm);
    if (far < best - 1e-13) { best = far; found = { target, members: hull.faces[f] }; }
  }
  return found;
}

/** The closest point of the Pareto-efficient faces at which nothing is worse than at p; null where p is outside. */
export function improving(hull: Shape, p: Vector, norm: "l1" | "linf"): Found | null {
  const bounds = hull.faces.map((face, f) => bound(hull, face, hull.faceNormals[f], p, norm));
  const order = bounds.map((_, f) => f).sort((a, b) => bounds[a] - bounds[b] || a - b);
  let best = Infinity, found: Found | null = null;
  for (const f of order) {
    if (bounds[f] >= best) break;
    const vertices = hull.faces[f].map((k) => hull.points[k]);
    // A face whose best value of a metric is below p's holds no such point.
    if (p.some((v, r) => vertices.every((vertex) => vertex[r] < v - SLACK))) continue;
    const lam = norm === "l1" ? improveL1(vertices, p) : improveLinf(vertices, p);
    if (!lam) continue;
    const target = p.map((_, r) => vertices.reduce((t, v, k) => t + lam[k] * v[r], 0));
    const far = length(target.map((v, r) => v - p[r]), norm);
    if (far < best - 1e-13) { best = far; found = { target, members: hull.faces[f] }; }
  }
  return found;
}

/** Where no metric falls, the sum of the changes is the sum of the target: it is to be least. */
function improveL1(vertices: Vector[], p: Vector): Vector | null {
  const sums = vertices.map((v) => v.reduce((a, b) => a + b, 0));
  return program(vertices, vertices.map(() => 1), p.map((v) => v - SLACK), sums.map((v) => -v))?.values.slice(0, vertices.length) ?? null;
}

/** The largest change t is least: target >= p and t >= target − p in each metric. */
function improveLinf(vertices: Vector[], p: Vector): Vector | null {
  const columns = [...vertices.map((v) => [...v, ...v.map((x) => -x)]), [...p.map(() => 0), ...p.map(() => 1)]];
  const sums = [...vertices.map(() => 1), 0], floor = [...p.map((v) => v - SLACK), ...p.map((v) => -v)];
  return program(columns, sums, floor, [...vertices.map(() => 0), -1])?.values.slice(0, vertices.length) ?? null;
}

function bound(hull: Shape, face: number[], w: Vector, p: Vector, norm: Norm): number {
  const out = p.map((v, r) => {
    let low = Infinity, high = -Infinity;
    for (const k of face) { low = Math.min(low, hull.points[k][r]); high = Math.max(high, hull.points[k][r]); }
    return Math.max(low - v, 0) + Math.max(v - high, 0);
  });
  return Math.max(length(out, norm), Math.abs(1 - dot(w, p)) / dual(w, norm));
}

function settled(lam: Vector): Vector {
  const kept = lam.map((v) => Math.max(v, 0)), sum = kept.reduce((a, b) => a + b, 0);
  return kept.map((v) => v / sum);
}

function faceL2(vertices: Vector[], p: Vector): Vector {
  const shifted = vertices.map((v) => v.map((x, r) => x - p[r]));
  const size = Math.max(...shifted.flat().map(Math.abs), 1e-300);
  return settled(nnls(shifted.map((v) => [...v.map((x) => x / size), 1]), [...p.map(() => 0), 1]));
}

// In both, λ_0 = 1 − the sum of the others, so that the start (all on the first vertex) is feasible at once.
function faceL1(vertices: Vector[], p: Vector): Vector {
  const K = vertices.length - 1, s = p.length, n = K + 2 * s + 1;
  const rows: Vector[] = [], basis: number[] = [], gain = new Array<number>(n + 1).fill(0);
  for (let i = K; i < K + 2 * s; i++) gain[i] = -1;
  for (let r = 0; r < s; r++) {
    const gap = vertices[0][r] - p[r], sign = gap >= 0 ? 1 : -1, row = new Array<number>(n + 1).fill(0);
    for (let k = 0; k < K; k++) row[k] = -sign * (vertices[k + 1][r] - vertices[0][r]);
    row[K + r] = sign; row[K + s + r] = -sign; row[n] = sign * gap;  // h − l = gap
    rows.push(row); basis.push(gap >= 0 ? K + r : K + s + r);
  }
  return shares(rows, basis, gain, K, n);
}

function faceLinf(vertices: Vector[], p: Vector): Vector {
  const K = vertices.length - 1, s = p.length, n = K + 1 + 2 * s + 1;
  const rows: Vector[] = [], basis: number[] = [], gain = new Array<number>(n + 1).fill(0);
  gain[K] = -1;
  for (let r = 0; r < s; r++) for (const sign of [1, -1]) {  // sign · gap − t + slack = 0
    const row = new Array<number>(n + 1).fill(0), at = K + 1 + 2 * r + (sign > 0 ? 0 : 1);
    for (let k = 0; k < K; k++) row[k] = sign * (vertices[k + 1][r] - vertices[0][r]);
    row[K] = -1; row[at] = 1; row[n] = -sign * (vertices[0][r] - p[r]);
    rows.push(row); basis.push(at);
  }
  const least = rows.reduce((a, row, i) => row[n] < rows[a][n] ? i : a, 0);
  pivot(rows, null, basis, least, K);
  return shares(rows, basis, gain, K, n);
}

function shares(rows: Vector[], basis: number[], gain: Vector, K: number, n: number): Vector {
  const row = new Array<number>(n + 1).fill(0);
  for (let k = 0; k < K; k++) row[k] = 1;
  row[n - 1] = 1; row[n] = 1;
  rows.push(row); basis.push(n - 1);
  const others = simplex(rows, basis, gain).values.slice(0, K);
  return settled([1 - others.reduce((a, b) => a + b, 0), ...others]);
}
