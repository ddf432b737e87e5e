import { make, number, shell } from "../page.js";
import type { View } from "../card.js";

interface Answer {
  length: number;
  smallest_distance: number;
  offset: number;
  types: { type: string; distinct: number; all_distinct: boolean; nearest: { distance: number; earlier: number; later: number } | null;
    first_collision: { earlier: number; later: number } | null }[];
}

export const collisions: View = {
  id: "collisions",
  isJob: true,
  title: "Rows that a type makes equal",
  about: "Exact rows all differ. Rounded to bfloat16 with few columns, distant positions become the same bytes (with dim 2, row 711 is "
    + "row 1 again): no model tells them apart. Every pair is compared, none is sampled.",
  shape: "text",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.length],
  command: (_, env) => shell(["sinpos", "separate", ...env.encoding, ...env.positions]),
  async draw({ client, env, stage, say, store }) {
    const answer = await client.job("separate", "json", ["separate", ...env.encoding, ...env.positions]) as Answer;
    const rows = answer.types.map((one) => {
      const part = one.distinct / answer.length, at = one.first_collision;
      const look = at ? make("button", { type: "button", class: "quiet" }, `${number(at.earlier)} = ${number(at.later)}`) : null;
      if (look) look.onclick = () => store.change({ at: at!.earlier, offset: at!.later - at!.earlier });
      return make("tr", {}, make("th", { scope: "row" }, one.type),
        make("td", {}, make("span", { class: "bar", role: "img", "aria-label": `${(100 * part).toFixed(1)} %` }, make("span", { style: `width:${100 * part}%` }))),
        make("td", { class: "n" }, number(one.distinct)), make("td", {}, ...(look ? [look] : ["none"])),
        make("td", { class: "n" }, one.nearest ? number(one.nearest.distance, 5) : "–"));
    });
    stage.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...["type", "", "different rows", "first equal rows", "nearest rows"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows)));
    const bad = answer.types.filter((one) => !one.all_distinct);
    say(bad.length === 0 ? `All ${number(answer.length)} rows differ in every type; the nearest are ${number(answer.smallest_distance, 5)} apart, at offset ${answer.offset}.`
      : `${bad.map((one) => `${one.type} keeps ${number(one.distinct)} of ${number(answer.length)} rows apart`).join("; ")}.`);
  },
};
