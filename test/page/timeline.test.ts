/** The timeline and quick find while the user types, and while conversations change. */
import { expect, it } from 'vitest';
import { drawn, goTo, usePages, writeConversation } from './opened-page.js';

const openPage = usePages();
const ONE = [{ role: 'user', content: 'x' }];
const idOf = (at: number) => `20250124-${1_706_102_400_000 + at}`;

it('a filter without results can be removed with the keyboard', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: 'Bees' }, ONE),
  );
  await page.waitForSelector('.row');
  const filter = page.getByLabel('Filter by title and tags');
  await filter.fill('qqzz');
  await page.waitForSelector('[role=status]:has-text("0 conversations")');
  for (let at = 0; at < 4; at++) await filter.press('Backspace');
  await page.waitForSelector('.row');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
});

it('a filter without results leads to a search of the messages', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, '20250124-1706102400123', { title: 'Bees' }, [
      { role: 'user', content: 'A hive hums.' },
    ]),
  );
  await page.waitForSelector('.row');
  await page.getByPlaceholder('Filter').fill('hive');
  await page.getByRole('link', { name: 'Search what was said' }).click();
  await page.waitForSelector('.hit:has-text("A hive hums.")');
});

it('the list says that it loads while no row on the screen is loaded', async () => {
  const { page, context } = await openPage(({ root }) => {
    for (let at = 0; at < 250; at += 1)
      writeConversation(root, idOf(at), { title: `Talk ${at}` }, ONE);
  });
  await page.waitForSelector('.row');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route('**/api/tools/get_conversations', async (route) => {
    await released;
    await route.continue();
  });
  await page.locator('.virtual').press('End');
  const line = page.locator('.virtual .loading');
  await line.waitFor();
  const [list, text] = [await page.locator('.virtual').boundingBox(), await line.boundingBox()];
  expect((text?.y ?? 0) - (list?.y ?? 0)).toBeLessThan(100);
  release();
  await page.waitForSelector('.row:has-text("Talk 0")');
  expect(await line.count()).toBe(0);
});

it('the rows on the screen and the focus stay when a conversation changes', async () => {
  const { page, root } = await openPage((place) => {
    for (let at = 0; at < 500; at++) writeConversation(place.root, idOf(at), {}, ONE);
  });
  await page.waitForSelector('.row');
  await page.locator('.virtual').evaluate((list) => list.scrollTo(0, 400 * 64));
  await page.waitForSelector('[data-at="405"]');
  await page.locator('[data-at="405"]').focus();
  const href = await page.locator('[data-at="405"]').getAttribute('href');
  await page.evaluate(() => {
    const seen = window as unknown as { rows: number };
    seen.rows = Number.POSITIVE_INFINITY;
    new MutationObserver(() => {
      seen.rows = Math.min(seen.rows, document.querySelectorAll('.row').length);
    }).observe(document.body, { childList: true, subtree: true });
  });
  writeConversation(root, idOf(600), { title: 'New' }, ONE);
  await page.waitForSelector('[role=status]:text("501 conversations")');
  await page.waitForSelector('.row');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(href);
  expect(await page.evaluate(() => (window as unknown as { rows: number }).rows)).toBeGreaterThan(
    10,
  );
});

it('an error is shown only until the next rows are loaded', async () => {
  const { page } = await openPage((place) => {
    for (let at = 0; at < 250; at++) writeConversation(place.root, idOf(at), {}, ONE);
  });
  await page.waitForSelector('.row');
  const list = '**/api/tools/get_conversations';
  const scrollTo = (row: number) =>
    page.locator('.virtual').evaluate((rows, top) => rows.scrollTo(0, top), row * 64);
  await page.route(list, (route) => route.abort());
  await scrollTo(110);
  await page.waitForSelector('.failure:has-text("The server does not answer")');
  await page.unroute(list);
  await scrollTo(130);
  await page.waitForSelector('[data-at="135"]');
  expect(await page.locator('.failure').count()).toBe(0);
});

