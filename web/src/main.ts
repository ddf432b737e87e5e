// Boots the page: unpacks the module, starts the workers, puts controls and cards in their places.
import "./style.css";
import { Card, type Deck, type View } from "./card.js";
import { Client, Stale } from "./client.js";
import { consoleOf } from "./console.js";
import { controls } from "./controls.js";
import { Refused } from "./engine.js";
import { envOf, type Env } from "./env.js";
import { lines, saveTable } from "./exports.js";
import { files } from "./files.js";
import { icon, isDark, make, number, shell } from "./page.js";
import { Store, written } from "./state.js";
import { story } from "./story.js";
import { claims } from "./views/claims.js";
import { clock } from "./views/clock.js";
import { collisions } from "./views/collisions.js";
import { errors } from "./views/errors.js";
import { base, nearFar, others, wavelengths } from "./views/figures.js";
import { heatmap } from "./views/heatmap.js";
import { kernel } from "./views/kernel.js";
import { matrices } from "./views/matrices.js";
import { rotation } from "./views/rotation.js";
import { scalings } from "./views/scalings.js";
import { sentence } from "./views/sentence.js";
import { waves } from "./views/waves.js";

const views: View[] = [errors, heatmap, waves, clock, matrices, rotation, kernel, nearFar, wavelengths, base, scalings, collisions,
  sentence, claims, others];
const short: Record<string, string> = { error: "errors", heatmap: "table", waves: "waves", clock: "clock", matrices: "pairs", rotation: "M_k",
  kernel: "g(k)", "near-far": "near, far", wavelengths: "wavelengths", base: "base", scalings: "scalings", collisions: "collisions",
  sentence: "attention", claims: "claims", more: "more", files: "files" };

const $ = (id: string): HTMLElement => document.getElementById(id)!;

/** The module, as it lies compressed in the page. */
async function moduleOf(): Promise<WebAssembly.Module> {
  const text = atob($("module").textContent!.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  $("module").remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

/** The line about the table as a whole: its shape, its hash, and what makes it. */
function table(host: HTMLElement, client: Client, store: Store, env: () => Promise<Env>): void {
  const what = make("p", { class: "what" }), hash = make("code", { class: "hash" }, "…");
  const choice = make("select", { "aria-label": "which line" }, ...["shell", "Python", "C"].map((one) => make("option", {}, one)));
  const code = make("pre", { class: "lines", tabindex: "0", "aria-label": "the lines that make this table" });
  const said = make("span", { class: "said", role: "status" });
  const save = ["npy", "safetensors", "h"].map((ending) => {
    const button = make("button", { type: "button", class: "quiet" }, `.${ending}`);
    button.onclick = async () => {
      said.textContent = "writing …";
      const { length, dim } = store.state;
      said.textContent = await saveTable(client, await env(), ending, length, dim).catch((thrown) => (thrown instanceof Refused ? thrown.why : String(thrown)));
    };
    return button;
  });
  host.append(make("div", { class: "ident" }, what, make("p", {}, make("span", { class: "label" }, "SHA-256"), " ", hash)),
    make("details", {}, make("summary", {}, "Take it along"), make("div", { class: "take" }, make("span", {}, "the table as"), ...save, said), make("div", { class: "take" }, choice), code));
  choice.onchange = () => void update();
  let number_ = 0, last = "";
  const update = async (): Promise<void> => {
    const own = ++number_, state = store.state;
    try {
      const now = await env();
      code.textContent = lines(now, state)[choice.value]!;
      const key = shell(now.table);
      if (key === last || own !== number_) return;
      const shape = await client.live("shape", "shape", now.table);
      what.textContent = `${number(shape.rows)} × ${number(shape.columns)} ${state.type}, ${state.convention || "stated by numbers"}, ${state.arithmetic}`;
      host.classList.remove("bad");
      if (shape.rows * shape.columns > 2 ** 24) {
        hash.textContent = "large: sinpos table --hash prints it";
        return;
      }
      hash.textContent = "…";
      await new Promise((after) => setTimeout(after, 250));
      if (own !== number_) return;
      const done = await client.job("hash", "command", ["table", ...now.table, "--hash"]);
      if (own !== number_) return;
      hash.textContent = done.out.trim();
      last = key;
    } catch (thrown) {
      if (thrown instanceof Stale || own !== number_) return;
      const { why, hint } = thrown instanceof Refused ? thrown : { why: String(thrown), hint: "" };
      host.classList.add("bad");
      what.textContent = why;
      hash.textContent = hint;
    }
  };
  store.listen((state, before) => {
    if (["at", "pair", "offset"].some((one) => state[one as "at"] !== before[one as "at"])) return;
    void update();
  });
  void update();
}

function theme(): void {
  const button = $("theme"), kept = (() => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  })();
  if (kept) document.documentElement.dataset["theme"] = kept;
  const show = (): void => void (button.textContent = isDark() ? "light" : "dark");
  button.onclick = () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem("theme", next);
    } catch { /* a page from disk may not keep anything */ }
    show();
    dispatchEvent(new Event("theme"));
  };
  show();
}

function go(view: string): void {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.getElementById(`view-${view}`)?.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
}

async function boot(): Promise<void> {
  theme();
  const store = new Store(), client = new Client(await moduleOf());
  let env: { key: string; made: Promise<Env> } | null = null;
  const envNow = (): Promise<Env> => {
    const key = written({ ...store.state, at: 0, pair: 0, offset: 0 });
    if (env?.key !== key) env = { key, made: envOf(client, store.state) };
    return env.made;
  };
  const cards: Card[] = [];
  let frame = 0;
  const deck: Deck = { client, store, env: envNow,
    point: (at) => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => cards.forEach((card) => card.hover(at)));
    } };
  for (const view of views) {
    const card = new Card(view, deck);
    cards.push(card);
    $("cards").append(card.root);
  }
  for (const [id, name] of Object.entries(short)) {
    const link = make("a", { href: `#view-${id}` }, name);
    link.onclick = (event) => {
      event.preventDefault();
      go(id);
      $(`view-${id}`).querySelector("h2")?.setAttribute("tabindex", "-1");
      $(`view-${id}`).querySelector("h2")?.focus({ preventScroll: true });
    };
    $("nav").append(link);
  }
  story($("story"), store, go);
  files($("view-files"), client, store);
  table($("table"), client, store, envNow);
  store.listen(() => cards.forEach((card) => card.update()));
  const again = (): void => cards.forEach((card) => card.again());
  addEventListener("theme", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  (window as unknown as { sinpos: unknown }).sinpos = consoleOf(client);
  const open = make("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": "controls" }, icon("right"), " controls");
  open.onclick = () => open.setAttribute("aria-expanded", String(document.body.classList.toggle("open")));
  $("nav").prepend(open);
  const listed = controls($("controls"), client, store);
  document.documentElement.dataset["ready"] = "";
  await listed;
}

boot().catch((thrown) => {
  console.error(thrown);
  $("main").prepend(make("div", { class: "trouble", role: "alert" }, make("strong", {}, `The page could not start: ${String(thrown)}`),
    make("span", {}, "It needs WebAssembly and DecompressionStream: a browser of 2023 or newer.")));
});
