// The page's side of the workers: one for what moves with a slider, two for commands that take long.
import { Refused } from "./engine.js";
import type { Answer, Api } from "./worker.js";
import EngineWorker from "./worker.js?worker&inline";

/** A newer question took the place of this one. */
export class Stale extends Error {}

type Method = keyof Api;
type Result<M extends Method> = ReturnType<Api[M]>;

interface Waiting {
  key: string;
  method: Method;
  given: unknown[];
  resolve(value: unknown): void;
  reject(why: unknown): void;
}

/** A worker that does one thing at a time, and of each key only what was asked last. */
class Queue {
  private worker: Worker | null = null;
  private running: Waiting | null = null;
  private waiting: Waiting[] = [];
  private number = 0;

  constructor(private readonly module: WebAssembly.Module, private readonly interrupts: boolean) {}

  get load(): number {
    return this.waiting.length + (this.running ? 1 : 0);
  }

  ask<M extends Method>(key: string, method: M, given: Parameters<Api[M]>, isNext = false): Promise<Result<M>> {
    return new Promise((resolve, reject) => {
      this.forget(key);
      this.waiting[isNext ? "unshift" : "push"]({ key, method, given, resolve: resolve as (value: unknown) => void, reject });
      this.next();
    });
  }

  /** Nobody waits for the answer of this key any more. */
  forget(key: string): void {
    this.waiting = this.waiting.filter((one) => {
      if (one.key === key) one.reject(new Stale());
      return one.key !== key;
    });
    if (this.interrupts && this.running?.key === key) {
      this.worker?.terminate();
      this.worker = null;
      this.running.reject(new Stale());
      this.running = null;
      this.next();
    }
  }

  private start(): Worker {
    const worker = new EngineWorker();
    worker.postMessage(this.module);
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.take(data);
    worker.onerror = (event) => {
      this.running?.reject(new Refused(event.message || "the worker ended", "load the page again", 3));
      this.running = null;
      this.worker = null;
      this.next();
    };
    return worker;
  }

  private next(): void {
    if (this.running || this.waiting.length === 0) return;
    this.worker ??= this.start();
    const one = (this.running = this.waiting.shift()!);
    this.worker.postMessage({ id: ++this.number, method: one.method, given: one.given });
  }

  private take({ id, value, refused }: Answer): void {
    if (id !== this.number || !this.running) return;
    if (refused) this.running.reject(new Refused(refused.why, refused.hint, refused.code));
    else this.running.resolve(value);
    this.running = null;
    this.next();
  }
}

const KEPT = 60;

export class Client {
  private readonly quick: Queue;
  private readonly slow: Queue[];
  private readonly kept = new Map<string, unknown>();

  constructor(module: WebAssembly.Module) {
    this.quick = new Queue(module, false);
    this.slow = [new Queue(module, true), new Queue(module, true)];
  }

  /** Milliseconds; a newer call of the same key takes its place. */
  live<M extends Method>(key: string, method: M, ...given: Parameters<Api[M]>): Promise<Result<M>> {
    return this.quick.ask(key, method, given, method === "part"); // the table goes first
  }

  /** A command, which may take seconds; its answer is kept. A newer one of the same key ends it. */
  async job<M extends Method>(key: string, method: M, ...given: Parameters<Api[M]>): Promise<Result<M>> {
    const name = JSON.stringify([method, given]);
    const files = given.some((one) => one !== null && typeof one === "object" && !Array.isArray(one));
    if (!files && this.kept.has(name)) return this.kept.get(name) as Result<M>;
    for (const queue of this.slow) queue.forget(key);
    const [first, second] = this.slow as [Queue, Queue];
    const value = await (second.load < first.load ? second : first).ask(key, method, given);
    if (!files) this.kept.set(name, value);
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    return value;
  }

  forget(key: string): void {
    this.quick.forget(key);
    for (const queue of this.slow) queue.forget(key);
  }
}
