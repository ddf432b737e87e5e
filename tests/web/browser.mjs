// The page in headless Chromium, from disk: what is drawn, what is printed, what is refused. --brief: what make test runs.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { done, equal, native, nativeBytes, ok, options, root, skip } from "./verdicts.mjs";

const { sinpos, build, isBrief } = options();
const require = createRequire(join(root, "web/package.json"));
const chromiumAt = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!chromiumAt) {
  skip("the page in a browser", "no Chromium");
  done();
}
const { chromium } = require("playwright-core");
const page_ = pathToFileURL(join(build, "sinpos.html")).href;
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--enable-precise-memory-info", "--js-flags=--expose-gc"];
const browser = await chromium.launch({ executablePath: chromiumAt, args: flags });
const noise = [];

async function open(hash = "", settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 950 }, reducedMotion: "reduce", acceptDownloads: true, ...settings });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && noise.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(String(error.stack)));
  page.on("request", (request) => !/^(file|blob|data):/.test(request.url()) && noise.push(`asks for ${request.url()}`));
  await page.goto(page_ + hash);
  await page.locator("html[data-ready]").waitFor({ state: "attached", timeout: 20000 });
  return page;
}

/** Scrolls to a view and waits until it stands; what it complains of. */
async function view(page, id, patience = 60000) {
  await page.evaluate((name) => document.getElementById(`view-${name}`).scrollIntoView(), id);
  await page.locator(`#view-${id}[data-drawn]:not([data-drawing])`).waitFor({ timeout: patience });
  return (await page.locator(`#view-${id} .frame > .trouble`).textContent()) ?? "";
}

/** Different colours of a picture, and the part of it that is not its commonest. */
async function pixels(page, id) {
  const picture = await page.locator(`#stage-${id}`).screenshot();
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)), bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext("2d"), seen = new Map();
    context.drawImage(bitmap, 0, 0);
    const data = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
    for (const one of data) seen.set(one, (seen.get(one) ?? 0) + 1);
    return { colours: seen.size, ink: 1 - Math.max(...seen.values()) / data.length };
  }, picture.toString("base64"));
}

const ids = ["error", "heatmap", "waves", "clock", "matrices", "rotation", "kernel", "near-far", "wavelengths", "base", "scalings", "collisions",
  "sentence", "claims", "more"];
const large = new Set(["heatmap", "matrices", "sentence"]);

async function draws(page) {
  for (const id of isBrief ? ids.filter((one) => one !== "base") : ids) {
    const trouble = await view(page, id), { colours, ink } = await pixels(page, id);
    ok(trouble === "" && colours > (large.has(id) ? 60 : 12) && ink > 0.01, `view ${id} draws: ${colours} colours, ${(100 * ink).toFixed(1)} % ink`, trouble);
  }
}

const specs = [{ dim: 512, length: 128 }, { dim: 64, length: 300, type: "bf16", start: 100000 }, { dim: 7, length: 50, type: "f64", layout: "halves", order: "cos-sin" },
  { dim: 30, length: 64, type: "f16", base: 500000 }, { convention: "whisper", length: 100 }, { convention: "hf_rope", parameters: { head_dim: 64, rope_type: "yarn", factor: 4 }, length: 64 },
  { convention: "diffusers_timestep", parameters: { flip_sin_to_cos: true, positions: [0, 250.5, 999] }, type: "f64" }];

