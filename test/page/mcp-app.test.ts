/**
 * The views in the window of an assistant. The built server runs over HTTP, the official client and host of
 * MCP Apps run in a headless Chromium, and each view is in a sandboxed frame.
 */
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MAX_WAIT_MS, newPlace } from './browser.mjs';
import type { Host } from './mcp-app-host.js';
import { serveHost } from './mcp-app-site.mjs';
import { faultsOf, sharedBrowser, writeConversation } from './opened-page.js';

const ID = '20250124-1706102400123';
const HOSTILE = [
  '<script>console.error("ran: script")</script>',
  '<img src="https://evil.example/x.png" onerror="console.error(\'ran: handler\')">',
  '<svg><script>console.error("ran: svg")</script></svg>',
  '[click](javascript:console.error("ran:link"))',
  '[good](https://good.example/page)',
].join('\n\n');
/** The sanitiser parses a text in its own document, where the policy refuses handlers too. */
const REFUSED = 'Executing inline event handler violates';

const place = newPlace();
let context: BrowserContext;
let hosted: Awaited<ReturnType<typeof serveHost>>;
let page: Page;
/** Requests to other servers, errors, and violations of the policy. */
const faults: string[] = [];

beforeAll(async () => {
  writeConversation(place.root, ID, { title: 'Bees', module: 'garden' }, [
    { role: 'user', content: 'Do bees sleep?', id: 'm-1' },
    { role: 'assistant', content: HOSTILE, id: 'm-2' },
  ]);
  hosted = await serveHost(place);
  const browser = await sharedBrowser();
  context = await browser.newContext({ viewport: { width: 700, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(MAX_WAIT_MS);
  page.on('request', (request) => {
    if (!hosted.origins.includes(new URL(request.url()).origin)) faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const isWrong = message.type() === 'error' && !message.text().startsWith(REFUSED);
    if (isWrong) faults.push(message.text());
  });
  await hosted.open(page);
});
afterAll(async () => {
  await context.close();
  await hosted.close();
  place.remove();
});
beforeEach(() => faults.splice(0));

declare const host: Host;
type Named = Readonly<Record<'id' | 'hash', string>>;

/** Calls a tool in the host, which shows its view. Returns the frame of the view. */
async function show(name: string, args: Record<string, unknown>, ready: string): Promise<Frame> {
  await page.evaluate(([tool, input]) => host.show(tool, input), [name, args] as const);
  await page.frameLocator('iframe').locator(ready).first().waitFor();
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error('There is no frame.');
  return frame;
}

const call = (name: string, args: Record<string, unknown>) =>
  page.evaluate(([tool, input]) => host.call(tool, input), [name, args] as const);

/** The faults that axe finds, light and dark, and one if the view does not fit into a narrow window. */
async function faultsInBothThemes(frame: Frame): Promise<string[]> {
  const found: string[] = [];
  await page.setViewportSize({ width: 376, height: 900 });
  await frame.waitForFunction(() => innerWidth <= 376);
  const isWide = () =>
    [document.documentElement, document.querySelector('main')].some(
      (each) => each !== null && each.scrollWidth > innerWidth,
    );
  if (await frame.evaluate(isWide)) found.push('wider than 360 pixels');
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((chosen) => host.setTheme(chosen), theme);
    await frame.waitForSelector(`[data-theme=${theme}]`);
    found.push(...(await faultsOf(frame)).map((fault) => `${theme}: ${fault}`));
  }
  await page.setViewportSize({ width: 700, height: 900 });
  return found;
}

/** The brightest value in the picture of the graph. It shows whether the names are light or dark. */
async function brightest(frame: Frame): Promise<number> {
  const found = await frame.waitForFunction(() => {
    const canvas = document.querySelector('canvas');
    const { width = 0, height = 0 } = canvas ?? {};
    if (width === 0) return 0;
    const data = canvas?.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    let most = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) most = Math.max(most, data[at] ?? 0);
    }
    return most;
  });
  return Number(await found.jsonValue());
}

it('a view shows a conversation, opens its links, and runs no script of its text', async () => {
  const title = 'Bees, another way';
  const branch = await call('branch_conversation', { conversationId: ID, messageId: 'm-1', title });
  const frame = await show('get_conversation', { conversationId: ID }, '.message a');
  await expect.poll(() => frame.locator('h1').textContent()).toBe('Bees');
  expect(await frame.getByRole('button', { name: /Edit|Delete|Pin/ }).count()).toBe(0);
  const harmful = '.message :is(script, img, svg, [onerror], a[href^="javascript" i])';
  expect(await frame.locator(harmful).count()).toBe(0);
  expect(await faultsInBothThemes(frame)).toEqual([]);
  const background = await frame.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(background).toBe('rgb(20, 23, 21)');
  const height = Number.parseInt((await page.locator('iframe').getAttribute('style')) ?? '', 10);
  expect(height || 640).toBeLessThanOrEqual(640);

  await frame.locator('main').focus();
  await page.keyboard.press('j');
  await expect.poll(() => frame.locator('.message:focus').count()).toBe(1);
  await frame.getByRole('link', { name: 'good' }).click();
  await expect.poll(() => page.evaluate(() => host.opened)).toEqual(['https://good.example/page']);

  await frame.getByRole('link', { name: title }).press('Enter');
  await frame.waitForSelector(`h1:has-text("${title}")`);
  await expect.poll(() => frame.locator('.message').count()).toBe(1);
  await frame.getByRole('button', { name: 'Back' }).click();
  await frame.waitForSelector('.message >> nth=1');
  await call('save_message', { conversationId: ID, role: 'user', content: 'And at night?' });
  await frame.getByRole('button', { name: 'Refresh' }).click();
  await frame.waitForSelector('.message :text("And at night?")');
  await frame.getByRole('button', { name: 'Full screen' }).click();
  await frame.waitForSelector('[data-size=filled]');
  expect(branch['conversationId']).not.toBe(ID);
  expect(faults).toEqual([]);
});

