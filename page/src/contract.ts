// What the Python side writes (deabench/report/page_data.py, `make_page_data`) and the page reads. Nothing here is prose to be parsed; values are in
// the user's own units, and a metric's sign and shift say how the frontier takes them: inside = shift + sign · value.

export type Norm = "l1" | "l2" | "linf";
export type On = "faces" | "facets";
/** What a target is: the closest point at which nothing is worse, the closest one at all, or the mixture of the ranking's peers. */
export type Goal = "better" | "closest" | "peers";
export type Cell = number | string | boolean | null;

export interface Metric {
  name: string;
  high: boolean;  // whether higher is better
  sign: number;
  shift: number;
  least: number | null;  // the metric's range where it is known
  most: number | null;
  cost: boolean;  // what is spent: the budget's sliders
}

export interface Hull {  // in boxed metrics z = (inside − origin) / unit; points are numbered as in Front.rows
  normals: number[][];
  full: boolean[];
  on: number[][];
  faces: number[][];
}

export interface Front {
  metrics: number[];
  factor: number[];  // what a unit of change counts
  origin: number[];
  unit: number[];
  rows: number[];  // the extreme classifiers, by their place in labels
  count: number;  // facets in all; −1 where they were not counted
  hull: Hull | null;  // null where it is too large to ship
}

export interface Reached {  // targets that the library found: the page repeats them, it does not seek others as close
  rows: number[];
  position: string[];
  distance: (number | null)[];
  target: (number | null)[][];
  members: number[][];
  way: string[];  // who answers how many of the instances there
}

export interface Ranking {
  measure: "efficiency" | "inefficiency";
  model: string;
  radial: boolean;  // whether the score of a new point is 1/φ over mixtures with Σ λ = 1
  scores: (number | null)[];
  ranks: (number | null)[];
  efficient: boolean[];
  order: number[];  // best first
  reference: string[];  // who can be a peer
  own: number[];  // where the reference's classifiers stand in labels; −1 where they do not
  peers: number[][];  // per classifier: reference, λ, reference, λ, ...
  weights: { name: string; values: (number | null)[] }[];
  shares: { name: string; values: (number | null)[] }[];
  gap: (number | null)[] | null;  // of the certificates
}

export interface Uncertainty {
  level: number | null;
  scope: string;
  lower: (number | null)[];
  upper: (number | null)[];
  verdict: string[] | null;
  bestRank: number[] | null;
  worstRank: number[] | null;
  tier: number[] | null;
  band: { x: number; y: number; lower: number[][]; upper: number[][] } | null;
}

export interface WinningRegion {  // the weightings under which a row is first
  row: number;  // its place in labels
  share: number;  // of all weightings; 0 where it is first only on a tie
  corners: number[][];  // each one weight per metric, with the sum 1; of three metrics in order around the polygon
  least: number[];  // of each metric's weight
  most: number[];
  centroid: number[];
  text: string;  // "is first when TPR counts 35 to 60 % (25 % of the weightings)"
}

export interface Weightings {  // ranks over all weightings of the metrics; by label as everywhere
  metrics: number[];  // the weighted metrics, by their place in Data.metrics
  unit: "best value" | "range";  // what each metric is divided by before it is weighted
  rankBest: number[];
  rankWorst: number[];
  rankMean: number[];
  firstShare: number[];
  admissible: number[][];  // the corners of all weights
  regions: WinningRegion[];  // largest first
}

export interface Tested { label: string; values: (number | null)[]; efficiency: number | null }

export interface Data {
  rowName: string;  // what the table calls its systems, as "model"
  labels: string[];
  metrics: Metric[];
  values: (number | null)[][];  // metric by metric
  first: [number, number];
  start: number;  // who is chosen when the page opens
  winners: number[];  // whom the answer names: the recommended classifier, then those to take on other conditions
  norm: Norm;
  on: On;
  mixtures: boolean;
  stories: string[] | null;
  ranking: Ranking;
  front: Front | null;
  remark: string;
  apart: string;  // what is to be said where the ranking's frontier is another
  own: Reached | null;  // nothing gets worse
  tested: Tested[];
  reached: Reached | null;  // of the tested: the closest ones
  uncertainty: Uncertainty | null;
  weightings: Weightings | null;  // null where one row alone has rank 1, and beyond 100 rows or 6 metrics
}

export interface Table { columns: string[]; rows?: Cell[][]; from?: "ranking" | "weights" }  // with `from` rows are there only where the workspace lacks a column
export interface Dots { table: string; title: string; groups: string[]; names: string[]; values: (number | null)[][] }
export interface Document { data: Data | null; tables: Record<string, Table>; dots: Dots[] }
