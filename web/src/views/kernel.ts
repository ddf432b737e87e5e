import { chart, pointAt } from "../chart.js";
import { number, shell } from "../page.js";
import type { Context, View } from "../card.js";

const POINTS = 480, ZEROS = 24;

/** The continuum has no formula where frequencies are a list: then there is no such curve. */
async function continuum({ client, env, state }: Context, at: number[]): Promise<Float64Array | null> {
  if (state.convention !== "" && state.convention !== "vaswani") return null;
  return client.live("continuum", "continuum", env.encoding, state.schedule === "formula" ? state.formula : "", at);
}

export const kernel: View = {
  id: "kernel",
  pace: 120,
  title: "g(k): the product of two rows by their offset",
  about: "g(k) = p_m · p_(m−k) over g(0), its limit for infinitely many columns (a sum of 16384 tones; 'sinpos kernel' proves it), "
    + "and where g changes its sign. Below zero, far tokens repel.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.context, s.offset],
  command: (s, env) => shell(["sinpos", "kernel", ...env.encoding, "--offsets", `0:${s.context}`]),
  async draw(context) {
    const { client, env, state, stage, width, height, say, point } = context;
    const most = Math.max(8, Math.min(state.context, 1 << 24)), step = Math.max(1, Math.floor(most / POINTS));
    const at = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
    const g = await client.live("kernel", "kernel", env.encoding, at);
    const zeros = await client.live("zeros", "zeros", env.encoding, most, ZEROS);
    const limit = await continuum(context, at);
    chart(stage, width, height, {
      x: { label: "offset k" }, y: { label: "g(k) / g(0)" },
      series: [{ label: "g(k) / g(0)", x: at, y: g, colour: 0 },
        ...(limit ? [{ label: "continuum", x: at, y: limit, colour: 1, style: "dashed" }] : []),
        ...(zeros.length > 0 ? [{ label: "zeros of g", x: zeros, y: zeros.map(() => 0), colour: 2, style: "points" }] : [])],
      marks: [{ kind: "horizontal", x: 1, y: 0, label: "" }, ...(state.offset <= most ? [{ kind: "vertical", x: state.offset, y: null, label: `k = ${state.offset}` }] : [])],
      point: (k) => point(k === null ? null : Math.round(k)),
    });
    const i = Math.min(at.length - 1, Math.round(state.offset / step));
    say(`g(${number(at[i]!)}) / g(0) = ${number(g[i]!, 6)}; ${zeros.length === 0 ? `no change of sign below ${number(most)}` : `first change of sign at k = ${number(zeros[0]!, 7)}`}`);
  },
  hover: ({ stage }, at) => pointAt(stage, at),
};
