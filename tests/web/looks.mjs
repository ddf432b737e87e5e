// looks.mjs [--out FOLDER]: the page as people see it, every view, phone and desktop, light and dark. Two of the pictures
// are in docs/images: explorer-table-top.png as explorer-table.png, explorer-phone-view-heatmap.png as explorer-phone.png.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { options, root } from "./verdicts.mjs";

const { build, out } = options();
const { chromium } = createRequire(join(root, "web/package.json"))("playwright-core");
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
mkdirSync(out, { recursive: true });

async function look(name, viewport, colorScheme, hash, ids) {
  const page = await (await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" })).newPage();
  await page.goto(pathToFileURL(join(build, "sinpos.html")).href + hash);
  await page.locator("html[data-ready]").waitFor({ state: "attached" });
  for (const id of ids ?? (await page.locator("section.card").evaluateAll((all) => all.map((one) => one.id)))) {
    await page.evaluate((own) => document.getElementById(own).scrollIntoView(), id);
    if (id !== "view-files") await page.locator(`#${id}[data-drawn]:not([data-drawing])`).waitFor({ timeout: 90000 });
    await page.locator(`#${id}`).screenshot({ path: join(out, `${name}-${id}.png`) });
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(out, `${name}-top.png`) });
  await page.context().close();
}

const desktop = { width: 1400, height: 1000 }, phone = { width: 390, height: 844 };
await look("explorer-table", { width: 1200, height: 900 }, "light", "", ["view-error"]);
await look("explorer-phone", phone, "dark", "", ["view-error", "view-heatmap"]);
if (!process.argv.includes("--brief"))
  for (const theme of ["light", "dark"]) {
    await look(`desktop-${theme}`, desktop, theme, "");
    await look(`phone-${theme}`, phone, theme, "");
  }
await browser.close();
