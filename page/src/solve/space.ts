// The space in which the page gives verdicts: all metrics of the frontier, never two of them alone.
import type { Data, Front, Goal, Norm, On } from "../contract.ts";
import { closest, improving, length, position, type Position, type Shape } from "./closest.ts";
import { depth, radial, section } from "./section.ts";
import { type Vector } from "./linear.ts";

export interface Verdict {
  position: Position;
  distance: number | null;
  norm: Norm;  // of the distance
  target: Vector | null;  // in the user's own metrics, those of the frontier
  gaps: Vector | null;
  members: number[];  // by their place in labels
  efficiency: number | null;  // as the ranking would score the point, where it can be said
  why: string;  // why there is no target
  way?: string;  // how the target can be had, where the library says it
}
export interface Section { corners: [number, number][]; steps: boolean }  // in the user's own units

export class Space {
  readonly metrics: number[];
  private readonly sign: Vector;
  private readonly shift: Vector;
  private readonly weight: Vector;  // of a boxed unit in the distance, at most 1
  private readonly size: number;
  private readonly corners: Vector[];  // boxed
  private shape: Shape | null = null;
  private undominated: number[] | null = null;

  constructor(private readonly data: Data, private readonly front: Front) {
    this.metrics = front.metrics;
    this.sign = front.metrics.map((m) => data.metrics[m].sign);
    this.shift = front.metrics.map((m) => data.metrics[m].shift);
    const counted = front.metrics.map((_, r) => front.factor[r] * front.unit[r]);
    this.size = Math.max(...counted);
    this.weight = counted.map((v) => v / this.size);
    this.corners = front.rows.map((i) => this.boxed(this.own(i)));
  }

  /** A classifier's metrics, in the user's own units. */
  own(i: number): Vector { return this.metrics.map((m) => this.data.values[m][i] as number); }
  boxed(values: Vector): Vector {
    return values.map((v, r) => (this.shift[r] + this.sign[r] * v - this.front.origin[r]) / this.front.unit[r]);
  }
  outside(z: Vector): Vector {
    return z.map((v, r) => (v * this.front.unit[r] + this.front.origin[r] - this.shift[r]) * this.sign[r]);
  }

  /** Where a point lies, and its target: the closest at which nothing is worse, or the closest one at all. */
  judge(values: Vector, norm: Norm, on: On, mixtures: boolean, goal: Goal): Verdict {
    const z = this.boxed(values), better = goal === "better";
    if (!mixtures) return this.alone(values, z, norm, better);
    return better ? this.improved(values, z, norm) : this.among(values, z, norm, on);
  }

  /** A target of the faces at which nothing is worse; changes are summed where they would be squared. */
  private improved(values: Vector, z: Vector, norm: Norm): Verdict {
    const hull = this.hull();
    if (!hull) return this.among(values, z, norm, "faces");
    const efficiency = this.efficiency(values, z), u = z.map((v, r) => v * this.weight[r]), where = position(hull.normals, u);
    const found = where === "outside" ? null : improving(hull, u, norm === "linf" ? "linf" : "l1");
    if (!found) {
      return { position: where, distance: null, norm, target: null, gaps: null, members: [], efficiency,
        why: "no mixture of the others is as good in every metric" };
    }
    return this.reached(values, where, found.target.map((v, r) => v / this.weight[r]),
      found.members.map((k) => this.front.rows[k]), norm === "linf" ? "linf" : "l1", efficiency);
  }

  private among(values: Vector, z: Vector, norm: Norm, on: On): Verdict {
    const hull = this.hull(), efficiency = this.efficiency(values, z);
    if (!hull) {
      const far = depth(this.corners, z), where = Math.abs(far) <= 1e-9 ? "on" : far > 0 ? "inside" : "outside";
      return { position: where, distance: null, norm, target: null, gaps: null, members: [], efficiency,
        why: this.front.count < 0 ? "the frontier of so many metrics has too many facets to list"
          : `the frontier has ${this.front.count} facets, too many for a page; 'deabench targets' finds the closest target` };
    }
    const u = z.map((v, r) => v * this.weight[r]), found = closest(hull, u, norm, on);
    const normals = on === "facets" ? hull.normals.filter((_, k) => hull.full[k]) : hull.normals;
    if (!found) {
      return { position: position(hull.normals, u), distance: null, norm, target: null, gaps: null, members: [], efficiency,
        why: "the frontier has no full-dimensional efficient facet to extend; choose faces" };
    }
    return this.reached(values, position(normals, u), found.target.map((v, r) => v / this.weight[r]),
      found.members.map((k) => this.front.rows[k]), norm, efficiency);
  }

  /** Without mixtures: what is there, and nothing between. */
  private alone(values: Vector, z: Vector, norm: Norm, better: boolean): Verdict {
    let where: Position = "outside", best = -1, least = Infinity;
    for (const i of this.real()) {
      const other = this.boxed(this.own(i)), gaps = other.map((v, r) => v - z[r]);
      if (gaps.every((g) => g > 1e-12)) where = "inside";
      else if (where === "outside" && gaps.every((g) => g >= -1e-12)) where = "on";
      if (better && gaps.some((g) => g < -1e-12)) continue;
      const far = length(gaps.map((g, r) => g * this.weight[r]), norm);
      if (far < least - 1e-13) { least = far; best = i; }
    }
    if (best < 0) {
      return { position: where, distance: null, norm, target: null, gaps: null, members: [], efficiency: null,
        why: "no other is as good in every metric" };
    }
    return this.reached(values, where, this.boxed(this.own(best)), [best], norm, null);
  }

