// Where the C code runs, so that the page never waits. One message in, one out; the last of several may overtake none.
import { Engine, Refused, type Content, type Shape } from "./engine.js";

/** What the page may ask for. Options are those of sinpos table. */
export interface Api {
  shape(options: string[]): Shape;
  rows(options: string[], row: number, step: number, n: number): Rows;
  part(options: string[], exact: string[] | null, wanted: Wanted): Part;
  matrix(options: string[], what: "product" | "distance" | "cosine", row: number, n: number): Float32Array;
  theta(options: string[]): Float64Array;
  pairs(options: string[]): Float64Array;
  kernel(options: string[], at: number[]): Float64Array;
  zeros(options: string[], limit: number, most: number): Float64Array;
  continuum(options: string[], formula: string, at: number[]): Float64Array;
  terms(options: string[], words: string[]): Float32Array;
  formula(text: string, n: number): Float64Array;
  fileErrors(options: string[], path: string, file: Content, tensor: string, row: number, step: number, n: number): Rows;
  arithmetics(): { name: string; who: string }[];
  command(words: string[], files?: Record<string, Content>, wanted?: string[]):
    { code: number; out: string; error: string; files: Record<string, Uint8Array> };
  json(words: string[], files?: Record<string, Content>): unknown;
  bytes(): number;
}

export interface Rows {
  columns: number;
  values: Float32Array;
}

/** Rows of a table that are shown: from row on, n of them (0: all), at most as many as there are pixels high. */
export interface Wanted {
  row: number;
  n: number;
  most: number;
}

/** What is shown of a table: its shape, every step-th row or its errors, and the columns of each tone. */
export interface Part extends Rows {
  of: Shape;
  step: number;
  count: number;
  pairs: Float64Array;
}

export type Request = { id: number; method: keyof Api; given: unknown[] };
export type Answer = { id: number; value?: unknown; refused?: { why: string; hint: string; code: number } };

let engine: Engine;

const methods: { [M in keyof Api]: (...given: Parameters<Api[M]>) => Promise<ReturnType<Api[M]>> | ReturnType<Api[M]> } = {
  shape: (options) => engine.state(options),
  async rows(options, row, step, n) {
    const { slot, columns } = await engine.state(options);
    return { columns, values: engine.rows(slot, columns, row, step, n) };
  },
  async part(options, exact, { row, n, most }) {
    const of = await engine.state(options), { slot, columns } = of;
    // An odd step: roundings of positions repeat by powers of two, and an even one would hide them.
    const isInside = n > 0 && row + n <= of.rows, rows = isInside ? n : of.rows, from = isInside ? row : 0;
    const step = Math.ceil(rows / Math.min(most, rows)) | 1, count = Math.ceil(rows / step);
    const values = exact ? engine.errors(slot, (await engine.state(exact)).slot, columns, from, step, count)
      : engine.rows(slot, columns, from, step, count);
    return { columns, values, of, step, count, pairs: engine.pairs(slot, of.tones) };
  },
  matrix: async (options, what, row, n) => engine.matrix((await engine.state(options)).slot, what, row, n),
  async theta(options) {
    const { slot, tones } = await engine.state(options);
    return engine.theta(slot, tones);
  },
  async pairs(options) {
    const { slot, tones } = await engine.state(options);
    return engine.pairs(slot, tones);
  },
  kernel: async (options, at) => engine.kernel((await engine.state(options)).slot, at),
  zeros: async (options, limit, most) => engine.zeros((await engine.state(options)).slot, limit, most),
  continuum: async (options, formula, at) => engine.continuum((await engine.state(options)).slot, formula, at),
  terms: async (options, words) => engine.terms((await engine.state(options)).slot, words),
  formula: (text, n) => engine.formula(text, n),
  async fileErrors(options, path, file, tensor, row, step, n) {
    await engine.mount(path, file);
    const { slot, columns } = await engine.state(options);
    return { columns, values: engine.fileErrors(slot, path, tensor, columns, row, step, n) };
  },
  arithmetics: () => engine.arithmetics(),
  command: (words, files, wanted) => engine.command(words, files, wanted),
  json: (words, files) => engine.json(words, files),
  bytes: () => engine.bytes(),
};

/** Elements go to the page, they are not copied. */
function elements(value: unknown): ArrayBuffer[] {
  const values = value instanceof Float32Array ? value : (value as Partial<Rows> | null)?.values;
  return values instanceof Float32Array ? [values.buffer as ArrayBuffer] : [];
}

async function answer({ id, method, given }: Request): Promise<void> {
  try {
    const value = await (methods[method] as (...given: unknown[]) => unknown)(...given);
    postMessage({ id, value } satisfies Answer, { transfer: elements(value) });
  } catch (thrown) {
    const { why, hint, code } = thrown instanceof Refused ? thrown : { why: String(thrown), hint: "", code: 3 };
    postMessage({ id, refused: { why, hint, code } } satisfies Answer);
  }
}

let last: Promise<void> = Promise.resolve();
onmessage = ({ data }: MessageEvent<Request | WebAssembly.Module>) => {
  if (data instanceof WebAssembly.Module) engine = new Engine(data);
  else last = last.then(() => answer(data));
};
