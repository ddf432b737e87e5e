// The C code: whole commands as on a terminal, and encodings that stay open for sliders. Runs in a worker, or under Node.
import { Exit, System, type Content } from "./wasi.js";

export type { Content };

export interface Outcome {
  code: number;
  out: string;
  error: string;
  files: Record<string, Uint8Array>;
}

/** One line that says what is wrong, and what to do about it. */
export class Refused extends Error {
  constructor(readonly why: string, readonly hint: string, readonly code = 2) {
    super(why);
  }
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  sinpos_main(n: number, words: number): number;
  explorer_room(bytes: number): number;
  explorer_free(at: number): void;
  explorer_open(slot: number, text: number, n: number): void;
  explorer_shape(slot: number, out: number): void;
  explorer_position(slot: number, row: number): number;
  explorer_theta(slot: number, out: number, room: number): void;
  explorer_pairs(slot: number, out: number, room: number): number;
  explorer_rows(slot: number, row: number, step: number, n: number, out: number): void;
  explorer_errors(a: number, b: number, row: number, step: number, n: number, out: number): void;
  explorer_matrix(slot: number, what: number, row: number, n: number, out: number): void;
  explorer_kernel(slot: number, at: number, n: number, out: number): void;
  explorer_formula(text: number, n: number, out: number): void;
  explorer_continuum(slot: number, text: number, at: number, n: number, out: number): void;
  explorer_zeros(slot: number, limit: number, out: number, room: number): number;
  explorer_arithmetics(): number;
  explorer_file_errors(slot: number, path: number, tensor: number, row: number, step: number, n: number, out: number): void;
  explorer_terms(slot: number, text: number, n: number, out: number): void;
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

class Instance {
  readonly system: System;
  private constructor(readonly c: Exports, system: System) {
    this.system = system;
  }

  static async start(module: WebAssembly.Module, files: Record<string, Content> = {}): Promise<Instance> {
    const system = new System(files);
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: system.imports() });
    const c = instance.exports as unknown as Exports;
    system.memory = c.memory;
    c._initialize();
    return new Instance(c, system);
  }

  /** Words one after the other, each ended by a zero. */
  text(words: readonly string[]): number {
    const bytes = encoder.encode(words.map((word) => word + "\0").join(""));
    const at = this.c.explorer_room(bytes.length + 1);
    new Uint8Array(this.c.memory.buffer).set(bytes, at);
    return at;
  }

  doubles(values: ArrayLike<number>): number {
    const at = this.c.explorer_room(8 * values.length + 8);
    new Float64Array(this.c.memory.buffer, at, values.length).set(values);
    return at;
  }

  string(at: number): string {
    const bytes = new Uint8Array(this.c.memory.buffer);
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  run(words: readonly string[]): number {
    const first = this.text(words), bytes = new Uint8Array(this.c.memory.buffer);
    const table = this.c.explorer_room(4 * (words.length + 1));
    let at = first;
    for (let i = 0; i < words.length; i++) {
      new DataView(this.c.memory.buffer).setUint32(table + 4 * i, at, true);
      at = bytes.indexOf(0, at) + 1;
    }
    return this.c.sinpos_main(words.length, table);
  }
}

/** What a command that was refused printed on standard error. */
export function refusal(error: string, code: number): Refused {
  const lines = error.trim().split("\n");
  const hint = lines.find((line) => line.startsWith("hint: "))?.slice(6) ?? "";
  const why = (lines.filter((line) => line.startsWith("sinpos: ")).pop() ?? lines[0] ?? "").replace(/^sinpos: /, "");
  return new Refused(why || `ended with exit code ${code}`, hint, code);
}

export interface Shape {
  slot: number; // where it is open
  rows: number;
  columns: number;
  axes: number;
  tones: number;
  isReplayed: boolean;
  isChannelFirst: boolean;
}

export class Engine {
  private open: Instance | null = null;
  private readonly slots: string[] = ["", "", "", ""]; // as many as explorer.c has
  private readonly used = [0, 0, 0, 0];
  private times = 0;
  private readonly mounted: Record<string, Content> = {};

  constructor(private readonly module: WebAssembly.Module) {}

  private async ready(): Promise<void> {
    this.open ??= await Instance.start(this.module, this.mounted);
  }

  /** A command line, without "sinpos". Files are those it may read; those it writes come back. */
  async command(words: readonly string[], given: Record<string, Content> = {}, wanted: string[] = []): Promise<Outcome> {
    const instance = await Instance.start(this.module, given);
    let code: number;
    try {
      code = instance.run(["sinpos", ...words]);
    } catch (thrown) {
      if (!(thrown instanceof Exit)) throw this.crashed(thrown);
      code = thrown.code;
    }
    const files: Outcome["files"] = {};
    for (const name of wanted) {
      const content = instance.system.file(name);
      if (content) files[name] = content;
    }
    return { code, out: instance.system.take("out"), error: instance.system.take("error"), files };
  }

  /** The one object that a command prints with --json; codes 0 and 1 are answers. */
  async json(words: readonly string[], given: Record<string, Content> = {}): Promise<unknown> {
    const done = await this.command([...words, "--json"], given);
    if (done.code > 1) throw refusal(done.error, done.code);
    return JSON.parse(done.out);
  }

  private crashed(thrown: unknown): Refused {
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    const isMemory = /memory|allocation|stack/i.test(said);
    return new Refused(isMemory ? "memory: not enough of it" : said, "ask for fewer columns or positions", 3);
  }

  /** Calls C; where it ends with an error, what was open is gone, and comes again when it is next asked for. */
  private call<T>(work: (instance: Instance) => T): T {
    const instance = this.open!;
    try {
      return work(instance);
    } catch (thrown) {
      this.open = null;
      this.slots.fill("");
      if (thrown instanceof Exit) throw refusal(instance.system.take("error"), thrown.code);
      throw this.crashed(thrown);
    }
  }

