import { chart, pointAt, type Series } from "../chart.js";
import { shell } from "../page.js";
import type { View } from "../card.js";

const SHOWN = 120;

export const waves: View = {
  id: "waves",
  pace: 120,
  title: "Waves",
  about: "The selected pair of columns and two slower ones, over the rows around the selected one. Sines are lines, cosines dashed.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.layout, s.order, s.arithmetic, s.type, s.start, s.length, s.at, s.pair],
  command: (s, env) => shell(["sinpos", "plot", "waves", ...env.encoding, "--start", String(Math.max(0, s.at - SHOWN / 2)), "--length", String(SHOWN), "-o", "waves.svg"]),
  async draw({ client, env, state, stage, width, height, say, point }) {
    const shape = await client.live("waves shape", "shape", env.table);
    const n = Math.min(SHOWN, shape.rows), first = Math.max(0, Math.min(shape.rows - n, state.at - SHOWN / 2));
    const { columns, values } = await client.live("waves", "rows", env.table, first, 1, n);
    const own = await client.live("waves pairs", "pairs", env.table), half = own.length > 0 ? own.length / 2 : Math.ceil(columns / 2);
    const columnsOf = (tone: number): number[] => (own.length > 0 ? [own[2 * tone]!, own[2 * tone + 1]!] : [2 * tone, 2 * tone + 1]);
    const pair = Math.min(state.pair, half - 1), apart = Math.max(1, Math.round(half / 8));
    const x = Float64Array.from({ length: n }, (_, i) => state.start + first + i);
    const series = [0, 1, 2].map((k) => pair + k * apart).filter((one) => one < half).flatMap((one, k): Series[] =>
      columnsOf(one).filter((column) => column >= 0 && column < columns).map((column, kind) => ({
        label: `column ${column}`, colour: k, style: kind === 0 ? "line" : "dashed", x,
        y: Float64Array.from({ length: n }, (_, i) => values[i * columns + column]!),
      })));
    chart(stage, width, height, { x: { label: "position" }, y: { label: "element", domain: [-1.05, 1.05] }, series,
      marks: [{ kind: "vertical", x: state.start + state.at, y: null, label: "selected" }],
      point: (at) => point(at === null ? null : Math.round(at) - state.start) });
    say(`rows ${first} to ${first + n - 1} of ${shape.rows}; pair ${pair} of ${half}`);
  },
  hover: ({ stage, state }, at) => pointAt(stage, at === null ? null : at + state.start),
};
