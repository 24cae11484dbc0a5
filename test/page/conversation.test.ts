/** The view of one conversation in Chromium: search inside it, summaries, branches, follow-up questions. */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type StandIn, startStandIn } from '../support/perplexity-stand-in.js';
import {
  answered,
  drawn,
  faultsOf,
  goTo,
  type OpenedPage,
  usePages,
  writeConversation,
} from './opened-page.js';

const ID = '20250124-1706102400123';
const BRANCH = '20250125-1706188800123';

const openPage = usePages();
let opened: OpenedPage;
let perplexity: StandIn | undefined;

afterEach(async () => {
  await perplexity?.close();
  perplexity = undefined;
});

/** Three of forty messages contain the word heron. */
const HERONS = Array.from({ length: 40 }, (_, at) => ({
  role: 'user',
  content: at > 0 && at % 10 === 0 ? 'a heron' : 'the river',
}));

/** Every hundredth message contains the word heron. */
const MANY = Array.from({ length: 900 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${at + 1} tells of ${at % 100 === 50 ? 'a Heron' : 'the river'} in May.`,
}));

it('the search inside a long conversation moves to the next and previous match, and the page has only a part of it', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1');
  expect(await page.locator('.message').count()).toBeLessThan(100);
  await page.keyboard.press('s');
  await page.keyboard.type('heron');
  await page.waitForSelector('.find-inside [role=status]:text-is("9 messages")');
  const named = () => page.locator('.message.named .facts').first().textContent();
  for (const seq of [51, 151, 251]) {
    await page.keyboard.press('Enter');
    await page.waitForSelector(`#m${seq}.named`);
  }
  await page.waitForSelector('.find-inside [role=status]:text-is("3 of 9 messages")');
  await page.keyboard.press('Shift+Enter');
  await page.waitForSelector('#m151.named');
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.waitForSelector('#m51.named');
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.waitForSelector('#m851.named');
  await expect.poll(named).toBe('#851');
  await expect
    .poll(() => page.evaluate(() => CSS.highlights.get('found')?.size))
    .toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Earlier messages' }).click();
  await page.waitForSelector('#m807');
  const shown = () => page.locator('.message').evaluateAll((all) => all.map(({ id }) => id));
  const isFrom807 = (ids: readonly string[]) =>
    ids.length > 0 && ids.every((id, at) => id === `m${807 + at}`);
  await expect.poll(async () => isFrom807(await shown())).toBe(true);
  await page.getByLabel('Find in this conversation').fill('pelican');
  await page.waitForSelector('.find-inside :text("No message has these words.")');
  expect(await faultsOf(page)).toEqual([]);
  expect(opened.faults).toEqual([]);
});

it('the search inside goes to a match that the address names because the user scrolled to it', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, HERONS));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const field = page.getByLabel('Find in this conversation');
  await field.fill('heron');
  await page.waitForSelector('.find-inside [role=status]:text-is("3 messages")');
  await field.press('Enter');
  await page.waitForSelector('#m11.named');
  await page.locator('#m21').evaluate((message) => message.scrollIntoView());
  await expect.poll(() => page.url()).toMatch(/seq=21$/);
  await field.press('Enter');
  await page.waitForSelector('#m21.named');
});

it('the search inside a conversation tells that its steps go only to the best of many matches', async () => {
  const messages = Array.from({ length: 1100 }, () => ({ role: 'user', content: 'the river' }));
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, messages));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.getByLabel('Find in this conversation').fill('river');
  await page.waitForSelector(
    '.find-inside [role=status]:text-is("1,100 messages. The buttons go only to the 1,000 best.")',
  );
  await page.keyboard.press('Enter');
  await page.waitForSelector(
    '.find-inside [role=status]:text-is("1 of the 1,000 best of 1,100 messages")',
  );
});

it('a long conversation is read from its newest message and from its first with one click each', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1');
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  const focused = () => page.evaluate(() => document.activeElement?.id);
  for (const [name, id] of [
    ['Newest message', 'm900'],
    ['First message', 'm1'],
    ['Newest message', 'm900'],
  ] as const) {
    await page.getByRole('button', { name }).click();
    await page.waitForSelector(`#${id}`);
    await expect.poll(focused).toBe(id);
  }
  expect(requested.filter((path) => path.includes('history')).length).toBeLessThan(8);
  await expect.poll(() => page.getByRole('button', { name: 'Newest message' }).count()).toBe(0);
  expect(await page.locator('.message').count()).toBeLessThan(100);
  expect(await faultsOf(page)).toEqual([]);
  expect(opened.faults).toEqual([]);
});

