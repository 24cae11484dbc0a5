/** Imports in the page: a dropped export, its dry run, the import itself, and files that are refused. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { zipOf } from '../support/zip.js';
import { faultsOf, goTo, type OpenedPage, usePages } from './opened-page.js';

const openPage = usePages();
let opened: OpenedPage;

beforeEach(async () => {
  opened = await openPage(() => undefined);
});

/** An export of ChatGPT. */
const EXPORT = JSON.stringify([
  {
    id: 'c1',
    title: 'Garden',
    create_time: 1_706_102_400,
    update_time: 1_706_102_500,
    current_node: 'n2',
    mapping: {
      n1: node('n1', null, ['n2'], 'user', 'When are beans sown?'),
      n2: node('n2', 'n1', [], 'assistant', 'In May, when the soil is warm.'),
    },
  },
]);

function node(id: string, parent: string | null, children: string[], role: string, text: string) {
  const content = { content_type: 'text', parts: [text] };
  const message = { id, author: { role }, create_time: 1_706_102_400, content, metadata: {} };
  return { id, parent, children, message };
}

const stored = () => {
  const folder = join(opened.root, 'conversation-logs');
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d/.test(name)) : [];
};

/** Drops a file as a file manager does. */
const drop = (name: string, content: string) =>
  opened.page.evaluate(
    ([fileName = '', text = '']) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], fileName));
      document.body.dispatchEvent(
        new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }),
      );
    },
    [name, content],
  );

it('the contents of a dropped export are shown, and then imported', async () => {
  const { page } = opened;
  await page.waitForSelector('h2:text("Nothing is stored here yet")');
  await drop('conversations.json', EXPORT);
  await page.waitForSelector('[role=status]:text("Nothing is imported yet")');
  expect(stored()).toEqual([]);
  await expect.poll(() => page.locator('.totals dd').first().textContent()).toBe('1');
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import' }).click();
  await page.waitForSelector('[role=status]:text("conversations.json is imported.")');
  expect(stored()).toHaveLength(1);
  await page.getByText('To the timeline').click();
  await page.waitForSelector('.row .title:text("Garden")');
  expect(opened.faults).toEqual([]);
});

/** An export of Claude.ai: a conversation, and a project with one document. */
const claudeExport = (content: string) => {
  const message = { uuid: 'm1-0000-0000-0000-0000', sender: 'human', text: 'When are beans sown?' };
  const time = '2026-01-02T10:00:00Z';
  const talk = {
    uuid: 'c1',
    name: 'Garden',
    created_at: time,
    updated_at: time,
    chat_messages: [{ ...message, created_at: time, attachments: [], files: [] }],
  };
  const project = { uuid: 'p1', name: 'P', docs: [{ filename: 'a.md', content }] };
  return zipOf([
    { name: 'conversations.json', content: JSON.stringify([talk]) },
    { name: 'projects.json', content: JSON.stringify([project]) },
  ]);
};

it('an import offers the newer text of notes that changed in their source', async () => {
  const { page } = opened;
  await goTo(page, '#/import');
  for (const [content, row] of [
    ['one', 'notes'],
    ['two', 'notes with a newer text'],
  ] as const) {
    const buffer = claudeExport(content);
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: `${content}.zip`, mimeType: 'application/zip', buffer });
    await page.waitForSelector(`[role=status]:text("from ${content}.zip. Nothing is imported")`);
    await page.waitForSelector(`dt:text-is("${row}")`);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.waitForSelector(`[role=status]:text("${content}.zip is imported.")`);
  }
  const note = readFileSync(join(opened.root, 'memory-bank/imported/claude/P/a.md'), 'utf8');
  expect(note).toBe('two\n');
});

it('a chosen zip archive is imported, and nothing is imported after a cancel', async () => {
  const { page } = opened;
  await page.getByText('Import an export').click();
  await page.waitForSelector('h1:text("Import")');
  const buffer = zipOf([{ name: 'conversations.json', content: EXPORT }]);
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer });
  await page.waitForSelector('.totals dd:text("1")');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForSelector('.totals', { state: 'detached' });
  expect(stored()).toEqual([]);
});

it('an import can be made with the keyboard only', async () => {
  const { page } = opened;
  // The test waits for the dialog early, because the browser passes dialogs on only a moment later.
  const chooser = page.waitForEvent('filechooser');
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  await page.getByLabel('Choose a file').focus();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles({
    name: 'conversations.json',
    mimeType: 'application/json',
    buffer: Buffer.from(EXPORT),
  });
  await page.waitForSelector('[role=status]:text("Nothing is imported yet")');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Import');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=status]:text("conversations.json is imported.")');
  expect(stored()).toHaveLength(1);
});

it('a file with an unknown format is refused with a message', async () => {
  const { page } = opened;
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  await drop('picture.bin', '\u0000\u0001\u0002');
  await page.waitForSelector('[role=alert]');
  expect(stored()).toEqual([]);
  await drop('nothing.json', '');
  const alert = page.locator('[role=alert]');
  await expect.poll(() => alert.innerText()).toBe('nothing.json is empty.');
});

