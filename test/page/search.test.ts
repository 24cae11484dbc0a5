/** The search of the page: its filters, its results, and addresses that can be bookmarked. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import {
  drawn,
  faultsOf,
  goTo,
  type OpenedPage,
  usePages,
  writeConversation,
} from './opened-page.js';

const BEES = '20250124-1706102400123';
const WASPS = '20250125-1706188800123';

const openPage = usePages();
let opened: OpenedPage;

const open = () =>
  openPage(({ root }) => {
    const said = [{ role: 'user', content: 'The hive hums at night.' }];
    writeConversation(root, BEES, { title: 'Bees', tags: ['Garden work'], module: 'home' }, said);
    writeConversation(root, WASPS, { title: 'Wasps', tags: ['attic'] }, said);
    mkdirSync(join(root, 'memory-bank'), { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'hive.md'), '# The hive\n\nIt hums.\n');
  });

async function post(name: string, data: object, headers: Record<string, string> = {}) {
  const { page, served } = opened;
  return page.request.post(`${served.origin}/api/tools/${name}`, { data, headers });
}

it('a search can be filtered by tag and by kind, with the keyboard and by an address', async () => {
  opened = await open();
  const { page } = opened;
  await page.waitForSelector('.row');
  await post('save_insight', { content: 'A hive is left alone in winter.', context: 'global' });
  await post('kg_add', { subject: 'the hive', predicate: 'stands in', object: 'the meadow' });
  await goTo(page, '#/search?q=hums');
  await page.waitForSelector('.hit >> nth=1');
  const tag = page.getByLabel('Tag', { exact: true });
  await expect.poll(() => page.locator('#tags option').count()).toBe(2);
  await tag.focus();
  await page.keyboard.type('garden WORK');
  await page.waitForSelector('[role=status]:text("1 message.")');
  await expect.poll(() => page.locator('.hit .title').allTextContents()).toEqual(['Bees']);
  await expect.poll(() => new URL(page.url()).hash).toBe('#/search?q=hums&tag=garden+WORK');

  await goTo(page, '#/search?q=hive&kind=all');
  await page.waitForSelector('[role=status]:text("2 messages, 1 note, 1 insight, 1 fact.")');
  expect(await tag.count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'In', exact: true }).selectOption('facts');
  await page.waitForSelector('[role=status]:text("1 fact.")');
  await expect.poll(() => new URL(page.url()).hash).toBe('#/search?q=hive&kind=facts');
  await page.reload();
  await page.waitForSelector('.hit:has-text("stands in")');
  await page.locator('.query').press('Enter');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.knowledge');
  expect(opened.faults).toEqual([]);
});

it('a search shows no names of tools or arguments, which only assistants use', async () => {
  opened = await open();
  const { page } = opened;
  await goTo(page, '#/search?q=zzzz');
  const status = page.locator('p[role=status]');
  await expect.poll(() => status.innerText()).toBe('0 messages. No message has: zzzz.');
  await goTo(page, '#/search?q=hums&module=garden');
  await expect.poll(() => status.innerText()).toContain('match without Module.');
  await goTo(page, '#/search?q=hums&from=2025-02-01&to=2025-01-01');
  await page.waitForSelector(':text("From is after To.")');
  await goTo(page, '#/notes/gone.md');
  const problem = page.locator('.failure');
  await expect.poll(() => problem.innerText()).toBe('There is no note "gone.md".');
});

it.each([
  '#/search?q=hums',
  '#/search?q=hums&kind=all',
])('a search without results names deleted conversations: %s', async (address) => {
  opened = await open();
  const { page } = opened;
  await page.waitForSelector('.row');
  await post('mb_delete', { path: 'hive.md' });
  for (const conversationId of [BEES, WASPS]) await post('delete_conversation', { conversationId });
  await goTo(page, address);
  const status = page.locator('p[role=status]');
  await expect.poll(() => status.innerText()).toContain('2 conversations in the trash.');
});

it('a search without results offers wider searches, which can be run', async () => {
  opened = await open();
  const { page } = opened;
  await page.waitForSelector('.row');
  await goTo(page, '#/search?q=meadow&role=user');
  await page.waitForSelector('[role=status]:text("0 messages")');
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'Search without the filters' }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe('#/search?q=meadow');
  await expect.poll(() => page.getByRole('link', { name: /without the filters/ }).count()).toBe(0);
  await post('kg_add', { subject: 'the hive', predicate: 'stands in', object: 'the meadow' });
  await page.getByRole('link', { name: 'Search messages, notes, insights and facts' }).click();
  await page.waitForSelector('.hit:has-text("stands in")');
  await expect.poll(() => page.getByText('What to try next').count()).toBe(0);
  expect(opened.faults).toEqual([]);
});

it('a narrow window shows the filters after a click on their button, which has their number', async () => {
  opened = await open();
  const { page } = opened;
  await page.waitForSelector('.row');
  await page.setViewportSize({ width: 360, height: 640 });
  await goTo(page, '#/search?q=hums&role=user');
  await page.waitForSelector('.hit >> nth=1');
  const role = page.getByRole('combobox', { name: 'Role' });
  expect(await role.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Filters (1)' }).click();
  await expect.poll(() => role.isVisible()).toBe(true);
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 1100, height: 720 });
  await expect.poll(() => page.getByRole('button', { name: /Filters/ }).count()).toBe(0);
});

it('a result leads to the insight, and the window has the title of the open view', async () => {
  opened = await open();
  const { page } = opened;
  await page.waitForSelector('.row');
  for (const context of ['global', 'project:other']) {
    const content = `Insight of ${context.replace('project:', '')}.`;
    await post('save_insight', { content, context });
  }
  await post('save_insight', { content: 'One more of global.', context: 'global' });
  await goTo(page, '#/');
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.find:focus');
  await page.keyboard.type('insight of other');
  await page.waitForSelector('.found [role=option]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.card.named:focus:has-text("Insight of other.")');
  await expect.poll(() => page.title()).toBe('Insights · Daybook');
  await goTo(page, `#/conversation/${BEES}`);
  await expect.poll(() => page.title()).toBe('Bees · Daybook');
  await page.getByRole('link', { name: 'Garden work' }).click();
  await page.waitForSelector('[role=status]:text("1 conversation")');
  await expect
    .poll(() => page.getByLabel('Filter by title and tags').inputValue())
    .toBe('Garden work');
  await page.goBack();
  await expect.poll(() => page.title()).toBe('Bees · Daybook');
});

it('the server reports the progress of a call only to clients that ask for it', async () => {
  opened = await open();
  const plain = await post('verify_store', {});
  expect(plain.headers()['content-type']).toContain('application/json');
  const reported = await post('verify_store', {}, { Accept: 'application/x-ndjson' });
  expect(reported.headers()['content-type']).toContain('application/x-ndjson');
  const lines = (await reported.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(2);
  expect(lines[0]).toMatchObject({ progress: { progress: 1 } });
  expect(lines.at(-1)).toMatchObject({ status: 200, body: { success: true } });
  const wrong = await post('verify_store', { none: 1 }, { Accept: 'application/x-ndjson' });
  expect([wrong.status(), (await wrong.json()).error.code]).toEqual([400, 'VALIDATION_ERROR']);
});

it('a hundred results are shown even if one answer cannot contain them, with a note of more', async () => {
  const content = `A hive ${'hums in the warm evening sun. '.repeat(20)}`;
  const messages = Array.from({ length: 150 }, (_, at) => ({
    role: 'user',
    content,
    id: `m${at}`,
  }));
  opened = await openPage(({ root }) =>
    writeConversation(root, BEES, { title: 'Bees '.repeat(30) }, messages),
  );
  const { page } = opened;
  await page.waitForSelector('.row');
  await goTo(page, '#/search?q=hive');
  for (const count of [30, 60, 90]) {
    await page
      .locator('.hit')
      .nth(count - 1)
      .waitFor();
    await expect.poll(() => page.locator('.hit').count()).toBe(count);
    await page.getByRole('button', { name: 'More' }).click();
  }
  await page.waitForSelector(':text("These are the 100 best results.")');
  await expect.poll(() => page.locator('.hit').count()).toBe(100);
});

it('the results are where they were when the user comes back from one of them', async () => {
  opened = await openPage(({ root }) => {
    for (let at = 0; at < 60; at++) {
      const id = `20250124-${1_706_102_400_000 + at}`;
      writeConversation(root, id, { title: `Bees ${at}` }, [{ role: 'user', content: 'honey' }]);
    }
  });
  const { page } = opened;
  await page.waitForSelector('.row');
  await goTo(page, '#/search?q=honey');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await expect.poll(() => page.locator('.hit').count()).toBe(60);
  const hit = page.locator('.hit').nth(50);
  const title = await hit.locator('.title').innerText();
  await hit.click();
  await page.waitForSelector(`h1:text-is("${title}")`);
  await page.goBack();
  await expect.poll(() => page.locator('.hit').count()).toBe(60);
  const isOnScreen = async () => {
    const { y = -1 } = (await page.locator('.hit').nth(50).boundingBox()) ?? {};
    return y > 0 && y < 720;
  };
  await expect.poll(isOnScreen).toBe(true);
});

/** Searches wait until the returned function is called. */
async function holdSearches(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/search_messages', async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}

it('a slow search and a slow filter say that they search', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, BEES, { title: 'Bees' }, [{ role: 'user', content: 'A hive hums.' }]),
  );
  const { page, context } = opened;
  await page.waitForSelector('.row');
  const waiting: (() => void)[] = [];
  const answer = () => waiting.splice(0).forEach((release) => void release());
  const names = /\/api\/tools\/(search_messages|get_conversations)$/;
  await context.route(names, async (route) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await route.continue().catch(() => undefined); // the page may not wait for this answer any more
  });
  /** The text that CSS adds to the number of results of the words before. */
  const added = (selector: string) =>
    page.locator(selector).evaluate((status) => {
      const { content, visibility } = getComputedStyle(status, '::after');
      return visibility === 'visible' ? content : '';
    });
  const filter = page.getByLabel('Filter by title and tags');
  await filter.fill('wasps');
  await expect.poll(() => added('.tools [role=status]')).toContain('Searching…');
  answer();
  await page.waitForSelector('[role=status]:has-text("0 conversations")');
  expect(await added('.tools [role=status]')).not.toContain('Searching…');
  await goTo(page, '#/search');
  await page.waitForSelector('.query:focus');
  await page.keyboard.type('hive');
  await page.waitForSelector('.search .loading:has-text("Searching…")');
  const hits = () => {
    answer();
    return page.locator('.hit').count();
  };
  await expect.poll(hits).toBe(1);
  await page.keyboard.type(' hums');
  await expect.poll(() => added('.search [role=status]')).toContain('Searching…');
  answer();
});

