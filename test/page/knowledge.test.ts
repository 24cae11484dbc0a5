/** The view of the graph with the keyboard: the words, the day of the slider, and the predicate. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawn, faultsOf, goTo, type OpenedPage, run, usePages } from './opened-page.js';

const openPage = usePages();
let opened: OpenedPage;

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

/** `old`: the times of one more fact. */
async function openFacts(old?: { readonly ts: string; readonly validTo: string }) {
  opened = await openPage(async (place) => {
    const facts = [
      { subject: 'Ada', predicate: 'lives in', object: 'London', ts: ago(300), validTo: ago(100) },
      { subject: 'Ada', predicate: 'lives in', object: 'Ockham', ts: ago(100) },
      { subject: 'Ada', predicate: 'knows', object: 'Charles', ts: ago(300) },
      ...(old ? [{ subject: 'Ada', predicate: 'lives in', object: 'Turin', ...old }] : []),
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

it('the slider of the graph begins at the oldest fact', async () => {
  const { page, objects } = await openFacts({ ts: ago(5000), validTo: ago(4000) });
  const slider = page.locator('.as-of input');
  await slider.focus();
  await page.keyboard.press('Home');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(ago(5000).slice(0, 10));
  await expect.poll(objects).toEqual(['Turin']);
  expect(opened.faults).toEqual([]);
});

it('on a touch screen two fingers zoom the graph, and one finger scrolls past it', async () => {
  const { page } = await openFacts();
  await page.setViewportSize({ width: 360, height: 600 });
  const touch = await opened.context.newCDPSession(page);
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const graph = page.locator('canvas.graph');
  const y = Math.round(((await graph.boundingBox())?.y ?? 0) + 150);
  type Fingers = readonly { readonly x: number; readonly y: number; readonly id: number }[];
  const gesture = async (fingersAt: (step: number) => Fingers) => {
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Fingers) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: [...touchPoints] });
    await send('touchStart', fingersAt(0));
    for (let step = 1; step <= 12; step++) await send('touchMove', fingersAt(step));
    await send('touchEnd', []);
  };
  const picture = () => graph.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  let still = '';
  const isStill = async () => {
    const before = still;
    await drawn(page);
    still = await picture();
    return still === before;
  };
  await expect.poll(isStill, { interval: 500 }).toBe(true);
  await gesture((step) => [
    { x: 160 - 5 * step, y, id: 0 },
    { x: 200 + 5 * step, y, id: 1 },
  ]);
  await expect.poll(picture).not.toBe(still);
  expect(await page.evaluate(() => [visualViewport?.scale, scrollY])).toEqual([1, 0]);
  await gesture((step) => [{ x: 180, y: y - 10 * step, id: 0 }]);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(50);
  expect(await page.evaluate(() => location.hash)).toBe('#/knowledge');
  expect(opened.faults).toEqual([]);
});

it('facts and predicates that are added later are shown, also in an empty graph', async () => {
  const { page, place } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  await goTo(page, '#/knowledge');
  await page.waitForSelector('h2:text("There are no facts yet")');
  await run(place, ['kg', 'add', 'Ada', 'lives in', 'London']);
  await page.waitForSelector('.facts-table td:has-text("London")');
  await run(place, ['kg', 'add', 'Ada', 'knows', 'Charles']);
  await page.waitForSelector('option:text("knows (1)")', { state: 'attached' });
});

it('an error is shown if facts cannot be loaded, and not the facts of another request', async () => {
  const { page } = await openFacts();
  await page.context().setOffline(true);
  await page.getByLabel('Words').fill('Charles');
  await page.waitForSelector('[role=alert]:has-text("The server does not answer")');
  await page.waitForSelector('.facts-table', { state: 'detached' });
  expect(await page.getByLabel('Words').inputValue()).toBe('Charles');
});

it('a number of steps that the server refuses is changed, and a rare predicate of the address is shown', async () => {
  const { page } = await openFacts();
  await goTo(page, '#/knowledge/Ada?depth=99');
  await page.waitForSelector('.facts-table td');
  const steps = page.getByLabel('Steps');
  await steps.fill('12');
  await expect.poll(() => steps.inputValue()).toBe('6');
  await goTo(page, '#/');
  await page.waitForSelector('.empty');
  await goTo(page, '#/knowledge?predicate=rare');
  await page.waitForSelector('h2:text("No fact matches")');
  expect(await page.getByLabel('Predicate').inputValue()).toBe('rare');
});

it('the picture stays as the user moved it when a fact is added', async () => {
  const { page } = await openFacts();
  const canvas = page.locator('canvas.graph');
  const painted = () =>
    canvas.evaluate((element: HTMLCanvasElement) => {
      const { width, height } = element;
      const pixels = element.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
      return pixels.filter((alpha, at) => at % 4 === 3 && alpha > 250).length;
    });
  /** Waits until the layout stands still. */
  const settled = async () => {
    let last = -1;
    const isSettled = async () => {
      const before = last;
      await drawn(page);
      last = await painted();
      return last === before && last > 0;
    };
    await expect.poll(isSettled, { interval: 300 }).toBe(true);
    return last;
  };
  const before = await settled();
  const { x = 0, y = 0, width = 0, height = 0 } = (await canvas.boundingBox()) ?? {};
  await page.mouse.move(x + width / 2, y + height / 2);
  for (let at = 0; at < 12; at++) await page.mouse.wheel(0, 100);
  await expect.poll(painted).toBeLessThan(before * 0.6);
  await run(opened.place, ['kg', 'add', 'Ada', 'writes', 'notes']);
  await page.waitForSelector('.facts-table td:has-text("notes")');
  expect(await settled()).toBeLessThan(before * 0.6);
});
