// zarrita.mjs STORE...: each store as zarrita reads it, its bytes behind their number. zarr.py copies this beside node_modules.
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";

for (const store of process.argv.slice(2)) {
    const array = await zarr.open(new FileSystemStore(store), { kind: "array" });
    const { data } = await zarr.get(array);
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    process.stdout.write(Buffer.concat([length, bytes]));
}
