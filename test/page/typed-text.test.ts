/** Texts that the user typed are not lost when something fails or changes meanwhile. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type StandIn, startStandIn } from '../support/perplexity-stand-in.js';
import { answered, goTo, usePages, writeConversation } from './opened-page.js';

const openPage = usePages();
const ID = '20250124-1706102400123';
const OTHER = '20250124-1706102400124';
const ONE = [{ role: 'user', content: 'x' }];
let perplexity: StandIn | undefined;

afterEach(async () => {
  await perplexity?.close();
  perplexity = undefined;
});

const writeNote = (root: string, text: string) => {
  mkdirSync(join(root, 'memory-bank'), { recursive: true });
  writeFileSync(join(root, 'memory-bank', 'bees.md'), text);
};

it('a typed title stays in its field until it is saved', async () => {
  const { page, context } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, ONE),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.title-field').fill('The far side of the moon');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.notice:has-text("The server does not answer")');
  expect(await page.locator('.title-field').inputValue()).toBe('The far side of the moon');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('h1:text("The far side of the moon")');
});

it('a typed title stays while another view is shown, and the browser asks before a reload', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, ONE),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.locator('.title-field');
  await field.pressSequentially(' and sun');
  await goTo(page, '#/');
  await page.waitForSelector('.row');
  const asked = page.waitForEvent('dialog');
  const reloaded = page.evaluate(() => location.reload());
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await reloaded;
  await goTo(page, `#/conversation/${ID}`);
  await expect.poll(() => field.inputValue()).toBe('Moon and sun');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('h1:text("Moon and sun")');
  await page.reload();
  await page.waitForSelector('h1:text("Moon and sun")');
});

it('a typed question stays while the user reads other messages or another view', async () => {
  const standIn = await startStandIn();
  perplexity = standIn;
  const many = Array.from({ length: 300 }, (_, at) => ({ role: 'user', content: `Message ${at}` }));
  const { page } = await openPage(
    ({ root }) => writeConversation(root, ID, { title: 'Moon' }, many),
    standIn.env,
  );
  await goTo(page, `#/conversation/${ID}?seq=300`);
  const field = page.getByLabel('Ask Perplexity here');
  await field.fill('How far is it?');
  await page.getByRole('button', { name: 'First message' }).click();
  await page.waitForSelector('#m1');
  await page.getByRole('button', { name: 'Newest message' }).click();
  await page.waitForSelector('#m300');
  await expect.poll(() => field.inputValue()).toBe('How far is it?');
  await goTo(page, '#/');
  await page.waitForSelector('.row');
  await goTo(page, `#/conversation/${ID}?seq=300`);
  await expect.poll(() => field.inputValue()).toBe('How far is it?');
});

it('a question keeps its focus and text while another program adds messages', async () => {
  const standIn = await startStandIn();
  perplexity = standIn;
  const many = Array.from({ length: 45 }, (_, at) => ({ role: 'user', content: `Message ${at}` }));
  const { page, root } = await openPage(
    (place) => writeConversation(place.root, ID, { title: 'Moon' }, many.slice(0, 40)),
    standIn.env,
  );
  await goTo(page, `#/conversation/${ID}`);
  const field = page.getByLabel('Ask Perplexity here');
  await field.fill('How far is it?');
  writeConversation(root, ID, { title: 'Moon' }, many);
  await page.waitForSelector('#m45');
  await page.waitForSelector('.head .facts:has-text("45 messages")');
  expect(await field.inputValue()).toBe('How far is it?');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
});

it('a question that failed is in its field again', async () => {
  const standIn = await startStandIn();
  perplexity = standIn;
  const { page, context } = await openPage(
    ({ root }) => writeConversation(root, ID, { title: 'Moon' }, ONE),
    standIn.env,
  );
  await goTo(page, `#/conversation/${ID}`);
  const field = page.getByLabel('Ask Perplexity here');
  await field.fill('How far is it?');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.waitForSelector('.ask [role=alert]');
  await expect.poll(() => field.inputValue()).toBe('How far is it?');
});

it('the next question can be typed while one is answered, also after a look at another view', async () => {
  const standIn = await startStandIn();
  perplexity = standIn;
  const { page } = await openPage(
    ({ root }) => writeConversation(root, ID, { title: 'Moon' }, ONE),
    standIn.env,
  );
  await goTo(page, `#/conversation/${ID}`);
  let answer: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/tools/perplexity_search_followup', async (route) => {
    await released;
    await route.continue();
  });
  const field = page.getByLabel('Ask Perplexity here');
  await field.fill('How far is it?');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await goTo(page, '#/');
  await page.waitForSelector('.row');
  await goTo(page, `#/conversation/${ID}`);
  await expect.poll(() => field.inputValue()).toBe('');
  await field.fill('And how old?');
  const isAnswered = answered(page, 'perplexity_search_followup');
  answer();
  await page.waitForSelector('.message:has-text("How far is it?")');
  await isAnswered;
  expect(await field.inputValue()).toBe('And how old?');
});

it('the text of a note that another program deletes can still be copied, and a deleted note is not shown', async () => {
  const { page, root } = await openPage((place) => writeNote(place.root, '# Bees\n'));
  const file = join(root, 'memory-bank', 'bees.md');
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByLabel('Text of the note');
  await field.fill('# Not saved');
  writeFileSync(join(root, 'memory-bank', 'wasps.md'), '# Wasps\n');
  rmSync(file);
  await page.waitForSelector('[role=alert]:has-text("The note was deleted or renamed")');
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await goTo(page, '#/notes/wasps.md');
  await page.waitForSelector('.note h1:text("Wasps")');
  await goTo(page, '#/notes/bees.md');
  await expect.poll(() => field.inputValue()).toBe('# Not saved');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.waitForSelector('[role=alert]:has-text("There is no note")');
  writeNote(root, '# Bees again\n');
  await page.waitForSelector('.note h1:text("Bees again")');
  rmSync(file);
  await page.waitForSelector('[role=alert]:has-text("There is no note")');
});

it('a note is saved once, and nothing that is typed meanwhile is lost', async () => {
  const { page, root } = await openPage((place) =>
    writeNote(place.root, '# Bees\r\n\r\nHoney\r\n'),
  );
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let saves = 0;
  await page.route('**/api/tools/mb_edit', async (route) => {
    saves += 1;
    await released;
    await route.continue();
  });
  const field = page.getByLabel('Text of the note');
  await field.fill('# Bees\n\nHoney and wax');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Saving…' }).click();
  expect(await field.isEditable()).toBe(false);
  release();
  await page.waitForSelector('.notice:text("The note is saved.")');
  expect(saves).toBe(1);
  const text = readFileSync(join(root, 'memory-bank', 'bees.md'), 'utf8');
  expect(text).toBe('# Bees\r\n\r\nHoney and wax\r\n');
});

