// The module under Node against the program built here: the same bytes, the same messages, the same reports.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { done, equal, native, ok, options, root } from "./verdicts.mjs";

const { sinpos, build, isBrief } = options();
const { engineOf } = await import(pathToFileURL(join(build, "node.mjs")).href);
const engine = await engineOf(join(build, "sinpos.wasm"));

async function golden() {
  const folder = join(root, "tests/golden"), files = {};
  for (const name of ["hashes.txt", "vectors.txt"]) files[join(folder, name)] = readFileSync(join(folder, name));
  const made = await (await engineOf(join(build, "golden.wasm"))).command([folder, ...(isBrief ? ["--small"] : [])], files);
  const lines = made.out.split("\n").filter((line) => /^(not )?ok /.test(line));
  ok(made.code === 0 && lines.length > 60 && lines.every((line) => line.startsWith("ok")), `${lines.length} golden hashes and vectors`, made.out + made.error);
}

/** Both, by the same words: output, errors and exit code. */
async function same(words, what, given = {}, clean = (text) => text) {
  const mine = await engine.command(words, given), theirs = native(sinpos, words);
  const text = (one) => `${one.code}\n${clean(one.out)}${clean(one.error)}`;
  equal(text(mine), text(theirs), what);
}

/** Times and residuals of a fit are not promised, and of other numbers ten digits: C libraries round sines differently. */
const rounded = (text) => text.replace(/^ *"(seconds|bits|residual)".*\n/gm, "").replace(/-?\d+\.\d{9,}(e-?\d+)?/g, (one) => Number(one).toPrecision(10));

/** Every convention in every type; briefly each in one. */
async function conventions() {
  const names = JSON.parse(native(sinpos, ["conventions", "--json"]).out).conventions.map((one) => one.name);
  const types = ["f32", "f64", "f16", "bf16"], wrong = [];
  let made = 0;
  for (const [i, name] of names.entries()) {
    if (isBrief && i % 6 !== 0) continue;
    for (const type of isBrief ? [types[(i / 6) % 4]] : types) {
      const words = ["table", "--convention", name, "--type", type, "--hash", "--quiet"];
      const mine = await engine.command(words), theirs = native(sinpos, words);
      if (mine.out !== theirs.out || mine.code !== theirs.code || mine.error !== theirs.error) wrong.push(`${words.join(" ")}: ${mine.out}${mine.error} ${theirs.out}${theirs.error}`);
      made++;
    }
  }
  ok(wrong.length === 0 && made > 30, `${made} tables of conventions: the same hash, or the same refusal`, wrong.join("\n"));
}

/** NaN is compared as a class: a table with one has the hash of its machine. */
async function arithmetics() {
  const wrong = [], all = await engine.arithmetics();
  for (const { name } of all) {
    const words = ["table", "--arithmetic", name, "--dim", "32", "--start", "100000", "--length", isBrief ? "50" : "500", "--hash"];
    const mine = await engine.command(words), theirs = native(sinpos, words);
    if (mine.out !== theirs.out) wrong.push(name);
  }
  ok(wrong.length === 0 && all.length > 10, `${all.length} arithmetics replayed`, wrong.join(" "));
}

async function reports() {
  await same(["kernel", "--dim", "64", "--offsets", "0:20", "--continuum", "none", "--limit", "5000", "--json"], "kernel");
  await same(["separate", "--dim", "8", "--length", "3000", "--json"], "separate", {}, rounded);
  await same(["shift", "-k", "5", "--dim", "8"], "shift");
  await same(["plot", "wavelengths", "--dim", "16", "--json"], "plot --json");
  await same(["plot", "heatmap", "--dim", "8", "--length", "8", "--text", "--size", "60x20"], "plot --text");
  await same(["advise", "--dim", "64", "--train", "512", "--context", "2048", "--json"], "advise",
    {}, (text) => text.replace(/searched, not proved|proved/g, "found"));
  for (const words of [["table", "--base", "-3"], ["table", "--dim", "0"], ["table", "--length", "x"], ["table", "--convention", "whispr"], ["kernel", "--dim", "3.5"],
    ["plot", "heatmpa"], ["identify", "missing.npy"], ["table", "-o", "x.xyz"]])
    await same(words, `refuses ${words.join(" ")}`);
  const base = ["base", "--context", "1024", "--dim", "64", "--json"];
  const mine = await engine.json(base.slice(0, -1)), theirs = JSON.parse(native(sinpos, base).out);
  ok(Math.abs(mine.base_upper / theirs.base_upper - 1) < 1e-10 && mine.violated_at === theirs.violated_at && mine.proved === false,
    `the base search, whose long double is software here: ${mine.base_upper} in ${mine.search_seconds.toFixed(2)} s, ${theirs.search_seconds.toFixed(2)} s as built`, JSON.stringify([mine.base_upper, theirs.base_upper]));
}