async function consoles(page) {
  for (const spec of specs) {
    const words = Object.entries(spec).flatMap(([key, value]) => (key === "parameters" ? Object.entries(value).flatMap(([name, own]) => ["--set", `${name}=${JSON.stringify(own)}`]) : [`--${key}`, String(value)]));
    equal(await page.evaluate((own) => window.sinpos.hash(own), spec), native(sinpos, ["table", ...words, "--hash"]).out.trim(), `sinpos.hash(${JSON.stringify(spec)})`);
  }
  const raw = nativeBytes(sinpos, ["table", "--dim", "6", "--length", "9", "--quiet", "-o", "-"]).subarray(-6 * 9 * 4);
  equal(JSON.stringify(await page.evaluate(async () => [...new Uint8Array((await window.sinpos.table({ dim: 6, length: 9 })).slice().buffer)])), JSON.stringify([...raw]), "sinpos.table(): the elements");
  const g = await page.evaluate(() => window.sinpos.kernel({ dim: 8, offsets: "0:4" }));
  equal(JSON.stringify(g.g), JSON.stringify(JSON.parse(native(sinpos, ["kernel", "--dim", "8", "--offsets", "0:4", "--continuum", "none", "--json"]).out).g), "sinpos.kernel()");
  const npy = [...readFileSync(join(root, "tests/data/golden/whisper_sinusoids__c16.npy"))];
  const found = await page.evaluate((bytes) => window.sinpos.identify(new Uint8Array(bytes)), npy);
  ok(found.sinusoidal === true && found.conventions.includes("whisper_sinusoids"), "sinpos.identify()", JSON.stringify(found.conventions));
  ok((await page.evaluate((bytes) => window.sinpos.diff(new Uint8Array(bytes), new Uint8Array(bytes)), npy)).same === true, "sinpos.diff()");
  const base = await page.evaluate(() => window.sinpos.base({ context: 512, dim: 64 }));
  ok(base.outcome === "found" && base.proved === false && base.base_upper > 512, "sinpos.base(): found, not proved", JSON.stringify(base));
  const why = await page.evaluate(() => window.sinpos.hash({ dim: -1 }).catch((thrown) => thrown.message));
  equal(why, native(sinpos, ["table", "--dim", "-1", "--hash"]).error.split("\n")[0].replace("sinpos: ", ""), "what is refused says why");
}

/** The program that computes golden hashes, run by the page's browser with the page's own engine. */
async function golden() {
  const { outputFiles } = require("esbuild").buildSync({ entryPoints: [join(root, "web/src/engine.ts")], bundle: true, format: "iife",
    globalName: "own", write: false });
  const plain = await open(), files = {};
  for (const name of ["hashes.txt", "vectors.txt"]) files[`golden/${name}`] = readFileSync(join(root, "tests/golden", name), "utf8");
  await plain.evaluate(`${outputFiles[0].text};globalThis.own = own`);
  const made = await plain.evaluate(async ({ wasm, given, words }) => {
    const bytes = Uint8Array.from(atob(wasm), (one) => one.charCodeAt(0)), encoder = new TextEncoder();
    const mounted = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, encoder.encode(text)]));
    return new globalThis.own.Engine(await WebAssembly.compile(bytes)).command(words, mounted);
  }, { wasm: readFileSync(join(build, "golden.wasm"), "base64"), given: files, words: ["golden"] });
  const lines = made.out.split("\n").filter((line) => /^(not )?ok /.test(line));
  ok(made.code === 0 && lines.length > 60 && lines.every((line) => line.startsWith("ok")), `${lines.length} golden hashes and vectors, in the browser`, made.out + made.error);
  await plain.context().close();
}

/** Of a canvas: all its pixels, as a number. */
const canvasSum = (page, id) => page.evaluate((name) => {
  let sum = 0;
  for (const one of document.querySelector(`#stage-${name} canvas`).toDataURL()) sum = (sum * 31 + one.charCodeAt(0)) >>> 0;
  return sum;
}, id);

