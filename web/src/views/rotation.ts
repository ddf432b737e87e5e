import { draw, number, shell } from "../page.js";
import type { View } from "../card.js";

function arrow(x: number, y: number, r: number, cosine: number, sine: number, stroke: string, label: string): SVGElement[] {
  const px = x + r * cosine, py = y - r * sine;
  return [draw("line", { x1: x, y1: y, x2: px, y2: py, stroke, "stroke-width": 3, "stroke-linecap": "round" }),
    draw("circle", { cx: px, cy: py, r: 5, fill: stroke }),
    draw("text", { x: x + (r + 22) * cosine, y: y - (r + 22) * sine + 4, fill: "var(--ink)", "font-size": 13, "text-anchor": "middle" }, label)];
}

/** The arc that M_k turns by, as points, each from C. */
export const rotation: View = {
  id: "rotation",
  pace: 30,
  title: "M_k: one rotation takes every row k further",
  about: "The selected pair at the selected position, and k positions later. The matrix is the same wherever one starts, and so "
    + "attention can learn it.",
  shape: "square",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.at, s.pair, s.offset],
  command: (s, env) => shell(["sinpos", "shift", ...env.encoding, "-k", String(s.offset)]),
  async draw({ client, env, state, stage, width, height, say }) {
    const plain = await env.plain();
    const from = await client.live("turn from", "rows", plain, state.at, 1, 1);
    const to = await client.live("turn to", "rows", plain, state.at + state.offset, 1, 1);
    const by = await client.live("turn by", "rows", plain, state.offset, 1, 1);
    const pair = Math.min(state.pair, Math.floor(from.columns / 2) - 1);
    const of = (rows: { values: Float32Array }): [number, number] => [rows.values[2 * pair + 1] ?? 1, rows.values[2 * pair] ?? 0];
    const [c, s] = of(by), r = Math.min(width / 2 - 70, (height - 96) / 2), x = width / 2, y = r + 34;
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `pair ${pair} at position ${state.at} and ${state.offset} later` },
      draw("circle", { cx: x, cy: y, r, fill: "none", stroke: "var(--rule)", "stroke-width": 1.5 }),
      draw("line", { x1: x - r, x2: x + r, y1: y, y2: y, stroke: "var(--rule)" }), draw("line", { x1: x, x2: x, y1: y - r, y2: y + r, stroke: "var(--rule)" }),
      ...arrow(x, y, r, ...of(from), "var(--line-0)", `m = ${state.at}`), ...arrow(x, y, r, ...of(to), "var(--line-1)", `m + ${state.offset}`));
    const digits = (value: number): string => value.toFixed(4).replace("-", "−");
    const line = (dy: number, text: string): SVGElement => draw("text", { x, y: y + r + dy, "text-anchor": "middle", fill: "var(--ink)", "font-size": 14, "font-family": "var(--mono)" }, text);
    const pad = (value: number): string => digits(value).padStart(7, "\u2007");
    svg.append(line(30, `⎡ ${pad(c)}  ${pad(s)} ⎤`), line(50, `⎣ ${pad(-s)}  ${pad(c)} ⎦`),
      draw("text", { x: x - 96, y: y + r + 40, "text-anchor": "end", fill: "var(--ink)", "font-size": 14, "font-family": "var(--mono)" }, `M_${state.offset} =`));
    stage.replaceChildren(svg);
    say(`pair ${pair}: (sine, cosine) at ${number(state.at + state.offset)} = M_${state.offset} · (sine, cosine) at ${number(state.at)}`);
  },
};
