// Curves, by Observable Plot: dashes that differ without colour, labels on the axes, a legend below.
import * as Plot from "@observablehq/plot";
import { make, number, superscript } from "./page.js";

export interface Axis {
  label: string;
  log?: boolean;
  domain?: [number, number] | undefined;
  reversed?: boolean;
}

export interface Series {
  label: string;
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
  colour?: number;
  style?: string; // of sinpos plot --json
  low?: ArrayLike<number | null>; // of a band
  thick?: boolean;
  steps?: boolean;
}

export interface Mark {
  kind: string;
  x: number | null;
  y: number | null;
  label: string;
  colour?: number;
}

export interface Shade {
  axis: "x" | "y";
  from: number;
  to: number;
  label: string;
}

export interface Chart {
  x: Axis;
  y: Axis;
  series: Series[];
  marks?: Mark[];
  shades?: Shade[];
  point?(x: number | null): void;
}

const dashes: Record<string, string> = { dashed: "7 4", dotted: "2 3", sparse: "1 8" };
export const colour = (n: number): string => `var(--line-${n % 8})`;

type Pair = { x: number; y: number; label: string; low?: number };

function pairs(series: Series, x: Axis, y: Axis): Pair[] {
  const out: Pair[] = [];
  for (let i = 0; i < series.x.length; i++) {
    const px = series.x[i]!, py = series.y[i], low = series.low?.[i];
    const fits = py !== null && py !== undefined && Number.isFinite(py) && !(x.log && px <= 0) && !(y.log && py <= 0);
    out.push({ x: x.log && px <= 0 ? NaN : px, y: fits ? py : NaN, label: series.label, ...(typeof low === "number" ? { low } : {}) });
  }
  return out;
}

function marksOf(chart: Chart): Plot.Markish[] {
  const out: Plot.Markish[] = [];
  for (const shade of chart.shades ?? []) {
    const text = { text: () => shade.label, fill: "var(--muted)", fontSize: 11 };
    if (shade.axis === "y") {
      out.push(Plot.rectY([shade], { y1: "from", y2: "to", fill: "var(--shade)" }));
      out.push(Plot.text([shade], { y: "to", frameAnchor: "right", dy: 9, dx: -4, ...text }));
    } else {
      out.push(Plot.rectX([shade], { x1: "from", x2: "to", fill: "var(--shade)" }));
      out.push(Plot.text([shade], { x: "to", frameAnchor: "top", dx: -4, dy: 8, textAnchor: "end", ...text }));
    }
  }
  for (const mark of chart.marks ?? []) {
    const stroke = mark.colour === undefined || mark.colour >= 6 ? "var(--muted)" : colour(mark.colour);
    const text = { text: "label", fill: "var(--ink)", stroke: "var(--card)", strokeWidth: 4, fontSize: 11 } as const;
    if (mark.kind === "horizontal") {
      out.push(Plot.ruleY([mark], { y: "y", stroke, strokeDasharray: "4 3" }));
      out.push(Plot.text([mark], { y: "y", frameAnchor: (mark.x ?? 1) < 0.5 ? "left" : "right", dy: -7, dx: (mark.x ?? 1) < 0.5 ? 4 : -4, ...text }));
    } else if (mark.kind === "vertical") {
      out.push(Plot.ruleX([mark], { x: "x", stroke, strokeDasharray: "4 3" }));
      out.push(Plot.text([mark], { x: "x", frameAnchor: "top", dx: 5, dy: 8, textAnchor: "start", ...text }));
    } else {
      out.push(Plot.dot([mark], { x: "x", y: "y", stroke, fill: "var(--card)", r: 4, strokeWidth: 2 }));
      out.push(Plot.text([mark], { x: "x", y: "y", dy: -10, ...text }));
    }
  }
  return out;
}

function seriesMarks(series: Series, i: number, chart: Chart): Plot.Markish[] {
  const stroke = colour(series.colour ?? i), data = pairs(series, chart.x, chart.y);
  const curve = series.steps ? "step-after" : "linear";
  if (series.style === "band") return [Plot.areaY(data, { x: "x", y1: "low", y2: "y", fill: stroke, fillOpacity: 0.3, curve })];
  const line = Plot.line(data, { x: "x", y: "y", stroke, strokeWidth: series.thick ? 2.6 : 1.6, curve,
    ...(dashes[series.style ?? ""] ? { strokeDasharray: dashes[series.style ?? ""] } : {}) });
  const dots = Plot.dot(data, { x: "x", y: "y", fill: stroke, r: 2.2 });
  return series.style === "points" ? [dots] : series.style === "line-points" ? [line, dots] : [line];
}

