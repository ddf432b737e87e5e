// What can be taken along: a picture, the table, the lines that make it.
import type { Client } from "./client.js";
import { refusal } from "./engine.js";
import type { Env } from "./env.js";
import { download, shell } from "./page.js";

/** Variables of the style sheet as they are now: a file has no style sheet. */
function resolved(svg: SVGElement): SVGElement {
  const copy = svg.cloneNode(true) as SVGElement, style = getComputedStyle(document.documentElement);
  const text = copy.outerHTML.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim().replaceAll('"', "'"));
  const whole = new DOMParser().parseFromString(text, "image/svg+xml").documentElement as unknown as SVGElement;
  whole.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return whole;
}

/** The picture of a stage as one SVG: its own, or canvases as images, with legend and title as text. */
function composed(stage: HTMLElement, title: string): { text: string; width: number; height: number } {
  const box = stage.getBoundingClientRect(), top = 30, style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  const escape = (text: string): string => text.replace(/[<&>"]/g, (one) => `&#${one.charCodeAt(0)};`);
  let body = "";
  for (const one of stage.querySelectorAll<SVGElement | HTMLCanvasElement>("svg:not(.icon), canvas.main")) {
    const at = one.getBoundingClientRect(), x = at.left - box.left, y = at.top - box.top + top;
    if (one instanceof HTMLCanvasElement) body += `<image x="${x}" y="${y}" width="${at.width}" height="${at.height}" href="${one.toDataURL()}"/>`;
    else {
      const own = resolved(one);
      for (const [name, number] of [["x", x], ["y", y], ["width", at.width], ["height", at.height]] as const) own.setAttribute(name, String(number));
      body += own.outerHTML;
    }
  }
  for (const item of stage.querySelectorAll<HTMLElement>(".legend li, .edge, figcaption, .key span:not(.ramp)")) {
    const at = item.getBoundingClientRect(), swatch = item.querySelector<HTMLElement>(".swatch");
    const stroke = swatch ? value(/var\((--[\w-]+)\)/.exec(swatch.style.getPropertyValue("--own"))?.[1] ?? "--ink") : "";
    const x = at.left - box.left, y = at.top - box.top + top + at.height / 2;
    if (swatch) body += `<line x1="${x}" x2="${x + 16}" y1="${y}" y2="${y}" stroke="${stroke}" stroke-width="3"/>`;
    body += `<text x="${x + (swatch ? 22 : 0)}" y="${y + 4}" font-size="11.5" fill="${value("--ink")}">${escape(item.textContent ?? "")}</text>`;
  }
  const height = box.height + top;
  return { width: box.width, height, text: `<svg xmlns="http://www.w3.org/2000/svg" width="${box.width}" height="${height}" viewBox="0 0 ${box.width} ${height}" `
    + `font-family="system-ui, sans-serif"><title>${escape(title)}</title><rect width="100%" height="100%" fill="${value("--card")}"/>`
    + `<text x="8" y="19" font-size="15" font-weight="600" fill="${value("--ink")}">${escape(title)}</text>${body}</svg>` };
}

export async function saveFigure(stage: HTMLElement, name: string, title: string, kind: "svg" | "png"): Promise<void> {
  const { text, width, height } = composed(stage, title), picture = new Blob([text], { type: "image/svg+xml" });
  if (kind === "svg") return download(`${name}.svg`, picture);
  const image = new Image(), url = URL.createObjectURL(picture);
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((png) => png && download(`${name}.png`, png));
}

const MOST_ELEMENTS = 1 << 26;

/** The table, as the command line writes it. */
export async function saveTable(client: Client, env: Env, ending: string, length: number, dim: number): Promise<string> {
  const name = `table.${ending}`, words = ["table", ...env.table, "-o", name, "--quiet"];
  if (length * dim > MOST_ELEMENTS) return `Too large for a page: use the command below.`;
  const done = await client.job("save", "command", words, {}, [name]);
  if (done.code !== 0) throw refusal(done.error, done.code);
  const bytes = done.files[name];
  if (!bytes) return "nothing was written";
  download(`sinpos-${name}`, new Blob([bytes]));
  return `${name}: ${bytes.length.toLocaleString("en")} bytes`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Lines of C, Python and shell that make the table. */
export function lines(env: Env, state: { dim: number; base: number; schedule: string; layout: string; order: string; convention: string; set: Record<string, string>; type: string; start: number; length: number; exponent: number; more: string }): Record<string, string> {
  const shellLine = shell(["sinpos", "table", ...env.table, "-o", "table.npy"]);
  const type = { f32: "float32", f64: "float64", f16: "float16", bf16: "bfloat16" }[state.type] ?? "float32";
  const more = [...state.more.matchAll(/--([a-z-]+) (\S+)/g)].map(([, key, value]) => [key!.replaceAll("-", "_"), value!] as const);
  const extra = more.map(([key, value]) => `, ${key}=${Number.isFinite(Number(value)) ? value : quoted(value)}`).join("");
  const values = Object.entries(state.set).map(([key, value]) => `${key}=${value}`);
  const python = ["import sinpos", state.convention
    ? `enc = sinpos.Encoding(convention=${quoted(state.convention)}${values.length ? `, ${Object.entries(state.set).map(([key, value]) => `${key}=${pythonOf(value)}`).join(", ")}` : ""}${extra})`
    : `enc = sinpos.Encoding(dim=${state.dim}${state.base !== 10000 ? `, base=${state.base}` : ""}${state.schedule === "power" || state.schedule === "octave" ? `, schedule="${state.schedule}"` : ""}${state.layout !== "interleaved" ? `, layout="${state.layout}"` : ""}${state.order !== "sin-cos" ? `, order="${state.order}"` : ""}${extra})`,
  `table = enc.table(${state.length}${state.start ? `, start=${state.start}` : ""}${type !== "float32" ? `, dtype="${type}"` : ""})`].join("\n");
  const c = state.convention ? ["#include <sinpos_conventions.h>", "sinpos_encoding *encoding;",
    `sinpos_status s = sinpos_encoding_create(&encoding, ${quoted(state.convention)}, NULL, 0, NULL); /* parameters: ${values.join(", ") || "defaults"} */`].join("\n")
    : ["#include <sinpos.h>", "sinpos_spec spec = SINPOS_SPEC_INIT;", `spec.dim = ${state.dim};`, `spec.base = ${state.base};`,
      ...(state.layout === "halves" ? ["spec.layout = SINPOS_HALVES;"] : []), ...(state.order === "cos-sin" ? ["spec.order = SINPOS_COS_SIN;"] : []),
      ...(state.schedule === "power" ? ["spec.schedule = SINPOS_POWER;", `spec.exponent = ${state.exponent};`] : []),
      ...(state.schedule === "octave" ? ["spec.schedule = SINPOS_OCTAVE;"] : []),
      ...(state.schedule === "formula" ? ["spec.schedule = SINPOS_EXPLICIT; /* spec.theta, spec.n_theta: the list of the shell line */"] : []),
      ...more.map(([key, value]) => `spec.${key} = ${value};`),
      "sinpos_plan *plan;", "if (sinpos_plan_create(&plan, &spec) == SINPOS_OK)",
      `    s = sinpos_fill(plan, ${state.start}, ${state.length}, SINPOS_${state.type.toUpperCase()}, table, ${state.dim});`].join("\n");
  return { shell: shellLine, Python: python, C: c };
}

function pythonOf(json: string): string {
  return json === "true" ? "True" : json === "false" ? "False" : json === "null" ? "None" : json;
}
