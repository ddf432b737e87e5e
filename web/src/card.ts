// A card: title, what it shows, its picture at a fixed height, a line that says what is pointed at, its command and exports.
import type { Client } from "./client.js";
import { Stale } from "./client.js";
import { Refused } from "./engine.js";
import { saveFigure } from "./exports.js";
import { icon, make } from "./page.js";
import type { Env } from "./env.js";
import type { State, Store } from "./state.js";

export interface Context {
  state: Readonly<State>;
  env: Env;
  client: Client;
  store: Store;
  stage: HTMLElement;
  width: number;
  height: number;
  say(text: string): void;
  point(at: number | null): void;
}

export interface View {
  id: string;
  title: string;
  about: string;
  /** What it depends on: it is drawn again when this changes. */
  depends(state: Readonly<State>): unknown[];
  draw(context: Context): Promise<void>;
  /** The position that is pointed at in any card; null: none. */
  hover?(context: Context, at: number | null): void;
  command(state: Readonly<State>, env: Env): string;
  controls?(host: HTMLElement, store: Store): void;
  shape?: "wide" | "square" | "text";
  /** A command that takes long: begins when the state has come to rest, and a newer one ends it. */
  isJob?: boolean;
  /** Milliseconds between two drawings, so that a slider is never held up by a chart. */
  pace?: number;
}

const REST = 250;

export interface Deck {
  client: Client;
  store: Store;
  env(): Promise<Env>;
  point(at: number | null): void;
}

export class Card {
  readonly root: HTMLElement;
  private readonly stage: HTMLElement;
  private readonly said: HTMLElement;
  private readonly trouble: HTMLElement;
  private readonly line: HTMLElement;
  private drawn = "";
  private timer: ReturnType<typeof setTimeout> | null = null;
  private isDrawing = false;
  private width = 0; // of the stage
  private height = 0;
  private ended = 0;
  private isVisible = false;
  private context: Context | null = null;
  private running = 0;

  constructor(private readonly view: View, private readonly deck: Deck) {
    this.stage = make("div", { class: `stage ${view.shape ?? "wide"}`, id: `stage-${view.id}`,
      ...(view.shape === "text" ? { tabindex: "0", role: "region", "aria-labelledby": `title-${view.id}` } : {}) });
    this.said = make("p", { class: "said", "aria-live": "off" });
    this.trouble = make("div", { class: "trouble", role: "status", hidden: "" });
    this.line = make("code", { class: "line" });
    const own = make("div", { class: "own" });
    view.controls?.(own, deck.store);
    const copy = make("button", { type: "button", class: "quiet", title: "Copy the command" }, icon("copy"), " copy");
    copy.onclick = () => void navigator.clipboard?.writeText(this.line.textContent ?? "").then(() => {
      copy.lastChild!.textContent = " copied";
      setTimeout(() => (copy.lastChild!.textContent = " copy"), 1500);
    });
    const saves = (["svg", "png"] as const).map((kind) => {
      const button = make("button", { type: "button", class: "quiet", title: `Save the picture as .${kind}` }, `.${kind}`);
      button.onclick = () => void saveFigure(this.stage, `sinpos-${view.id}`, view.title, kind);
      return button;
    });
    this.root = make("section", { class: `card ${view.shape ?? "wide"}`, id: `view-${view.id}`, "aria-labelledby": `title-${view.id}` },
      make("h2", { id: `title-${view.id}` }, view.title), make("p", { class: "about" }, view.about), own,
      make("div", { class: "frame" }, this.stage, this.trouble), this.said,
      make("footer", {}, this.line, make("span", { class: "buttons" }, copy, ...(view.shape === "text" ? [] : saves))));
    new IntersectionObserver(([entry]) => {
      this.isVisible = entry!.isIntersecting;
      this.update();
    }, { rootMargin: "200px" }).observe(this.root);
    new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect, isOther = this.width > 0 && Math.round(width) !== this.width;
      this.width = Math.round(width);
      this.height = Math.round(height);
      if (isOther) this.again();
    }).observe(this.stage);
  }

  /** Draws anew even if nothing changed: other colours, another width. */
  again(): void {
    this.drawn = "";
    this.update();
  }

  update(): void {
    if (!this.isVisible) return;
    const key = JSON.stringify(this.view.depends(this.deck.store.state));
    if (key === this.drawn) return;
    const isFirst = this.running === 0, { isJob = false, pace = 0 } = this.view;
    if (isJob && !isFirst) {
      if (this.timer) clearTimeout(this.timer);
      this.timer = setTimeout(() => this.start(), REST);
    } else if (!this.isDrawing && !this.timer) {
      const wait = isFirst ? 0 : pace - (performance.now() - this.ended);
      if (wait > 0) this.timer = setTimeout(() => this.start(), wait);
      else this.start();
    }
  }

  private start(): void {
    this.timer = null;
    this.drawn = JSON.stringify(this.view.depends(this.deck.store.state));
    void this.draw(++this.running);
  }

  private async draw(number: number): Promise<void> {
    const state = this.deck.store.state;
    this.isDrawing = true;
    const slow = setTimeout(() => this.root.setAttribute("aria-busy", "true"), 150);
    this.root.dataset["drawing"] = "";
    try {
      const env = await this.deck.env();
      this.line.textContent = this.view.command(state, env);
      if (this.width === 0) {
        this.width = this.stage.clientWidth;
        this.height = this.stage.clientHeight;
      }
      this.context = { ...this.deck, state, env, stage: this.stage, width: Math.max(240, this.width), height: this.height, say: (text) => void (this.said.textContent = text) };
      await this.view.draw(this.context);
      if (number === this.running) this.show(null);
    } catch (thrown) {
      if (!(thrown instanceof Stale) && number === this.running) this.show(thrown);
    } finally {
      clearTimeout(slow);
      if (number === this.running) {
        this.root.removeAttribute("aria-busy");
        delete this.root.dataset["drawing"];
        this.root.dataset["drawn"] = String(number);
        this.isDrawing = false;
        this.ended = performance.now();
        this.update();
      }
    }
  }

  private show(thrown: unknown): void {
    this.trouble.hidden = thrown === null;
    this.stage.classList.toggle("gone", thrown !== null);
    this.trouble.replaceChildren();
    if (thrown === null) return;
    const { why, hint } = thrown instanceof Refused ? thrown : { why: String(thrown), hint: "" };
    this.trouble.append(make("strong", {}, why), ...(hint === "" ? [] : [make("span", {}, hint)]));
    if (!(thrown instanceof Refused)) console.error(thrown);
  }

  hover(at: number | null): void {
    if (this.isVisible && this.context && this.view.hover && !this.trouble.textContent) this.view.hover(this.context, at);
  }
}
