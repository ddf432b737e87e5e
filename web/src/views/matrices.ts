import { canvasIn, heat, key } from "../heat.js";
import { make, number, shell } from "../page.js";
import type { View } from "../card.js";

const MOST = 256;
const words = { product: "product p_m · p_n", distance: "distance |p_m − p_n|", cosine: "cosine of the angle" } as const;

export const matrices: View = {
  id: "matrices",
  pace: 60,
  title: "Every two positions",
  about: "Products, distances or cosines of the rows, as their type holds them. Exact rows give stripes: only the offset "
    + "m − n counts. Where the stripes break, rounded arithmetic has lost it.",
  shape: "square",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.layout, s.order, s.arithmetic, s.type, s.start, s.length, s.matrix],
  command: (s, env) => (s.matrix === "distance" && s.arithmetic === "exact" && env.rowed.hasLength
    ? shell(["sinpos", "distance", ...env.encoding, "--length", String(Math.min(s.length, MOST)), "-o", "distance.npy"])
    : shell(["sinpos", "table", ...env.table, "-o", "rows.npy"])),
  async draw({ client, env, state, stage, width, height, say, point, store }) {
    const what = (state.matrix in words ? state.matrix : "product") as keyof typeof words;
    const shape = await client.live("matrix shape", "shape", env.table), n = Math.min(MOST, shape.rows);
    const values = await client.live("matrix", "matrix", env.table, what, 0, n);
    const side = Math.min(width, height - 42);
    const canvas = canvasIn(stage, side, side, `${words[what]} of ${n} positions, as colours`);
    const high = Math.max(...[0, 1, 2].map((i) => values[i * n + i] ?? 0));
    let most = 1e-9;
    for (const value of values) if (value > most) most = value;
    const top = what === "product" ? Math.max(high, 1e-9) : what === "cosine" ? 1 : most;
    heat(canvas, { values, rows: n, columns: n, map: what === "distance" ? "sequential" : "diverging", low: what === "distance" ? 0 : -top, high: top });
    stage.querySelectorAll(".key").forEach((one) => one.remove());
    stage.append(key(what === "distance" ? "sequential" : "diverging", what === "distance" ? "0" : number(-top), number(top), words[what]));
    const cell = (event: MouseEvent): [number, number] => {
      const box = canvas.getBoundingClientRect(), at = (x: number): number => Math.max(0, Math.min(n - 1, Math.floor((x / box.width) * n)));
      return [at(event.clientY - box.top), at(event.clientX - box.left)];
    };
    canvas.onmousemove = (event) => {
      const [m, k] = cell(event);
      say(`m = ${m}, n = ${k}, offset ${m - k}: ${number(values[m * n + k]!, 6)}`);
      point(m);
    };
    canvas.onmouseleave = () => point(null);
    canvas.onclick = (event) => {
      const [m, k] = cell(event);
      store.change({ at: Math.min(m, k), offset: Math.abs(m - k) });
    };
    canvas.onkeydown = (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const at = Math.max(0, Math.min(n - 1, store.state.at + step)), k = Math.min(n - 1, at + store.state.offset);
      store.change({ at }, false);
      say(`m = ${at}, n = ${k}: ${number(values[at * n + k]!, 6)}`);
    };
    say(`the first ${n} rows${n < shape.rows ? ` of ${number(shape.rows)}` : ""}`);
  },
  controls(host, store) {
    const box = make("div", { class: "choice", role: "group", "aria-label": "what is compared" });
    for (const value of ["product", "distance", "cosine"]) {
      const button = make("button", { type: "button", "aria-pressed": String(store.state.matrix === value) }, `${value}s`);
      button.onclick = () => store.change({ matrix: value });
      store.listen((state) => button.setAttribute("aria-pressed", String(state.matrix === value)));
      box.append(button);
    }
    host.append(box);
  },
};
