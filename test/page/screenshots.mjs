/**
 * `npm run screenshots`: makes the pictures in docs/page, which show the store of `daybook demo`.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { launch, newPlace, run, servePage } from './browser.mjs';
import { serveHost } from './mcp-app-site.mjs';

const FOLDER = resolve(import.meta.dirname, '../../docs/page');
const VIEWS = [
  ['timeline', '#/', '.row'],
  ['search', '#/search?q=tomatoes+water', '.hit'],
  ['figures', '#/figures', '.calendar'],
  ['knowledge', '#/knowledge', '.facts-table td'],
  ['notes', '#/notes/ideas%2Fgarden.md', '.note .markdown'],
  ['insights', '#/insights', '.card'],
  ['trash', '#/trash', '.totals'],
];

const place = newPlace();
const browser = await launch();
try {
  await run(place, ['demo', place.root]);
  const served = await servePage(place);
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  await page.goto(served.link);
  mkdirSync(FOLDER, { recursive: true });
  const take = (name) => page.screenshot({ path: join(FOLDER, `${name}.png`) });
  for (const [name, address, ready] of VIEWS) {
    await page.goto(`${served.origin}/${address}`);
    await page.waitForSelector(ready);
    if (name === 'knowledge') await page.waitForTimeout(1500); // until the layout does not move any more
    await take(name);
  }
  await page.goto(`${served.origin}/#/`);
  await page.locator('.row').nth(3).click();
  await page.waitForSelector('.message');
  await take('conversation');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${served.origin}/#/figures`);
  await page.waitForSelector('.calendar');
  await take('figures-dark');
  await page.setViewportSize({ width: 360, height: 720 });
  await page.goto(`${served.origin}/#/`);
  await page.waitForSelector('.row');
  await take('timeline-narrow');
  await served.stop();
  const hosted = await serveHost(place);
  const host = await browser.newPage({ viewport: { width: 760, height: 660 } });
  await hosted.open(host);
  await host.evaluate(() => window.host.show('kg_neighbors', { node: 'Ada', depth: 2 }));
  await host.frameLocator('iframe').locator('.facts-table td').first().waitFor();
  await host.waitForTimeout(1500);
  await host.screenshot({ path: join(FOLDER, 'in-an-assistant.png') });
  await hosted.close();
} finally {
  await browser.close();
  place.remove();
}
