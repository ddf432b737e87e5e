// Files that are dropped: one is identified and audited, two are compared, a config.json is advised on. Read in slices.
import type { Client } from "./client.js";
import { Refused } from "./engine.js";
import { canvasIn, heat, key } from "./heat.js";
import { make, number, shell, unshell } from "./page.js";
import type { Store } from "./state.js";

const MOST_BYTES = 2 ** 30;
const ENDINGS = [".npy", ".safetensors", ".gguf", ".json"];

interface Identity {
  sinusoidal: boolean;
  conventions: string[];
  command: string | null;
  arithmetic: string;
  max_abs_error: number;
  wrong: number;
  elements: number;
  max_ulp: number;
  shape: number[];
  layout: string;
  order: string;
  defects: { what: string; repair: string }[];
  tensors?: (Identity & { tensor: string })[];
  tensor?: string;
}

interface Difference {
  same: boolean;
  causes: { kind: string; a: unknown; b: unknown; text?: string }[];
  remaining: { wrong: number; max_abs_error: number };
  command: string | null;
}

interface Advice {
  facts: { sentence: string; command: string }[];
}

function list(...entries: [string, string][]): HTMLElement {
  return make("dl", {}, ...entries.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]));
}

function check(file: File): void {
  const name = file.name.toLowerCase();
  if (!ENDINGS.some((ending) => name.endsWith(ending)))
    throw new Refused(`${file.name}: unsupported file extension`, `drop ${ENDINGS.slice(0, 3).join(", ")}, or a config.json`);
  if (file.size > MOST_BYTES) throw new Refused(`${file.name}: larger than 1 GB`, `sinpos identify ${file.name} has no limit`);
  if (file.size === 0) throw new Refused(`${file.name}: is empty`, "copy or make it again");
}

/** What the encoding of a command misses of a file: rows by columns, as colours. */
async function errorMap(host: HTMLElement, client: Client, file: File, tensor: string, command: string, shape: number[]): Promise<void> {
  const options = unshell(command).slice(2), columns = shape[shape.length - 1]!, rows = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  const width = Math.max(240, Math.min(900, host.clientWidth)), n = Math.min(rows, 320), step = Math.max(1, Math.floor(rows / n));
  const place = options.indexOf("--type");
  if (place >= 0) options.splice(place, 2);
  const made = await client.job("file errors", "fileErrors", [...options, "--type", "f64"], file.name, file, tensor, 0, step, n);
  const stage = make("div", { class: "stage filemap" });
  host.append(make("h3", {}, "Errors by position and column"), stage);
  let most = 0;
  for (const value of made.values) if (value > most) most = value;
  heat(canvasIn(stage, width, 260, `errors of ${rows} rows by ${columns} columns`), { values: made.values, rows: n, columns: made.columns, map: "errors", low: 1e-9, high: 1 });
  stage.append(key("errors", "10⁻⁹", "1", `|file − encoding|; rows 0 to ${rows - 1} downward; largest ${number(most, 3)}`));
}

async function one(host: HTMLElement, client: Client, store: Store, file: File): Promise<void> {
  const answer = await client.job("file", "json", ["identify", file.name], { [file.name]: file }) as Identity;
  const found = answer.tensors ? answer.tensors.filter((own) => own.sinusoidal) : [answer];
  host.append(make("h3", {}, answer.tensors ? `${file.name}: ${found.length} of ${answer.tensors.length} tensors are sinusoidal` : file.name));
  if (!answer.tensors && !answer.sinusoidal) {
    host.append(make("p", {}, `No sinusoidal encoding: ${(answer.shape ?? []).join(" × ")} elements that no schedule of frequencies explains.`));
    return;
  }
  for (const own of found.slice(0, 4)) {
    host.append(list(...(own.tensor ? [["tensor", own.tensor] as [string, string]] : []), ["shape", own.shape.join(" × ")], ["columns", `${own.layout}, ${own.order}`],
      ["made by", own.conventions.slice(0, 8).join(", ") || "no published definition"], ["arithmetic", own.arithmetic || "unknown"],
      ["against exact", own.wrong === 0 ? `all ${number(own.elements)} elements are exact` : `${number(own.wrong)} of ${number(own.elements)} differ; at most ${own.max_abs_error.toPrecision(3)}, ${number(own.max_ulp)} ulp`],
      ...own.defects.map((defect): [string, string] => ["finding", `${defect.what}; ${defect.repair}`]),
      ["exactly", own.command ?? "–"]));
    const words = own.command ? unshell(own.command) : [];
    const of = (name: string): string | undefined => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined);
    if (own.command && words[1] === "table") {
      const show = make("button", { type: "button" }, "show this encoding in all views");
      const stated = new Set(["--convention", "--dim", "--base", "--layout", "--order", "--length", "--start", "--type"]);
      const rest = words.slice(2).filter((word, i, all) => !stated.has(word) && !stated.has(all[i - 1] ?? ""));
      show.onclick = () => store.change({ more: shell(rest), convention: of("--convention") ?? "", set: {}, dim: Number(of("--dim") ?? 512), base: Number(of("--base") ?? 10000),
        schedule: "geometric", layout: of("--layout") ?? "interleaved", order: of("--order") ?? "sin-cos", length: Number(of("--length") ?? 4096), start: Number(of("--start") ?? 0) });
      host.append(show);
      await errorMap(host, client, file, own.tensor ?? "", own.command, own.shape).catch((thrown) => {
        host.append(make("p", { class: "note" }, `No error map: ${(thrown as Refused).why ?? thrown}.`));
      });
    }
  }
}

