// The system that the C code sees: a few files in memory, two streams that are collected, a clock. WASI preview 1.

export type Content = Uint8Array | Blob;

const OK = 0, BADF = 8, EXIST = 20, INVAL = 28, ISDIR = 31, NOENT = 44, NOTDIR = 54, SPIPE = 70;
const CHARACTER_DEVICE = 2, DIRECTORY = 3, REGULAR_FILE = 4;
const CREATE = 1, ONLY_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8;
const SLICE = 1 << 22; // bytes of a dropped file that are read at once

/** The end of a command. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** A file: bytes that grow, or a file of the user's, read in slices as the code asks for them. */
class File {
  private bytes: Uint8Array = new Uint8Array(0);
  private length = 0;
  private slice = new Uint8Array(0);
  private sliceAt = -1;
  constructor(private readonly blob?: Blob, bytes?: Uint8Array) {
    if (bytes) this.write(0, bytes);
  }

  get size(): number {
    return this.blob ? this.blob.size : this.length;
  }

  content(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  resize(length: number): void {
    if (length > this.length) this.write(this.length, new Uint8Array(length - this.length));
    this.length = length;
  }

  write(at: number, data: Uint8Array): void {
    const end = at + data.length;
    if (end > this.bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(data, at);
    this.length = Math.max(this.length, end);
  }

  read(at: number, into: Uint8Array): number {
    const n = Math.max(0, Math.min(into.length, this.size - at));
    if (n === 0) return 0;
    if (!this.blob) {
      into.set(this.bytes.subarray(at, at + n));
      return n;
    }
    if (n > SLICE) {
      into.set(readBlob(this.blob, at, at + n));
      return n;
    }
    if (this.sliceAt < 0 || at < this.sliceAt || at + n > this.sliceAt + this.slice.length) {
      this.slice = readBlob(this.blob, at, Math.min(at + SLICE, this.blob.size));
      this.sliceAt = at;
    }
    into.set(this.slice.subarray(at - this.sliceAt, at - this.sliceAt + n));
    return n;
  }
}

declare const FileReaderSync: { new (): { readAsArrayBuffer(blob: Blob): ArrayBuffer } };

function readBlob(blob: Blob, from: number, to: number): Uint8Array {
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob.slice(from, to)));
}

interface Opened {
  kind: number;
  path: string;
  file?: File;
  at: number;
  stream?: Uint8Array[];
}

const text = new TextDecoder();
const bytesOf = new TextEncoder();

export class System {
  memory!: WebAssembly.Memory;
  private readonly files = new Map<string, File>();
  private readonly folders = new Set<string>(["", "tmp"]);
  private readonly opened: (Opened | undefined)[];
  private readonly out: Uint8Array[] = [];
  private readonly error: Uint8Array[] = [];

  constructor(given: Record<string, Content> = {}) {
    for (const [name, content] of Object.entries(given)) this.mount(name, content);
    this.opened = [
      { kind: CHARACTER_DEVICE, path: "", at: 0 },
      { kind: CHARACTER_DEVICE, path: "", at: 0, stream: this.out },
      { kind: CHARACTER_DEVICE, path: "", at: 0, stream: this.error },
      { kind: DIRECTORY, path: "", at: 0 },
    ];
  }

  mount(name: string, content: Content): void {
    this.files.set(clean(name), content instanceof Uint8Array ? new File(undefined, content) : new File(content));
  }

  take(stream: "out" | "error"): string {
    const parts = this[stream];
    const whole = parts.map((part) => text.decode(part, { stream: true })).join("") + text.decode();
    parts.length = 0;
    return whole;
  }

  file(name: string): Uint8Array | undefined {
    return this.files.get(clean(name))?.content();
  }

  private view(): DataView {
    return new DataView(this.memory.buffer);
  }

  private path(fd: number, at: number, n: number): string {
    const name = text.decode(new Uint8Array(this.memory.buffer, at, n));
    return clean(`${this.opened[fd]?.path ?? ""}/${name}`);
  }

  private isFolder(path: string): boolean {
    return this.folders.has(path) || [...this.files.keys()].some((name) => name.startsWith(path + "/"));
  }

