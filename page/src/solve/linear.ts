// Small dense linear algebra: a simplex and non-negative least squares. Every loop has a cap: a page must not hang.

export type Vector = number[];
const LIMIT = 5000;  // Bland's rule ends in exact arithmetic; rounding may turn in a circle

export function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export interface Solution { values: Vector; cost: Vector; bounded: boolean }

export function pivot(rows: Vector[], cost: Vector | null, basis: number[], i: number, j: number): void {
  const row = rows[i], by = row[j];
  for (let k = 0; k < row.length; k++) row[k] /= by;
  for (const other of cost ? [...rows, cost] : rows) {
    if (other === row || other[j] === 0) continue;
    const times = other[j];
    for (let k = 0; k < row.length; k++) other[k] -= times * row[k];
  }
  basis[i] = j;
}

/** max gain·x, rows·x = last column, x >= 0, from a feasible basis. Dantzig's rule first, Bland's where it stalls. */
export function simplex(rows: Vector[], basis: number[], gain: Vector): Solution {
  const n = gain.length - 1, cost = gain.slice();
  let bounded = true;
  rows.forEach((row, i) => {
    const c = cost[basis[i]];
    if (c) for (let k = 0; k <= n; k++) cost[k] -= c * row[k];
  });
  for (let turn = 0; turn < LIMIT; turn++) {
    const j = turn < 60 ? steepest(cost, n) : cost.findIndex((c, k) => k < n && c > 1e-13);
    if (j < 0) break;
    const i = leaving(rows, basis, j, n);
    if (i < 0) { bounded = false; break; }
    pivot(rows, cost, basis, i, j);
  }
  const values = new Array<number>(n).fill(0);
  basis.forEach((j, i) => { if (j < n) values[j] = rows[i][n]; });
  return { values, cost, bounded };
}

function steepest(cost: Vector, n: number): number {
  let j = -1, most = 1e-13;
  for (let k = 0; k < n; k++) if (cost[k] > most) { most = cost[k]; j = k; }
  return j;
}

function leaving(rows: Vector[], basis: number[], j: number, n: number): number {
  let i = -1, ratio = Infinity;
  rows.forEach((row, k) => {
    if (row[j] <= 1e-13) return;
    const q = row[n] / row[j];
    if (q < ratio - 1e-15 || (q <= ratio + 1e-15 && i >= 0 && basis[k] < basis[i])) { ratio = q; i = k; }
  });
  return i;
}

/** Non-negative least squares, Lawson and Hanson (1974): min |Σ mu_k column_k − b|. */
export function nnls(columns: Vector[], b: Vector): Vector {
  const mu = columns.map(() => 0), used = new Set<number>();
  for (let turn = 0; turn < 10 * columns.length + 10; turn++) {
    const left = b.map((v, i) => columns.reduce((t, c, k) => mu[k] ? t - c[i] * mu[k] : t, v));
    const next = entering(columns, used, left);
    if (next < 0) break;
    used.add(next);
    if (!settle(columns, b, mu, used, next)) return mu;
  }
  return mu;
}

function entering(columns: Vector[], used: Set<number>, left: Vector): number {
  let next = -1, most = 1e-14;
  columns.forEach((c, k) => {
    if (used.has(k)) return;
    const gain = dot(c, left) / Math.hypot(...c);
    if (gain > most) { most = gain; next = k; }
  });
  return next;
}

/** Move to the least squares of the used columns, dropping those that would turn negative; false where nothing moves. */
function settle(columns: Vector[], b: Vector, mu: Vector, used: Set<number>, next: number): boolean {
  for (let drop = 0; drop <= columns.length; drop++) {
    const at = [...used], x = leastSquares(at.map((k) => columns[k]), b);
    if (drop === 0 && x[at.indexOf(next)] <= 0) { used.delete(next); return false; }
    if (x.every((v) => v > 0)) {
      mu.fill(0);
      at.forEach((k, i) => { mu[k] = x[i]; });
      return true;
    }
    let share = 1;
    at.forEach((k, i) => { if (x[i] <= 0) share = Math.min(share, mu[k] / (mu[k] - x[i])); });
    at.forEach((k, i) => {
      mu[k] += share * (x[i] - mu[k]);
      if (mu[k] <= 1e-15) { mu[k] = 0; used.delete(k); }
    });
  }
  return true;
}

/** Least squares by Gram-Schmidt, orthogonalised twice. */
function leastSquares(columns: Vector[], b: Vector): Vector {
  const Q: Vector[] = [], R = columns.map(() => columns.map(() => 0));
  columns.forEach((c, j) => {
    let q = c.slice();
    for (let again = 0; again < 2; again++) {
      Q.forEach((e, i) => { const t = dot(e, q); R[i][j] += t; q = q.map((v, r) => v - t * e[r]); });
    }
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
