/** The trash, the findings of a check of the store, and the figures. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  drawn,
  faultsOf,
  goTo,
  type OpenedPage,
  run,
  usePages,
  writeConversation,
} from './opened-page.js';

const ID = '20250124-1706102400123';

const openPage = usePages();
let opened: OpenedPage;

async function post(name: string, data: object) {
  const { page, served } = opened;
  const answer = await page.request.post(`${served.origin}/api/tools/${name}`, { data });
  return answer.json();
}

it('the trash restores a deleted note or insight after a click', async () => {
  opened = await openPage(({ root }) => {
    mkdirSync(join(root, 'memory-bank'), { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'bees.md'), '# Bees\n');
  });
  const { page, root } = opened;
  await page.waitForSelector('.empty');
  await post('mb_delete', { path: 'bees.md' });
  const saved = await post('save_insight', { content: 'Bees sleep.', context: 'global' });
  await post('delete_insight', { id: saved.id });
  expect(existsSync(join(root, 'memory-bank', 'bees.md'))).toBe(false);
  await goTo(page, '#/trash');
  await page.waitForSelector('h2:text("Deleted notes and insights")');
  await expect.poll(() => page.locator('.trash .cards .card').count()).toBe(2);
  expect(await faultsOf(page)).toEqual([]);
  const restore = (title: string) =>
    page.locator('.card', { hasText: title }).getByRole('button', { name: 'Restore' }).click();
  await restore('Bees sleep.');
  await page.waitForSelector('.notice:text("The insight is back.")');
  await page.waitForSelector('.card:has-text("Bees sleep.")', { state: 'detached' });
  await restore('bees.md');
  await page.waitForSelector('.note h1:text("Bees")');
  expect(readFileSync(join(root, 'memory-bank', 'bees.md'), 'utf8')).toBe('# Bees\n');
  await goTo(page, '#/trash');
  await page.waitForSelector(':text("The trash is empty.")');
});

it('the trash removes each kind permanently after a question, and only the chosen entry', async () => {
  opened = await openPage(({ root }) => {
    mkdirSync(join(root, 'memory-bank'), { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'bees.md'), '# Bees\n');
    writeConversation(root, ID, { title: 'Wasps' }, [{ role: 'user', content: 'x' }]);
  });
  const { page, root } = opened;
  await page.waitForSelector('.row');
  await post('mb_delete', { path: 'bees.md' });
  await post('mb_add', { path: 'bees.md', content: '# New bees' });
  const saved = await post('save_insight', { content: 'Ants sleep.', context: 'global' });
  await post('delete_insight', { id: saved.id });
  await post('delete_conversation', { conversationId: ID });
  await goTo(page, '#/trash');
  await expect.poll(() => page.locator('.trash .cards .card').count()).toBe(3);
  const remove = async (title: string, button: string) => {
    await page.getByRole('button', { name: `Remove ${title} permanently` }).click();
    await page.getByRole('dialog').getByRole('button', { name: button }).click();
    await page.waitForSelector('dialog', { state: 'detached' });
  };
  await page.getByRole('button', { name: 'Remove Wasps permanently' }).click();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await remove('Wasps', 'Cancel');
  expect(await page.locator('.trash .cards .card').count()).toBe(3);
  for (const title of ['Wasps', 'bees.md', 'Ants sleep.']) {
    await remove(title, 'Remove permanently');
    await page.waitForSelector(`.card:has-text("${title}")`, { state: 'detached' });
  }
  await page.waitForSelector(':text("The trash is empty.")');
  expect(await post('list_trash', {})).toMatchObject({ total: 0, othersTotal: 0 });
  expect(readFileSync(join(root, 'memory-bank', 'bees.md'), 'utf8')).toBe('# New bees\n');
});

it('the trash removes nothing that has the name of an existing item', async () => {
  opened = await openPage(({ root }) => {
    const trash = join(root, 'memory-bank', '.trash');
    mkdirSync(trash, { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'bees.md'), '# New bees\n');
    writeFileSync(join(trash, 'bees.md'), '# Moved here by hand\n');
    writeFileSync(join(trash, 'ants.20260301T101500123Z.md'), '# Ants\n');
  });
  const { page } = opened;
  await goTo(page, '#/trash');
  await page.getByRole('button', { name: 'Remove ants.md permanently' }).waitFor();
  expect(await page.getByRole('button', { name: 'Restore bees.md' }).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Remove bees.md permanently' }).count()).toBe(0);
});

it('the trash is shown before the check of the store ends, and does not move then', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]);
  });
  const { page } = opened;
  await page.waitForSelector('.row');
  await post('delete_conversation', { conversationId: ID });
  let answer: () => void = () => undefined;
  const isAnswered = new Promise<void>((done) => {
    answer = done;
  });
  await page.route('**/api/tools/store_info', async (route) => {
    await isAnswered;
    await route.continue();
  });
  await goTo(page, '#/trash');
  await page.waitForSelector('.card:has-text("Bees")');
  const shifts = await page.evaluateHandle(() => {
    const seen: number[] = [];
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries() as unknown as { value: number }[]) seen.push(value);
    }).observe({ type: 'layout-shift' });
    return seen;
  });
  answer();
  await page.waitForSelector('.trash .totals');
  await drawn(page);
  expect((await shifts.jsonValue()).reduce((sum, each) => sum + each, 0)).toBeLessThan(0.1);
});

