import { canvasIn, heat, key } from "../heat.js";
import { isDark, make, number, shell } from "../page.js";
import type { Context, View } from "../card.js";
import type { Store } from "../state.js";
import type { Part } from "../worker.js";

/** The window of the table that is shown, and what was last computed of it. */
const window = { row: 0, rows: 0, column: 0, columns: 0 };
let all = { rows: 0, columns: 0 };
let last: Part | null = null;

const showAll = (): void => void Object.assign(window, { row: 0, column: 0 }, all);

/** What the window shows; another shape is shown whole. */
async function partOf(context: Context, most: number): Promise<Part> {
  const { client, env, state } = context;
  const isError = state.map === "error", isWhole = window.rows === all.rows;
  const part = await client.live("heat", "part", isError ? env.rounded : env.table, isError ? env.exact : null,
    { row: window.row, n: isWhole ? 0 : window.rows, most });
  const { rows, columns } = part.of;
  if (rows === all.rows && columns === all.columns) return part;
  all = { rows, columns };
  showAll();
  return isWhole ? part : partOf(context, most);
}

function label(context: Context, canvas: HTMLCanvasElement): void {
  const { stage, state } = context;
  const text = `${JSON.stringify(window)} ${state.map} ${state.type} ${context.env.rounding} ${isDark()}`;
  if (stage.dataset["labels"] === text && stage.querySelector(".key")) return;
  stage.dataset["labels"] = text;
  stage.querySelectorAll(".edge,.key").forEach((one) => one.remove());
  const edge = (place: string, text: string): void => void stage.append(make("span", { class: `edge ${place}` }, text));
  edge("top", `row ${number(window.row)}`);
  edge("bottom", `row ${number(window.row + window.rows - 1)}`);
  edge("left", `column ${number(window.column)}`);
  edge("right", `${number(window.column + window.columns - 1)}`);
  stage.append(state.map === "error" ? key("errors", "10⁻⁸", "1", `|error| of ${context.env.rounding}, ${state.type}`)
    : key("diverging", "−1", "1", "element"));
  canvas.title = "Wheel: zoom. Double click: all. Arrow keys: move what is selected.";
}

/** Roundings take a microsecond an element to replay: fewer rows while something moves, all of them at rest. */
const AT_ONCE_MS = 25, REST_MS = 250;
let rowMs = 0;
let rest: ReturnType<typeof setTimeout> | undefined;

async function paint(context: Context, isAll = false): Promise<void> {
  const { state, stage, width, height } = context;
  const isError = state.map === "error", high = height - 42, rows = Math.floor(high);
  const most = isError && !isAll && rowMs > 0 ? Math.min(rows, Math.max(24, Math.floor(AT_ONCE_MS / rowMs))) : rows;
  clearTimeout(rest);
  const began = performance.now(), part = (last = await partOf(context, most));
  if (isError) rowMs = (performance.now() - began) / part.count;
  if (most < rows) rest = setTimeout(() => void paint(context, true).catch(() => undefined), REST_MS);
  const canvas = canvasIn(stage, width, high, `${isError ? "errors" : "elements"} of ${part.of.rows} positions by ${part.columns} columns, as colours`);
  heat(canvas, { values: part.values, rows: part.count, columns: part.columns, first: window.column, shown: window.columns,
    map: isError ? "errors" : "diverging", low: isError ? 1e-8 : -1, high: 1 });
  label(context, canvas);
  listen(context, canvas);
  mark(context, state.at);
}

/** The tone that a column belongs to. */
function pairOf(column: number): number {
  const at = last?.pairs.indexOf(column) ?? -1;
  return at >= 0 ? at >> 1 : column >> 1;
}

