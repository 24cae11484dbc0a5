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

it('a printed conversation tells which of its messages are on the paper', async () => {
  const many = Array.from({ length: 1300 }, () => ({ role: 'user', content: 'the river' }));
  const { page } = await openPage(({ root }) => writeConversation(root, ID, {}, many));
  await goTo(page, `#/conversation/${ID}?seq=1005`);
  await page.waitForSelector('#m1005');
  const line = page.getByText('These are messages');
  expect(await line.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  await expect
    .poll(() => line.innerText())
    .toMatch(/^These are messages 1,001 to 1,0\d0 of 1,300\. daybook export writes all\.$/);
  expect(await page.locator('.end').isVisible()).toBe(false);
});

it('the list of keys begins at its top, and has no text beyond its edge, in a small window', async () => {
  const { page } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  await page.setViewportSize({ width: 320, height: 400 });
  await page.keyboard.press('?');
  await page.waitForSelector('dialog[aria-label=Keys]');
  expect(await page.locator('dialog').evaluate((each) => each.scrollTop)).toBe(0);
  expect(await page.locator('dialog').evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(
    0,
  );
});

it('the button that copies code is above the code and stays on the screen', async () => {
  const code = `\`\`\`\n${`const moon = ${'far + '.repeat(60)}0;\n`.repeat(60)}\`\`\``;
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: code }]),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 pre button');
  const topmost = () =>
    page.locator('#m1 pre').evaluate((block) => {
      const { left, top, width, height } =
        block.querySelector('button')?.getBoundingClientRect() ?? new DOMRect();
      const { right } = block.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      return [there?.tagName, left + width <= right];
    });
  expect(await topmost()).toEqual(['BUTTON', true]);
  await page.locator('#m1 pre').evaluate((block) => block.scrollTo(500, 300));
  expect(await topmost()).toEqual(['BUTTON', true]);
});

it('a match of the search inside is below its bar, also in a narrow window', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(
      root,
      ID,
      {},
      Array.from({ length: 1100 }, () => ({ role: 'user', content: 'the river' })),
    ),
  );
  await goTo(page, `#/conversation/${ID}`);
  for (const width of [1100, 320]) {
    await page.setViewportSize({ width, height: 640 });
    const field = page.getByLabel('Find in this conversation');
    await field.fill('river');
    await page.waitForSelector('.find-inside [role=status]:has-text("1,000 best")');
    await field.press('Enter');
    await page.waitForSelector('.message.named');
    await field.press('Enter');
    const bar = page.locator('.find-inside');
    const gap = async () => {
      const [above, below] = [await bar.boundingBox(), await page.locator('.named').boundingBox()];
      return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
    };
    await expect.poll(gap).toBeGreaterThanOrEqual(0);
    expect(await bar.evaluate((each) => each.clientHeight)).toBeLessThan(120);
  }
});

it('a heading of a lower level is not larger', async () => {
  const headings = [1, 2, 3, 4, 5, 6].map((level) => `${'#'.repeat(level)} Level ${level}`);
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: headings.join('\n\n') }]),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 h6');
  const sizes = await page
    .locator('#m1 :is(h1, h2, h3, h4, h5, h6)')
    .evaluateAll((all) => all.map((each) => Number.parseFloat(getComputedStyle(each).fontSize)));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(13);
});

it('forced colours show the chosen result, the named message, and the edge of a notice', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]),
  );
  await page.emulateMedia({ forcedColors: 'active' });
  await goTo(page, `#/conversation/${ID}?seq=1`);
  await page.waitForSelector('.message.named');
  const outline = (selector: string) =>
    page.locator(selector).evaluate((each) => getComputedStyle(each).outlineStyle);
  expect(await outline('.message.named')).toBe('solid');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Moon');
  await page.waitForSelector('.found [aria-selected=true]');
  expect(await outline('.found [aria-selected=true]')).toBe('solid');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.waitForSelector('.notice');
  const border = await page
    .locator('.notice')
    .evaluate((each) => getComputedStyle(each).borderTopWidth);
  expect(border).not.toBe('0px');
});

it('titles in all scripts begin at the same place of the timeline', async () => {
  const { page } = await openPage(({ root }) => {
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]);
    const arabic = { title: 'متى يظهر القمر؟' };
    writeConversation(root, `${ID.slice(0, -1)}4`, arabic, [{ role: 'user', content: 'x' }]);
  });
  await page.waitForSelector('.row >> nth=1');
  const aligned = await page
    .locator('.row .title')
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).textAlign));
  expect(aligned).toEqual(['left', 'left']);
});
