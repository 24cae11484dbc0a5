/** The view of notes: their history in git, edits that are not saved, and long lists. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answered, faultsOf, goTo, type OpenedPage, usePages } from './opened-page.js';

const openPage = usePages();
let opened: OpenedPage;

it('a note shows its commits and its text at a commit, and no history without git', async () => {
  opened = await openPage(({ root }) => {
    const bank = join(root, 'memory-bank');
    mkdirSync(bank, { recursive: true });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=a@b', ...args], { cwd: bank });
    git('init', '--quiet');
    for (const text of ['First', 'Second']) {
      writeFileSync(join(bank, 'bees.md'), `# ${text}\n`);
      git('add', 'bees.md');
      git('commit', '--quiet', '-m', `${text} <script>alert(1)</script>`);
    }
    writeFileSync(join(bank, 'new.md'), '# New\n');
  });
  const { page } = opened;
  await page.waitForSelector('.empty');
  await goTo(page, '#/notes/bees.md');
  const history = page.locator('.history summary', { hasText: 'History: 2 commits of git' });
  await history.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.text-at h1:text("First")');
  await expect.poll(() => page.locator('.note > .markdown h1').innerText()).toBe('Second');
  await expect.poll(() => page.locator('.history').innerText()).toContain('Ada');
  expect(await faultsOf(page)).toEqual([]);
  const historyOfNew = answered(page, 'mb_history', 'new.md');
  await goTo(page, '#/notes/new.md');
  await page.waitForSelector('.note h1:text("New")');
  await historyOfNew;
  expect(await page.locator('.history').count()).toBe(0);
  expect(opened.faults).toEqual([]);
});

it('an unsaved text of a note is kept while another view is shown, and a discard can be undone', async () => {
  opened = await openPage(({ root }) => {
    mkdirSync(join(root, 'memory-bank'), { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'bees.md'), '# Bees\n');
  });
  const { page } = opened;
  const field = page.getByLabel('Text of the note');
  await page.waitForSelector('.empty');
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  await field.fill('# Not saved');
  await goTo(page, '#/');
  await page.waitForSelector('.empty');
  await goTo(page, '#/notes/bees.md');
  await expect.poll(() => field.inputValue()).toBe('# Not saved');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.waitForSelector('.note h1:text("Bees")');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => field.inputValue()).toBe('# Not saved');
  const asked = page.waitForEvent('dialog');
  const reloading = page.reload().catch(() => undefined);
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.accept();
  await reloading;
});

it('the list has all notes, even if one answer of the server cannot contain them', async () => {
  opened = await openPage(({ root }) => {
    const folder = join(root, 'memory-bank', 'ideas');
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < 1_100; at++) writeFileSync(join(folder, `${at}.md`), `# Bee ${at}\n`);
  });
  const { page } = opened;
  await page.waitForSelector('.empty');
  await goTo(page, '#/notes');
  await page.waitForSelector('.empty:text("1,100 notes. Choose one.")');
  await expect.poll(() => page.locator('nav[aria-label=Notes] li').count()).toBe(1_100);
  for (const width of [1_100, 360]) {
    await page.setViewportSize({ width, height: 720 });
    await page.getByRole('link', { name: 'ideas/999.md', exact: true }).click();
    const chosen = 'nav[aria-label=Notes] [aria-current]:has(:text-is("ideas/999.md"))';
    for (const shown of [chosen, '.note h1:text-is("Bee 999")']) {
      const isOnScreen = async () => {
        const { y = -1 } = (await page.locator(shown).boundingBox()) ?? {};
        return y > 0 && y < 700;
      };
      await expect.poll(isOnScreen, { message: `${shown} at ${width}` }).toBe(true);
    }
    await page.getByRole('link', { name: 'ideas/1.md', exact: true }).click();
    await page.waitForSelector('.note h1:text-is("Bee 1")');
  }
  expect(await faultsOf(page)).toEqual([]);
});

it('the warning about a changed file is on the screen below in a long note too', async () => {
  opened = await openPage(({ root }) => {
    mkdirSync(join(root, 'memory-bank'), { recursive: true });
    writeFileSync(join(root, 'memory-bank', 'bees.md'), 'Bees sleep.\n\n'.repeat(300));
  });
  const { page, root } = opened;
  await page.waitForSelector('.empty');
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Text of the note').press('End');
  await page.evaluate(() => scrollTo(0, 4_000));
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(4_000);
  writeFileSync(join(root, 'memory-bank', 'bees.md'), 'Bees fly.\n');
  const warning = page.locator('.failure', { hasText: 'Another program changed the file' });
  await warning.waitFor();
  const top = () => warning.evaluate((element) => element.getBoundingClientRect().top);
  await expect.poll(top).toBeGreaterThanOrEqual(0);
});
