"use strict";
// Frontiers and closest targets, as deabench.frontier and deabench.targets compute them. A hull is
// {points, normals, full (flag per normal), faces (lists of point numbers), faceNormals}; metrics are in their own units.
const TIGHT = 1e-10;
const PIVOTS = 2000;  // Bland's rule ends in exact arithmetic; rounding may turn in a circle, and a page must not hang
const dot = (a, b) => { let t = 0; for (let i = 0; i < a.length; i++) t += a[i] * b[i]; return t; };
const length = (v, norm) => norm === "l2" ? Math.hypot(...v)
  : v.reduce((t, x) => norm === "l1" ? t + Math.abs(x) : Math.max(t, Math.abs(x)), 0);
const dual = (v, norm) => length(v, { l1: "linf", l2: "l2", linf: "l1" }[norm]);

// The frontier of two metrics: extreme points by rising first metric; facets are what joins neighbours.
function planeHull(rows) {
  const sorted = rows.map((p, i) => [p[0], p[1], i]).sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const chain = [];
  let top = -Infinity;
  for (const p of sorted) {
    if (p[1] <= top) continue;
    top = p[1];
    while (chain.length > 1 && !beyond(chain[chain.length - 2], chain[chain.length - 1], p)) chain.pop();
    chain.push(p);
  }
  chain.reverse();
  const points = chain.map((p) => [p[0], p[1]]);
  const normals = [], faces = [];
  for (let k = 0; k + 1 < points.length; k++) { normals.push(line(points[k], points[k + 1])); faces.push([k, k + 1]); }
  const full = normals.map(() => true);
  const last = points[points.length - 1];
  normals.push([0, 1 / points[0][1]], [1 / last[0], 0]);
  full.push(false, false);
  if (!faces.length) faces.push([0]);
  const faceNormals = faces.map((f, k) => f.length > 1 ? normals[k] : [0.5 / last[0], 0.5 / last[1]]);
  return { points, normals, full, faces, faceNormals, rows: chain.map((p) => p[2]) };
}
function line(a, b) {
  const det = a[0] * b[1] - a[1] * b[0];
  return [(b[1] - a[1]) / det, (a[0] - b[0]) / det];
}
function beyond(a, b, c) {
  const w = line(a, c);
  return w[0] * b[0] + w[1] * b[1] > 1 + TIGHT;
}

function position(normals, y) {
  let most = -Infinity;
  for (const w of normals) most = Math.max(most, dot(w, y));
  return Math.abs(most - 1) <= 10 * TIGHT ? "on" : most > 1 ? "outside" : "inside";
}

// The closest target of y: {position, distance, target, gaps, members (point numbers)}, or {refused}.
function closestTarget(hull, y, norm, on) {
  const wide = Math.max(...hull.points.flat(), ...y.map(Math.abs), 1e-300);
  const size = 2 ** Math.floor(Math.log2(wide));  // dividing by a power of two rounds nothing
  const p = y.map((v) => v / size);
  const scaled = (w) => w.map((v) => v * size);
  let found, where;
  if (on === "facets") {
    const at = hull.full.map((f, k) => f ? k : -1).filter((k) => k >= 0);
    if (!at.length) return { refused: "the frontier has no full-dimensional efficient facet to extend; use faces" };
    const normals = at.map((k) => scaled(hull.normals[k]));
    where = position(normals, p);
    found = onFacets(normals, p, norm);
    const w = hull.normals[at[found.facet]];
    found.members = hull.points.map((q, k) => Math.abs(dot(w, q) - 1) <= TIGHT * 10 ? k : -1).filter((k) => k >= 0);
  } else {
    where = position(hull.normals, y);
    found = onFaces(hull, p, norm, size);
  }
  const target = found.target.map((v) => v * size);
  const gaps = target.map((v, r) => v - y[r]);
  return { position: where, distance: length(gaps, norm), target, gaps, members: found.members };
}

