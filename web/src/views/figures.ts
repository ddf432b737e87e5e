// Views that are figures of sinpos plot as they stand.
import { chart, figureChart, type Figure, type Shade } from "../chart.js";
import { Stale } from "../client.js";
import { make, number, shell } from "../page.js";
import type { Context, View } from "../card.js";
import type { Store } from "../state.js";

/** Draws outside its turn; what a newer state has ended says nothing. */
function drawNow(view: View, context: Context): void {
  view.draw(context).catch((thrown) => thrown instanceof Stale || context.say(String(thrown.why ?? thrown)));
}

async function figure(context: Context, key: string, words: string[], shades: Shade[] = []): Promise<Figure> {
  const { client, stage, width, height } = context;
  const made = await client.job(key, "json", words) as Figure;
  chart(stage, width, height, { ...figureChart(made), shades });
  return made;
}

export const nearFar: View = {
  id: "near-far",
  isJob: true,
  title: "Which tones tell near from far?",
  about: "The share of the squared distance of two rows that lies in the first n tones. One step apart, the fast tones do it all; "
    + "ten thousand apart, the slow ones still add.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more],
  command: (_, env) => shell(["sinpos", "plot", "near-far", ...env.encoding, "-o", "near-far.svg"]),
  async draw(context) {
    const made = await figure(context, "near-far", ["plot", "near-far", ...context.env.encoding]);
    context.say(made.subtitle);
  },
};

export const wavelengths: View = {
  id: "wavelengths",
  isJob: true,
  title: "Wavelengths against the context",
  about: "How many positions each tone needs for one turn. Tones longer than the context never come back: they count, the others repeat.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.context],
  command: (s, env) => shell(["sinpos", "plot", "wavelengths", ...env.encoding, "--context", String(s.context), "-o", "wavelengths.svg"]),
  async draw(context) {
    const made = await figure(context, "wavelengths", ["plot", "wavelengths", ...context.env.encoding, "--context", String(context.state.context)]);
    context.say(made.subtitle);
  },
};

interface Found {
  base_lower: number;
  base_upper: number;
  robust_base: number | null;
  violated_at: number | null;
  outcome: string;
}

/** Seconds that the search takes here, within a factor of two: measured for dims of 128 and 512, contexts to 131072. */
const seconds = (context: number, dim: number): number => 0.3 * (context / 4096) * (dim / 128) ** 1.75;
const PATIENCE_S = 12;
let asked = "";

/** Long searches begin when they are asked for. */
function offer(context: Context, key: string, about: number): void {
  const { stage, say } = context, button = make("button", { type: "button", class: "offer" }, "search here");
  button.onclick = () => {
    asked = key;
    drawNow(base, context);
  };
  stage.replaceChildren(button);
  say(`The search takes some ${number(about, 1)} seconds in the page. Several times faster: sinpos ${key}`);
}

export const base: View = {
  id: "base",
  isJob: true,
  title: "Which base for this context?",
  about: "The least g(k) over the context, for each base: below zero, some offset repels. b* is the smallest base without such "
    + "an offset. The search runs here in double precision.",
  depends: (s) => [s.convention, s.schedule, s.dim, s.context],
  command: (s) => shell(["sinpos", "base", "--context", String(s.context), "--dim", String(s.dim)]),
  async draw(context) {
    const { client, state, say, stage } = context, words = ["--context", String(state.context), "--dim", String(state.dim)];
    const key = ["base", ...words].join(" "), about = seconds(state.context, state.dim);
    if (about > PATIENCE_S && asked !== key) return offer(context, key, about);
    say("looking for b* …");
    stage.replaceChildren();
    const found = await client.job("base", "json", ["base", ...words]) as Found;
    const proof = `Found; prove it with: sinpos base --context ${state.context} --dim ${state.dim}`;
    const answer = found.outcome !== "found" ? `Outcome: ${found.outcome}.`
      : `b* = ${number(found.base_upper, 9)}${found.robust_base ? `; from ${number(found.robust_base, 6)} on every base passes` : ""}. ${proof}`;
    say(`${answer} — the landscape is on its way …`);
    await figure(context, "landscape", ["plot", "base", ...words]);
    say(answer);
  },
};

const more: [string, string][] = [["separation", "smallest distance below n, for several dims"], ["spectrum", "spectra of columns"],
  ["distance-law", "distance against offset, with the logarithmic law"], ["kernel", "g(k) and its envelope"]];
let chosen = "separation";
let redraw = (): void => undefined;

export const others: View = {
  id: "more",
  isJob: true,
  title: "More curves",
  about: "Further figures of sinpos plot.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, chosen],
  command: (_, env) => shell(["sinpos", "plot", chosen, ...env.encoding, "-o", `${chosen}.svg`]),
  async draw(context) {
    redraw = () => drawNow(others, context);
    const made = await figure(context, "more", ["plot", chosen, ...context.env.encoding]);
    context.say(`${made.title}: ${made.subtitle}`);
  },
  controls(host: HTMLElement, _: Store) {
    const select = make("select", { "aria-label": "which figure" }, ...more.map(([value, text]) => make("option", { value }, text)));
    select.onchange = () => {
      chosen = select.value;
      redraw();
    };
    host.append(select);
  },
};
