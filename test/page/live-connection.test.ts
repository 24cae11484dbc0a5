/** The stream of changes: a connection can be dead without an event, as after a sleep of the machine. */
import { expect, it } from 'vitest';
import { usePages, writeConversation } from './opened-page.js';

const openPage = usePages();
const ID = '20250124-1706102400123';

it('is opened again where the server was silent for too long, and shows what changed meanwhile', async () => {
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

it('stays open while nothing changes, because the server sends an event every 15 seconds', async () => {
  const { page } = await openPage(() => undefined);
  await page.waitForSelector('html[data-live="yes"]');
  let streams = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams += 1;
  });
  await page.waitForTimeout(50_000);
  expect(streams).toBe(0);
});