it('a conversation is shown if the user opens it before the first view has stored its address', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY.slice(0, 3)));
  const { page } = opened;
  await page.addInitScript((hash) => {
    const { requestAnimationFrame: original } = window;
    // This runs before the code after the first paint, in which the view stores its address.
    window.requestAnimationFrame = (callback) =>
      original((time) => {
        window.requestAnimationFrame = original;
        setTimeout(() => {
          location.hash = hash;
        });
        callback(time);
      });
  }, `#/conversation/${ID}`);
  await goTo(page, '#/');
  await page.reload();
  await page.waitForSelector('#m1');
});

it('a conversation can be read to its end while only a part of it is in the document', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1');
  let most = 0;
  const lastIsThere = async () => {
    await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
    most = Math.max(most, await page.locator('.message').count());
    return (await page.locator('#m900').count()) === 1;
  };
  await expect.poll(lastIsThere, { timeout: 120_000 }).toBe(true);
  expect(most).toBeLessThanOrEqual(200);
  await expect.poll(() => page.getByRole('button', { name: 'Earlier messages' }).count()).toBe(1);
});

it('Back and a reload lead to the message that was read', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}?seq=300`);
  await page.waitForSelector('#m330');
  await page.locator('#m330').evaluate((message) => message.scrollIntoView());
  await expect.poll(() => new URL(page.url()).hash).toContain('?seq=330');
  const isAtTop = () =>
    page
      .locator('#m330')
      .evaluate((message) => Math.abs(message.getBoundingClientRect().top) < 100)
      .catch(() => false);
  await goTo(page, '#/notes');
  await page.waitForSelector('h2:text("There are no notes yet")');
  await page.goBack();
  await expect.poll(isAtTop).toBe(true);
  await page.reload();
  await expect.poll(isAtTop).toBe(true);
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'First message' }).click();
  await expect.poll(() => new URL(page.url()).hash).toBe(`#/conversation/${ID}`);
});

it('the next messages are loaded if a busy browser reports the end as hidden and visible at once', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await page.addInitScript(() => {
    window.IntersectionObserver = class extends window.IntersectionObserver {
      #collected: IntersectionObserverEntry[] = [];
      constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        super((entries, observer) => {
          this.#collected.push(...entries);
          if (this.#collected.length > 1) return callback(this.#collected.splice(0), observer);
          const isHidden = this.#collected.some((each) => !each.isIntersecting);
          document.documentElement.toggleAttribute('data-end-is-hidden', isHidden);
        }, options);
      }
    };
  });
  await page.reload();
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m40');
  await page.waitForSelector('[data-end-is-hidden]');
  await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
  await page.waitForSelector('#m41', { state: 'attached' });
});

it('the next messages are loaded if a change on disk is loaded while the end becomes visible', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page, root } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m40');
  let reading = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/get_conversation_history', async (route) => {
    reading += 1;
    await released;
    await route.continue();
  });
  writeConversation(root, ID, { title: 'Changed' }, MANY);
  await expect.poll(() => reading).toBeGreaterThan(0);
  await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
  await drawn(page);
  release();
  await page.waitForSelector('#m41', { state: 'attached' });
});

it('a button to try again is shown if the next messages could not be loaded, and it loads them', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m40');
  const history = '**/api/tools/get_conversation_history';
  await page.route(history, (route) => route.abort());
  await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  const shown = await page.locator('.message').count();
  await page.unroute(history);
  await again.click();
  await expect.poll(() => page.locator('.message').count()).toBeGreaterThan(shown);
  expect(await page.locator('.failure').count()).toBe(0);
});

