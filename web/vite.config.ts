// One file: the module compressed, scripts and styles inside.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(root, "build/web");

/** Colours of the figures, from the C header that has them. */
function colours(): Plugin {
  const name = "virtual:colours";
  return {
    name: "colours",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      const header = readFileSync(resolve(root, "plot/colour_maps.h"), "utf8");
      const list = (map: string): string => {
        const body = new RegExp(`${map}\\[\\d+\\] = \\{([^}]*)\\}`).exec(header)![1]!;
        return `[${body.match(/0x[0-9A-F]{6}/g)!.join(",")}]`;
      };
      return ["map_diverging", "map_sequential", "line_colours"].map((map) => `export const ${map} = ${list(map)};`).join("\n");
    },
  };
}

/** Scripts, styles and the module go into the page itself. */
function single(): Plugin {
  return {
    name: "single",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find((one) => one.fileName.endsWith(".html"));
      if (page?.type !== "asset") throw new Error("no page");
      let html = String(page.source);
      const put = (mark: RegExp, text: string): void => void (html = html.replace(mark, () => text));
      for (const [name, one] of Object.entries(bundle)) {
        if (one === page) continue;
        const text = one.type === "chunk" ? one.code : String(one.source);
        if (name.endsWith(".js")) put(/<script type="module"[^>]*><\/script>/, "");
        if (name.endsWith(".js")) put(/<\/body>/, `<script type="module">${text.replaceAll("</script", "<\\/script")}</script>\n</body>`);
        if (name.endsWith(".css")) put(/<link rel="stylesheet"[^>]*>/, `<style>${text}</style>`);
        delete bundle[name];
      }
      const module = gzipSync(readFileSync(resolve(out, "sinpos.wasm")), { level: 9 }).toString("base64");
      put(/<script id="module"[^>]*><\/script>/, `<script id="module" type="text/plain">${module}</script>`);
      delete bundle[page.fileName];
      writeFileSync(resolve(out, "sinpos.html"), html);
    },
  };
}

export default defineConfig({
  plugins: [colours(), single()],
  worker: { format: "iife" },
  build: { outDir: resolve(out, "vite"), emptyOutDir: true, target: "es2022", assetsInlineLimit: 0, modulePreload: false,
    cssCodeSplit: false },
});
