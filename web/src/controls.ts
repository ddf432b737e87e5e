// What is shown, as fields and sliders; each is labelled, works from the keyboard, and ends in the address.
import type { Client } from "./client.js";
import { envOf } from "./env.js";
import { make } from "./page.js";
import { initial, ranges, TYPES, type State, type Store } from "./state.js";

type Key = keyof State;

let fields = 0;

function field(text: string, control: HTMLElement, note = ""): HTMLElement {
  const id = control.id || `field-${++fields}`;
  control.id = id;
  return make("div", { class: "field" }, make("label", { for: id }, text), control, ...(note ? [make("small", {}, note)] : []));
}

/** A number with a slider whose steps are even in its logarithm. */
function slider(store: Store, key: Key, text: string, low: number, high: number, isLog: boolean, isWhole = true): HTMLElement {
  const to = (value: number): number => (isLog ? Math.log2(Math.max(value, 1e-9)) : value);
  const number = make("input", { type: "number", step: "any", inputmode: "decimal" });
  const range = make("input", { type: "range", min: String(to(low)), max: String(to(high)), step: isLog ? "0.05" : "1", "aria-label": `${text}, slider` });
  const show = (state: Readonly<State>): void => {
    const value = state[key] as number;
    if (document.activeElement !== number) number.value = String(value);
    range.value = String(to(value));
  };
  const take = (value: number, isEnd: boolean): void => {
    const [least, most] = ranges[key] ?? [-Infinity, Infinity];
    const isGood = Number.isFinite(value) && (!isWhole || Number.isInteger(value)) && value >= least && value <= most;
    number.setCustomValidity(isGood ? "" : `a ${isWhole ? "whole " : ""}number from ${least} to ${most}`);
    number.setAttribute("aria-invalid", String(!isGood));
    if (isGood) store.change({ [key]: value }, isEnd);
    else if (isEnd) number.reportValidity();
  };
  number.oninput = () => number.value !== "" && take(Number(number.value), false);
  number.onchange = () => {
    if (number.value === "") show(store.state);
    else take(Number(number.value), true);
  };
  const moved = (): number => {
    const value = isLog ? 2 ** Number(range.value) : Number(range.value);
    if (!isWhole) return Number(value.toPrecision(4));
    return key === "dim" ? Math.max(2, 2 * Math.round(value / 2)) : Math.round(value);
  };
  range.oninput = () => take(moved(), false);
  range.onchange = () => take(moved(), true);
  store.listen(show);
  show(store.state);
  const box = field(text, number);
  box.classList.add("slider");
  box.append(range);
  return box;
}

function select(store: Store, key: Key, text: string, options: readonly (string | [string, string])[], note = ""): HTMLElement {
  const control = make("select", {}, ...options.map((one) => (typeof one === "string" ? make("option", { value: one }, one) : make("option", { value: one[0] }, one[1]))));
  control.onchange = () => store.change({ [key]: control.value });
  const show = (state: Readonly<State>): void => void (control.value = String(state[key]));
  store.listen(show);
  show(store.state);
  return field(text, control, note);
}

