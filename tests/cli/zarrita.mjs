// zarrita.mjs FOLDER STORE...: each store as zarrita reads it, its bytes behind their number. FOLDER has node_modules.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, ...stores] = process.argv.slice(2);
const resolve = createRequire(pathToFileURL(`${folder}/package.json`)).resolve;
const zarr = await import(pathToFileURL(resolve("zarrita")));
const { default: FileSystemStore } = await import(pathToFileURL(resolve("@zarrita/storage/fs")));

for (const store of stores) {
    const array = await zarr.open(new FileSystemStore(store), { kind: "array" });
    const { data } = await zarr.get(array);
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    process.stdout.write(Buffer.concat([length, bytes]));
}
