// window.sinpos: the same C code for the console. Each function returns a promise.
import type { Client } from "./client.js";
import { refusal, type Content } from "./engine.js";

export interface Spec {
  dim?: number;
  length?: number;
  start?: number;
  base?: number;
  layout?: string;
  order?: string;
  type?: string;
  convention?: string;
  arithmetic?: string;
  parameters?: Record<string, unknown>;
}

type Given = Content | ArrayBuffer;

/** Options of sinpos, and the file of parameters that they name. */
function optionsOf(spec: Spec): { words: string[]; files: Record<string, Content> } {
  const words: string[] = [], files: Record<string, Content> = {};
  for (const key of ["convention", "dim", "base", "layout", "order", "arithmetic", "start", "length", "type"] as const)
    if (spec[key] !== undefined) words.push(`--${key}`, String(spec[key]));
  if (spec.parameters) {
    files["parameters.json"] = new TextEncoder().encode(JSON.stringify(spec.parameters));
    words.push("--parameters", "parameters.json");
  }
  return { words, files };
}

function fileOf(given: Given, name: string): { name: string; content: Content } {
  const bytes = given instanceof ArrayBuffer ? new Uint8Array(given) : given;
  return { name: given instanceof File ? given.name : name, content: bytes };
}

export function consoleOf(client: Client): Record<string, unknown> {
  let n = 0;
  const json = (words: string[], files: Record<string, Content> = {}): Promise<unknown> => client.job(`console ${++n}`, "json", words, files);
  const run = async (words: string[], files: Record<string, Content> = {}, wanted: string[] = []): Promise<{ out: string; files: Record<string, Uint8Array> }> => {
    const done = await client.job(`console ${++n}`, "command", words, files, wanted);
    if (done.code > 1) throw refusal(done.error, done.code);
    return done;
  };
  return {
    /** The SHA-256 that 'sinpos table --hash' prints. */
    hash: async (spec: Spec = {}) => {
      const { words, files } = optionsOf(spec);
      return (await run(["table", ...words, "--hash"], files)).out.trim();
    },
    /** Elements in row order: Float32Array, Float64Array, or the bits of 16-bit types. */
    table: async (spec: Spec = {}) => {
      const { words, files } = optionsOf(spec);
      const bytes = (await run(["table", ...words, "-o", "table.raw", "--quiet"], files, ["table.raw"])).files["table.raw"]!;
      const array = { f64: Float64Array, float64: Float64Array, f16: Uint16Array, float16: Uint16Array, bf16: Uint16Array, bfloat16: Uint16Array }[spec.type ?? ""] ?? Float32Array;
      return new array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / array.BYTES_PER_ELEMENT);
    },
    /** g(k) and what 'sinpos kernel --json' says of it. */
    kernel: async (spec: Spec & { offsets?: string | number[] } = {}) => {
      const { offsets, start, length, type, ...own } = spec, { words, files } = optionsOf(own);
      void start, void length, void type;
      return json(["kernel", ...words, ...(offsets === undefined ? [] : ["--offsets", String(offsets)])], files);
    },
    /** What made an array: a file's bytes, or a File. */
    identify: (given: Given, name = "array.npy") => {
      const file = fileOf(given, name);
      return json(["identify", file.name], { [file.name]: file.content });
    },
    /** Why two arrays differ. */
    diff: (a: Given, b: Given, names: [string, string] = ["a.npy", "b.npy"]) => {
      const first = fileOf(a, names[0]), second = fileOf(b, names[1]);
      const own = first.name === second.name ? `b-${second.name}` : second.name;
      return json(["diff", first.name, own], { [first.name]: first.content, [own]: second.content });
    },
    /** The smallest base for a context, as 'sinpos base --json' says; proofs need FLINT, which the page lacks. */
    base: (given: { context: number; dim?: number }) => json(["base", "--context", String(given.context), ...(given.dim ? ["--dim", String(given.dim)] : [])]),
    /** Any command line. */
    run: (line: string) => run(line.trim().split(/\s+/)),
  };
}