function text(store: Store, key: Key, label: string, note: string): HTMLElement {
  const control = make("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  control.onchange = () => store.change({ [key]: control.value.trim() });
  const show = (state: Readonly<State>): void => void (control.value = String(state[key]));
  store.listen(show);
  show(store.state);
  return field(label, control, note);
}

const schedules: [string, string][] = [["geometric", "geometric: b^(−i / h)"], ["power", "power: (1 − i / h)^a"], ["octave", "octaves: π 2^i"], ["formula", "any θ(t)"]];

/** Fields of a convention's own parameters, by the names its source gives them. */
async function parameters(client: Client, store: Store, host: HTMLElement): Promise<void> {
  const { convention } = await envOf(client, store.state);
  if (!convention || convention.name !== store.state.convention && store.state.convention === "") return host.replaceChildren();
  host.replaceChildren(make("p", { class: "note" }, convention.summary), ...convention.parameters
    .filter((one) => one.role !== "length" && one.role !== "start" && one.role !== "positions").map((one) => {
      const own = store.state.set[one.name], shown = own ?? JSON.stringify(one.default);
      const control = make("input", { type: "text", value: shown, spellcheck: "false" });
      control.onchange = () => {
        const set = { ...store.state.set };
        if (control.value.trim() === "" || control.value === JSON.stringify(one.default)) delete set[one.name];
        else set[one.name] = control.value.trim();
        store.change({ set });
      };
      return field(one.name, control, one.meaning ?? "");
    }));
}

function group(title: string, ...children: Node[]): HTMLElement {
  const box = make("fieldset", {}, make("legend", {}, title), ...children);
  return box;
}

/** Fields that stand only where they mean something. */
function shown(store: Store, element: HTMLElement, when: (state: Readonly<State>) => boolean): HTMLElement {
  const show = (state: Readonly<State>): void => void (element.hidden = !when(state));
  store.listen(show);
  show(store.state);
  return element;
}

export async function controls(host: HTMLElement, client: Client, store: Store): Promise<void> {
  const isStated = (s: Readonly<State>): boolean => s.convention === "";
  const list = make("datalist", { id: "conventions" });
  const convention = make("input", { type: "text", list: "conventions", placeholder: "stated by numbers", spellcheck: "false", autocomplete: "off" });
  const own = make("div", { class: "parameters" });
  const renew = (): void => void parameters(client, store, own).catch(() => own.replaceChildren());
  convention.onchange = () => store.change({ convention: convention.value.trim(), set: {} });
  store.listen((state, before) => {
    convention.value = state.convention;
    if (state.convention !== before.convention || JSON.stringify(state.set) !== JSON.stringify(before.set)) renew();
  });
  convention.value = store.state.convention;
  const arithmetic = select(store, "arithmetic", "arithmetic", [...new Set(["exact", "published", store.state.arithmetic])], "exact, or the roundings of published code");
  host.replaceChildren(
    group("Encoding",
      field("convention", convention, "191 definitions of published code; empty: by the numbers below"), list, own,
      shown(store, slider(store, "dim", "dim", 2, 4096, true), isStated),
      shown(store, slider(store, "base", "base", 1.5, 1e7, true, false), (s) => isStated(s) && s.schedule === "geometric"),
      shown(store, select(store, "schedule", "schedule", schedules), isStated),
      shown(store, slider(store, "exponent", "exponent a", 0.25, 8, true, false), (s) => isStated(s) && s.schedule === "power"),
      shown(store, text(store, "formula", "θ(t), t from 0 to 1", "as in exp(-9.21*t), 1-t, t^2"), (s) => isStated(s) && s.schedule === "formula"),
      shown(store, select(store, "layout", "layout", ["interleaved", "halves"]), isStated),
      shown(store, select(store, "order", "order", ["sin-cos", "cos-sin"]), isStated),
      text(store, "more", "more options", "of sinpos table, as in --divisor 7 --scale 0.5")),
    group("Rows", slider(store, "start", "first position", 0, 1 << 20, false), slider(store, "length", "rows", 8, 1 << 20, true),
      select(store, "type", "type", TYPES), arithmetic),
    group("Context", slider(store, "context", "context", 16, 1 << 17, true), slider(store, "train", "trained on", 16, 1 << 17, true)),
    group("Selection", slider(store, "at", "row", 0, 4096, false), slider(store, "pair", "pair", 0, 256, false), slider(store, "offset", "offset k", 0, 4096, false)));
  const reset = make("button", { type: "button", class: "quiet" }, "all as at first");
  reset.onclick = () => store.change({ ...initial, set: {} });
  host.append(reset);
  renew();
  const all = await client.live("arithmetics", "arithmetics");
  const choice = arithmetic.querySelector("select")!, now = choice.value;
  choice.replaceChildren(...["exact", "published", ...all.map((one) => one.name)].map((one) => make("option", { value: one }, one)));
  choice.value = now;
  const { conventions } = await client.live("conventions", "json", ["conventions"]) as { conventions: { name: string; summary: string }[] };
  list.replaceChildren(...conventions.map((one) => make("option", { value: one.name }, one.summary)));
}
