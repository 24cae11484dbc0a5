/** Requirements of every view: the content policy, no faults found by axe, and limits of large answers. */
import { mkdirSync, writeFileSync } from 'node:fs';
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
const DAMAGED = '20250124-1706102400124';
const INSIGHT = '5c05e358-70c2-4ad6-998a-52d4cfb36277';

const openPage = usePages();
let opened: OpenedPage;

function writeInsight(root: string): void {
  const folder = join(root, 'memory-bank', 'insights');
  mkdirSync(folder, { recursive: true });
  const insight = { id: INSIGHT, content: 'Clay needs sand.', context: 'global' };
  const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
  writeFileSync(join(folder, `${INSIGHT}.json`), JSON.stringify({ ...insight, ...times }));
}

const VIEWS: readonly (readonly [address: string, ready: string])[] = [
  ['#/', '.row'],
  ['#/search?q=tomatoes', '.hit mark'],
  ['#/figures', '.topics-by-month a'],
  ['#/knowledge', '.facts-table td'],
  ['#/notes/people.md', '.note table'],
  ['#/insights', '.card'],
  ['#/import', '.drop'],
  ['#/trash', '.totals'],
];

it('each view has no fault at 360 pixels, light or dark, and keeps to the content policy', async () => {
  opened = await openPage((place) => run(place, ['demo', place.root]));
  const { page } = opened;
  await page.waitForSelector('.row');
  const first = (await page.locator('.row').nth(2).getAttribute('href')) ?? '';
  await page.setViewportSize({ width: 360, height: 640 });
  const found: string[] = [];
  for (const [address, ready] of [...VIEWS, [first, '.message .markdown'] as const]) {
    await goTo(page, address);
    await page.waitForSelector(ready);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await faultsOf(page)).map((fault) => `${address} ${colorScheme}: ${fault}`));
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width !== 360) found.push(`${address} is ${width} pixels wide`);
  }
  expect(found).toEqual([]);
  expect(opened.faults).toEqual([]);
  // The listener for violations works: a forbidden picture is reported.
  await page.evaluate(() => {
    const picture = document.createElement('img');
    picture.src = 'https://evil.example/x.png';
    document.body.append(picture);
  });
  await expect.poll(() => opened.faults.join()).toMatch(/img-src/);
});

it('a view that has only an error has a heading, and the window does not keep the title of another view', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]);
    writeConversation(root, DAMAGED, {}, []);
    writeFileSync(join(root, 'conversation-logs', DAMAGED, 'conversation.json'), '{');
    writeInsight(root);
  });
  const { page } = opened;
  for (const [address, ready, title] of [
    [`#/conversation/${DAMAGED}`, '.failure', 'Conversation · Daybook'],
    [`#/conversation/20250125${ID.slice(8)}`, '.empty', 'Conversation · Daybook'],
    ['#/nothing', '.empty', 'Unknown address · Daybook'],
    ['#/figures?from=banana', '.failure', 'Figures · Daybook'],
    ['#/insights?project=nothing', '.failure', 'Insights · Daybook'],
  ] as const) {
    await goTo(page, `#/conversation/${ID}`);
    await page.waitForSelector('h1:text("Moon")');
    await goTo(page, address);
    await page.waitForSelector(ready);
    await drawn(page);
    expect([address, await page.title(), ...(await faultsOf(page))]).toEqual([address, title]);
  }
});

it('an error in the filters of the address leaves the way to all figures and to other projects', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]);
    writeInsight(root);
  });
  const { page } = opened;
  await goTo(page, '#/figures?from=banana');
  await page.waitForSelector('.failure');
  await page.getByRole('link', { name: 'All figures' }).click();
  await page.waitForSelector('.totals');
  await goTo(page, '#/insights?project=nothing');
  await page.waitForSelector('.failure:has-text("Project must be")');
  await page.getByLabel('Project').selectOption('global');
  await page.waitForSelector('.card');
});

it('an error is not shown while another view of the same kind is loaded', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]),
  );
  const { page } = opened;
  await goTo(page, '#/figures?from=banana');
  await page.waitForSelector('.failure');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/get_analytics', async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/tools/get_analytics');
  await goTo(page, '#/figures');
  await asked;
  await drawn(page);
  expect(await page.locator('.failure').count()).toBe(0);
  release();
  await page.waitForSelector('.totals');
});

it('a change in one window is shown in the other window', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'x' }]),
  );
  const { page, context, served } = opened;
  await page.waitForSelector('.row .title:text("Bees")');
  const other = await context.newPage();
  await other.goto(`${served.origin}/#/conversation/${ID}`);
  await other.getByRole('button', { name: 'Edit' }).click();
  await other.getByLabel('Title').fill('Wasps');
  await other.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.row .title:text("Wasps")');
});

it('the page requests only parts of limited size of a large conversation', async () => {
  const text = 'The river rises in the hills and goes down to the sea. '.repeat(35);
  opened = await openPage(({ root }) =>
    writeConversation(
      root,
      ID,
      { title: 'Large' },
      Array.from({ length: 10_000 }, (_, at) => ({ role: 'user', content: `${at} ${text}` })),
    ),
  );
  const { page } = opened;
  await page.waitForSelector('.row');
  const answers: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/tools/')) answers.push(response.body());
  });
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1');
  await page.waitForSelector('h1:text("Large")');
  await drawn(page);
  const sizes = (await Promise.all(answers)).map(({ length }) => length);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.length).toBeLessThanOrEqual(4);
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(300_000);
  expect(await page.locator('.message').count()).toBeLessThanOrEqual(80);
});
