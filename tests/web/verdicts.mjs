// TAP, and what both test programs are given: --sinpos PROGRAM --build FOLDER [--brief].
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

export function options() {
  const words = process.argv.slice(2);
  const of = (name, otherwise) => (words.includes(name) ? resolve(words[words.indexOf(name) + 1]) : otherwise);
  return { sinpos: of("--sinpos", resolve(root, "build/release/cli/sinpos")), build: of("--build", resolve(root, "build/web")),
    out: of("--out", resolve(root, "build/web/looks")), isBrief: words.includes("--brief") };
}

let number = 0, failed = 0;

export function ok(holds, what, why = "") {
  number++;
  if (!holds) failed++;
  console.log(`${holds ? "ok" : "not ok"} ${number} - ${what}`);
  if (!holds && why !== "") console.log(`# ${String(why).slice(0, 2000).replaceAll("\n", "\n# ")}`);
}

export function skip(what, why) {
  console.log(`ok ${++number} - ${what} # skip ${why}`);
}

export function equal(got, want, what) {
  ok(got === want, what, `got  ${got}\nwant ${want}`);
}

export function done() {
  console.log(`1..${number}`);
  process.exit(failed > 0 ? 1 : 0);
}

/** The program that was built here: what it prints, and its exit code. */
export function native(program, words, input) {
  const made = spawnSync(program, words, { input, encoding: "utf8", maxBuffer: 1 << 30 });
  return { code: made.status, out: made.stdout, error: made.stderr };
}

export function nativeBytes(program, words) {
  return execFileSync(program, words, { maxBuffer: 1 << 30 });
}