/** Row and column under a point of the picture. */
function cell(canvas: HTMLCanvasElement, event: MouseEvent): { row: number; column: number } {
  const box = canvas.getBoundingClientRect();
  const part = (at: number, from: number, size: number): number => Math.min(0.9999999, Math.max(0, (at - from) / size));
  return { row: window.row + Math.floor(part(event.clientY, box.top, box.height) * window.rows),
    column: window.column + Math.floor(part(event.clientX, box.left, box.width) * window.columns) };
}

function describe(context: Context, row: number, column: number): void {
  if (!last) return;
  const i = Math.floor((row - window.row) / last.step), value = last.values[i * last.columns + column];
  context.say(`row ${number(row)} (position ${number(context.state.start + row)}), column ${column}: `
    + `${context.state.map === "error" ? "error " : ""}${value === undefined ? "–" : number(value, 6)}`);
}

function zoom(context: Context, canvas: HTMLCanvasElement, event: WheelEvent): void {
  event.preventDefault();
  const { row, column } = cell(canvas, event), factor = event.deltaY < 0 ? 0.75 : 1 / 0.75;
  const next = (at: number, from: number, shown: number, all: number): [number, number] => {
    const size = Math.round(Math.min(all, Math.max(Math.min(8, all), shown * factor)));
    return [Math.round(Math.min(all - size, Math.max(0, at - ((at - from) / shown) * size))), size];
  };
  [window.row, window.rows] = next(row, window.row, window.rows, all.rows);
  if (!event.shiftKey) [window.column, window.columns] = next(column, window.column, window.columns, all.columns);
  void paint(context).catch(() => undefined);
}

function listen(context: Context, canvas: HTMLCanvasElement): void {
  canvas.onmousemove = (event) => {
    const { row, column } = cell(canvas, event);
    describe(context, row, column);
    context.point(row);
  };
  canvas.onmouseleave = () => context.point(null);
  canvas.onclick = (event) => {
    const { row, column } = cell(canvas, event);
    context.store.change({ at: row, pair: pairOf(column) });
  };
  canvas.onwheel = (event) => zoom(context, canvas, event);
  canvas.ondblclick = () => {
    showAll();
    void paint(context);
  };
  canvas.onkeydown = (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1, PageUp: -32, PageDown: 32 }[event.key];
    const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move === undefined && side === undefined) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(context.state.length - 1, context.store.state.at + (move ?? 0)));
    context.store.change({ at, pair: Math.max(0, context.store.state.pair + (side ?? 0)) }, false);
    describe({ ...context, state: context.store.state }, at, 2 * context.store.state.pair);
  };
}

/** A line at the row that is selected or pointed at. */
function mark(context: Context, row: number): void {
  const { stage, height } = context;
  let line = stage.querySelector<HTMLElement>(".rowline");
  if (!line) stage.append((line = make("span", { class: "rowline" })));
  const part = (row - window.row + 0.5) / window.rows;
  line.hidden = !(part >= 0 && part < 1);
  line.style.top = `${part * (height - 42)}px`;
}

export const heatmap: View = {
  id: "heatmap",
  title: "The table",
  about: "Each row is a position, each column a sine or cosine. The first columns turn fast, the last hardly at all. Only the "
    + "rows that have a pixel are computed: any length works. The error map shows what rounding does to each element.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.layout, s.order, s.arithmetic, s.type, s.start, s.length, s.map],
  command: (_, env) => shell(["sinpos", "table", ...env.table, "-o", "table.npy"]),
  draw: paint,
  hover: (context, at) => mark(context, at ?? context.store.state.at),
  controls(host: HTMLElement, store: Store) {
    const box = make("div", { class: "choice", role: "group", "aria-label": "what the colours show" });
    for (const [value, text] of [["value", "elements"], ["error", "errors"]] as const) {
      const button = make("button", { type: "button", "aria-pressed": String(store.state.map === value) }, text);
      button.onclick = () => store.change({ map: value });
      store.listen((state) => button.setAttribute("aria-pressed", String(state.map === value)));
      box.append(button);
    }
    host.append(box);
  },
};