async function links(page) {
  await view(page, "heatmap");
  const first = await canvasSum(page, "heatmap");
  await page.evaluate(() => (document.getElementById("view-heatmap").dataset.drawn = ""));
  const dim = page.getByLabel("dim", { exact: true });
  await dim.fill("66");
  await dim.press("Enter");
  await page.waitForTimeout(100);
  await view(page, "heatmap");
  await page.waitForTimeout(300);
  const second = await canvasSum(page, "heatmap"), hash = await page.evaluate(() => location.hash);
  ok(second !== first && hash.includes("dim=66"), "a field changes picture and address", hash);
  const other = await open(hash);
  await view(other, "heatmap");
  equal(await canvasSum(other, "heatmap"), second, "a link shows the same picture");
  equal(await other.getByLabel("dim", { exact: true }).inputValue(), "66", "and the same fields");
  await other.context().close();
  await page.goBack();
  await page.waitForTimeout(600);
  equal(await canvasSum(page, "heatmap"), first, "the back button undoes");
}

async function stories(page) {
  for (const name of ["Three questions about positions", "Where the formula comes from", "Four properties, looked at"]) {
    await page.getByRole("button", { name }).click();
    const before = await page.locator("#story h2").textContent();
    await page.getByRole("button", { name: "next step" }).click();
    ok((await page.locator("#story h2").textContent()) !== before, `the story '${name}' goes on`);
  }
  await page.getByRole("button", { name: "Start here" }).click();
}

const file = (name, bytes) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) });

async function drop(page, given) {
  await page.locator("#files").setInputFiles(given);
  await page.locator("#view-files .answer > div").waitFor({ timeout: 60000 });
  await page.waitForTimeout(50);
  return page.locator("#view-files .answer").innerText();
}

async function files(page) {
  const npy = readFileSync(join(root, "tests/data/golden/whisper_sinusoids__c16.npy")), head = npy.subarray(0, 200);
  for (const [given, want, what] of [
    [[file("a.txt", "x")], "unsupported file extension", "an unknown ending"], [[file("a.npy", "")], "is empty", "an empty file"],
    [[file("cut.npy", head)], "cut short", "a file cut short"], [[file("noise.npy", "not an array at all, but long enough")], "noise.npy", "a file of something else"],
    [[file("a.safetensors", "12345678{")], "a.safetensors", "a broken .safetensors"], [[file("config.json", "{")], "config.json", "a broken config.json"],
    [[file("a.npy", npy), file("b.npy", npy), file("c.npy", npy)], "one or two", "three files"]]) {
    const text = await drop(page, given);
    ok(text.includes(want), `a message for ${what}`, text);
  }
  const one = await drop(page, [file("w.npy", npy)]);
  await page.locator("#view-files canvas").waitFor({ timeout: 20000 });
  ok(one.includes("whisper_sinusoids") && one.includes("sinpos table"), "a dropped file is identified, with an error map", one);
  const altered = Buffer.from(npy);
  altered.writeFloatLE(0.5, npy.length - 8);
  ok((await drop(page, [file("a.npy", npy), file("b.npy", altered)])).includes("different"), "two files: why they differ");
  const config = { model_type: "llama", hidden_size: 512, num_attention_heads: 8, rope_theta: 10000, max_position_embeddings: 2048 };
  ok(/positions/.test(await drop(page, [file("config.json", JSON.stringify(config))])), "a config.json: advice");
}

async function gigabyte(page) {
  const folder = mkdtempSync(join(tmpdir(), "sinpos-web-")), path = join(folder, "large.npy");
  native(sinpos, ["table", "--dim", "256", "--length", "1000000", "--quiet", "-o", path]);
  const text = await drop(page, path);
  ok(text.includes("1000000 × 256") && text.includes("vaswani"), "a file of 1 GB is read in slices", text);
  rmSync(folder, { recursive: true });
}

async function absurd() {
  const cases = [["dim=0", "heatmap", "--dim 0"], ["base=-1", "heatmap", "--base -1"], ["schedule=formula&formula=t%2B", "heatmap", "t+"], ["convention=whispr", "heatmap", "whispr"],
    ["dim=1e15", "heatmap", "--dim"], ["length=1e15", "heatmap", "--length"], ["arithmetic=nonsense", "heatmap", "nonsense"], ["convention=whisper&set.nonsense=1", "heatmap", "nonsense"],
    ["type=f8", "heatmap", "f8"], ["dim=3.5", "heatmap", "3.5"], ["context=1", "base", "context"], ["dim=65536&length=16777216", "heatmap", ""]];
  for (const [hash, id, want] of isBrief ? cases.slice(0, 4) : cases) {
    const page = await open(`#${hash}`), trouble = await view(page, id);
    ok(want === "" || (trouble.includes(want) && !/undefined|NaN|RuntimeError/.test(trouble)), `#${hash}: ${want === "" ? "draws" : "a message"}`, trouble);
    await page.context().close();
  }
}

