import { chart, figureChart, type Figure } from "../chart.js";
import { shell } from "../page.js";
import type { View } from "../card.js";

const LENGTHS = [512, 8192, 131072];

/** The story begins here: what other code makes of the same formula. */
export const errors: View = {
  id: "error",
  isJob: true,
  title: "How wrong is the arithmetic in use?",
  about: "The largest error of a cosine below each number of positions, for the ways in which published code computes the "
    + "angle. An error of 2 is the wrong sign at full size. Exact arithmetic, rounded once, stays on the lowest line.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more],
  command: (_, env) => shell(["sinpos", "plot", "error", ...env.encoding, "--length", "131072", "-o", "error.svg"]),
  async draw({ client, env, stage, width, height, say, state, point }) {
    say("first positions …");
    for (const length of LENGTHS) {
      const figure = await client.job("error", "json", ["plot", "error", ...env.encoding, "--length", String(length)]) as Figure;
      const given = figureChart(figure);
      given.x.domain = [2, LENGTHS[LENGTHS.length - 1]!];
      given.point = (x) => point(x === null ? null : Math.round(x) - state.start);
      chart(stage, width, height, given);
      const worst = figure.columns.slice(1).map((one) => ({ name: one.name, error: one.values[one.values.length - 1] ?? 0 }))
        .sort((a, b) => b.error - a.error);
      const isLast = length === LENGTHS[LENGTHS.length - 1];
      say(`Below ${length.toLocaleString("en")} positions the largest error is ${worst[0]!.error.toPrecision(3)} (${worst[0]!.name}), `
        + `the smallest ${worst[worst.length - 1]!.error.toPrecision(2)} (${worst[worst.length - 1]!.name}).${isLast ? "" : " More positions are on their way …"}`);
    }
  },
};
