// Elements of the page, in few words.

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {},
  ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function draw(tag: string, attributes: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const shapes = {
  copy: "M5 1h8v9h-2V3H5zM2 4h7v10H2z",
  left: "M10 3 5 8l5 5",
  right: "M6 3l5 5-5 5",
  play: "M4 2l9 6-9 6z",
  stop: "M3 3h10v10H3z",
};

export function icon(name: keyof typeof shapes): SVGElement {
  return draw("svg", { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true", class: "icon" }, draw("path", { d: shapes[name] }));
}

export function superscript(n: string | number): string {
  return String(n).replaceAll("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]!);
}

/** 1234.5 as people read it. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential(digits - 1).replace(/e\+?(.*)/, (_, power: string) => ` × 10${superscript(power)}`)
    : String(Number(value.toPrecision(digits)));
}

/** A word as a shell reads it. */
export function shell(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** The words of a command line that sinpos printed. */
export function unshell(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
