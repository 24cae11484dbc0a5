/**
 * The connection to the server: a stream of changes that ended without an event, as after a sleep of the
 * machine; a server that is stopped; and a session that ended.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { servePage } from './browser.mjs';
import {
  goTo,
  type OpenedPage,
  openPage as openPageOf,
  usePages,
  writeConversation,
} from './opened-page.js';

const openPage = usePages(servePage);
const ID = '20250124-1706102400123';
/** Longer than the page waits for an event before it opens the stream again. */
const QUIET_MS = 50_000;

/** A page of a store without changes. It is opened first, so that its time passes during the other tests. */
let quiet: OpenedPage;
let quietSince: number;
let streamsOfQuiet = 0;

beforeAll(async () => {
  quiet = await openPageOf(servePage, () => undefined);
  await quiet.page.waitForSelector('html[data-live="yes"]');
  quiet.page.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streamsOfQuiet += 1;
  });
  quietSince = performance.now();
});
afterAll(() => quiet.close());

it('the stream is opened again after a long silence, and changes of this time are shown', async () => {
  const { page, faults, root, served } = await openPage(() => undefined);
  await page.waitForSelector('html[data-live="yes"]');
  await page.clock.install();
  await page.reload();
  await page.waitForSelector('html[data-live="yes"]');
  served.signal('SIGSTOP');
  const again = page.waitForRequest('**/api/events');
  await page.clock.runFor(60_000);
  await again;
  await page.waitForSelector('html[data-live="no"]');
  writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]);
  served.signal('SIGCONT');
  await page.waitForSelector('html[data-live="yes"]');
  await page.waitForSelector('.row .title:text("Bees")');
  expect(faults).toEqual([]);
});

it('a line tells that the connection is lost, and goes when the server is back or was only asleep', async () => {
  const { page, place, served, faults } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  const line = '.notices:has-text("The connection to the server is lost")';
  await page.waitForSelector('html[data-live="yes"]');
  expect(await page.locator(line).count()).toBe(0);
  await served.stop();
  await page.waitForSelector(line);
  const again = await servePage(place, served.port);
  await page.waitForSelector(line, { state: 'detached' });
  await page.waitForSelector('html[data-live="yes"]');
  await page.clock.install();
  await page.reload();
  await page.waitForSelector('html[data-live="yes"]');
  again.signal('SIGSTOP');
  await page.clock.runFor(60_000);
  await page.waitForSelector(line);
  again.signal('SIGCONT');
  await page.waitForSelector(line, { state: 'detached' });
  await again.stop();
  expect(faults).toEqual([]);
});

it('a view that is opened while the server is stopped has an error, and can be loaded later', async () => {
  const { page, place, served } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  await page.waitForSelector('.row');
  await served.stop();
  await page.click('nav >> text=Search');
  await page.waitForSelector('[role=alert]:has-text("The server does not answer")');
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.find:focus');
  await page.keyboard.type('Bees');
  await page.waitForSelector('dialog [role=alert]:has-text("The server does not answer")');
  await page.keyboard.press('Escape');
  const again = await servePage(place, served.port);
  await page.click('button:text("Load the page again")');
  await page.waitForSelector('input.query');
  await again.stop();
});

it('after the end of the session a button leads to the sign-in form, which reports a wrong token', async () => {
  const { page, context, served } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  await page.click('.row');
  await page.waitForSelector('#m1');
  await context.clearCookies();
  await page.click('nav >> text=Timeline');
  await page.click('[role=alert] >> text=Sign in');
  await page.fill('input', 'not the token');
  await page.click('button:text("Open")');
  await page.waitForSelector('[role=alert]:has-text("This is not the token")');
  await served.stop();
  await page.click('button:text("Open")');
  await page.waitForSelector('[role=alert]:has-text("The server does not answer")');
});

it('a line tells that the session has ended, also before the next click', async () => {
  const { page, context, place, served } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  const line = '.notices:has-text("Your session has ended")';
  await page.waitForSelector('html[data-live="yes"]');
  const cookies = await context.cookies();
  await context.clearCookies();
  await served.stop();
  await page.waitForSelector('.notices:has-text("The connection to the server is lost")');
  const again = await servePage(place, served.port);
  await page.waitForSelector(line);
  await context.addCookies(cookies);
  await page.waitForSelector(line, { state: 'detached' });
  await context.clearCookies();
  await again.stop();
  const last = await servePage(place, served.port);
  await page.click(`${line} >> text=Sign in`);
  await page.waitForSelector('.sign-in');
  await last.stop();
});

it('the page tells that the store is not available, and that a change only waits', async () => {
  const note = join('memory-bank', 'bees.md');
  const { page, root } = await openPage((place) => {
    mkdirSync(join(place.root, 'memory-bank'), { recursive: true });
    writeFileSync(join(place.root, note), '# Bees\n');
    writeConversation(place.root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]);
  });
  await page.waitForSelector('.row');
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Text of the note').fill('# Bees and wax');
  renameSync(root, `${root}-away`);
  const warning = '[role=alert]:has-text("The store cannot be written now")';
  await expect
    .poll(async () => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('b');
      await page.waitForTimeout(500);
      await page.keyboard.press('Escape');
      return page.locator(warning).count();
    })
    .toBe(1);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.notice:has-text("it waits in the memory of the server")');
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('.failure:has-text("is not available")');
  renameSync(`${root}-away`, root);
  await page.waitForSelector(warning, { state: 'detached' });
  await page.waitForSelector('#m1');
  await expect.poll(() => readFileSync(join(root, note), 'utf8')).toContain('# Bees and wax');
});

it('a conversation that could not be read is shown when the store is available again', async () => {
  const { page, root } = await openPage((place) =>
    writeConversation(place.root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  await page.waitForSelector('.row');
  renameSync(root, `${root}-away`);
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('[role=alert]:has-text("is not available")');
  renameSync(`${root}-away`, root);
  await page.waitForSelector('#m1');
});

it('many tabs can be open, because a hidden one has no stream, and a change is shown when it is seen again', async () => {
  const { page, context, root, served } = await openPage(({ root: made }) =>
    writeConversation(made, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  const hide = (tab: typeof page, isHidden: boolean) =>
    tab.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  const openTabs = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const tab = await context.newPage();
      await tab.goto(`${served.origin}/#/conversation/${ID}`);
      await tab.waitForSelector('#m1');
      await tab.waitForSelector('html[data-live="yes"]');
    }
  };
  await openTabs(4);
  const first = context.pages();
  for (const tab of first) await hide(tab, true);
  for (const tab of first) await tab.waitForSelector('html[data-live="no"]');
  await openTabs(4);
  writeConversation(root, ID, { title: 'Wasps' }, [{ role: 'user', content: 'x' }]);
  await context.pages().at(-1)?.waitForSelector('h1:text("Wasps")');
  await hide(page, false);
  await page.waitForSelector('.row .title:text("Wasps")');
});

it('the stream stays open without changes, because the server sends an event every 15 seconds', async () => {
  await quiet.page.waitForTimeout(Math.max(0, QUIET_MS - (performance.now() - quietSince)));
  expect(streamsOfQuiet).toBe(0);
  expect(await quiet.page.locator('html').getAttribute('data-live')).toBe('yes');
});