it('Enter in quick find opens a hit of the typed words, also before it is shown', async () => {
  const { page } = await openPage(({ root }) => {
    writeConversation(root, idOf(1), { title: 'Bees' }, ONE);
    writeConversation(root, idOf(2), { title: 'Wasps' }, ONE);
  });
  await page.waitForSelector('.row');
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.find:focus');
  await page.keyboard.type('Bees');
  await page.waitForSelector('.found :text("Bees")');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Wasps');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:text("Wasps")');
});

it('a notice tells that an undo failed', async () => {
  const { page, context } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: 'Bees' }, ONE),
  );
  await goTo(page, `#/conversation/${idOf(1)}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.waitForSelector('.notice:has-text("in the trash")');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForSelector('.notice:has-text("The server does not answer")');
});

it('a second click on Delete or Restore leaves the notice about the first', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: 'Bees' }, ONE),
  );
  const asked = { delete_conversation: 0, restore_conversation: 0 };
  for (const name of ['delete_conversation', 'restore_conversation'] as const) {
    await page.route(`**/api/tools/${name}`, async (route) => {
      asked[name] += 1;
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
  }
  await goTo(page, `#/conversation/${idOf(1)}`);
  await page.getByRole('button', { name: 'Delete' }).dblclick();
  await page.waitForSelector('.notice:has-text("in the trash")');
  await goTo(page, '#/trash');
  await page.getByRole('button', { name: 'Restore Bees' }).dblclick();
  await page.waitForSelector('.notice:has-text("The conversation is back.")');
  // The answer to a second call would replace the notice.
  expect(asked).toEqual({ delete_conversation: 1, restore_conversation: 1 });
});

it('a deletion or restoration that is answered late does not leave the view that was opened meanwhile', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: 'Bees' }, ONE),
  );
  for (const [tool, address, button, notice] of [
    ['delete_conversation', `#/conversation/${idOf(1)}`, 'Delete', 'in the trash'],
    ['restore_conversation', '#/trash', 'Restore Bees', 'is back'],
  ] as const) {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/api/tools/${tool}`, async (route) => {
      await released;
      await route.continue();
    });
    await goTo(page, address);
    await page.getByRole('button', { name: button }).click();
    await goTo(page, '#/notes');
    await page.waitForSelector('h2:text("There are no notes yet")');
    release();
    await page.waitForSelector(`.notice:has-text("${notice}")`);
    await drawn(page);
    expect(new URL(page.url()).hash, tool).toBe('#/notes');
  }
});

it('a deletion goes to the timeline, also if the address has the key of the conversation', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: 'Bees', clientId: 'bees' }, ONE),
  );
  await goTo(page, '#/conversation/bees');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.waitForSelector('.notice:has-text("in the trash")');
  await expect.poll(() => new URL(page.url()).hash).toBe('#/');
});

it('a conversation whose title was emptied by hand has its id as name', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, idOf(1), { title: ' ' }, [{ role: 'user', content: 'honey' }]),
  );
  await page.waitForSelector(`.row .title:text-is("${idOf(1)}")`);
  await goTo(page, '#/search?q=honey');
  await page.waitForSelector(`.hit .title:text-is("${idOf(1)}")`);
  await page.locator('.hit').click();
  await page.waitForSelector(`h1:text-is("${idOf(1)}")`);
  expect(await page.title()).toBe(`${idOf(1)} · Daybook`);
});

it('an address with the name of a property of objects has a message, as other unknown addresses', async () => {
  const { page, faults } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  for (const name of ['nothing', 'constructor', 'toString', '__proto__']) {
    await goTo(page, `#/${name}`);
    await page.waitForSelector('h2:text("There is no such page")');
    await goTo(page, '#/');
    await page.waitForSelector('.connect');
  }
  expect(faults).toEqual([]);
});

it('keys of views do nothing while a dialog is open', async () => {
  const { page } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[aria-label=Keys]');
  await page.keyboard.press('f');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  expect(new URL(page.url()).hash).toBe('#/');
});