it('the page does not take its own change of a note for that of another program', async () => {
  const { page, root } = await openPage((place) => writeNote(place.root, '# Bees\n'));
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/mb_edit', async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  const field = page.getByLabel('Text of the note');
  await field.fill('# Bees and wasps');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.note .facts:has-text("17 bytes")');
  expect(await page.locator('[role=alert]').count()).toBe(0);
  release();
  await page.waitForSelector('.note h1:text("Bees and wasps")');
  expect(readFileSync(join(root, 'memory-bank', 'bees.md'), 'utf8')).toBe('# Bees and wasps\n');
});

it('an edit right after a save begins with the saved text', async () => {
  const { page } = await openPage((place) => writeNote(place.root, '# Bees\n'));
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByLabel('Text of the note');
  await field.fill('# Bees and wax');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/mb_read', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  release();
  await page.waitForSelector('.note .facts:has-text("15 bytes")');
  await expect.poll(() => field.inputValue()).toBe('# Bees and wax');
  expect(await page.locator('[role=alert]').count()).toBe(0);
});

it('an edit right after a save begins with the saved title', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, ONE),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.locator('.title-field');
  await field.fill('The far side of the moon');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/get_conversation', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.head h1');
  await page.getByRole('button', { name: 'Edit' }).click();
  release();
  await expect.poll(() => field.inputValue()).toBe('The far side of the moon');
});

