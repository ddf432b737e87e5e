import { heat, key } from "../heat.js";
import { make, number, shell } from "../page.js";
import type { View } from "../card.js";

const MOST = 24;
const names = ["word · word", "word · position", "position · word", "position · position"];

/** A word twice has the same vector, so that repetitions show. */
export const sentence: View = {
  id: "sentence",
  pace: 60,
  title: "A sentence: the four terms of attention",
  about: "(x_m + p_m) · (x_n + p_n) taken apart. Words have seeded random vectors as long as the rows; the last term is the positions' "
    + "own, the middle two are noise between them: that is why adding does not spoil the words.",
  shape: "square",
  depends: (s) => [s.convention, s.set, s.dim, s.base, s.schedule, s.exponent, s.formula, s.more, s.layout, s.order, s.start, s.words],
  command: (_, env) => shell(["sinpos", "structure", ...env.encoding]),
  async draw({ client, env, state, stage, width, height, say, point }) {
    const words = (state.words.trim() || "a").split(/\s+/).slice(0, MOST), n = words.length;
    const options = [...env.encoding, "--type", "f64", ...(env.rowed.hasStart && state.start !== 0 ? ["--start", String(state.start)] : []),
      ...(env.rowed.hasLength ? ["--length", String(n)] : [])];
    const terms = await client.live("terms", "terms", options, words);
    let most = 1e-9;
    for (const value of terms) most = Math.max(most, Math.abs(value));
    const side = Math.floor(Math.min((width - 12) / 2, (height - 88) / 2));
    const grid = make("div", { class: "four" });
    const spread: string[] = [];
    for (let term = 0; term < 4; term++) {
      const values = terms.subarray(term * n * n, (term + 1) * n * n), canvas = make("canvas", { class: "main", width: String(side), height: String(side), role: "img", "aria-label": `${names[term]}: ${n} by ${n}` });
      heat(canvas, { values, rows: n, columns: n, map: "diverging", low: -most, high: most });
      canvas.onmousemove = (event) => {
        const box = canvas.getBoundingClientRect(), at = (x: number): number => Math.max(0, Math.min(n - 1, Math.floor((x / box.width) * n)));
        const m = at(event.clientY - box.top), k = at(event.clientX - box.left);
        say(`${names[term]}: ${words[m]} (${m}) and ${words[k]} (${k}): ${number(values[m * n + k]!, 4)}`);
        point(m);
      };
      spread.push(`${names[term]} ${number(Math.sqrt(values.reduce((sum, one) => sum + one * one, 0) / (n * n)), 3)}`);
      grid.append(make("figure", {}, canvas, make("figcaption", {}, names[term]!)));
    }
    stage.replaceChildren(grid, key("diverging", number(-most, 3), number(most, 3), "score, over √d"));
    say(`root mean squares: ${spread.join(", ")}`);
  },
  controls(host, store) {
    const input = make("input", { type: "text", value: store.state.words, "aria-label": "a sentence", maxlength: "400", spellcheck: "false" });
    input.oninput = () => store.change({ words: input.value }, false);
    input.onchange = () => store.change({ words: input.value });
    store.listen((state) => {
      if (document.activeElement !== input) input.value = state.words;
    });
    host.append(input);
  },
};
