// What a state means for the C code: words of its command line, and what it knows of the convention.
import type { Client } from "./client.js";
import { encodingWords, positionWords, type Listed, type Rowed, type State } from "./state.js";

export interface Parameter {
  name: string;
  default: unknown;
  role: string | null;
  meaning: string | null;
}

export interface Convention {
  name: string;
  summary: string;
  repository: string;
  parameters: Parameter[];
  weaknesses: string;
}

export interface Env {
  encoding: string[]; // which encoding, and nothing else
  positions: string[];
  table: string[]; // options of sinpos table for what is shown, its type and arithmetic with it
  exact: string[]; // the same in float64, exact
  rounded: string[]; // the same with an arithmetic that rounds
  rounding: string; // its name
  plain(): Promise<string[]>; // the same frequencies, sine and cosine side by side, from position 0
  convention: Convention | null;
  rowed: Rowed;
}

/** Where none is chosen, this is what error views show: positions in bfloat16, as activations are. */
export const ROUNDING = "bfloat16-positions";

const known = new Map<string, Promise<Convention>>();

function conventionOf(client: Client, name: string): Promise<Convention> {
  let found = known.get(name);
  if (!found) {
    found = client.live(`convention ${name}`, "json", ["conventions", name]) as Promise<Convention>;
    known.set(name, found);
    found.catch(() => known.delete(name));
  }
  return found;
}

let lists: Listed = { key: "", list: "" };

async function listOf(client: Client, state: State): Promise<Listed> {
  const n = Math.ceil(state.dim / 2), key = `${n} ${state.formula}`;
  if (lists.key !== key) {
    const values = await client.live("formula", "formula", state.formula, n);
    lists = { key, list: Array.from(values, String).join(",") };
  }
  return lists;
}

export async function envOf(client: Client, state: State): Promise<Env> {
  const convention = state.convention === "" ? null : await conventionOf(client, state.convention);
  const has = (role: string): boolean => !convention || convention.parameters.some((one) => one.role === role || one.name === role);
  const rowed = { hasStart: has("start"), hasLength: has("length") || has("positions") };
  const listed = state.schedule === "formula" && !convention ? await listOf(client, state) : null;
  const encoding = encodingWords(state, listed), positions = positionWords(state, rowed);
  const rounding = state.arithmetic === "exact" ? (convention ? "published" : ROUNDING) : state.arithmetic;
  const typed = (type: string): string[] => (type === "f32" ? [] : ["--type", type]);
  const arithmetic = state.arithmetic === "exact" ? [] : ["--arithmetic", state.arithmetic];
  const plain = async (): Promise<string[]> => {
    const length = ["--type", "f64", "--length", "16777216"];
    if (!convention) return [...encodingWords({ ...state, layout: "interleaved", order: "sin-cos" }, listed), ...length];
    const theta = await client.live("plain theta", "theta", [...encoding, "--type", "f64"]);
    return ["--theta", Array.from(theta, String).join(","), ...length];
  };
  return {
    plain, encoding, positions, rounding, convention, rowed,
    table: [...encoding, ...arithmetic, ...typed(state.type), ...positions],
    exact: [...encoding, "--type", "f64", ...positions],
    rounded: [...encoding, "--arithmetic", rounding, ...typed(state.type), ...positions],
  };
}
