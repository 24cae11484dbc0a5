/** A machine that slept: the stream of changes can be dead without an event. */
import { expect, it } from 'vitest';
import { usePages } from './opened-page.js';

const openPage = usePages();

it('opens the stream of changes again after a sleep, and not without one', async () => {
  const { page, faults } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  await page.clock.install();
  let streams = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams += 1;
  });
  await page.reload();
  await page.waitForSelector('html[data-live="yes"]');
  await page.clock.runFor(60_000);
  expect(streams).toBe(1);
  const again = page.waitForRequest('**/api/events');
  await page.clock.fastForward(3_600_000);
  await again;
  await page.waitForSelector('html[data-live="yes"]');
  expect(streams).toBe(2);
  expect(faults).toEqual([]);
});
