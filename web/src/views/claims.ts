import { make, shell } from "../page.js";
import type { View } from "../card.js";

interface Claim {
  id: string;
  verdict: string;
  why: string;
  statement: string;
  must_hold: boolean;
}

const MOST = 512;
const classes: Record<string, string> = { holds: "yes", "holds only if": "maybe", "does not hold": "no", "does not apply": "none" };

export const claims: View = {
  id: "claims",
  isJob: true,
  title: "What is claimed of this encoding, decided",
  about: "Articles say many things of position encodings. Each line is a claim, decided by numbers for the encoding shown, here in the page. "
    + "What needs a library that the page lacks says so.",
  shape: "text",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.layout, s.order, s.length],
  command: (s, env) => shell(["sinpos", "check", ...env.encoding, "--length", String(Math.min(s.length, MOST))]),
  async draw({ client, env, state, stage, say }) {
    const words = ["check", ...env.encoding, ...(env.rowed.hasLength ? ["--length", String(Math.min(state.length, MOST))] : [])];
    const { claims: list } = await client.job("claims", "json", words) as { claims: Claim[] };
    stage.replaceChildren(make("table", { class: "claims" }, make("thead", {}, make("tr", {}, ...["claim", "verdict", "because"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...list.map((one) => make("tr", {}, make("th", { scope: "row" }, one.statement),
        make("td", {}, make("span", { class: `verdict ${classes[one.verdict] ?? "none"}` }, one.verdict)), make("td", {}, one.why))))));
    const count = (verdict: string): number => list.filter((one) => one.verdict === verdict).length;
    say(`${list.length} claims: ${count("holds")} hold, ${count("holds only if")} hold only if, ${count("does not hold")} do not hold, ${count("does not apply")} do not apply`);
  },
};
