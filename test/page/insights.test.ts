/** The view of insights: changes on disk, projects, and long lists. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answered, goTo, usePages } from './opened-page.js';

const openPage = usePages();
const IDS = ['5c05e358-70c2-4ad6-998a-52d4cfb36277', '6fa459ea-ee8a-4ca4-894e-db77e160355e'];

it('insights that are added, changed or removed on disk are shown without a reload', async () => {
  const { page, root, faults } = await openPage(() => undefined);
  const folder = join(root, 'memory-bank', 'insights');
  const write = (id = '', content = '') => {
    mkdirSync(folder, { recursive: true });
    const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
    writeFileSync(
      join(folder, `${id}.json`),
      JSON.stringify({ id, content, context: 'global', ...times }),
    );
  };
  await page.waitForSelector('.empty');
  await goTo(page, '#/insights');
  await page.waitForSelector('h2:text("There are no insights yet")');
  write(IDS[0], 'Clay needs sand.');
  await page.waitForSelector('.card:has-text("Clay needs sand.")');
  write(IDS[1], 'Sand dries out.');
  await page.waitForSelector('.card:has-text("Sand dries out.")');
  await page.waitForSelector('option:has-text("global (2)")', { state: 'attached' });
  write(IDS[0], 'Clay needs compost.');
  await page.waitForSelector('.card:has-text("Clay needs compost.")');
  rmSync(join(folder, `${IDS[1]}.json`));
  await page.waitForSelector('.card:has-text("Sand dries out.")', { state: 'detached' });
  await expect.poll(() => page.locator('.card').count()).toBe(1);
  expect(faults).toEqual([]);
});

it('the view of insights has a message if the project in the address has none', async () => {
  const { page, faults } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
    const insight = { id: IDS[0], content: 'Clay needs sand.', context: 'global', ...times };
    writeFileSync(join(folder, `${IDS[0]}.json`), JSON.stringify(insight));
  });
  await page.waitForSelector('.empty, .row');
  await goTo(page, '#/insights?project=project:nosuch');
  await page.waitForSelector('[role="status"]:has-text("project:nosuch has no insights")');
  expect(await page.locator('.card').count()).toBe(0);
  expect(await page.locator('select').inputValue()).toBe('project:nosuch');
  await goTo(page, '#/insights?project=global');
  await page.waitForSelector('.card:has-text("Clay needs sand.")');
  expect(await page.locator('[role="status"]:has-text("no insights")').count()).toBe(0);
  expect(faults).toEqual([]);
});

it('all insights of a project are shown completely, and the oldest can be opened by its address', async () => {
  const oldest = '5c05e358-70c2-4ad6-998a-000000000000';
  const { page, faults } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < 120; at++) {
      const id = oldest.slice(0, -3) + String(at).padStart(3, '0');
      const content = at === 0 ? `${'Clay needs sand. '.repeat(300)}The end.` : `Rule ${at}`;
      const times = { created_at: 1_795_484_698_930 + at, updated_at: 1_795_484_698_930 + at };
      const insight = { id, content, context: 'global', ...times };
      writeFileSync(join(folder, `${id}.json`), JSON.stringify(insight));
    }
  });
  await page.waitForSelector('.empty, .row');
  await goTo(page, `#/insights?id=${oldest}`);
  await page.waitForSelector('.card.named:has-text("The end.")');
  await expect.poll(() => page.locator('.card').count()).toBe(120);
  expect(faults).toEqual([]);
});

it('the insight of the address has the focus, also if the projects are loaded last or it is of another one', async () => {
  const { page } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
    for (const [at, context] of ['global', 'project:other'].entries()) {
      const insight = { id: IDS[at], content: `Of ${context}.`, context, ...times };
      writeFileSync(join(folder, `${IDS[at]}.json`), JSON.stringify(insight));
    }
  });
  await page.waitForSelector('.empty');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/list_insight_contexts', async (route) => {
    await released;
    await route.continue();
  });
  const listed = answered(page, 'list_insights');
  await goTo(page, `#/insights?id=${IDS[0]}`);
  await listed;
  release();
  await page.waitForSelector('.card.named:focus:has-text("Of global.")');
  await goTo(page, `#/insights?id=${IDS[1]}`);
  await page.waitForSelector('.card.named:focus:has-text("Of project:other.")');
});

it('the address of an insight that is not there gets a message', async () => {
  const { page } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
    const insight = { id: IDS[0], content: 'Clay needs sand.', context: 'global', ...times };
    writeFileSync(join(folder, `${IDS[0]}.json`), JSON.stringify(insight));
  });
  await goTo(page, `#/insights?id=${IDS[1]}`);
  await page.waitForSelector('.card');
  await page.waitForSelector(`[role=alert]:has-text("${IDS[1]}")`);
  await goTo(page, '#/insights?project=global');
  await page.waitForSelector('[role=alert]', { state: 'detached' });
});

it('an insight with a time that no calendar has does not hide the others', async () => {
  const { page, faults } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    for (const [at, time] of [1_795_484_698_930, 9e15].entries()) {
      const insight = { id: IDS[at], content: `Number ${at}`, context: 'global' };
      const times = { created_at: time, updated_at: time };
      writeFileSync(join(folder, `${IDS[at]}.json`), JSON.stringify({ ...insight, ...times }));
    }
  });
  await page.waitForSelector('.empty');
  await goTo(page, '#/insights');
  await expect.poll(() => page.locator('.card').count()).toBe(2);
  expect(faults).toEqual([]);
});