  /** The encoding that options of sinpos table state, open in a slot: its own, or that of the one unused for longest. */
  async state(options: readonly string[]): Promise<Shape> {
    const key = options.join("\0");
    await this.ready();
    return this.call((instance) => {
      const open = this.slots.indexOf(key), slot = open >= 0 ? open : this.used.indexOf(Math.min(...this.used));
      this.used[slot] = ++this.times;
      if (open < 0) {
        this.slots[slot] = "";
        instance.c.explorer_open(slot, instance.text(options), options.length);
        this.slots[slot] = key;
      }
      const at = instance.c.explorer_room(48);
      instance.c.explorer_shape(slot, at);
      const [rows, columns, axes, tones, replayed, first] = new Float64Array(instance.c.memory.buffer, at, 6);
      instance.c.explorer_free(at);
      return { slot, rows: rows!, columns: columns!, axes: axes!, tones: tones!, isReplayed: !!replayed, isChannelFirst: !!first };
    });
  }

  private floats(n: number, make: (c: Exports, out: number, instance: Instance) => void): Float32Array {
    return this.call((instance) => {
      const out = instance.c.explorer_room(4 * n + 8);
      make(instance.c, out, instance);
      const values = new Float32Array(instance.c.memory.buffer, out, n).slice();
      instance.c.explorer_free(out);
      return values;
    });
  }

  private reals(n: number, make: (c: Exports, out: number, instance: Instance) => number | void): Float64Array {
    return this.call((instance) => {
      const out = instance.c.explorer_room(8 * n + 8);
      const used = make(instance.c, out, instance);
      const values = new Float64Array(instance.c.memory.buffer, out, typeof used === "number" ? used : n).slice();
      instance.c.explorer_free(out);
      return values;
    });
  }

  rows(slot: number, columns: number, row: number, step: number, n: number): Float32Array {
    return this.floats(n * columns, (c, out) => c.explorer_rows(slot, row, step, n, out));
  }

  /** |a - b| of the same rows of two encodings, a as its type holds it. */
  errors(a: number, b: number, columns: number, row: number, step: number, n: number): Float32Array {
    return this.floats(n * columns, (c, out) => c.explorer_errors(a, b, row, step, n, out));
  }

  /** Products, distances or cosines of every two of n rows. */
  matrix(slot: number, what: "product" | "distance" | "cosine", row: number, n: number): Float32Array {
    const number = { product: 0, distance: 1, cosine: 2 }[what];
    return this.floats(n * n, (c, out) => c.explorer_matrix(slot, number, row, n, out));
  }

  theta(slot: number, tones: number): Float64Array {
    return this.reals(tones, (c, out) => c.explorer_theta(slot, out, tones));
  }

  /** Columns of the sine and cosine of each tone, two numbers each; none where columns are something else. */
  pairs(slot: number, tones: number): Float64Array {
    return this.reals(2 * tones, (c, out) => (c.explorer_pairs(slot, out, tones) ? 2 * tones : 0));
  }

  kernel(slot: number, at: ArrayLike<number>): Float64Array {
    return this.reals(at.length, (c, out, instance) => {
      const offsets = instance.doubles(at);
      c.explorer_kernel(slot, offsets, at.length, out);
      c.explorer_free(offsets);
    });
  }

  zeros(slot: number, limit: number, most: number): Float64Array {
    return this.reals(most, (c, out) => c.explorer_zeros(slot, limit, out, most));
  }

  continuum(slot: number, formula: string, at: ArrayLike<number>): Float64Array {
    return this.reals(at.length, (c, out, instance) => {
      const text = instance.text([formula]), offsets = instance.doubles(at);
      c.explorer_continuum(slot, text, offsets, at.length, out);
      c.explorer_free(offsets);
      c.explorer_free(text);
    });
  }

  terms(slot: number, words: readonly string[]): Float32Array {
    return this.floats(4 * words.length ** 2, (c, out, instance) => {
      const text = instance.text(words);
      c.explorer_terms(slot, text, words.length, out);
      c.explorer_free(text);
    });
  }

  /** |file - encoding| of rows of an array that was mounted. */
  fileErrors(slot: number, path: string, tensor: string, columns: number, row: number, step: number, n: number): Float32Array {
    return this.floats(n * columns, (c, out, instance) => {
      const name = instance.text([path]), own = instance.text([tensor]);
      c.explorer_file_errors(slot, name, own, row, step, n, out);
      c.explorer_free(own);
      c.explorer_free(name);
    });
  }

  async mount(name: string, content: Content): Promise<void> {
    this.mounted[name] = content;
    this.open?.system.mount(name, content);
  }

  /** Arithmetics that have a name, with whose code they are. */
  async arithmetics(): Promise<{ name: string; who: string }[]> {
    await this.ready();
    return this.call((instance) => instance.string(instance.c.explorer_arithmetics()).trim().split("\n").map((line) => {
      const [name = "", who = ""] = line.split("\t");
      return { name, who };
    }));
  }

  position(slot: number, row: number): string {
    return this.call((instance) => instance.string(instance.c.explorer_position(slot, row)));
  }

  /** theta(i / n) of a formula in t: frequencies that a list can state. */
  async formula(text: string, n: number): Promise<Float64Array> {
    await this.ready();
    return this.reals(n, (c, out, instance) => {
      const at = instance.text([text]);
      c.explorer_formula(at, n, out);
      c.explorer_free(at);
    });
  }

  /** Bytes that the open encodings hold. */
  bytes(): number {
    return this.open?.c.memory.buffer.byteLength ?? 0;
  }
}