function onFacets(normals, p, norm) {
  const room = normals.map((w) => 1 - dot(w, p));
  const far = room.map((v, f) => Math.abs(v) / dual(normals[f], norm));
  let f = far.indexOf(Math.min(...far));
  if (Math.min(...room) >= -1e-12) return { target: p.map((v, r) => v + room[f] * step(normals[f], norm)[r]), facet: f };
  const target = within(normals, p, room, norm);
  const values = normals.map((w) => dot(w, target));
  return { target, facet: values.indexOf(Math.max(...values)) };
}
function step(w, norm) {
  if (norm === "l2") { const q = dot(w, w); return w.map((v) => v / q); }
  if (norm === "linf") { const t = w.reduce((a, b) => a + b, 0); return w.map(() => 1 / t); }
  const top = w.indexOf(Math.max(...w));
  return w.map((v, r) => r === top ? 1 / v : 0);
}
// The nearest point of {y : w·y <= 1} to a point outside; all w > 0.
function within(normals, p, room, norm) {
  if (norm === "linf") {
    const down = Math.max(...room.map((v, f) => -v / dual(normals[f], "linf")));
    return p.map((v) => v - down);
  }
  if (norm === "l2") {  // least distance programming, Lawson and Hanson (1974)
    const columns = normals.map((w, f) => [...w, -room[f]]);
    const b = [...p.map(() => 0), 1];
    const mu = nnls(columns, b);
    const left = b.map((v, i) => columns.reduce((t, c, f) => t + c[i] * mu[f], -v));
    const last = left[p.length];
    return p.map((v, r) => v + left[r] / last);
  }
  const s = p.length;  // the dual: max mu·excess, sum mu w_r <= 1; its prices are how far each metric goes down
  const rows = p.map((_, r) => [...normals.map((w) => w[r]), ...p.map((__, q) => q === r ? 1 : 0), 1]);
  const gain = [...room.map((v) => -v), ...p.map(() => 0), 0];
  const { cost } = simplex(rows, p.map((_, r) => normals.length + r), gain);
  return p.map((v, r) => v + cost[normals.length + r]);
}