it('an edit begins with the whole of a long title, also of one that only a person can write', async () => {
  const title = `The moon ${'and its far side '.repeat(50)}`.trim();
  const longest = `The sun ${'and its spots '.repeat(500)}`.trim();
  const { page, root } = await openPage((place) => {
    writeConversation(place.root, ID, { title }, ONE);
    writeConversation(place.root, OTHER, { title: longest }, ONE);
  });
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('h1:has-text("…")');
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.locator('.title-field');
  expect(await field.inputValue()).toBe(title);
  await field.press('End');
  await field.pressSequentially('!');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.head h1');
  const file = join(root, 'conversation-logs', ID, 'conversation.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).title).toBe(`${title}!`);
  await goTo(page, `#/conversation/${OTHER}`);
  await page.waitForSelector('h1:has-text("The sun")');
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => field.inputValue()).toBe(longest);
});

it('tags that are too long for an answer are not offered for an edit, which would remove them', async () => {
  const tags = Array.from({ length: 4000 }, (_, at) => `tag of the moon ${at}`);
  const { page, root } = await openPage((place) =>
    writeConversation(place.root, ID, { title: 'Moon', tags }, ONE),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.locator('.title-field').fill('The far side of the moon');
  expect(await page.getByLabel('Tags, separated by commas').count()).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('h1:text("The far side of the moon")');
  const file = join(root, 'conversation-logs', ID, 'conversation.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).tags).toEqual(tags);
});

it('a tag that is too long stays in the form, with an error that names the field', async () => {
  const { page } = await openPage((place) =>
    writeConversation(place.root, ID, { title: 'Moon', tags: [] }, ONE),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByLabel('Tags, separated by commas');
  await field.fill('x'.repeat(201));
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => page.locator('.notice').textContent())
    .toMatch(/^Tags must have at most 200 characters\./);
  expect(await field.inputValue()).toHaveLength(201);
});

it('a stored tag with a comma stays one tag, also if another one is a part of it', async () => {
  const { page, root } = await openPage((place) =>
    writeConversation(
      place.root,
      ID,
      { title: 'Moon', tags: ['salt, sugar', 'sea salt, sugar', 'old'] },
      ONE,
    ),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Tags, separated by commas').fill('sea salt, sugar, new');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('.tag:has-text("new")');
  const file = join(root, 'conversation-logs', ID, 'conversation.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).tags).toEqual(['sea salt, sugar', 'new']);
});

it('Enter and Escape of an input method neither open a result nor end an edit', async () => {
  const { page } = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, ONE),
  );
  const press = (selector: string, key: string) =>
    page
      .locator(selector)
      .dispatchEvent('keydown', { key, isComposing: true, bubbles: true, cancelable: true });
  await page.waitForSelector('.row');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Moon');
  await page.waitForSelector('.found button');
  await press('.find', 'Enter');
  expect(await page.locator('.find').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#m1');
  await page.getByRole('button', { name: 'Edit' }).click();
  await press('.title-field', 'Escape');
  expect(await page.locator('.title-field').count()).toBe(1);
  await goTo(page, '#/search?q=x');
  await page.waitForSelector('.hit');
  await press('.query', 'Enter');
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('query');
});

it('the text of the only note stays when another program deletes the note', async () => {
  const { page, root } = await openPage((place) => writeNote(place.root, '# Bees\n'));
  await goTo(page, '#/notes/bees.md');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Text of the note').fill('# Not saved');
  rmSync(join(root, 'memory-bank', 'bees.md'));
  await page.waitForSelector('nav[aria-label=Notes] a', { state: 'detached' });
  await page.waitForSelector('[role=alert]:has-text("The note was deleted or renamed")');
  expect(await page.getByLabel('Text of the note').inputValue()).toBe('# Not saved');
});
