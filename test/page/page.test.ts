/**
 * The page of the built command in a headless Chromium: every view, the keyboard, edits on disk, hostile
 * content, the link that opens it, and requests to other servers.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_WAIT_MS, newPlace, run, servePage } from './browser.mjs';
import { faultsOf, sharedBrowser } from './opened-page.js';

const PAGE_FOLDER = resolve(import.meta.dirname, '../../dist/page');
const MAX_FIRST_VIEW_BYTES = 60_000;
const MAX_SCRIPT_BYTES = 250_000;
const ID = '20250124-1706102400123';

let made: ReturnType<typeof newPlace>;
let place: ReturnType<typeof newPlace>;
let served: Awaited<ReturnType<typeof servePage>>;
let context: BrowserContext;
let page: Page;
/** Errors, violations of the policy, and requests to other servers. */
let foreign: string[];
let errors: string[];

beforeAll(async () => {
  made = newPlace();
  await run(made, ['demo', made.root]);
});
afterAll(async () => {
  made.remove();
});

afterEach(async () => {
  await context.close();
  await served.stop();
  place.remove();
});

async function open(prepare: () => Promise<unknown> | unknown): Promise<void> {
  place = newPlace();
  await prepare();
  served = await servePage(place);
  context = await (await sharedBrowser()).newContext({ viewport: { width: 1100, height: 720 } });
  context.setDefaultTimeout(MAX_WAIT_MS);
  page = await context.newPage();
  foreign = [];
  errors = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== served.origin) foreign.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(served.link);
}

const fileOf = (id: string) => join(place.root, 'conversation-logs', id, 'conversation.json');

/** Writes a conversation as a user does by hand. */
function writeConversation(head: object, messages: readonly object[], id = ID): void {
  mkdirSync(join(fileOf(id), '..'), { recursive: true });
  writeFileSync(fileOf(id), JSON.stringify({ conversationId: id, ...head, messages }));
}

const go = (address: string) =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, address);

/** The store of `daybook demo`, which is made once. */
const demo = () => cpSync(made.root, place.root, { recursive: true });

describe('the page of the store of daybook demo', () => {
  beforeEach(() => open(demo));

  it('shows every view without faults found by axe and without requests to other servers', async () => {
    const views: readonly (readonly [string, string])[] = [
      ['#/', '.row'],
      ['#/search?q=tomatoes', '.hit mark'],
      ['#/figures', '.calendar'],
      ['#/knowledge', '.facts-table td'],
      ['#/knowledge/Ada', '.tools h1 bdi:text-is("Ada")'],
      ['#/notes/ideas%2Fgarden.md', '.note li'],
      ['#/insights', '.card'],
      ['#/trash', '.totals'],
    ];
    const found: string[] = [];
    const check = async (what: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        found.push(...(await faultsOf(page)).map((fault) => `${what} ${colorScheme}: ${fault}`));
      }
    };
    for (const [address, ready] of views) {
      await go(address);
      await page.waitForSelector(ready);
      await check(address);
    }
    await go('#/');
    await page.locator('.row').nth(2).click();
    await page.waitForSelector('.message .markdown');
    await check('conversation');
    expect(found).toEqual([]);
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('fits into a width of 360 pixels', async () => {
    await page.setViewportSize({ width: 360, height: 640 });
    for (const [address, ready] of [
      ['#/', '.row'],
      ['#/search?q=sand', '.hit'],
      ['#/figures', '.topics-by-month a'],
      ['#/knowledge', '.facts-table td'],
      ['#/notes/people.md', '.note table'],
    ] as const) {
      await go(address);
      await page.waitForSelector(ready);
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(width, { message: address }).toBe(360);
    }
  });

  it('can be used with the keyboard only', async () => {
    await page.waitForSelector('.row');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const title = await page.locator('.row:focus .title').textContent();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.message');
    await expect.poll(() => page.locator('h1').textContent()).toBe(title);
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('.message:focus').count()).toBe(1);
    await page.keyboard.press('J');
    await page.waitForSelector('.message.user:focus:not(#m1)');
    await page.keyboard.press('K');
    await page.waitForSelector('#m1:focus');
    await page.keyboard.press('/');
    await page.waitForSelector('.query:focus');
    await page.keyboard.type('lavender');
    await expect.poll(() => new URL(page.url()).hash).toBe('#/search?q=lavender');
    await page.waitForSelector('[role=status]:not(.stale) + .hits .hit');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.message.named');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog .keys');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.waitForSelector('.find:focus');
    await page.keyboard.type('midlemarch');
    await page.waitForSelector('.found [role=option]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.waitForSelector('.find:focus');
    await page.keyboard.type('people');
    await page.waitForSelector('.found [role=option]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.note table');
    expect(errors).toEqual([]);
  });

  it('changes title, tags and pin, deletes, and undoes the deletion', async () => {
    await page.locator('.row').first().click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('A new name');
    await page.getByLabel('Tags').fill('one, two');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForSelector('h1:text("A new name")');
    await page.getByRole('button', { name: 'Pin' }).click();
    await page.waitForSelector('[aria-pressed=true]');
    const id = decodeURIComponent(new URL(page.url()).hash.split('/')[2] ?? '');
    const stored = JSON.parse(readFileSync(fileOf(id), 'utf8'));
    expect(stored).toMatchObject({ title: 'A new name', tags: ['one', 'two'], pinned: true });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.waitForSelector('[role=status]:text("299 conversations")');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.waitForSelector('h1:text("A new name")');
    expect(JSON.parse(readFileSync(fileOf(id), 'utf8')).title).toBe('A new name');
  });

  it('lists all conversations while only those on the screen are in the document', async () => {
    await page.waitForSelector('.row');
    const list = page.locator('.virtual');
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForSelector('[data-at="299"]');
    expect(await page.locator('.row').count()).toBeLessThan(60);
  });
});

