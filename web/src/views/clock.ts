import { draw, icon, make, number, shell } from "../page.js";
import { colour } from "../chart.js";
import type { Context, View } from "../card.js";

const HANDS = 12, AHEAD = 64;
let playing: ReturnType<typeof setInterval> | null = null;
let rows: { first: number; columns: number; values: Float32Array } | null = null;
let asked = 0;

function hands(columns: number): number[] {
  const half = Math.floor(columns / 2), n = Math.min(HANDS, half);
  return [...new Set(Array.from({ length: n }, (_, i) => Math.round((i * (half - 1)) / Math.max(1, n - 1))))];
}

/** One dial for each pair: the hand points at (cosine, sine). */
function dials({ stage, width, height, state }: Context, row: number): void {
  if (!rows || row < rows.first || row >= rows.first + AHEAD) return;
  const own = hands(rows.columns), across = width < 420 ? 3 : width < 700 ? 4 : 6, down = Math.ceil(own.length / across);
  const size = Math.min(width / across, (height - 4) / down), r = size / 2 - 18;
  const left = (width - across * size) / 2;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `clock hands of ${own.length} pairs at position ${row}` });
  own.forEach((pair, i) => {
    const x = left + ((i % across) + 0.5) * size, y = (Math.floor(i / across) + 0.5) * size - 4, at = (row - rows!.first) * rows!.columns + 2 * pair;
    const sine = rows!.values[at]!, cosine = rows!.values[at + 1] ?? 0, isChosen = pair === state.pair;
    svg.append(draw("circle", { cx: x, cy: y, r, fill: "none", stroke: isChosen ? "var(--accent)" : "var(--rule)", "stroke-width": isChosen ? 2 : 1.2 }),
      draw("line", { x1: x, y1: y, x2: x + r * cosine, y2: y - r * sine, stroke: colour(i % 6), "stroke-width": 3, "stroke-linecap": "round" }),
      draw("circle", { cx: x, cy: y, r: 2.5, fill: "var(--ink)" }),
      draw("text", { x, y: y + r + 13, "text-anchor": "middle", fill: "var(--muted)", "font-size": 11 }, `pair ${pair}`));
  });
  stage.replaceChildren(svg);
}

async function show(context: Context, row: number): Promise<void> {
  if (!rows || row < rows.first || row >= rows.first + AHEAD) {
    const number = ++asked, first = Math.max(0, row - AHEAD / 4);
    const { columns, values } = await context.client.live("clock", "rows", await context.env.plain(), first, 1, AHEAD);
    if (number !== asked) return;
    rows = { first, columns, values };
  }
  dials(context, row);
  context.say(`position ${number(row)}`);
}

export const clock: View = {
  id: "clock",
  title: "Clock hands",
  about: "Each pair of columns is a hand that turns with the position: seconds on the left of the table, years on the right. "
    + "Point at any other picture and the hands follow.",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.at, s.pair],
  command: (s, env) => shell(["sinpos", "table", ...env.encoding, "--positions", String(s.at)]),
  async draw(context) {
    rows = null;
    await show(context, context.state.at);
  },
  hover: (context, at) => void show(context, Math.max(0, at ?? context.store.state.at)).catch(() => undefined),
  controls(host, store) {
    const button = make("button", { type: "button", class: "quiet" }, icon("play"), " turn");
    const stop = (): void => {
      if (playing) clearInterval(playing);
      playing = null;
      button.replaceChildren(icon("play"), " turn");
    };
    button.onclick = () => {
      if (playing) {
        stop();
        store.change({ at: store.state.at });
        return;
      }
      button.replaceChildren(icon("stop"), " stop");
      playing = setInterval(() => store.change({ at: (store.state.at + 1) % Math.max(1, store.state.length) }, false), 120);
    };
    host.append(button);
  },
};