it('the page shows the findings of a check of the store', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, {}, [{ role: 'user', content: 'x' }]);
    const broken = join(root, 'conversation-logs', '20250125-1706188800123');
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, 'conversation.json'), '{ "conversationId": ');
  });
  const { page } = opened;
  await goTo(page, '#/trash');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.waitForSelector('[role=status]:text("There are problems.")');
  const found = page.locator('.card', { hasText: '20250125-1706188800123' });
  await expect.poll(() => found.first().textContent()).toMatch(/error/);
  expect(await faultsOf(page)).toEqual([]);
  expect(opened.faults).toEqual([]);
});

it('a check of the store tells how many of its findings are listed', async () => {
  opened = await openPage(({ root }) => {
    for (let at = 10; at < 70; at += 1) {
      const broken = join(root, 'conversation-logs', `20250125-17061888001${at}`);
      mkdirSync(broken, { recursive: true });
      writeFileSync(join(broken, 'conversation.json'), '{ "conversationId": ');
    }
  });
  const { page } = opened;
  await goTo(page, '#/trash');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.waitForSelector(
    '[role=status]:text("The first 50 are listed. daybook doctor --json lists all.")',
  );
  expect(await page.locator('[aria-label="Check of the store"] .card').count()).toBe(50);
});

it('the figures show topics by month, open questions, the store, and limits that are near', async () => {
  opened = await openPage(
    async (place) => {
      await run(place, ['demo', place.root]);
      const messages = Array.from({ length: 500 }, (_, at) => ({
        role: 'user',
        content: `Line ${at}`,
        createdAt: '2025-01-24T12:00:00.000Z',
      }));
      writeConversation(place.root, ID, { title: 'Almost full' }, messages);
    },
    { DAYBOOK_MAX_MESSAGES: '550' },
  );
  const { page } = opened;
  await goTo(page, '#/figures');
  await page.waitForSelector('.topics-by-month a');
  await page.waitForSelector('.near :text("Almost full has 500 of at most 550 messages.")');
  await page.waitForSelector('h2:text("Open questions")');
  await page.waitForSelector('.store dt:text("in files")');
  await page.waitForSelector('.open-questions li, :text("No question of the last session")');
  expect(await faultsOf(page)).toEqual([]);
  expect(opened.faults).toEqual([]);
});

it('an address selects the facts and the figures that are shown', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, { module: 'bees' }, [{ role: 'user', content: 'one' }]);
    const other = `20250125${ID.slice(8)}`;
    writeConversation(root, other, { module: 'wasps' }, [{ role: 'user', content: 'two' }]);
  });
  const { page } = opened;
  await page.waitForSelector('.row');
  const triples = [
    { subject: 'Ada', predicate: 'likes', object: 'bees' },
    { subject: 'Grace', predicate: 'likes', object: 'wasps' },
    { subject: 'Grace', predicate: 'fears', object: 'bees' },
  ];
  await post('kg_add', { triples });
  const rows = page.locator('.facts-table tbody tr');
  await goTo(page, '#/knowledge?object=bees&predicate=likes');
  await page.waitForSelector('h1:has-text("object bees")');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/^Ada\s+likes/)]);
  await goTo(page, '#/figures?module=wasps');
  await page.waitForSelector('p:has-text("Only module wasps")');
  const messages = page.locator('.totals > div', { hasText: 'messages' }).first();
  await expect.poll(() => messages.innerText()).toMatch(/1$/);
  await page.getByRole('link', { name: 'All figures' }).click();
  await expect.poll(() => messages.innerText()).toMatch(/2$/);
  await goTo(page, '#/figures?role=foo');
  await expect.poll(() => page.locator('.failure').innerText()).toMatch(/^Role must be one of/);
  await goTo(page, '#/knowledge?asOf=2025-13-45');
  await expect.poll(() => page.locator('.failure').innerText()).toContain('must be a time');
});