/** Arrays of other projects: what made them, from bytes in memory. */
async function files() {
  const folder = join(root, "tests/data/golden"), every = isBrief ? 40 : 4;
  const names = readdirSync(folder).filter((name) => name.endsWith(".npy")).filter((_, i) => i % every === 0), wrong = [];
  for (const name of names) {
    const path = join(folder, name), words = ["identify", path, "--json"];
    const mine = await engine.command(words, { [path]: readFileSync(path) }), theirs = native(sinpos, words);
    if (mine.code !== theirs.code || rounded(mine.out) !== rounded(theirs.out)) wrong.push(name);
  }
  ok(wrong.length === 0, `identify: ${names.length} files`, wrong.join(" "));
  const path = join(folder, "whisper_sinusoids__c16.npy"), bytes = readFileSync(path);
  for (const size of [0, 5, 40, bytes.length - 1])
    ok((await engine.command(["identify", "cut.npy"], { "cut.npy": bytes.subarray(0, size) })).code === 3, `a file cut to ${size} bytes is refused`);
  await same(["identify", path, "--tensor", "x"], "a tensor that a file lacks", { [path]: bytes });
  await engine.mount("whisper.npy", bytes);
  const { slot, columns } = await engine.state(["--dim", "16", "--layout", "halves", "--divisor", "7", "--length", "6", "--type", "f64"]);
  const worst = Math.max(...engine.fileErrors(slot, "whisper.npy", "", columns, 0, 1, 6));
  const said = JSON.parse(native(sinpos, ["identify", path, "--json"]).out).max_abs_error;
  ok(Math.abs(worst / said - 1) < 1e-6, "errors of a file, row by row from any place", `${worst} ${said}`);
  const table = await engine.command(["table", "--dim", "6", "--length", "9", "--type", "bf16", "-o", "t.safetensors", "--quiet"], {}, ["t.safetensors"]);
  const read = await engine.json(["identify", "t.safetensors"], { "t.safetensors": table.files["t.safetensors"] });
  ok(read.shape[0] === 9 && read.shape[1] === 6, "a .safetensors that was written is read", JSON.stringify(read));
}

/** What stays open between commands: errors leave it usable. */
async function open() {
  const options_ = ["--dim", "16", "--length", "40"];
  const shape = await engine.state(options_);
  const raw = new Float32Array(native(sinpos, ["--version"]).code === 0 ? (await engine.command(["table", ...options_, "-o", "t.raw", "--quiet"], {}, ["t.raw"])).files["t.raw"].buffer : []);
  for (const step of [1, 3, 7]) {
    const rows = engine.rows(shape.slot, shape.columns, 3, step, 4);
    ok(rows.length === 64 && rows.every((value, i) => value === raw[(3 + step * Math.floor(i / 16)) * 16 + (i % 16)]), `every ${step}. row of an open encoding is that of its table`);
  }
  const pairs = engine.pairs(shape.slot, shape.tones);
  ok(pairs.length === 16 && pairs.every((column, i) => column === i), "columns of its tones");
  let why = "";
  await engine.state(["--dim", "-1"]).catch((thrown) => (why = thrown.why));
  ok(why.startsWith("--dim -1: "), "an error is the command line's own", why);
  ok((await engine.state(options_)).rows === 40, "and the next call works");
  const { slot } = await engine.state(["--dim", "8", "--type", "f64", "--length", "10"]);
  const g = engine.kernel(slot, [0, 1, 2]);
  const want = JSON.parse(native(sinpos, ["kernel", "--dim", "8", "--offsets", "0,1,2", "--continuum", "none", "--json"]).out).normalised;
  ok(g.every((value, i) => Math.abs(value - want[i]) < 1e-14), "g(k) as sinpos kernel prints it", `${g} ${want}`);
}

await golden();
await conventions();
await arithmetics();
await reports();
await files();
await open();
done();