/** A search of minutes begins when it is asked for; another state ends it. */
async function patient() {
  const page = await open("#context=262144&dim=1024");
  await view(page, "base");
  const said = () => page.locator("#view-base .said").innerText();
  ok((await said()).includes("sinpos base --context 262144 --dim 1024"), "a long search for a base is offered, with its time", await said());
  await page.getByRole("button", { name: "search here" }).click();
  await page.waitForTimeout(300);
  ok((await said()).includes("looking for"), "and begins", await said());
  const context = page.getByLabel("context", { exact: true });
  await context.fill("1024");
  await context.press("Enter");
  await page.locator("#view-base .said", { hasText: "--context 1024" }).waitFor({ timeout: 60000 });
  await page.waitForTimeout(300);
  ok(/b\* = .*--context 1024/.test(await said()), "another state ends it", await said());
  await page.context().close();
}

async function accessible(settings, what) {
  const page = await open("", settings);
  for (const id of isBrief ? ["error", "heatmap"] : ids.filter((one) => one !== "base")) await view(page, id);
  await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") + ";0");
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
  ok(serious.length === 0, `axe-core: nothing serious, ${what} (${violations.length} lesser)`, serious.map((one) => `${one.id}: ${one.nodes.slice(0, 4).map((node) => node.target + " " + node.failureSummary).join(" | ")}`).join("\n"));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  ok(wide <= 0, `nothing is wider than the screen, ${what}`, String(wide));
  await page.context().close();
}

async function keyboard(page) {
  await view(page, "heatmap");
  await page.locator("#stage-heatmap canvas").focus();
  const before = await page.getByLabel("row", { exact: true }).inputValue();
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
  await page.waitForTimeout(200);
  equal(Number(await page.getByLabel("row", { exact: true }).inputValue()), Number(before) + 3, "arrow keys move what is selected");
  await page.evaluate(() => document.querySelector(".skip").focus());
  await page.keyboard.press("Enter");
  equal(await page.evaluate(() => document.activeElement.id), "main", "the first link leads past the controls");
}