  private reached(values: Vector, where: Position, z: Vector, members: number[], norm: Norm, efficiency: number | null): Verdict {
    return { ...this.toward(values, where, this.outside(z), members, norm), efficiency };
  }

  /** The verdict with a target that is given in the user's own units. */
  toward(values: Vector, where: Position, target: Vector, members: number[], norm: Norm): Verdict {
    const gaps = target.map((v, r) => v - values[r]);
    const distance = length(gaps.map((g, r) => g * this.front.factor[r]), norm);
    return { position: where, distance, norm, target, gaps, members, efficiency: null, why: "" };
  }

  /** The score that the ranking would give a new point: 1/φ, where that is what it measures. */
  private efficiency(values: Vector, z: Vector): number | null {
    if (!this.data.ranking.radial || this.metrics.length !== this.data.metrics.length) return null;
    const { unit, origin } = this.front, moved = origin.map((o, r) => o / unit[r]);  // back to metrics that scale from 0
    const scaled = this.metrics.map((m) => !this.data.metrics[m].cost);
    const from = (p: Vector): Vector => p.map((v, r) => v + (scaled[r] ? moved[r] : 0));
    if (values.some((_, r) => scaled[r] && from(z)[r] <= 0)) return null;
    const phi = radial(this.corners.map(from), from(z), scaled);
    return phi === null || phi <= 0 ? null : 1 / phi;
  }

  /** The frontier in metrics x and y where the others are those of the point. */
  section(values: Vector, x: number, y: number, mixtures: boolean): Section | null {
    const z = this.boxed(values), a = this.metrics.indexOf(x), b = this.metrics.indexOf(y);
    const corners = mixtures ? section(this.corners, z, a, b) : this.staircase(z, a, b);
    if (!corners) return null;
    const out = corners.map(([p, q]) => {
      const full = z.slice();
      full[a] = p; full[b] = q;
      const own = this.outside(full);
      return [own[a], own[b]] as [number, number];
    });
    return { corners: out, steps: !mixtures };
  }

  private staircase(z: Vector, a: number, b: number): [number, number][] | null {
    const reach = this.real().map((i) => this.boxed(this.own(i)))
      .filter((p) => p.every((v, r) => r === a || r === b || v >= z[r] - 1e-12))
      .sort((p, q) => q[a] - p[a] || q[b] - p[b]);
    const out: [number, number][] = [];
    for (const p of reach) if (!out.length || p[b] > out[out.length - 1][1] + 1e-12) out.push([p[a], p[b]]);
    return out.length ? out.reverse() : null;
  }

  /** Every classifier that no other is at least as good as in all metrics. */
  real(): number[] {
    if (this.undominated) return this.undominated;
    const rows = this.data.labels.map((_, i) => i).filter((i) => this.metrics.every((m) => this.data.values[m][i] !== null));
    const sorted = rows.map((i) => ({ i, z: this.boxed(this.own(i)) }))
      .sort((p, q) => q.z.reduce((t, v) => t + v, 0) - p.z.reduce((t, v) => t + v, 0) || p.i - q.i);
    const kept: typeof sorted = [];
    for (const one of sorted) if (!kept.some((other) => other.z.every((v, r) => v >= one.z[r]))) kept.push(one);
    this.undominated = kept.map((one) => one.i).sort((p, q) => p - q);
    return this.undominated;
  }

  /** The facets in the coordinates of the distance, made once. */
  private hull(): Shape | null {
    if (this.shape || !this.front.hull) return this.shape;
    const { normals, full, on, faces } = this.front.hull, points = this.corners.map((p) => p.map((v, r) => v * this.weight[r]));
    const stretched = normals.map((w) => w.map((v, r) => v / this.weight[r]));
    const through = points.map(() => [] as number[]), sets = on.map((members) => new Set(members));
    on.forEach((members, f) => { for (const k of members) through[k].push(f); });
    const faceNormals = faces.map((face) => {
      const cone = through[face[0]].filter((f) => face.every((k) => sets[f].has(k))).map((f) => stretched[f]);
      return points[0].map((_, r) => cone.reduce((t, w) => t + w[r], 0) / cone.length);
    });
    this.shape = { points, normals: stretched, full, on, faces, faceNormals };
    return this.shape;
  }

  /** What a facet's metrics weigh in the user's own units: how much of b one unit of a is worth. */
  tradeOff(facet: number, a: number, b: number): number {
    const w = (this.front.hull as NonNullable<Front["hull"]>).normals[facet], r = this.metrics.indexOf(a), q = this.metrics.indexOf(b);
    return (w[r] / this.front.unit[r]) / (w[q] / this.front.unit[q]);
  }
}