it('the server removes an uploaded file that cannot be imported, or whose view was left', async () => {
  const { page, context } = opened;
  const removals: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/uploads/remove')) removals.push(request.postData() ?? '');
  });
  const uploaded = async () => (await (await upload).json()).path as string;
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  let upload = page.waitForResponse('**/api/uploads?*');
  await drop('picture.bin', '\u0000\u0001\u0002');
  await page.waitForSelector('[role=alert]');
  const refused = await uploaded();
  await expect.poll(() => removals).toEqual([JSON.stringify({ path: refused })]);
  let answer: () => void = () => undefined;
  await context.route('**/api/tools/import_conversations', async (route) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    await route.continue();
  });
  upload = page.waitForResponse('**/api/uploads?*');
  await drop('conversations.json', EXPORT);
  const left = await uploaded();
  await page.waitForSelector('[role=status]:text("Reading conversations.json")');
  await goTo(page, '#/');
  await page.waitForSelector('h2:text("Nothing is stored here yet")');
  answer();
  await expect.poll(() => removals.slice(1)).toEqual([JSON.stringify({ path: left })]);
});

it('an import goes on if its view is left, and a notice tells its end', async () => {
  const { page, context } = opened;
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  await drop('conversations.json', EXPORT);
  await page.waitForSelector('[role=status]:text("Nothing is imported yet")');
  let answer: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await context.route('**/api/tools/import_conversations', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.waitForSelector('[role=status]:text("Importing conversations.json")');
  await goTo(page, '#/');
  await page.waitForSelector('h2:text("Nothing is stored here yet")');
  answer();
  await page.waitForSelector('.notice:text("conversations.json is imported.")');
  await page.waitForSelector('.row .title:text("Garden")');
});

it('the message about a file that cannot be read names it without the folder of the upload', async () => {
  const { page } = opened;
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  await drop('cut.zip', 'PK\u0003\u0004 and no more');
  const alert = page.locator('[role=alert]');
  await expect.poll(() => alert.innerText()).toMatch(/^cut\.zip is a damaged zip archive/);
  const above = await page.locator('.drop').boundingBox();
  const below = await alert.boundingBox();
  expect((below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0))).toBeGreaterThan(8);
});

it('the report of an import shows large numbers as the other views do, and one record as one', async () => {
  const { page } = opened;
  const ids = Array.from({ length: 1200 }, (_, at) => `n${at}`);
  const mapping = Object.fromEntries(
    ids.map((id, at) => {
      const role = at % 2 === 0 ? 'user' : 'assistant';
      return [id, node(id, ids[at - 1] ?? null, ids.slice(at + 1, at + 2), role, `said ${at}`)];
    }),
  );
  const [talk] = JSON.parse(EXPORT);
  const long = { ...talk, current_node: 'n1199', mapping };
  await goTo(page, '#/import');
  await page.waitForSelector('h1:text("Import")');
  await drop('conversations.json', JSON.stringify([long, { title: 'x', mapping: {} }]));
  await page.waitForSelector('dd:text-is("1,200")');
  await page.waitForSelector('p:text-is("1 record could not be read:")');
});

it('an import over HTTP reads only files that the page has uploaded', async () => {
  const { page, served } = opened;
  await page.waitForSelector('h2:text("Nothing is stored here yet")');
  const post = (path: string, type: string, data: string | Buffer) =>
    page.request.post(`${served.origin}${path}`, { headers: { 'Content-Type': type }, data });
  const bytes = 'application/octet-stream';
  const name = encodeURIComponent('../../evil/chat.json');
  const taken = await post(`/api/uploads?name=${name}`, bytes, EXPORT);
  expect(taken.status()).toBe(201);
  const { path } = await taken.json();
  expect(path).toMatch(/daybook-[^/]+[/\\]chat\.json$/);
  const importOf = (from: string) =>
    post('/api/tools/import_conversations', 'application/json', JSON.stringify({ path: from }));
  expect((await importOf('/etc/passwd')).status()).toBe(400);
  expect((await importOf(`${path}/../chat.json`)).status()).toBe(400);
  expect((await importOf(path)).status()).toBe(200);
  const removed = await post('/api/uploads/remove', 'application/json', JSON.stringify({ path }));
  expect(removed.status()).toBe(204);
  expect(existsSync(path)).toBe(false);
  expect((await importOf(path)).status()).toBe(400);
  expect((await post('/api/uploads?name=x', 'text/plain', 'x')).status()).toBe(415);
  const kept = [];
  for (let at = 0; at < 5; at += 1) {
    kept.push((await (await post(`/api/uploads?name=${at}`, bytes, 'x')).json()).path as string);
  }
  expect(kept.map((each) => existsSync(each))).toEqual([false, false, true, true, true]);
  await served.stop();
  expect(kept.map((each) => existsSync(each))).toEqual([false, false, false, false, false]);
});

it('a dropped folder or several dropped files are refused with a hint', async () => {
  const { page, context, root } = opened;
  const folder = join(root, '..', 'export');
  mkdirSync(folder);
  const files = ['a.json', 'b.json'].map((name) => join(folder, name));
  for (const file of files) writeFileSync(file, EXPORT);
  await page.waitForSelector('.empty');
  const devtools = await context.newCDPSession(page);
  const dropPaths = async (paths: string[]) => {
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  };
  // The browser ignores a drop while the page is busy, so the test repeats it as a user would.
  const dropUntil = (paths: string[], notice: string) =>
    vi.waitFor(
      async () => {
        await dropPaths(paths);
        await page.waitForSelector(`.notice:has-text("${notice}")`, { timeout: 5000 });
      },
      { timeout: 60_000 },
    );
  await dropUntil([folder], 'export is a folder. Drop one file');
  expect(await page.locator('.failure').count()).toBe(0);
  await dropUntil(files, 'Only a.json is read.');
  await page.waitForSelector('[role=status]:text("from a.json. Nothing is imported yet")');
});