it('a view starts at the messages that the assistant has read, and marks an earlier version', async () => {
  const latest = { conversationId: ID, messageLimit: 1 };
  const frame = await show('get_conversation', latest, '.message.named');
  await expect.poll(() => frame.locator('.message.named').textContent()).toContain('#3');
  const [last] = (await call('get_conversation', latest))['messages'] as Named[];
  const { id: messageId = '', hash = '' } = last ?? {};
  const changed = { conversationId: ID, messageId, hash, content: 'And by night?' };
  await call('update_message', changed);
  const earlier = await show('get_conversation', { conversationId: ID, version: 1 }, '.message');
  await earlier.waitForSelector('p:has-text("read version 1")');
  await earlier.waitForSelector('.message :text("And by night?")');
  expect(faults).toEqual([]);
});

it('a view runs only its own scripts, even if the host allows others', async () => {
  const frame = await show('get_conversation', { conversationId: ID }, '.message');
  const outcome = await frame.evaluate(() => {
    const place = document.createElement('div');
    try {
      place.innerHTML = '<b>x</b>';
    } catch (error) {
      return String(error);
    }
    return 'allowed';
  });
  expect(outcome).toContain('TrustedHTML');
  faults.splice(0);
});

it('a view shows the requested facts as a picture, with links to their messages', async () => {
  const ada = { subject: 'Ada', predicate: 'keeps', object: 'bees', conversationId: ID };
  const grace = { subject: 'Grace', predicate: 'keeps', object: 'wasps' };
  await call('kg_add', { triples: [ada, grace, { ...grace, object: 'bees' }] });
  const frame = await show('kg_query', { subject: 'Ada' }, '.facts-table tbody tr');
  const rows = frame.locator('.facts-table tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  const light = await brightest(frame);
  expect(light).toBeGreaterThan(0);
  expect(await faultsInBothThemes(frame)).toEqual([]);
  await expect.poll(() => brightest(frame)).toBeGreaterThan(light);
  await frame.getByRole('link', { name: 'bees' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await frame.getByRole('link', { name: 'conversation' }).click();
  await frame.waitForSelector('h1:has-text("Bees")');
  const around = await show('kg_neighbors', { node: 'Grace' }, '.facts-table tbody tr');
  await expect.poll(() => around.locator('h1').textContent()).toBe('Grace');
  expect(faults).toEqual([]);
});

it('a view shows the requested figures, or the error of a tool', async () => {
  const frame = await show('get_analytics', { module: 'garden' }, '.calendar');
  await frame.waitForSelector('p:has-text("Only module garden")');
  await frame.waitForSelector('.topics-by-month');
  expect(await faultsInBothThemes(frame)).toEqual([]);
  await frame.getByRole('link', { name: 'Bees', exact: true }).click();
  await frame.waitForSelector('h1:has-text("Bees")');
  await frame.getByRole('button', { name: 'Back' }).click();
  await frame.locator('.topics a').first().click();
  await frame.locator('.hit').first().press('Enter');
  await frame.waitForSelector('.message.named');
  const refused = await show('get_conversation', { conversationId: 'none' }, '[role=alert]');
  await expect.poll(() => refused.locator('[role=alert]').textContent()).toContain('none');
  expect(await faultsInBothThemes(refused)).toEqual([]);
  expect(faults).toEqual([]);
});

it('a view shows an error if the host forwards only the text of a conversation', async () => {
  await page.evaluate(() => Object.assign(host, { forwardsOnlyTexts: true }));
  const frame = await show('get_conversation', { conversationId: ID }, '[role=alert]');
  await expect
    .poll(() => frame.locator('[role=alert]').textContent())
    .toContain('does not forward');
  await page.evaluate(() => Object.assign(host, { forwardsOnlyTexts: false }));
  // There is no button any more if the view has loaded the messages by itself, as when its size changes.
  await frame.evaluate(() => document.querySelector<HTMLElement>('.end button')?.click());
  await frame.waitForSelector('.message');
  expect(faults).toEqual([]);
});