/** Draws into an element, with a legend; a tip says what is pointed at. */
export function chart(host: HTMLElement, width: number, height: number, given: Chart): void {
  const shown = given.series.filter((series) => series.label !== "");
  const scale = (axis: Axis, side: "x" | "y"): Plot.ScaleOptions => ({
    type: axis.log ? "log" : "linear", label: axis.label, grid: true, nice: false, ...(axis.domain ? { domain: axis.domain } : {}),
    ...(axis.reversed ? { reverse: true } : {}), ...(axis.log && decades(axis, side) > 1.2 ? { tickFormat: tick } : {}), ticks: width < 480 ? 4 : 7,
  } as Plot.ScaleOptions);
  const decades = (axis: Axis, side: "x" | "y"): number => {
    const ends = axis.domain ?? extent(all.map((one) => one[side]));
    return Math.log10(ends[1] / ends[0]);
  };
  const all = given.series.flatMap((series) => pairs(series, given.x, given.y).filter((one) => Number.isFinite(one.y)));
  const legend = make("ul", { class: "legend" }, ...shown.map((series, i) => {
    const swatch = make("span", { class: `swatch ${series.style ?? "line"}`, style: `--own:${colour(series.colour ?? i)}` });
    return make("li", {}, swatch, series.label);
  }));
  host.replaceChildren(legend);
  const room = height - (shown.length > 1 ? legend.getBoundingClientRect().height : 0);
  if (shown.length < 2) legend.remove();
  const svg = Plot.plot({
    width, height: Math.max(150, room), marginLeft: 54, marginRight: 14, marginBottom: 36, marginTop: 22,
    style: { background: "none", color: "var(--ink)", fontSize: "11.5px", fontFamily: "var(--sans)" },
    x: scale(given.x, "x"), y: scale(given.y, "y"),
    marks: [...marksOf({ ...given, marks: [] }), Plot.frame({ stroke: "var(--rule)" }), ...given.series.flatMap((series, i) => seriesMarks(series, i, given)),
      ...marksOf({ ...given, shades: [] }),
      Plot.tip(all, Plot.pointer({ x: "x", y: "y", title: (one: Pair) => `${one.label}\n${number(one.x)}: ${number(one.y)}`,
        fill: "var(--card)", stroke: "var(--rule)", maxRadius: 60 }))],
  }) as SVGSVGElement & { value?: Pair | null; scale(name: string): { apply(x: number): number } };
  for (const part of svg.querySelectorAll("[aria-label],[aria-description]")) {
    part.removeAttribute("aria-label"); // of groups, which have no role: the whole is one picture
    part.removeAttribute("aria-description");
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${given.y.label || "values"} against ${given.x.label}: ${shown.map((one) => one.label).join(", ")}`);
  svg.addEventListener("input", () => given.point?.(svg.value ? svg.value.x : null));
  host.prepend(svg);
  places.set(host, (x) => svg.scale("x").apply(x));
}

const places = new WeakMap<HTMLElement, (x: number) => number>();

function extent(values: readonly number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** A line at x, in a chart that stands. */
export function pointAt(host: HTMLElement, x: number | null): void {
  const svg = host.querySelector("svg"), place = places.get(host);
  if (!svg || !place) return;
  let line = svg.querySelector<SVGLineElement>("line.pointed");
  const at = x === null ? NaN : place(x), right = svg.viewBox.baseVal.width - 14;
  if (!Number.isFinite(at) || at < 54 || at > right) {
    line?.remove();
    return;
  }
  if (!line) {
    line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "pointed");
    svg.append(line);
  }
  line.setAttribute("x1", String(at));
  line.setAttribute("x2", String(at));
  line.setAttribute("y1", "22");
  line.setAttribute("y2", String(svg.viewBox.baseVal.height - 36));
}

function tick(value: number): string {
  const power = Math.round(Math.log10(value));
  if (Math.abs(value / 10 ** power - 1) > 1e-9) return "";
  return power >= 0 && power < 5 ? String(10 ** power) : power < 0 && power > -3 ? String(value) : `10${superscript(power)}`;
}

// -------------------------------------------------------------------------------------------- what sinpos plot --json prints

interface FigureAxis {
  label: string;
  log: boolean;
  reversed: boolean;
  low: number | null;
  high: number | null;
}

export interface Figure {
  title: string;
  subtitle: string;
  x: FigureAxis;
  y: FigureAxis;
  columns: { name: string; values: (number | null)[] }[];
  series: { column: number; label: string; style: string; colour: number; thick: boolean; steps: boolean }[];
  marks: Mark[];
}

/** A figure of sinpos plot, drawn. */
export function figureChart(figure: Figure): Chart {
  const x = figure.columns[0]!.values.map((value) => value ?? NaN);
  const axis = (one: FigureAxis): Axis => ({ label: one.label, log: one.log, reversed: one.reversed,
    ...(one.low !== null && one.high !== null ? { domain: [one.low, one.high] } : {}) });
  return {
    x: axis(figure.x), y: axis(figure.y), marks: figure.marks.filter((mark) => mark.label !== "" || mark.kind !== "point"),
    series: figure.series.map((series) => ({
      label: series.label, x, y: figure.columns[series.column]!.values, colour: series.colour, style: series.style,
      thick: series.thick, steps: series.steps,
      ...(series.style === "band" ? { low: figure.columns[series.column + 1]!.values } : {}),
    })),
  };
}
