// The strip that tells a story: its text, and buttons to the step before and after.
import { icon, make } from "./page.js";
import { initial, type Store } from "./state.js";
import { stories, type Step } from "./stories.js";

export function story(host: HTMLElement, store: Store, go: (view: string) => void): void {
  const tabs = make("div", { class: "tabs", role: "group", "aria-label": "stories" });
  const title = make("h2", {}), text = make("p", {}), where = make("span", { class: "where" });
  const back = make("button", { type: "button", class: "quiet", "aria-label": "step before" }, icon("left"));
  const next = make("button", { type: "button", class: "quiet", "aria-label": "next step" }, icon("right"));
  const at = (): { story: number; step: number } => {
    const [name, number] = store.state.step.split(".");
    const own = Math.max(0, stories.findIndex((one) => one.name === name));
    return { story: own, step: Math.min(stories[own]!.steps.length - 1, Math.max(0, Number(number) || 0)) };
  };
  const show = (): void => {
    const { story: own, step } = at(), told = stories[own]!, now: Step = told.steps[step]!;
    title.textContent = now.title;
    text.textContent = now.text;
    where.textContent = `${step + 1} / ${told.steps.length}`;
    back.disabled = step === 0;
    next.disabled = step === told.steps.length - 1;
    for (const [i, tab] of [...tabs.children].entries()) tab.setAttribute("aria-pressed", String(i === own));
  };
  const take = (own: number, step: number): void => {
    const now = stories[own]!.steps[step]!;
    store.change({ ...initial, set: {}, ...now.state, step: `${stories[own]!.name}.${step}` });
    go(now.view);
  };
  stories.forEach((one, i) => {
    const tab = make("button", { type: "button" }, one.title);
    tab.onclick = () => take(i, 0);
    tabs.append(tab);
  });
  back.onclick = () => take(at().story, at().step - 1);
  next.onclick = () => take(at().story, at().step + 1);
  host.replaceChildren(tabs, make("div", { class: "told" }, make("div", { class: "words" }, title, text), make("div", { class: "steps" }, back, where, next)));
  store.listen(show);
  show();
}