async function two(host: HTMLElement, client: Client, a: File, b: File): Promise<void> {
  const name = a.name === b.name ? `b-${b.name}` : b.name;
  const answer = await client.job("file", "json", ["diff", a.name, name], { [a.name]: a, [name]: b }) as Difference;
  host.append(make("h3", {}, `${a.name} and ${b.name}: ${answer.same ? "the same, element by element" : "different"}`));
  if (answer.causes.length > 0)
    host.append(make("ul", {}, ...answer.causes.map((cause) => make("li", {}, make("b", {}, cause.kind), ` ${cause.text ?? `${String(cause.a)} → ${String(cause.b)}`}`))));
  if (!answer.same) {
    host.append(make("p", {}, answer.remaining.wrong === 0 ? "These causes explain every element."
      : `${number(answer.remaining.wrong)} elements stay unexplained, by at most ${answer.remaining.max_abs_error.toPrecision(3)}.`));
  }
  if (answer.command) host.append(make("code", { class: "line" }, answer.command));
}

async function config(host: HTMLElement, client: Client, store: Store, file: File): Promise<void> {
  const answer = await client.job("file", "json", ["advise", file.name, "--context", String(store.state.context)], { [file.name]: file }) as Advice;
  host.append(make("h3", {}, `${file.name} for a context of ${number(store.state.context)}`),
    make("ul", { class: "facts" }, ...answer.facts.map((fact) => make("li", {}, fact.sentence, make("code", {}, fact.command)))));
}

export function files(host: HTMLElement, client: Client, store: Store): void {
  const input = make("input", { type: "file", multiple: "", accept: ENDINGS.join(","), id: "files" });
  const answer = make("div", { class: "answer", "aria-live": "polite" });
  host.append(make("h2", { id: "title-files" }, "Drop a file"),
    make("p", { class: "about" }, "A .npy, .safetensors or .gguf of up to 1 GB: which code made it, and how wrong is it? Two: why are they not the same? "
      + "A model's config.json: what does the context ask of it? Files are read in slices, here; nothing leaves this page."),
    make("label", { class: "drop", for: "files" }, "drop here, or choose files", input), answer);
  const take = async (given: File[]): Promise<void> => {
    if (given.length === 0) return;
    answer.replaceChildren(make("p", { class: "note" }, `reading ${given.map((file) => file.name).join(" and ")} …`));
    const made = make("div", {});
    try {
      if (given.length > 2) throw new Refused(`${given.length} files`, "drop one or two at a time");
      given.forEach(check);
      answer.append(made);
      if (given.length === 2) await two(made, client, given[0]!, given[1]!);
      else if (given[0]!.name.toLowerCase().endsWith(".json") && !given[0]!.name.endsWith("index.json")) await config(made, client, store, given[0]!);
      else await one(made, client, store, given[0]!);
      answer.replaceChildren(made);
    } catch (thrown) {
      const { why, hint } = thrown instanceof Refused ? thrown : { why: String(thrown), hint: "" };
      answer.replaceChildren(make("div", { class: "trouble", role: "alert" }, make("strong", {}, why), make("span", {}, hint)));
    }
  };
  input.onchange = () => {
    void take([...(input.files ?? [])]);
    input.value = "";
  };
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dragging");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    host.scrollIntoView({ block: "start" });
    void take([...(event.dataTransfer?.files ?? [])]);
  });
}
