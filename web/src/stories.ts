// The three documents, told with pictures, in our own words. Each step is a state and the view to look at.
import type { State } from "./state.js";

export interface Step {
  title: string;
  text: string;
  view: string;
  state: Partial<State>;
}

export interface Story {
  name: string;
  title: string;
  steps: Step[];
}

export const stories: Story[] = [
  {
    name: "start", title: "Start here",
    steps: [
      { title: "The same formula, other numbers", view: "error", state: {},
        text: "Everybody writes sin(p θ). Published code rounds the angle on its way there, and what comes out depends on whose code it is. "
          + "With positions kept in bfloat16, cosines are wrong by nearly their full size from position 257 on." },
      { title: "Where it goes wrong", view: "heatmap", state: { map: "error", length: 1024, at: 300, arithmetic: "bfloat16-positions" },
        text: "The error map of the same arithmetic: bright is wrong. Fast columns suffer first, and the error grows with the position in steps: bfloat16 "
          + "has 8 bits, so it holds whole numbers up to 256 only." },
      { title: "What is lost", view: "matrices", state: { arithmetic: "bfloat16-positions", matrix: "product", length: 1024, start: 900 },
        text: "Exact products of rows depend on the offset alone: stripes. With rounded positions whole blocks of positions share one row, and the stripes break." },
      { title: "Exact, and fast", view: "heatmap", state: { arithmetic: "exact", map: "value" },
        text: "Here each element is the real number, rounded once. The hash at the top of the page is the one that 'sinpos table --hash' prints, on any machine." },
    ],
  },
  {
    name: "questions", title: "Three questions about positions",
    steps: [
      { title: "Why does adding not spoil the words?", view: "sentence", state: { dim: 384 },
        text: "In hundreds of dimensions two independent vectors are nearly orthogonal. Look at the two middle squares: word with position stays near zero, "
          + "while words and positions each keep their own pattern. With dim 8 the four look alike: try the slider." },
      { title: "Why sine and cosine?", view: "rotation", state: { pair: 3, offset: 8, at: 20 },
        text: "One sine says how high the hand stands, not whether it rises or falls. With its cosine the pair is a point on a circle, and moving by k "
          + "positions is one rotation, the same from everywhere." },
      { title: "Are the columns orthogonal?", view: "claims", state: { dim: 128, length: 512 },
        text: "Often said, rarely checked. The table decides it by numbers, with everything else that is said of position encodings." },
    ],
  },
  {
    name: "origins", title: "Where the formula comes from",
    steps: [
      { title: "Ask for g(m − n)", view: "matrices", state: { matrix: "product", dim: 128, length: 256 },
        text: "If the product of two positions is to depend on their distance alone, rotations are the natural answer: the matrix has stripes, nothing else." },
      { title: "Sums of cosines decay", view: "kernel", state: { dim: 128, context: 512, offset: 64 },
        text: "One cosine does not decay. A sum of many different cosines does. The dashed curve is the integral that the sum approaches. "
          + "No theorem keeps the sum positive." },
      { title: "10000 is a choice", view: "kernel", state: { dim: 128, context: 512, schedule: "formula", formula: "exp(-6.9078*t)" },
        text: "Almost any smooth schedule decays. This is 1000^-t: it falls faster far away. Write others into the field θ(t): 1-t dips below zero early, t^2 falls fast near." },
      { title: "H is the identity, or not", view: "sentence", state: { dim: 128 },
        text: "All of this assumes that attention compares positions with the identity between them. The last square is p_m · p_n; the others stand beside it in real attention." },
      { title: "Then choose the base", view: "base", state: { dim: 128, context: 4096 },
        text: "The article would pick 1000 by eye. If g(k) is to stay above zero over the whole context, the smallest base can be computed: it depends on context and width." },
    ],
  },
  {
    name: "properties", title: "Four properties, looked at",
    steps: [
      { title: "Periodic", view: "waves", state: { dim: 4, length: 128, at: 50, pair: 0 },
        text: "With four columns one sees it all: two hands, one turning each 6.28 positions, one each 628." },
      { title: "Unique", view: "collisions", state: { dim: 2, length: 65536 },
        text: "Two positions never share a row, as 2π is irrational. True of real numbers. With two columns bfloat16 keeps 5,752 of 65,536 rows apart: 711 has the "
          + "bytes of 1. With four it takes a million rows, with six none of a million collide." },
      { title: "Only the distance counts", view: "matrices", state: { dim: 128, matrix: "distance", length: 256 },
        text: "The distance of two rows depends on how far apart they are, not on where: each diagonal has one colour." },
      { title: "Linear", view: "rotation", state: { dim: 128, pair: 6, at: 40, offset: 25 },
        text: "p(t + k) = M_k p(t). The matrix is written below the circle; it has k in it, and no t." },
    ],
  },
];