it('Enter waits for the results of the typed words, and does not go to an earlier result', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, BEES, { title: 'Bees' }, [{ role: 'user', content: 'honey' }]);
    writeConversation(root, WASPS, { title: 'Wasps' }, [{ role: 'user', content: 'nectar' }]);
  });
  const { page } = opened;
  await page.waitForSelector('.row');
  await goTo(page, '#/search?q=honey');
  await page.waitForSelector('.hit:has-text("Bees")');
  const release = await holdSearches(page);
  await page.locator('.query').fill('nectar');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  release();
  await page.waitForSelector('.hit:focus:has-text("Wasps")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:text("Wasps")');
});

it('Enter before the results has no effect any more if the user typed on', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, BEES, { title: 'Bees' }, [{ role: 'user', content: 'honey' }]),
  );
  const { page } = opened;
  await page.waitForSelector('.row');
  await goTo(page, '#/search?q=bees');
  await page.waitForSelector('.hit');
  const release = await holdSearches(page);
  await page.locator('.query').fill('honey');
  await page.keyboard.press('Enter');
  await page.keyboard.type('s');
  await page.waitForFunction(() => location.hash.includes('q=honeys'));
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => /q=honey(&|$)/.test(location.hash));
  release();
  await page.waitForSelector('.hit mark:text-is("honey")');
  await drawn(page);
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('query');
});

it('matches inside of a conversation are counted again after a change', async () => {
  const id = '20250124-1706102400123';
  const said = { role: 'user', content: 'honey' };
  opened = await openPage(({ root }) => writeConversation(root, id, {}, [said]));
  const { page, root } = opened;
  await goTo(page, `#/conversation/${id}`);
  await page.getByLabel('Find in this conversation').fill('honey');
  await page.waitForSelector('.find-inside [role=status]:text-is("1 message")');
  writeConversation(root, id, {}, [said, said]);
  await page.waitForSelector('.find-inside [role=status]:text-is("2 messages")');
});
