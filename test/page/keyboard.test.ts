/** The page without a pointer: after each step one element has the focus, and this is visible. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { run, usePages, writeConversation } from './opened-page.js';

const openPage = usePages();
const ID = '20250124-1706102400123';

/** The text of the element with the focus; empty for the document itself. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document;
    return activeElement === document.body ? '' : (activeElement?.textContent ?? '');
  });

async function tabTo(page: Page, text: string): Promise<void> {
  await page.locator(':is(a, button)', { hasText: text }).first().waitFor();
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).trim() === text) return;
  }
  throw new Error(`Tab does not reach "${text}".`);
}

const hasOutline = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);

it('a conversation can be opened, renamed, pinned, deleted and restored with the keyboard', async () => {
  const { page, faults } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Bees' }, [{ role: 'user', content: 'A hive hums.' }]),
  );
  await page.waitForSelector('.row');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#m1');
  await expect.poll(() => focused(page)).not.toBe('');
  await tabTo(page, 'Edit');
  await expect.poll(() => hasOutline(page)).toBe('solid');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.title-field:focus');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Wasps');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:text("Wasps")');
  await expect.poll(() => focused(page)).toBe('Edit');
  await tabTo(page, '☆ Pin');
  await page.keyboard.press('Space');
  await page.waitForSelector('button:focus:text("★ Pinned")');
  await tabTo(page, 'Delete');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.notice:has-text("The conversation is in the trash.")');
  await page.waitForSelector('#m1', { state: 'detached' });
  await expect.poll(() => focused(page)).not.toBe('');
  await page.keyboard.press('u');
  await page.waitForSelector('h1:text("Wasps")');
  await expect.poll(() => focused(page)).not.toBe('');
  await tabTo(page, 'Delete');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h2:text("Nothing is stored here yet")');
  await page.keyboard.press('x');
  await page.waitForSelector('button:text("Restore")');
  await tabTo(page, 'Restore');
  await page.keyboard.press('Enter');
  await page.waitForSelector('h1:text("Wasps")');
  await expect.poll(() => focused(page)).not.toBe('');
  expect(faults).toEqual([]);
});

/** The trash of a store that has only a deleted insight. */
async function openTrashWithInsight() {
  const { page, served } = await openPage(() => undefined);
  await page.waitForSelector('.empty');
  const post = async (name: string, data: object) =>
    (await page.request.post(`${served.origin}/api/tools/${name}`, { data })).json();
  const saved = await post('save_insight', { content: 'Bees sleep.', context: 'global' });
  await post('delete_insight', { id: saved.id });
  await page.keyboard.press('x');
  return page;
}

it('an insight can be restored with the keyboard, and the focus stays in the view', async () => {
  const page = await openTrashWithInsight();
  await page.waitForSelector('button:text("Restore")');
  await tabTo(page, 'Restore');
  await page.keyboard.press('Enter');
  await page.waitForSelector(':text("The trash is empty.")');
  await expect.poll(() => focused(page)).not.toBe('');
});

it('an insight can be removed permanently with the keyboard, and the focus stays in the view', async () => {
  const page = await openTrashWithInsight();
  await page.waitForSelector('button:text("Remove…")');
  await tabTo(page, 'Remove…');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog button:focus');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector(':text("The trash is empty.")');
  await expect.poll(() => focused(page)).not.toBe('');
});

it('a note can be opened, changed and saved with the keyboard', async () => {
  const { page, root } = await openPage(({ root: folder }) => {
    mkdirSync(join(folder, 'memory-bank'), { recursive: true });
    writeFileSync(join(folder, 'memory-bank', 'hive.md'), 'It hums.\n');
  });
  await page.waitForSelector('.empty');
  await page.keyboard.press('n');
  await page.waitForSelector('a:has-text("hive.md")');
  await tabTo(page, 'hive.md');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.note');
  await tabTo(page, 'Edit');
  await page.keyboard.press('Enter');
  await page.waitForSelector('textarea:focus');
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' At night.');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => focused(page)).toBe('Save');
  await page.keyboard.press('Enter');
  await page.waitForSelector('button:focus:text("Edit")');
  expect(readFileSync(join(root, 'memory-bank', 'hive.md'), 'utf8')).toBe('It hums. At night.\n');
});

it('a long timeline can be read and filtered with the keyboard, and keeps its position', async () => {
  const { page, faults } = await openPage(({ root }) => {
    for (let n = 0; n < 250; n += 1) {
      const ms = 1706102400123 + n;
      writeConversation(root, `20250124-${ms}`, { title: `Talk ${n}` }, [
        { role: 'user', content: 'x', createdAt: new Date(ms).toISOString() },
      ]);
    }
  });
  const top = () => page.locator('.virtual').evaluate(({ scrollTop }) => scrollTop);
  await page.waitForSelector('.row');
  await page.keyboard.press('j');
  await page.keyboard.press('End');
  await page.waitForSelector('.row:has-text("Talk 0")');
  await expect.poll(() => focused(page)).not.toBe('');
  const isAtEnd = () =>
    page
      .locator('.virtual')
      .evaluate((list) => list.scrollTop + list.clientHeight >= list.scrollHeight - 1);
  await expect.poll(isAtEnd).toBe(true);
  const end = await top();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#m1');
  await page.goBack();
  await page.waitForSelector('.row:has-text("Talk 0")');
  await expect.poll(top).toBe(end);
  await page.getByPlaceholder('Filter').fill('talk 2');
  await page.waitForSelector('[role=status]:has-text("61 conversations")');
  await expect.poll(top).toBe(0);
  expect(faults).toEqual([]);
});