it('messages can be loaded again after a proxy answered for the server', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY.slice(0, 3)));
  const { page, faults } = opened;
  await page.waitForSelector('.row');
  const history = '**/api/tools/get_conversation_history';
  await page.route(history, (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('.failure:has-text("The server does not answer.")');
  await page.unroute(history);
  // In one step, because the button goes if a change in the store loads the view again.
  await page.evaluate(() =>
    [...document.querySelectorAll('button')]
      .find((one) => one.textContent === 'Try again')
      ?.click(),
  );
  await page.waitForSelector('#m1');
  expect(faults).toEqual([]);
});

it('the first message is shown after a click if only its last parts are in the document', async () => {
  const long = { role: 'user', content: 'A long day. '.repeat(40_000) };
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [long, ...MANY.slice(0, 198)]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1');
  const lastIsThere = async () => {
    await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
    return (await page.locator('#m199').count()) === 1;
  };
  await expect.poll(lastIsThere, { timeout: 120_000 }).toBe(true);
  expect(await page.locator('#m1').count()).toBe(0);
  expect(await page.locator('.message .facts:text-is("#1")').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'First message' }).click();
  await page.waitForSelector('#m1');
});

it('an answer that is not of Daybook has an error, and the messages can be loaded later', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await page.route(
    '**/api/tools/get_conversation_history',
    (route) => route.fulfill({ json: {} }),
    {
      times: 1,
    },
  );
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('[role=alert]');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForSelector('#m1');
  await page.getByRole('button', { name: 'Newest message' }).click();
  await page.waitForSelector('#m900');
  expect(await page.locator('[role=alert]').count()).toBe(0);
});

it('earlier messages are loaded at the second try if the first failed, also from the end', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY.slice(0, 100)));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}?seq=90`);
  await page.waitForSelector('#m100');
  const history = '**/api/tools/get_conversation_history';
  await page.route(history, (route) => route.abort());
  await page.getByRole('button', { name: 'Earlier messages' }).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute(history);
  await again.click();
  await page.waitForSelector('#m50', { state: 'attached' });
  await expect.poll(() => again.count()).toBe(0);
});

it('a click on Earlier messages has its effect also while the next messages are loaded', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}?seq=400`);
  await page.waitForSelector('#m400');
  let asked = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/tools/get_conversation_history', async (route) => {
    asked += 1;
    await released;
    await route.continue();
  });
  await page.evaluate(() => document.querySelector('.end')?.scrollIntoView());
  await expect.poll(() => asked).toBe(1);
  await page.getByRole('button', { name: 'Earlier messages' }).dblclick();
  release();
  await page.waitForSelector('#m356', { state: 'attached' });
  await page.waitForSelector('#m436', { state: 'attached' });
  await drawn(page);
  expect(asked, 'the second click loads nothing more').toBe(2);
});

it('HTML tags in a message are shown as text, except line breaks, indexes and links', async () => {
  const tags = '<div class="a_b_c">List<String></div>\n\n<script>one()</script>';
  const content = `${tags}\n\nH<sub>2</sub>O<br><https://example.org/>`;
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content }]),
  );
  const { page, faults } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const text = page.locator('.message .markdown');
  await text.waitFor();
  await expect.poll(() => text.innerText()).toBe(`${tags}\n\nH2O\nhttps://example.org/`);
  await expect.poll(() => text.locator('sub, br, a').count()).toBe(3);
  expect(faults).toEqual([]);
});

it('a message whose Markdown cannot be parsed is shown as plain text, and the others as Markdown', async () => {
  const nested = `${'> '.repeat(10_000)}x`;
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [
      { role: 'user', content: nested },
      { role: 'assistant', content: '**bold**' },
    ]),
  );
  const { page, faults } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m2 .markdown strong:text("bold")');
  expect(await page.locator('#m1 pre.plain').innerText()).toBe(nested);
  expect(faults).toEqual([]);
});

it('a message whose Markdown would block the page is shown as plain text, and the others as Markdown', async () => {
  // The parser compares each underscore of this word with each other one, which takes more than ten seconds.
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [
      { role: 'user', content: 'a__'.repeat(20_000) },
      { role: 'assistant', content: '*first* and *second*' },
    ]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('#m1 pre.plain');
  await page.waitForSelector('#m2 em:text("second")');
  expect(opened.faults).toEqual([]);
});

