/** What is stored can be seen on narrow screens, on paper, and with the colours that the user forces. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faultsOf, goTo, usePages, writeConversation } from './opened-page.js';

const openPage = usePages();
const ID = '20250124-1706102400123';

it('a deep list is not cut off in a narrow window', async () => {
  const levels = Array.from(
    { length: 10 },
    (_, at) => `${'  '.repeat(at)}- level ${at} of the list`,
  );
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: levels.join('\n') }]),
  );
  await page.setViewportSize({ width: 360, height: 720 });
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 li li');
  const widths = await page.locator('#m1').evaluate((message) => ({
    text: message.scrollWidth,
    shown: message.clientWidth,
  }));
  expect(widths.text).toBeLessThanOrEqual(widths.shown);
  const deepest = await page.locator('#m1 li:not(:has(li))').boundingBox();
  expect(deepest?.width).toBeGreaterThan(60);
});

it('forced colours do not hide the bars and the hours of the figures', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: 'x' }]),
  );
  await page.emulateMedia({ forcedColors: 'active' });
  await goTo(page, '#/figures');
  const colourOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.waitForSelector('.week .level4');
  expect(await colourOf('.week .level4')).not.toBe(await colourOf('.week .level0'));
  expect(await colourOf('.bars .share span')).not.toBe(await colourOf('.bars .share'));
  const border = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).borderBottomColor);
  expect(await border('nav a[aria-current]')).not.toBe(await border('nav a:not([aria-current])'));
});

it('a long name of a project does not make the view of insights or of search wider than the window', async () => {
  const { page } = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'insights');
    mkdirSync(folder, { recursive: true });
    for (const name of ['a', 'b']) {
      const id = `5c05e358-70c2-4ad6-998a-00000000000${name}`;
      const context = `/home/gardener/projects/the-garden-in-the-valley-of-the-river/${name}`;
      const times = { created_at: 1_795_484_698_930, updated_at: 1_795_484_698_930 };
      writeFileSync(
        join(folder, `${id}.json`),
        JSON.stringify({ id, content: 'Clay needs sand.', context, ...times }),
      );
    }
  });
  await page.setViewportSize({ width: 360, height: 720 });
  for (const [address, ready] of [
    ['#/insights', '.card'],
    ['#/search?q=clay&kind=all', '.hit'],
  ] as const) {
    await goTo(page, address);
    await page.waitForSelector(ready);
    await page.waitForSelector('option:has-text("valley")', { state: 'attached' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  }
});

it('a long text that is shown without Markdown can be scrolled with the keyboard', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [
      { role: 'user', content: '*a_\n'.repeat(9000) },
    ]),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 pre.plain');
  expect(await faultsOf(page)).toEqual([]);
});

it('a link of a text that leads nowhere has the colour of text', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [
      { role: 'user', content: '[script](javascript:alert(1)) and [site](https://example.org)' },
    ]),
  );
  await goTo(page, `#/conversation/${ID}`);
  const colourOf = (text: string) =>
    page.locator(`#m1 :text-is("${text}")`).evaluate((each) => getComputedStyle(each).color);
  const [dead, live, text] = [
    await colourOf('script'),
    await colourOf('site'),
    await page
      .locator('#m1 p')
      .last()
      .evaluate((each) => getComputedStyle(each).color),
  ];
  expect(dead).toBe(text);
  expect(live).not.toBe(text);
});

it('a dot separates a module in Arabic from what is before it', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon', module: 'حديقة' }, [
      { role: 'user', content: 'x' },
    ]),
  );
  await page.waitForSelector('.row');
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('h1:text("Moon")');
  expect(await page.locator('.head bdi').allTextContents()).toEqual(['حديقة']);
  await goTo(page, '#/');
  await page.waitForSelector('.row');
  expect(await page.locator('.row .facts bdi').allTextContents()).toEqual(['حديقة']);
});

it('a printed conversation has the whole of long code and no buttons', async () => {
  const code = `\`\`\`\n${'const moon = 1;\n'.repeat(200)}\`\`\``;
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: code }]),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 pre button');
  await page.emulateMedia({ media: 'print' });
  const { text, shown } = await page.locator('#m1 pre').evaluate((each) => ({
    text: each.scrollHeight,
    shown: each.clientHeight,
  }));
  expect(shown).toBe(text);
  expect(await page.locator('button:visible, nav:visible, input:visible').count()).toBe(0);
});

it('the list of keys begins at its top in a small window', async () => {
  const { page } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  await page.setViewportSize({ width: 360, height: 400 });
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[aria-label=Keys]');
  expect(await page.locator('dialog').evaluate((each) => each.scrollTop)).toBe(0);
  expect(await page.locator('dialog').evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(
    0,
  );
});
