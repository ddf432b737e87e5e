// The engine under Node, for tests: `sinpos` as a program, with the files that its words name.
import { readFileSync, writeFileSync, existsSync, statSync } from "node:fs";
import { Engine, type Content } from "./engine.js";

/** The engine with a module that was built. */
export async function engineOf(path: string): Promise<Engine> {
  return new Engine(await WebAssembly.compile(readFileSync(path)));
}

/** As on a terminal: reads the files that are named, writes what -o and --data name. Returns the exit code. */
export async function terminal(engine: Engine, words: readonly string[]): Promise<number> {
  const given: Record<string, Content> = {};
  const wanted: string[] = [];
  for (const [i, word] of words.entries()) {
    const path = word.replace(/^@/, "").replace(/^[^=/]*=@?(?=[/.])/, "");
    if (["-o", "--output", "--data", "--script"].includes(words[i - 1] ?? "")) wanted.push(word);
    if (existsSync(path) && statSync(path).isFile()) given[path] = new Uint8Array(readFileSync(path));
  }
  const done = await engine.command(words, given, wanted);
  for (const [name, bytes] of Object.entries(done.files)) writeFileSync(name, bytes);
  process.stdout.write(done.out);
  process.stderr.write(done.error);
  return done.code;
}