it('long code is shown as code also in the later parts of its message, and the text after it as Markdown', async () => {
  const code = 'def __init__(self):\n    self.x = [1](2)  # <b>\n\n# next\n- one\n'.repeat(1200);
  const content = `The file:\n\n\`\`\`python\n${code}\`\`\`\n\nThat *was* it.`;
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'assistant', content }]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector('.message:has-text("from character")');
  await page.keyboard.press('End');
  await page.waitForSelector('.message em:text("was")');
  const parts = page.locator('.message pre code');
  expect(await parts.count()).toBeGreaterThan(1);
  expect((await parts.allTextContents()).join('').replace(/\s/g, '')).toBe(code.replace(/\s/g, ''));
});

it('the file of a conversation, also a damaged one, opens as plain text, only with the cookie', async () => {
  const hostile = '<script>document.title="run"</script>';
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'user', content: hostile }]),
  );
  const { page, context, root, served } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const tab = context.waitForEvent('page');
  await page.getByRole('link', { name: 'Open file' }).click();
  const file = await tab;
  await file.waitForLoadState();
  const path = join(root, 'conversation-logs', ID, 'conversation.json');
  await expect
    .poll(() => file.evaluate(() => document.body.textContent))
    .toBe(readFileSync(path, 'utf8'));
  expect(await file.title()).not.toBe('run');
  writeFileSync(path, 'x'.repeat(3_000_000));
  await file.reload();
  await expect.poll(() => file.evaluate(() => document.body.textContent?.length)).toBe(3_000_000);
  const other = await context.newPage();
  await other.goto(page.url());
  const link = other.getByRole('link', { name: 'Open file' });
  await expect.poll(() => link.getAttribute('href')).toContain(ID);
  const get = (id: string, headers: Record<string, string> = {}) =>
    fetch(`${served.origin}/api/conversations/${id}/conversation.json`, { headers });
  expect((await get(ID)).status).toBe(401);
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  expect((await get(ID, { cookie })).headers.get('content-security-policy')).toContain('sandbox');
  expect((await get(ID, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await get(ID, { cookie, 'sec-fetch-site': 'none' })).status).toBe(200);
  expect((await get(`20250125${ID.slice(8)}`, { cookie })).status).toBe(404);
  expect((await get('..%2F..%2Fmemory-bank', { cookie })).status).toBe(404);
  rmSync(path);
  symlinkSync('/etc/passwd', path);
  const linked = await get(ID, { cookie });
  expect(linked.status).toBe(422);
  expect(await linked.text()).toContain('link');
});

it('a conversation shows its summary, and links to its branches and to its source', async () => {
  opened = await openPage(({ root }) => {
    writeConversation(root, ID, { title: 'Bees' }, [
      { id: 'one', role: 'user', content: 'Do bees sleep at night?' },
      { role: 'assistant', content: 'Bees sleep for some hours at night in the hive.' },
    ]);
    const branchOf = { conversationId: ID, messageId: 'one' };
    writeConversation(root, BRANCH, { title: 'Wasps', branchOf }, [
      { role: 'user', content: 'And wasps?' },
    ]);
  });
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.getByText('Summary', { exact: true }).click();
  await page.waitForSelector('.summary .markdown :text("bees")');
  await page.locator('.branches a', { hasText: 'Wasps' }).click();
  await page.waitForSelector('h1:text("Wasps")');
  expect(await faultsOf(page)).toEqual([]);
  const settings = answered(page, 'store_info');
  await page.locator('.branches a').click();
  await page.waitForSelector('h1:text("Bees")');
  await settings;
  // Without a key no question can be asked.
  expect(await page.locator('.ask').count()).toBe(0);
});

it('an imported session shows how to continue it in its own program', async () => {
  const command = 'claude --resume 0b0c-1';
  opened = await openPage(({ root }) => {
    const source = { kind: 'claude-code', id: '0b0c-1' };
    writeConversation(root, ID, { title: 'Bees', metadata: { source, cwd: '/work/<b>hive' } }, [
      { role: 'user', content: 'Do bees sleep?' },
    ]);
  });
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const line = page.locator('.head p', { hasText: 'To continue in Claude Code' });
  expect(await line.innerText()).toContain(`run ${command} in /work/<b>hive`);
  await line.getByRole('button', { name: 'Copy command' }).click();
  expect(await faultsOf(page)).toEqual([]);
});

