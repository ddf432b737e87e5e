// What the page shows, all of it in the address: a link shows the same picture, and the back button undoes.

import { unshell } from "./page.js";

export interface State {
  convention: string; // "": stated by numbers
  set: Record<string, string>; // parameters of the convention, as JSON
  dim: number;
  base: number;
  schedule: string; // geometric, power, octave or formula
  exponent: number;
  formula: string; // theta(t), t from 0 to 1
  layout: string;
  order: string;
  more: string; // further options of sinpos table: --shift 1 --divisor 255
  arithmetic: string;
  type: string;
  start: number;
  length: number;
  context: number;
  train: number;
  at: number; // row that is selected
  pair: number;
  offset: number;
  map: string; // value or error
  matrix: string; // product, distance or cosine
  words: string;
  step: string; // "preset.number" of the story on show
}

export const initial: Readonly<State> = {
  convention: "", set: {}, dim: 128, base: 10000, schedule: "geometric", exponent: 1, formula: "exp(-9.21*t)",
  layout: "interleaved", order: "sin-cos", more: "", arithmetic: "exact", type: "f32", start: 0, length: 1024,
  context: 4096, train: 1024, at: 300, pair: 4, offset: 16, map: "value", matrix: "product",
  words: "the chef who had prepared the meal served the dish to the guests", step: "",
};

export const TYPES = ["f32", "f64", "f16", "bf16"];

/** Ranges that the controls offer. What C refuses it says itself. */
export const ranges: Partial<Record<keyof State, [number, number]>> = {
  dim: [1, 65536], length: [1, 16777216], context: [2, 67108864], train: [1, 67108864], at: [0, 16777215],
  pair: [0, 32767], offset: [0, 16777215],
};

export function parse(hash: string): State {
  const state: State = { ...initial, set: {} };
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (key.startsWith("set.")) state.set[key.slice(4)] = value;
    else if (key in initial && key !== "set") {
      const known = key as keyof State;
      if (typeof initial[known] === "number") {
        if (value.trim() !== "" && Number.isFinite(Number(value))) (state as never as Record<string, number>)[key] = Number(value);
      } else (state as never as Record<string, string>)[key] = value;
    }
  }
  return state;
}

export function written(state: State): string {
  const out = new URLSearchParams();
  for (const key of Object.keys(initial) as (keyof State)[])
    if (key !== "set" && state[key] !== initial[key]) out.set(key, String(state[key]));
  for (const [key, value] of Object.entries(state.set)) out.set(`set.${key}`, value);
  return out.toString();
}

type Listener = (state: State, before: State) => void;

export class Store {
  private now: State;
  private readonly listeners: Listener[] = [];

  constructor() {
    this.now = parse(location.hash);
    addEventListener("popstate", () => this.take(parse(location.hash)));
    addEventListener("hashchange", () => this.take(parse(location.hash)));
  }

  get state(): Readonly<State> {
    return this.now;
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** While a slider moves, the address follows; at the end it becomes a step that the back button undoes. */
  change(part: Partial<State>, isEnd = true): void {
    const next = { ...this.now, ...part };
    const hash = written(next), url = hash === "" ? location.pathname + location.search : `#${hash}`;
    if (isEnd && (this.moved || written(this.now) !== hash)) history.pushState(null, "", url);
    this.moved = !isEnd;
    this.take(next);
  }

  private moved = false;

  private take(next: State): void {
    const before = this.now;
    if (written(before) === written(next)) return;
    this.now = next;
    for (const listener of this.listeners) listener(next, before);
  }
}

// ------------------------------------------------------------------------------------------------ as options of sinpos

/** Frequencies of a formula are a list for the command line; explorer asks C for them. */
export interface Listed {
  key: string;
  list: string;
}

/** Which encoding, without arithmetic, positions and type. */
export function encodingWords(state: State, listed: Listed | null): string[] {
  if (state.convention !== "")
    return ["--convention", state.convention, ...Object.entries(state.set).flatMap(([key, value]) => ["--set", `${key}=${value}`]), ...unshell(state.more)];
  const words = ["--dim", String(state.dim)];
  if (state.schedule === "formula") words.push("--theta", listed?.list ?? "");
  else if (state.schedule !== "octave") words.push("--base", String(state.base));
  if (state.schedule === "power") words.splice(2, 2, "--schedule", "power", "--exponent", String(state.exponent));
  if (state.schedule === "octave") words.push("--schedule", "octave");
  if (state.layout !== initial.layout) words.push("--layout", state.layout);
  if (state.order !== initial.order) words.push("--order", state.order);
  return [...words, ...unshell(state.more)];
}

export interface Rowed {
  hasStart: boolean;
  hasLength: boolean;
}

export function positionWords(state: State, rowed: Rowed, length = state.length): string[] {
  return [...(state.start !== 0 && rowed.hasStart ? ["--start", String(state.start)] : []),
    ...(rowed.hasLength ? ["--length", String(length)] : [])];
}
