import { chart, type Series } from "../chart.js";
import { shell } from "../page.js";
import type { View } from "../card.js";
import type { State } from "../state.js";

const kinds = [["default", "as trained"], ["linear", "linear interpolation"], ["dynamic", "NTK (dynamic)"], ["yarn", "YaRN"], ["llama3", "llama3"]] as const;

function words(s: Readonly<State>, kind: string): string[] {
  const factor = Math.max(1, s.context / s.train), set = (key: string, value: string | number): string[] => ["--set", `${key}=${value}`];
  return ["--convention", "hf_rope", ...set("head_dim", s.dim), ...set("rope_theta", s.base), ...set("rope_type", `"${kind}"`),
    ...(kind === "default" ? [] : [...set("factor", factor), ...set("original_max_position_embeddings", s.train),
      ...(kind === "dynamic" ? [...set("max_position_embeddings", s.train), ...set("seq_len", s.context)] : set("max_position_embeddings", s.context))])];
}

export const scalings: View = {
  id: "scalings",
  pace: 120,
  title: "Stretching a context: four ways on one axis",
  about: "The wavelength of each tone as trained, and as each method stretches it to the context. Shaded: what fits into the "
    + "training length. Linear slows all tones alike, NTK and YaRN keep the fast ones, llama3 bends between two limits.",
  depends: (s) => [s.dim, s.base, s.context, s.train],
  command: (s) => shell(["sinpos", "table", ...words(s, "yarn"), "--set", "output=inv_freq", "-o", "yarn.npy"]),
  async draw({ client, state, stage, width, height, say }) {
    const series: Series[] = [];
    for (const [colour, [kind, label]] of kinds.entries()) {
      const theta = await client.live(`scaling ${kind}`, "theta", words(state, kind));
      series.push({ label, colour: kind === "default" ? 6 : colour - 1, style: ["line", "dashed", "line", "line", "dotted"][colour]!,
        thick: kind === "default", x: Float64Array.from(theta, (_, i) => i), y: Float64Array.from(theta, (one) => (2 * Math.PI) / one) });
    }
    const low = Math.min(...series.map((one) => one.y[0]!));
    chart(stage, width, height, { x: { label: "tone i" }, y: { label: "wavelength, in positions", log: true }, series,
      shades: [{ axis: "y", from: low, to: state.train, label: `trained: ${state.train} positions` }],
      marks: [{ kind: "horizontal", x: 0, y: state.context, label: `context ${state.context}` }] });
    say(state.context > state.train ? `stretched by ${state.context / state.train}` : "The context is not longer than the training length: nothing is stretched.");
  },
};