  private open(fd: number, at: number, n: number, flags: number, append: boolean, out: number): number {
    const path = this.path(fd, at, n);
    let file = this.files.get(path);
    if (!file && this.isFolder(path)) {
      if (flags & CREATE) return ISDIR;
      return this.add({ kind: DIRECTORY, path, at: 0 }, out);
    }
    if (flags & ONLY_DIRECTORY) return file ? NOTDIR : NOENT;
    if (file && flags & CREATE && flags & EXCLUSIVE) return EXIST;
    if (!file && !(flags & CREATE)) return NOENT;
    if (!file) this.files.set(path, (file = new File()));
    if (flags & TRUNCATE) file.resize(0);
    return this.add({ kind: REGULAR_FILE, path, file, at: append ? file.size : 0 }, out);
  }

  private add(entry: Opened, out: number): number {
    const free = this.opened.findIndex((one, i) => i > 3 && one === undefined);
    const fd = free < 0 ? this.opened.length : free;
    this.opened[fd] = entry;
    this.view().setUint32(out, fd, true);
    return OK;
  }

  private buffers(at: number, n: number): Uint8Array[] {
    const view = this.view();
    return Array.from({ length: n }, (_, i) =>
      new Uint8Array(this.memory.buffer, view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true)));
  }

  private transfer(fd: number, at: number, n: number, place: bigint | null, isWrite: boolean, done: number): number {
    const one = this.opened[fd];
    if (!one) return BADF;
    let total = 0, position = place === null ? one.at : Number(place);
    for (const part of this.buffers(at, n)) {
      if (one.stream && isWrite) one.stream.push(part.slice());
      else if (one.file && isWrite) one.file.write(position, part);
      const some = isWrite ? part.length : (one.file?.read(position, part) ?? 0);
      total += some;
      position += some;
      if (some < part.length) break;
    }
    if (place === null) one.at = position;
    this.view().setUint32(done, total, true);
    return one.kind === DIRECTORY ? ISDIR : OK;
  }

  private stat(kind: number, size: number, at: number): number {
    const view = this.view();
    for (let i = 0; i < 64; i += 8) view.setBigUint64(at + i, 0n, true);
    view.setUint8(at + 16, kind);
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(size), true);
    return OK;
  }

  private statPath(path: string, at: number): number {
    const file = this.files.get(path);
    if (file) return this.stat(REGULAR_FILE, file.size, at);
    return this.isFolder(path) ? this.stat(DIRECTORY, 0, at) : NOENT;
  }

  /** Names in a folder, as fd_readdir has them: a header of 24 bytes, then the name. */
  private list(fd: number, at: number, room: number, cookie: bigint, used: number): number {
    const folder = this.opened[fd]?.path ?? "";
    const before = folder === "" ? "" : folder + "/";
    const names = new Set([...this.files.keys(), ...this.folders]
      .filter((name) => name !== folder && name.startsWith(before)).map((name) => name.slice(before.length).split("/")[0]!));
    const bytes = new Uint8Array(room);
    const view = new DataView(bytes.buffer);
    let n = 0, number = 0n;
    for (const name of names) {
      if (number++ < cookie || n >= room) continue;
      const own = bytesOf.encode(name), head = new DataView(new ArrayBuffer(24));
      head.setBigUint64(0, number, true);
      head.setBigUint64(8, number, true);
      head.setUint32(16, own.length, true);
      head.setUint8(20, this.files.has(before + name) ? REGULAR_FILE : DIRECTORY);
      for (const byte of [...new Uint8Array(head.buffer), ...own]) if (n < room) view.setUint8(n++, byte);
    }
    new Uint8Array(this.memory.buffer).set(bytes.subarray(0, n), at);
    this.view().setUint32(used, n, true);
    return OK;
  }

  imports(): WebAssembly.ModuleImports {
    const none = (): number => OK;
    const zeros = (count: number, size: number): number => {
      this.view().setUint32(count, 0, true);
      this.view().setUint32(size, 0, true);
      return OK;
    };
    const functions: Record<string, (...given: never[]) => unknown> = {
      environ_get: none,
      environ_sizes_get: zeros,
      fd_sync: none,
      fd_advise: none,
      fd_fdstat_set_flags: none,
      proc_exit: (code: number) => {
        throw new Exit(code);
      },
      clock_time_get: (clock: number, _: bigint, out: number) => {
        const now = clock === 0 ? Date.now() : performance.now();
        this.view().setBigUint64(out, BigInt(Math.round(now * 1e6)), true);
        return OK;
      },
      fd_prestat_get: (fd: number, out: number) => {
        if (fd !== 3) return BADF;
        this.view().setUint32(out, 0, true);
        this.view().setUint32(out + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (_: number, at: number) => (this.view().setUint8(at, 47), OK),
      fd_close: (fd: number) => {
        if (!this.opened[fd]) return BADF;
        this.opened[fd] = undefined;
        return OK;
      },
      fd_fdstat_get: (fd: number, out: number) => {
        const one = this.opened[fd];
        if (!one) return BADF;
        const view = this.view();
        view.setBigUint64(out, 0n, true);
        view.setUint8(out, one.kind);
        view.setBigUint64(out + 8, ~0n & 0xffffffffffffffffn, true);
        view.setBigUint64(out + 16, ~0n & 0xffffffffffffffffn, true);
        return OK;
      },
      fd_filestat_get: (fd: number, out: number) => {
        const one = this.opened[fd];
        return one ? this.stat(one.kind, one.file?.size ?? 0, out) : BADF;
      },
      fd_filestat_set_size: (fd: number, size: bigint) => {
        const file = this.opened[fd]?.file;
        file?.resize(Number(size));
        return file ? OK : BADF;
      },
      fd_read: (fd: number, at: number, n: number, out: number) => this.transfer(fd, at, n, null, false, out),
      fd_pread: (fd: number, at: number, n: number, place: bigint, out: number) =>
        this.transfer(fd, at, n, place, false, out),
      fd_write: (fd: number, at: number, n: number, out: number) => this.transfer(fd, at, n, null, true, out),
      fd_pwrite: (fd: number, at: number, n: number, place: bigint, out: number) =>
        this.transfer(fd, at, n, place, true, out),
      fd_seek: (fd: number, offset: bigint, whence: number, out: number) => {
        const one = this.opened[fd];
        if (!one) return BADF;
        if (!one.file) return SPIPE;
        const from = whence === 0 ? 0 : whence === 1 ? one.at : one.file.size;
        if (from + Number(offset) < 0) return INVAL;
        one.at = from + Number(offset);
        this.view().setBigUint64(out, BigInt(one.at), true);
        return OK;
      },
      fd_tell: (fd: number, out: number) => {
        const one = this.opened[fd];
        if (!one?.file) return one ? SPIPE : BADF;
        this.view().setBigUint64(out, BigInt(one.at), true);
        return OK;
      },
      fd_readdir: (fd: number, at: number, room: number, cookie: bigint, out: number) =>
        this.list(fd, at, room, cookie, out),
      path_open: (fd: number, _: number, at: number, n: number, flags: number, _b: bigint, _i: bigint, fdflags: number,
        out: number) => this.open(fd, at, n, flags, (fdflags & 1) !== 0, out),
      path_filestat_get: (fd: number, _: number, at: number, n: number, out: number) =>
        this.statPath(this.path(fd, at, n), out),
      path_readlink: (fd: number, at: number, n: number) =>
        (this.files.has(this.path(fd, at, n)) || this.isFolder(this.path(fd, at, n)) ? INVAL : NOENT),
      path_unlink_file: (fd: number, at: number, n: number) => (this.files.delete(this.path(fd, at, n)) ? OK : NOENT),
      path_rename: (fd: number, at: number, n: number, to: number, toAt: number, toN: number) => {
        const from = this.path(fd, at, n), file = this.files.get(from);
        if (!file) return NOENT;
        this.files.delete(from);
        this.files.set(this.path(to, toAt, toN), file);
        return OK;
      },
      path_create_directory: (fd: number, at: number, n: number) => {
        const path = this.path(fd, at, n);
        if (this.folders.has(path) || this.files.has(path)) return EXIST;
        this.folders.add(path);
        return OK;
      },
      path_remove_directory: (fd: number, at: number, n: number) =>
        (this.folders.delete(this.path(fd, at, n)) ? OK : NOENT),
    };
    return functions as WebAssembly.ModuleImports;
  }
}

/** "a/b" of "/a/./b/". */
function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}