describe('a change on disk', () => {
  beforeEach(() =>
    open(() => {
      writeConversation({ title: 'Bees' }, [{ role: 'user', content: 'Do bees sleep?' }]);
      mkdirSync(join(place.root, 'memory-bank'), { recursive: true });
      writeFileSync(join(place.root, 'memory-bank', 'a.md'), '# First\n');
    }),
  );

  it('is shown without a reload, in the list and in an open conversation', async () => {
    await page.waitForSelector('.row .title:text("Bees")');
    writeConversation(
      { title: 'Wasps' },
      [{ role: 'user', content: 'x' }],
      `20250125${ID.slice(8)}`,
    );
    await page.waitForSelector('.row .title:text("Wasps")');
    await go(`#/conversation/${ID}`);
    await page.waitForSelector('.message :text("Do bees sleep?")');
    writeConversation({ title: 'Bees at night' }, [
      { role: 'user', content: 'Do all bees sleep?' },
    ]);
    await page.waitForSelector('.message :text("Do all bees sleep?")');
    await page.waitForSelector('h1:text("Bees at night")');
  });

  it('is not overwritten by an edit of a note that was started before', async () => {
    await go('#/notes/a.md');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text of the note').fill('# Mine\n');
    await page.waitForSelector('[aria-label=Preview] h1:text("Mine")');
    const file = join(place.root, 'memory-bank', 'a.md');
    writeFileSync(file, '# Theirs\n');
    await page.waitForSelector('[role=alert]');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('# Theirs\n');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text of the note').fill('# Both\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForSelector('.notice:text("saved")');
    await page.waitForSelector('.note > .markdown h1:text("Both")');
    expect(readFileSync(file, 'utf8')).toBe('# Both\n');
  });

  it('is shown again after a restart of the server, with the same cookie', async () => {
    await page.waitForSelector('.row');
    const { port } = served;
    await served.stop();
    served = await servePage(place, port);
    expect(served.port).toBe(port);
    writeConversation(
      { title: 'Later' },
      [{ role: 'user', content: 'x' }],
      `20250126${ID.slice(8)}`,
    );
    await page.waitForSelector('.row .title:text("Later")');
  });
});

