// What mixtures of points reach, by small linear programs: a section of the frontier in two metrics, how far a point could go.
// Nothing here needs the facets, so it is right for any number of metrics.
import { pivot, simplex, type Solution, type Vector } from "./linear.ts";

const FREE = 1e-10;

/** max gain·x with x >= 0, sums·x = 1 and columns·x >= floor row by row; null where there is no such x. */
export function program(columns: Vector[], sums: Vector, floor: Vector, gain: Vector): Solution | null {
  return programs(columns, sums, floor)?.(gain) ?? null;
}

/** The same for one gain after the other: each starts where the last one ended. */
function programs(columns: Vector[], sums: Vector, floor: Vector): ((gain: Vector) => Solution) | null {
  const n = columns.length, s = floor.length, free = n + s, width = free + s + 2;  // x, surplus, artificial, right-hand side
  const rows: Vector[] = floor.map((least, q) => {
    const sign = least >= 0 ? 1 : -1, row = new Array<number>(width).fill(0);
    columns.forEach((c, k) => { row[k] = sign * c[q]; });
    row[n + q] = -sign; row[free + q] = 1; row[width - 1] = sign * least;
    return row;
  });
  rows.push([...sums, ...new Array<number>(2 * s).fill(0), 1, 1]);
  const basis = rows.map((_, q) => free + q), first = new Array<number>(width).fill(0);
  first.fill(-1, free, free + s + 1);
  const start = simplex(rows, basis, first);
  if (start.values.slice(free).reduce((a, b) => a + b, 0) > FREE) return null;
  const kept = driven(rows, basis, free);
  for (const row of rows) row.fill(0, free, free + s + 1);
  const table = kept.map((i) => rows[i]), at = kept.map((i) => basis[i]);
  return (gain) => {
    const second = new Array<number>(width).fill(0);
    gain.forEach((v, k) => { second[k] = v; });
    return simplex(table, at, second);
  };
}

/** Turn artificial variables out of the basis; rows that say nothing more are left out. */
function driven(rows: Vector[], basis: number[], free: number): number[] {
  return rows.flatMap((row, i) => {
    if (basis[i] < free) return [i];
    let j = -1, most = 1e-11;
    for (let k = 0; k < free; k++) if (Math.abs(row[k]) > most) { most = Math.abs(row[k]); j = k; }
    if (j < 0) return [];
    pivot(rows, null, basis, i, j);
    return [i];
  });
}

/** The corners of the section in metrics x and y through `point`, by rising x; null where no mixture has its other metrics. */
export function section(points: Vector[], point: Vector, x: number, y: number): [number, number][] | null {
  const others = point.map((_, r) => r).filter((r) => r !== x && r !== y);
  const columns = points.map((p) => others.map((r) => p[r])), sums = points.map(() => 1), floor = others.map((r) => point[r]);
  const solve = programs(columns, sums, floor);
  if (!solve) return null;
  const best = (a: number, b: number): [number, number] => {
    const { values } = solve(points.map((p) => a * p[x] + b * p[y])), at: [number, number] = [0, 0];
    for (let k = 0; k < points.length; k++) if (values[k]) { at[0] += values[k] * points[k][x]; at[1] += values[k] * points[k][y]; }
    return at;
  };
  const left = best(1e-7, 1), right = best(1, 1e-7);
  const out: [number, number][] = [left];
  const between = (p: [number, number], q: [number, number], depth: number): void => {
    const a = p[1] - q[1], b = q[0] - p[0], size = Math.hypot(a, b);
    if (a < 1e-12 && b < 1e-12) return;
    const mid = depth < 24 && a > 1e-12 && b > 1e-12 ? best(a / size, b / size) : null;
    if (mid && (a * (mid[0] - p[0]) + b * (mid[1] - p[1])) / size > 1e-11) {
      between(p, mid, depth + 1);
      between(mid, q, depth + 1);
    } else out.push(q);
  };
  between(left, right, 0);
  return out;
}

/** The largest φ with some mixture at least φ · point in the `scaled` metrics and at least the point in the others. */
export function radial(points: Vector[], point: Vector, scaled: boolean[]): number | null {
  const columns = [...points, point.map((v, r) => scaled[r] ? -v : 0)];
  const floor = point.map((v, r) => scaled[r] ? 0 : v), n = points.length;
  const found = program(columns, columns.map((_, k) => k < n ? 1 : 0), floor, columns.map((_, k) => k < n ? 0 : 1));
  return found && found.bounded ? found.values[n] : null;
}

/** By how much a mixture is above a point in every metric at once: above 0 inside, 0 on the frontier, below 0 outside. */
export function depth(points: Vector[], point: Vector): number {
  const down = points.map((p) => Math.min(...p.map((v, r) => v - point[r]))), start = Math.min(...down) - 1;
  const columns = [...points.map((p) => p.map((v, r) => v - point[r] - start)), point.map(() => -1)], n = points.length;
  const found = program(columns, columns.map((_, k) => k < n ? 1 : 0), point.map(() => 0), columns.map((_, k) => k < n ? 0 : 1));
  return found ? found.values[n] + start : NaN;
}
