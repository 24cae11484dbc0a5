/** The view of the graph with the keyboard: the words, the day of the slider, and the predicate. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from './browser.mjs';
import { faultsOf, goTo, type OpenedPage, usePages } from './opened-page.js';

const openPage = usePages();
let opened: OpenedPage;

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

async function openFacts() {
  opened = await openPage(async (place) => {
    const facts = [
      { subject: 'Ada', predicate: 'lives in', object: 'London', ts: ago(300), validTo: ago(100) },
      { subject: 'Ada', predicate: 'lives in', object: 'Ockham', ts: ago(100) },
      { subject: 'Ada', predicate: 'knows', object: 'Charles', ts: ago(300) },
    ];
    mkdirSync(place.root);
    const file = join(place.root, 'facts.jsonl');
    writeFileSync(file, facts.map((fact) => JSON.stringify(fact)).join('\n'));
    await run(place, ['kg', 'import', '--file', file]);
  });
  const { page } = opened;
  await goTo(page, '#/knowledge');
  await page.waitForSelector('.facts-table td');
  const objects = async () =>
    (await page.locator('.facts-table tbody td:nth-child(3)').allInnerTexts()).sort();
  return { page, objects };
}

it('the graph shows the facts with the typed words, and all facts without words', async () => {
  const { page, objects } = await openFacts();
  await expect.poll(objects).toEqual(['Charles', 'Ockham']);
  const words = page.getByLabel('Words');
  await words.focus();
  await page.keyboard.type('OCKHAM ada');
  await expect.poll(objects).toEqual(['Ockham']);
  await expect.poll(() => words.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type(' nobody');
  await page.waitForSelector('text=No fact matches');
  expect(await faultsOf(page)).toEqual([]);
  await words.fill('');
  await expect.poll(objects).toEqual(['Charles', 'Ockham']);
  expect(opened.faults).toEqual([]);
});

it('the graph shows the facts of the chosen day and predicate, with the keyboard only', async () => {
  const { page, objects } = await openFacts();
  await expect.poll(objects).toEqual(['Charles', 'Ockham']);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const slider = page.locator('.as-of input');
  const last = Number(await slider.getAttribute('max'));
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('now');
  await slider.fill(String(last - 200));
  await expect.poll(objects).toEqual(['Charles', 'London']);
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(ago(200).slice(0, 10));
  await slider.fill(String(last - 400));
  await expect.poll(objects).toEqual([]);
  await slider.focus();
  await page.keyboard.press('End');
  await expect.poll(objects).toEqual(['Charles', 'Ockham']);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(ago(1).slice(0, 10));
  await page.keyboard.press('End');
  expect(asked).toEqual([]);
  const predicate = page.getByLabel('Predicate');
  await predicate.focus();
  await page.keyboard.press('l');
  await expect.poll(objects).toEqual(['Ockham']);
  await expect.poll(() => page.getByRole('img').getAttribute('aria-label')).toContain('1 facts');
  await page.keyboard.press('Home');
  await expect.poll(objects).toEqual(['Charles', 'Ockham']);
  await predicate.selectOption('knows');
  await expect.poll(objects).toEqual(['Charles']);
  await page.locator('.facts-table a', { hasText: 'Charles' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1 bdi:text("Charles")');
  expect(await faultsOf(page)).toEqual([]);
  expect(opened.faults).toEqual([]);
});