describe('hostile content', () => {
  const HOSTILE = [
    '<script>window.hacked = 1</script>',
    '<img src="https://evil.example/x.png" onerror="window.hacked = 1">',
    '![image](https://evil.example/y.png)',
    '[link](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>)',
    '<svg onload="window.hacked=1"><script>window.hacked=1</script><a xlink:href="javascript:1">x</a></svg>',
    '<iframe src="https://evil.example"></iframe><form action="https://evil.example"><button>go</button></form>',
    '<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1>',
    '<style>body { display: none }</style><a href="https://evil.example" onclick="window.hacked=1" style="position:fixed;inset:0">click</a>',
    '\u202egnp.exe\u2066 \u0000\u001b[31m',
  ];

  beforeEach(() =>
    open(() => {
      const messages = HOSTILE.map((content) => ({ role: 'assistant', content }));
      const sources = [
        { url: 'javascript:window.hacked=1', title: 'bad' },
        { url: 'https://example.org/', title: '<img src=x onerror=window.hacked=1>' },
      ];
      const last = { role: 'assistant', content: 'end', metadata: { sources, model: '<b>x' } };
      const title = `<img src=x onerror=window.hacked=1>\u202e${'long '.repeat(2000)}`;
      writeConversation({ title, tags: ['<script>'], module: '"><i>' }, [...messages, last]);
      const huge = `${'a long line '.repeat(400_000)}\n${'<b>'.repeat(60_000)}`;
      writeConversation(
        { title: 'huge' },
        [{ role: 'user', content: huge }],
        `20250125${ID.slice(8)}`,
      );
      mkdirSync(join(place.root, 'memory-bank'), { recursive: true });
      writeFileSync(join(place.root, 'memory-bank', 'x.md'), HOSTILE.join('\n\n'));
    }),
  );

  it('is shown as text, runs no script and sends no request', async () => {
    await page.waitForSelector('.row');
    for (const [address, ready] of [
      [`#/conversation/${ID}`, '.sources'],
      ['#/search?q=end', '.hit'],
      ['#/notes/x.md', '.note .markdown'],
      ['#/figures', '.calendar'],
    ] as const) {
      await go(address);
      await page.waitForSelector(ready);
      const forbidden = await page.evaluate(() => {
        const inside = [...document.querySelectorAll('main *')];
        const isBad = (element: Element) =>
          /^(SCRIPT|IFRAME|IMG|STYLE|OBJECT|EMBED|LINK|MATH)$/i.test(element.tagName) ||
          [...element.attributes].some(({ name }) => name.startsWith('on')) ||
          /^(javascript|data):/i.test(element.getAttribute('href') ?? '') ||
          (element.closest('.markdown') !== null && /^(SVG|FORM)$/i.test(element.tagName)) ||
          (element.closest('.markdown') !== null && element.hasAttribute('style'));
        return inside.filter(isBad).map((element) => element.outerHTML.slice(0, 200));
      });
      expect(forbidden, address).toEqual([]);
    }
    await go(`#/conversation/${ID}`);
    await page.waitForSelector('.sources');
    await expect.poll(() => page.locator('.sources a').count()).toBe(1);
    await expect
      .poll(() => page.locator('.markdown a').first().getAttribute('rel'))
      .toContain('noreferrer');
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('of five megabytes is loaded in parts', async () => {
    await go(`#/conversation/20250125${ID.slice(8)}`);
    await page.waitForSelector('.message');
    expect(await page.locator('.message').count()).toBeLessThan(20);
    await expect.poll(() => page.locator('.message').first().innerText()).toContain('a long line');
  });
});

describe('the link that opens the page', () => {
  beforeEach(() => open(() => undefined));

  it('opens the view of its address even if the page is not yet drawn', async () => {
    await page.waitForSelector('h2:text("Nothing is stored here yet")');
    await page.addInitScript(() => {
      const whenDrawn = new MutationObserver(() => {
        if (document.getElementById('app')?.firstChild == null) return;
        whenDrawn.disconnect();
        location.hash = '#/trash';
      });
      whenDrawn.observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.waitForSelector('h1:text("Trash and health")');
  });

  it('works once, and its token is in no history and not visible to scripts', async () => {
    await page.waitForSelector('h2:text("Nothing is stored here yet")');
    expect(page.url()).toBe(`${served.origin}/#/`);
    expect(
      await page.evaluate(() => [document.cookie, sessionStorage.length, history.length]),
    ).toEqual(['', 0, expect.any(Number)]);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const stranger = await (await sharedBrowser()).newContext();
    const second = await stranger.newPage();
    await second.goto(served.link);
    await second.waitForSelector('.sign-in');
    expect(
      (await second.request.post(`${served.origin}/api/tools/store_info`, { data: {} })).status(),
    ).toBe(401);
    const token = readFileSync(
      join(place.env['XDG_CONFIG_HOME'] ?? '', 'daybook/http-token'),
      'utf8',
    );
    await second.getByLabel('Token').fill('wrong');
    await second.getByRole('button', { name: 'Open' }).click();
    await second.waitForSelector('[role=alert]');
    await second.getByLabel('Token').fill(token);
    await second.getByRole('button', { name: 'Open' }).click();
    await second.waitForSelector('h2:text("Nothing is stored here yet")');
    await stranger.close();
  });

  it('gives no access to other sites, other hosts and other formats', async () => {
    await page.waitForSelector('h2:text("Nothing is stored here yet")');
    const ask = (headers: Record<string, string>, path = '/api/tools/store_info') =>
      page.request.post(`${served.origin}${path}`, { headers, data: '{}' });
    const json = { 'Content-Type': 'application/json' };
    expect((await ask(json)).status()).toBe(200);
    expect((await ask({ ...json, Origin: 'https://evil.example' })).status()).toBe(403);
    expect((await ask({ ...json, 'Sec-Fetch-Site': 'same-site' })).status()).toBe(403);
    expect((await ask({ ...json, Host: 'evil.example' })).status()).toBe(403);
    expect((await ask({ 'Content-Type': 'text/plain' })).status()).toBe(415);
    const unknown = await ask(json, '/api/tools/nothing');
    expect([unknown.status(), (await unknown.json()).error.code]).toEqual([
      400,
      'VALIDATION_ERROR',
    ]);
    const response = await page.request.get(served.origin);
    expect(response.headers()['content-security-policy']).toContain("default-src 'none'");
    expect(response.headers()['content-security-policy']).not.toContain('unsafe');
    expect(
      (await page.request.get(`${served.origin}/assets/..%2f..%2fpackage.json`)).status(),
    ).toBe(404);
  });
});

it('the scripts of the first view and of the whole page are small', () => {
  const assets = join(PAGE_FOLDER, 'assets');
  const sizes = readdirSync(assets)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, gzipSync(readFileSync(join(assets, name))).byteLength] as const);
  const first = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8');
  const bytesOf = (list: typeof sizes) => list.reduce((sum, [, bytes]) => sum + bytes, 0);
  const ofFirstView = sizes.filter(([name]) => first.includes(name));
  expect(ofFirstView).not.toEqual([]);
  expect(bytesOf(ofFirstView)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  expect(bytesOf(sizes)).toBeLessThan(MAX_SCRIPT_BYTES);
  expect(first).not.toMatch(/<script(?![^>]*src=)|<style|https?:/);
});