it('a large cost has groups of digits and stays in its column', async () => {
  opened = await openPage(({ root }) => {
    const metadata = { cost: { total: 1_234_567.891, currency: 'EUR' } };
    writeConversation(root, ID, {}, [{ role: 'assistant', content: 'one', metadata }]);
  });
  const { page } = opened;
  await goTo(page, '#/figures');
  const cell = page.locator('.bars .number', { hasText: 'EUR' }).first();
  await expect.poll(() => cell.innerText()).toBe('1,234,567.89 EUR');
  expect(await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

it('the trash has a message if it contains more items than are shown', async () => {
  opened = await openPage(() => undefined);
  const { page } = opened;
  await page.waitForSelector('.empty');
  for (let at = 0; at < 102; at++) {
    const { conversationId } = await post('save_message', { role: 'user', content: `Bee ${at}` });
    await post('delete_conversation', { conversationId });
  }
  await goTo(page, '#/trash');
  await page.waitForSelector('.trash :text("The 100 items that were deleted last, of 102.")');
});

it('the topics by month are those of the chosen module, and lead to a search of this month', async () => {
  opened = await openPage(({ root }) => {
    const said = (content: string) => [
      { role: 'user', content, createdAt: '2025-01-24T10:00:00.000Z' },
    ];
    writeConversation(root, ID, { module: 'garden' }, said('roses roses tulips'));
    writeConversation(root, `20250125${ID.slice(8)}`, { module: 'sea' }, said('whales whales'));
  });
  const { page } = opened;
  await goTo(page, '#/figures?module=garden');
  const topics = page.locator('.topics-by-month a');
  await expect.poll(() => topics.allInnerTexts()).toContain('roses');
  expect(await topics.allInnerTexts()).not.toContain('whales');
  await topics.getByText('roses').click();
  await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe('2025-01-31');
});

it('the figures follow a row of changes without being counted for each of them', async () => {
  const write = (root: string, count: number) =>
    writeConversation(
      root,
      ID,
      { title: 'Bees' },
      Array.from({ length: count }, (_, at) => ({ role: 'user', content: `honey ${at}` })),
    );
  opened = await openPage(({ root }) => write(root, 1));
  const { page, root } = opened;
  let counts = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('"week"')) counts += 1;
  });
  await goTo(page, '#/figures');
  const messages = page.locator('.totals div:has(dt:text-is("messages")) dd').first();
  await expect.poll(() => messages.innerText()).toBe('1');
  for (let count = 2; count <= 10; count += 1) {
    write(root, count);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await expect.poll(() => messages.innerText(), { timeout: 15_000 }).toBe('10');
  expect(counts).toBeLessThanOrEqual(3);
});

it('the calendar shows a message on the day of the reader, in the row of its weekday', async () => {
  opened = await openPage(({ root }) => {
    const message = { role: 'user', content: 'Early tea', createdAt: '2026-03-03T22:00:00.000Z' };
    writeConversation(root, '20260303-1772575200000', { title: 'Tea' }, [message]);
  });
  const { page, context } = opened;
  await page.waitForSelector('.row');
  // In Tokyo it is the morning of Wednesday, 4 March.
  const tools = await context.newCDPSession(page);
  await tools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  await page.clock.setFixedTime('2026-03-03T23:30:00.000Z');
  await goTo(page, '#/figures');
  await page.reload();
  const day = page.locator('.calendar rect').last();
  expect(await day.textContent()).toBe('2026-03-04: 1 message');
  expect(await day.getAttribute('y')).toBe(String(2 * 14));
});

it('the health of the store and its figures follow changes on disk', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'honey' }]),
  );
  const { page, root } = opened;
  const file = join(root, 'conversation-logs', ID, 'conversation.json');
  const whole = readFileSync(file, 'utf8');
  await goTo(page, '#/trash');
  await page.waitForSelector('p:text("All conversations and insights can be read.")');
  writeFileSync(file, whole.slice(0, 20));
  await page.waitForSelector(`.trash li:has-text("${ID}")`);
  await page.getByRole('link', { name: ID }).click();
  await page.getByRole('link', { name: 'Open file' }).waitFor();
  await goTo(page, '#/trash');
  writeFileSync(file, whole);
  await page.waitForSelector('p:text("All conversations and insights can be read.")');
});