it('j and k go through the lists of insights, notes, deleted conversations and facts', async () => {
  const { page, faults } = await openPage(async (place) => {
    mkdirSync(place.root);
    for (const text of ['Clay holds water.', 'Sand dries out.'])
      await run(place, ['insight', 'save', text, '--context', 'global']);
    for (const path of ['a.md', 'b.md']) await run(place, ['mb', 'add', path, 'It hums.']);
    await run(place, ['kg', 'add', 'Ada', 'lives in', 'Ockham']);
    for (const [at, title] of ['Bees', 'Wasps'].entries()) {
      writeConversation(place.root, `20250124-170610240012${at}`, { title }, [
        { role: 'user', content: 'A hive hums.' },
      ]);
      await run(place, ['delete', `20250124-170610240012${at}`, '--yes']);
    }
  });
  await page.waitForSelector('.empty, .row');
  const inView = async (key: string, entries: string) => {
    await page.keyboard.press(key);
    await page.waitForSelector(entries);
    const texts = await page.locator(entries).allTextContents();
    const pressed = async (step: string) => {
      await page.keyboard.press(step);
      return focused(page);
    };
    const seen = [await pressed('j'), await pressed('j'), await pressed('k')];
    expect(seen).toEqual([texts[0], texts[1] ?? texts[0], texts[0]]);
  };
  await inView('i', '.insights .card');
  await inView('n', '.notes nav a');
  await inView('x', '.trash .card .restore');
  const named = page.getByRole('button', { name: 'Restore', exact: false });
  const names = await named.evaluateAll((all) => all.map((each) => each.ariaLabel).sort());
  expect(names).toEqual(['Restore Bees', 'Restore Wasps']);
  await inView('g', '.facts-table td:first-child a');
  expect(faults).toEqual([]);
});

it('Back leads to the row or the result that was opened', async () => {
  const { page } = await openPage(({ root }) => {
    for (const [at, title] of ['Ants', 'Bees', 'Wasps'].entries())
      writeConversation(root, `20250124-170610240012${at}`, { title }, [
        { role: 'user', content: `A hive of ${title} hums.` },
      ]);
  });
  const goBack = async () => {
    await page.waitForSelector('#m1');
    await expect.poll(() => focused(page)).not.toBe('');
    await page.goBack();
  };
  const chosen = async (selector: string) => {
    await page.waitForSelector(selector);
    const all = await page.locator(selector).allTextContents();
    return all.indexOf(await focused(page));
  };
  await page.waitForSelector('.row');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await goBack();
  await expect.poll(() => chosen('.row')).toBe(1);
  await page.keyboard.press('j');
  await expect.poll(() => chosen('.row')).toBe(2);
  await page.evaluate(() => {
    location.hash = '#/search?q=hums';
  });
  await page.waitForSelector('.hit >> nth=2');
  await page.keyboard.press('Enter');
  await page.keyboard.press('j');
  await expect.poll(() => chosen('.hit')).toBe(1);
  await page.keyboard.press('Enter');
  await goBack();
  await expect.poll(() => chosen('.hit')).toBe(1);
});

it('More leads to the first of the new results', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(
      root,
      ID,
      { title: 'Hives' },
      Array.from({ length: 140 }, (_, at) => ({ role: 'user', content: `Hive ${at} hums.` })),
    ),
  );
  await page.waitForSelector('.row');
  await page.evaluate(() => {
    location.hash = '#/search?q=hums';
  });
  await page.waitForSelector('.hit >> nth=29');
  const place = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.hit')].indexOf(document.activeElement as Element),
    );
  for (const shown of [30, 60, 90]) {
    await page.getByRole('button', { name: 'More' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(place).toBe(shown);
  }
});

it('the focus stays at the buttons when the earliest messages are loaded', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(
      root,
      ID,
      { title: 'Hives' },
      Array.from({ length: 60 }, (_, at) => ({ role: 'user', content: `Hive ${at} hums.` })),
    ),
  );
  await page.evaluate((id) => {
    location.hash = `#/conversation/${id}?seq=50`;
  }, ID);
  await page.waitForSelector('#m50');
  await page.getByRole('button', { name: 'Earlier messages' }).focus();
  await page.keyboard.press('Enter');
  for (;;) {
    await page.waitForTimeout(300);
    if (!(await page.getByRole('button', { name: 'Earlier messages' }).count())) break;
    await page.getByRole('button', { name: 'Earlier messages' }).press('Enter');
  }
  await expect.poll(() => focused(page)).not.toBe('');
});

it('k and K go on to messages of a long conversation that are not loaded', async () => {
  const { page, faults } = await openPage(({ root }) =>
    writeConversation(
      root,
      ID,
      { title: 'Long' },
      Array.from({ length: 300 }, (_, at) => ({
        role: at % 100 === 0 ? 'user' : 'assistant',
        content: `Sentence ${at + 1}.`,
      })),
    ),
  );
  await page.evaluate((id) => {
    location.hash = `#/conversation/${id}`;
  }, ID);
  await page.waitForSelector('#m1');
  await page.getByRole('button', { name: 'Newest message' }).click();
  await page.waitForSelector('#m300:focus');
  const first = () => page.evaluate(() => Number(document.querySelector('.message')?.id.slice(1)));
  const loaded = await first();
  for (let at = 299; at >= loaded - 1; at--) {
    await page.keyboard.press('k');
    await page.waitForSelector(`#m${at}:focus`);
  }
  for (const question of [201, 101, 1]) {
    await page.keyboard.press('K');
    await page.waitForSelector(`#m${question}:focus`);
  }
  expect(faults).toEqual([]);
});