/** The slider of dim, as fingers move it: an input event a frame. Returns frame times, and how often the table was drawn. */
const slide = (page, moves) => page.evaluate(async (n) => {
  const range = document.querySelector('input[aria-label="dim, slider"]'), times = [];
  const draw = CanvasRenderingContext2D.prototype.drawImage, frame = () => new Promise((next) => requestAnimationFrame(next));
  let drawn = 0, last = await frame();
  CanvasRenderingContext2D.prototype.drawImage = function (...given) {
    drawn++;
    return draw.apply(this, given);
  };
  const began = performance.now();
  for (let i = 0; i < n; i++) {
    range.value = String(9 + 0.05 * (i % 7));
    range.dispatchEvent(new Event("input"));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  range.dispatchEvent(new Event("change"));
  CanvasRenderingContext2D.prototype.drawImage = draw;
  return { times, drawn, seconds: (performance.now() - began) / 1000 };
}, moves);

const middle = (values, part = 0.5) => [...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];

async function fast() {
  const page = await open("#dim=512&length=1024");
  await view(page, "heatmap");
  const empty = await page.evaluate(async () => {
    const times = [], frame = () => new Promise((next) => requestAnimationFrame(next));
    for (let i = 0, last = await frame(); i < 60; i++) {
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times;
  });
  await slide(page, 20);
  const runs = []; // the best of three: other programs share the processors
  for (let i = 0; i < 3; i++) runs.push(await slide(page, 100));
  const { times, drawn, seconds } = runs.sort((a, b) => a.seconds - b.seconds)[0];
  const ratio = middle(times) / middle(empty), worst = middle(times, 0.95) / middle(empty);
  console.log(`# d = 512, n = 1024: a frame takes ${ratio.toFixed(2)} times an empty one (95 %: ${worst.toFixed(2)}); the table is drawn ${(drawn / seconds).toFixed(0)} times a second`);
  ok(drawn > 0, "and the table is drawn meanwhile");
  await page.context().close();
}

async function flat() {
  const page = await open("#dim=512&length=1024");
  for (const id of ["heatmap", "waves", "clock"]) await view(page, id);
  await view(page, "heatmap");
  const size = async () => {
    await page.waitForTimeout(400);
    return page.evaluate(() => {
      window.gc();
      window.gc();
      return { heap: performance.memory.usedJSHeapSize, nodes: document.getElementsByTagName("*").length };
    });
  };
  await slide(page, 60);
  const before = await size();
  await slide(page, 200);
  const after = await size();
  ok(after.heap < 1.1 * before.heap + 2e6 && after.nodes <= before.nodes + 20, `200 moves: ${(before.heap / 1e6).toFixed(1)} MB before, ${(after.heap / 1e6).toFixed(1)} MB after`, JSON.stringify([before, after]));
  await page.context().close();
}

async function steady() {
  const page = await open();
  await page.evaluate(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shifted += one.hadRecentInput ? 0 : one.value))).observe({ type: "layout-shift", buffered: true });
  });
  await view(page, "error");
  await page.waitForTimeout(500);
  const shifted = await page.evaluate(() => window.shifted);
  ok(shifted < 0.1, `layout shifts while it loads: ${shifted.toFixed(3)}`);
  await page.context().close();
}

async function exported(page) {
  const downloaded = async (act) => {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 20000 }), act()]);
    return readFileSync(await download.path());
  };
  await page.goto(`${page_}#dim=10&length=20`);
  await page.reload();
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  await page.getByText("Take it along").click();
  const npy = await downloaded(() => page.locator("#table").getByRole("button", { name: ".npy" }).click());
  ok(npy.equals(nativeBytes(sinpos, ["table", "--dim", "10", "--length", "20", "--quiet", "-o", "-"])), "the table as .npy: the bytes of the command line");
  ok((await page.locator("#table pre").textContent()).startsWith("sinpos table --dim 10"), "the line that makes it");
  await view(page, "kernel");
  const svg = String(await downloaded(() => page.locator("#view-kernel").getByRole("button", { name: ".svg" }).click()));
  ok(svg.startsWith("<svg") && svg.includes("<path") && !svg.includes("var(--"), "a figure as .svg, with its own colours");
  const png = await downloaded(() => page.locator("#view-heatmap").getByRole("button", { name: ".png" }).click().catch(() => undefined));
  ok(png.subarray(1, 4).toString() === "PNG" && png.length > 5000, "a figure as .png");
}

const page = await open();
await draws(page);
await consoles(page);
await links(page);
await files(page);
await absurd();
await accessible({}, "desktop, light");
if (!isBrief) {
  await golden();
  await patient();
  await gigabyte(page);
  await stories(page);
  await keyboard(page);
  await exported(page);
  await accessible({ colorScheme: "dark" }, "desktop, dark");
  await accessible({ viewport: { width: 390, height: 844 }, hasTouch: true }, "phone, light");
  await accessible({ viewport: { width: 390, height: 844 }, colorScheme: "dark" }, "phone, dark");
  await accessible({ viewport: { width: 3840, height: 2160 } }, "4K");
  await steady();
  await fast();
  await flat();
}
ok(noise.length === 0, "no errors on the console, and nothing is loaded", noise.join("\n"));
await browser.close();
done();
