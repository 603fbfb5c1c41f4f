// Numbers for a reader: as many digits as they have and no more than four decimals; files and copies keep every digit.
import type { Cell } from "./contract.ts";

const SMALL = 1e-9;

/** Six digits, without trailing zeros. */
export function few(v: number): string {
  if (Math.abs(v) < SMALL) return "0";
  const size = Math.abs(v);
  return size >= 1e6 || size < 1e-4 ? String(Number(v.toPrecision(4))) : Number(v.toPrecision(6)).toString();
}

/** Four digits: how far something is. */
export const rough = (v: number): string => few(Number(v.toPrecision(4)));

/** A change with its sign and the decimals of its column. */
export const signed = (v: number, places: number): string => Math.abs(v) < SMALL ? "0" : (v > 0 ? "+" : "−") + shown(Math.abs(v), places);

/** An efficiency, with as many decimals as keep it apart from 1. */
export function score(v: number | null): string {
  if (v === null) return "none";
  for (let d = 3; d < 9; d++) if (Number(v.toFixed(d)) !== 1 || Math.abs(v - 1) < SMALL) return v.toFixed(d);
  return v.toFixed(9);
}

/** The decimals that a column of numbers needs, at most four. */
export function decimals(column: Cell[]): number {
  const numbers = column.filter((v): v is number => typeof v === "number");
  for (let d = 0; d < 4; d++) {
    const scale = 10 ** d;
    if (numbers.every((v) => Math.abs(Math.round(v * scale) / scale - v) <= SMALL * Math.max(1, Math.abs(v)))) return d;
  }
  return 4;
}

export function shown(v: Cell, places: number): string {
  if (v === null) return "";
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (typeof v !== "number") return v;
  const size = Math.abs(v);
  if (places === 4 && size >= SMALL && size < 1e-4) return v.toExponential(2);
  return (size < SMALL ? 0 : v).toFixed(places);
}