it('a follow-up question to Perplexity shows its cost before and after', async () => {
  const standIn = await startStandIn();
  perplexity = standIn;
  const asked = { role: 'user', content: 'What is the moon?' };
  const cost = { currency: 'USD', total: 0.02 };
  const answered = { role: 'assistant', content: 'A satellite.', metadata: { cost } };
  opened = await openPage(
    ({ root }) => writeConversation(root, ID, { title: 'Moon' }, [asked, answered]),
    standIn.env,
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.waitForSelector(
    '.cost-before:text("this conversation has cost 0.02 USD. One answer has cost 0.02 USD")',
  );
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Ask Perplexity here').fill('How far is it?');
  expect(standIn.creates).toBe(0);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.waitForSelector('.cost-after:text("This answer cost 0.013 USD.")');
  await page.waitForSelector('.cost-before:text("this conversation has cost 0.033 USD")');
  await page.waitForSelector('#m4');
  expect(standIn.creates).toBe(1);
  const file = join(opened.root, 'conversation-logs', ID, 'conversation.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).messages).toHaveLength(4);
  expect(opened.faults).toEqual([]);
});

it('an unknown conversation gets a message with a link to the places where it may be', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/20250125${ID.slice(8)}`);
  await page.waitForSelector('h2:text("This conversation is not here")');
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('link', { name: 'trash', exact: true }).click();
  await page.waitForSelector('h1:text("Trash and health")');
});

it('an edit moves the focus to the title, and Escape ends it', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.waitForSelector('.title-field:focus');
  await page.keyboard.press('Escape');
  await page.waitForSelector('h1:text("Moon")');
});

it('an edit has the focus as soon as it is shown, so that it does not take the focus from a field later', async () => {
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, { title: 'Moon' }, [{ role: 'user', content: 'x' }]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const edit = page.getByRole('button', { name: 'Edit' });
  const focused = await edit.evaluate(async (button: HTMLButtonElement) => {
    const shown = new Promise((resolve) => {
      new MutationObserver(() => document.querySelector('.title-field') && resolve(true)).observe(
        document.body,
        { childList: true, subtree: true },
      );
    });
    button.click();
    await shown; // before the next frame is painted
    return document.activeElement?.className;
  });
  expect(focused).toBe('title-field');
});

it('an edit saves only the changed fields, so it does not overwrite a change by another program', async () => {
  const messages = [{ role: 'user', content: 'x' }];
  let root = '';
  opened = await openPage((place) => {
    root = place.root;
    writeConversation(root, ID, { title: 'Moon', tags: ['night'] }, messages);
  });
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  writeConversation(root, ID, { title: 'Sun', tags: ['night'] }, messages);
  await page.getByLabel('Tags, separated by commas').fill('day');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('h1:text("Sun")');
  await page.waitForSelector('.tag:has-text("day")');
});

it('code is written from left to right, also in a message in Arabic', async () => {
  const content = 'مثال:\n\n```js\nconst name = "ماء";\n```';
  opened = await openPage(({ root }) =>
    writeConversation(root, ID, {}, [{ role: 'assistant', content }]),
  );
  const { page } = opened;
  await goTo(page, `#/conversation/${ID}`);
  const directionOf = (selector: string) =>
    page.locator(selector).evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf('#m1 .markdown p')).toBe('rtl');
  expect(await directionOf('#m1 .markdown pre code')).toBe('ltr');
});

it('a conversation is shown if the message in the address or all shown messages were removed', async () => {
  opened = await openPage(({ root }) => writeConversation(root, ID, {}, MANY));
  const { page, root } = opened;
  await goTo(page, `#/conversation/${ID}?seq=5000`);
  await page.waitForSelector('#m1');
  await goTo(page, `#/conversation/${ID}?seq=800`);
  await page.waitForSelector('#m800');
  writeConversation(root, ID, {}, MANY.slice(0, 10));
  await page.waitForSelector('#m10');
  await goTo(page, '#/');
  await page.waitForSelector('.row');
  await goTo(page, `#/conversation/${ID}?seq=-3`);
  await page.waitForSelector('#m1');
  expect(await page.locator('.failure').count()).toBe(0);
});
