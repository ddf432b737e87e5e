// Colours of many numbers, on a canvas: the maps of the command line's figures, dark where the page is dark.
import { map_diverging, map_sequential } from "virtual:colours";
import { isDark, make } from "./page.js";

export type Map = "diverging" | "sequential" | "errors";

/** 256 colours between those of a list. */
function ramp(own: readonly number[]): Uint32Array {
  const out = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (own.length - 1), k = Math.min(Math.floor(at), own.length - 2), part = at - k;
    const mix = (shift: number): number => Math.round(((own[k]! >> shift) & 255) * (1 - part) + ((own[k + 1]! >> shift) & 255) * part);
    out[i] = (255 << 24) | (mix(0) << 16) | (mix(8) << 8) | mix(16);
  }
  return out;
}

const light = ramp(map_diverging), sequential = ramp(map_sequential);
/** The same hues about the dark paper, brighter outward: near zero is near the paper. */
const dark = ramp([0xa5cfff, 0x58a3f4, 0x1b66b3, 0x0f3457, 0x181b1f, 0x55290a, 0xae5510, 0xf29f6f, 0xfcd7c3]);

function rampOf(map: Map): Uint32Array {
  return map === "diverging" ? (isDark() ? dark : light) : sequential;
}

export interface Heat {
  values: ArrayLike<number>;
  rows: number;
  columns: number;
  first?: number; // column of each row that is drawn first
  shown?: number; // columns
  map: Map;
  low: number;
  high: number;
}

/** Into a canvas of any size, cell by cell, nearest ones where cells are smaller than pixels. */
export function heat(canvas: HTMLCanvasElement, given: Heat): void {
  const ramped = rampOf(given.map), first = given.first ?? 0, shown = given.shown ?? given.columns - first;
  const image = new ImageData(Math.max(1, shown), Math.max(1, given.rows)), pixels = new Uint32Array(image.data.buffer);
  const isLog = given.map === "errors", low = isLog ? Math.log2(given.low) : given.low;
  const scale = 255 / ((isLog ? Math.log2(given.high) : given.high) - low);
  const none = isDark() ? 0xff181b1f : 0xfff2f2f2;
  for (let i = 0, k = 0; i < given.rows; i++) {
    for (let j = 0, at = i * given.columns + first; j < shown; j++, at++) {
      const value = given.values[at]!, position = ((isLog ? Math.log2(value) : value) - low) * scale;
      pixels[k++] = value !== value ? none : ramped[position < 0 ? 0 : position > 255 ? 255 : position | 0]!;
    }
  }
  const cells = document.createElement("canvas");
  cells.width = image.width;
  cells.height = image.height;
  cells.getContext("2d")!.putImageData(image, 0, 0);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(cells, 0, 0, canvas.width, canvas.height);
}

/** What the colours mean. */
export function key(map: Map, low: string, high: string, label: string): HTMLElement {
  const ramped = rampOf(map);
  const stops = Array.from({ length: 17 }, (_, i) => {
    const one = ramped[Math.round((i / 16) * 255)]!;
    return `rgb(${one & 255} ${(one >> 8) & 255} ${(one >> 16) & 255})`;
  });
  return make("div", { class: "key" }, make("span", {}, low),
    make("span", { class: "ramp", style: `background:linear-gradient(to right,${stops.join(",")})` }), make("span", {}, high),
    make("span", { class: "what" }, label));
}

/** A canvas as large as its place, sharp on any screen. */
export function canvasIn(host: HTMLElement, width: number, height: number, label: string): HTMLCanvasElement {
  let canvas = host.querySelector<HTMLCanvasElement>("canvas.main");
  if (!canvas) {
    canvas = make("canvas", { class: "main", role: "img", tabindex: "0" });
    host.replaceChildren(canvas);
  }
  const sharp = Math.min(devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(width * sharp) || canvas.height !== Math.round(height * sharp)) {
    canvas.width = Math.round(width * sharp);
    canvas.height = Math.round(height * sharp);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  canvas.setAttribute("aria-label", label);
  return canvas;
}