function onFaces(hull, p, norm, size) {
  const bounds = hull.faces.map((face, f) => {
    const out = p.map((v, r) => {
      let low = Infinity, high = -Infinity;
      for (const k of face) { low = Math.min(low, hull.points[k][r]); high = Math.max(high, hull.points[k][r]); }
      return Math.max(low / size - v, 0) + Math.max(v - high / size, 0);
    });
    const w = hull.faceNormals[f].map((v) => v * size);
    return Math.max(length(out, norm), Math.abs(1 - dot(w, p)) / dual(w, norm));
  });
  const order = bounds.map((_, f) => f).sort((a, b) => bounds[a] - bounds[b] || a - b);
  let best = Infinity, target = null, members = [];
  for (const f of order) {
    if (bounds[f] >= best) break;
    const vertices = hull.faces[f].map((k) => hull.points[k].map((v) => v / size));
    const lam = { l1: faceL1, l2: faceL2, linf: faceLinf }[norm](vertices, p);
    const at = p.map((_, r) => vertices.reduce((t, v, k) => t + lam[k] * v[r], 0));
    const far = length(at.map((v, r) => v - p[r]), norm);
    if (far < best - 1e-13) { best = far; target = at; members = hull.faces[f]; }
  }
  return { target, members };
}
function settled(lam) {
  const kept = lam.map((v) => Math.max(v, 0));
  const sum = kept.reduce((a, b) => a + b, 0);
  return kept.map((v) => v / sum);
}
function faceL2(vertices, p) {
  const shifted = vertices.map((v) => v.map((x, r) => x - p[r]));
  const size = Math.max(...shifted.flat().map(Math.abs), 1e-300);
  return settled(nnls(shifted.map((v) => [...v.map((x) => x / size), 1]), [...p.map(() => 0), 1]));
}
// lam_0 = 1 - sum of the others, so that the start (all on the first vertex) is feasible at once.
function faceL1(vertices, p) {
  const K = vertices.length - 1, s = p.length, n = K + 2 * s + 1;
  const rows = [], basis = [], gain = new Array(n + 1).fill(0);
  for (let i = K; i < K + 2 * s; i++) gain[i] = -1;
  for (let r = 0; r < s; r++) {
    const gap = vertices[0][r] - p[r], sign = gap >= 0 ? 1 : -1;
    const row = new Array(n + 1).fill(0);
    for (let k = 0; k < K; k++) row[k] = -sign * (vertices[k + 1][r] - vertices[0][r]);
    row[K + r] = sign; row[K + s + r] = -sign; row[n] = sign * gap;  // h - l = gap
    rows.push(row); basis.push(gap >= 0 ? K + r : K + s + r);
  }
  return fromSimplex(rows, basis, gain, K, n);
}
function faceLinf(vertices, p) {
  const K = vertices.length - 1, s = p.length, n = K + 1 + 2 * s + 1;
  const rows = [], basis = [], gain = new Array(n + 1).fill(0);
  gain[K] = -1;
  for (let r = 0; r < s; r++) for (const sign of [1, -1]) {  // sign * gap - t + slack = 0
    const row = new Array(n + 1).fill(0), at = K + 1 + 2 * r + (sign > 0 ? 0 : 1);
    for (let k = 0; k < K; k++) row[k] = sign * (vertices[k + 1][r] - vertices[0][r]);
    row[K] = -1; row[at] = 1; row[n] = -sign * (vertices[0][r] - p[r]);
    rows.push(row); basis.push(at);
  }
  const least = rows.reduce((a, row, i) => row[n] < rows[a][n] ? i : a, 0);
  pivot(rows, null, basis, least, K);
  return fromSimplex(rows, basis, gain, K, n);
}
function fromSimplex(rows, basis, gain, K, n) {
  const row = new Array(n + 1).fill(0);
  for (let k = 0; k < K; k++) row[k] = 1;
  row[n - 1] = 1; row[n] = 1;
  rows.push(row); basis.push(n - 1);
  const { values } = simplex(rows, basis, gain);
  const others = values.slice(0, K);
  return settled([1 - others.reduce((a, b) => a + b, 0), ...others]);
}
function pivot(rows, cost, basis, i, j) {
  const row = rows[i], by = row[j];
  for (let k = 0; k < row.length; k++) row[k] /= by;
  for (const other of cost ? [...rows, cost] : rows) {
    if (other === row || other[j] === 0) continue;
    const times = other[j];
    for (let k = 0; k < row.length; k++) other[k] -= times * row[k];
  }
  basis[i] = j;
}
// max gain·x, rows·x = last column, x >= 0, from a feasible basis; Bland's rule, so that it ends.
function simplex(rows, basis, gain) {
  const n = gain.length - 1, cost = gain.slice();
  rows.forEach((row, i) => { const c = cost[basis[i]]; if (c) for (let k = 0; k <= n; k++) cost[k] -= c * row[k]; });
  for (let turn = 0; turn < PIVOTS; turn++) {
    let j = 0;
    while (j < n && cost[j] <= 1e-13) j++;
    if (j === n) break;
    let i = -1, ratio = Infinity;
    rows.forEach((row, k) => {
      if (row[j] <= 1e-13) return;
      const q = row[n] / row[j];
      if (q < ratio - 1e-15 || (q <= ratio + 1e-15 && i >= 0 && basis[k] < basis[i])) { ratio = q; i = k; }
    });
    if (i < 0) break;
    pivot(rows, cost, basis, i, j);
  }
  const values = new Array(n).fill(0);
  basis.forEach((j, i) => { values[j] = rows[i][n]; });
  return { values, cost };
}
// Non-negative least squares, Lawson and Hanson (1974): min |sum mu_k column_k - b|.
function nnls(columns, b) {
  const mu = columns.map(() => 0), used = new Set();
  for (let turn = 0; turn < 10 * columns.length + 10; turn++) {
    const left = b.map((v, i) => columns.reduce((t, c, k) => mu[k] ? t - c[i] * mu[k] : t, v));
    let next = -1, most = 1e-14;
    columns.forEach((c, k) => { if (!used.has(k)) { const g = dot(c, left) / Math.hypot(...c); if (g > most) { most = g; next = k; } } });
    if (next < 0) break;
    used.add(next);
    let first = true;
    for (let drop = 0; drop <= columns.length; drop++) {
      const at = [...used], x = leastSquares(at.map((k) => columns[k]), b);
      if (first && x[at.indexOf(next)] <= 0) { used.delete(next); return mu; }
      first = false;
      if (x.every((v) => v > 0)) { mu.fill(0); at.forEach((k, i) => { mu[k] = x[i]; }); break; }
      let share = 1;
      at.forEach((k, i) => { if (x[i] <= 0) share = Math.min(share, mu[k] / (mu[k] - x[i])); });
      at.forEach((k, i) => { mu[k] += share * (x[i] - mu[k]); if (mu[k] <= 1e-15) { mu[k] = 0; used.delete(k); } });
    }
  }
  return mu;
}
// Least squares by Gram-Schmidt, orthogonalised twice.
function leastSquares(columns, b) {
  const Q = [], R = columns.map(() => columns.map(() => 0));
  columns.forEach((c, j) => {
    let q = c.slice();
    for (let again = 0; again < 2; again++) Q.forEach((e, i) => {
      const t = dot(e, q); R[i][j] += t; q = q.map((v, r) => v - t * e[r]);
    });
    R[j][j] = Math.hypot(...q) || 1e-300;
    Q.push(q.map((v) => v / R[j][j]));
  });
  const x = columns.map(() => 0);
  for (let j = columns.length - 1; j >= 0; j--) {
    let t = dot(Q[j], b);
    for (let k = j + 1; k < columns.length; k++) t -= R[j][k] * x[k];
    x[j] = t / R[j][j];
  }
  return x;
}
