/** Notes as resources through the official client: listed, read, completed, news of edits by hand. */
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, resourceUpdates } from '../support/resource-updates.js';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();
const fileOf = (path: string) => join(opened.place.root, 'memory-bank', path);
const put = (path: string, content: string) => {
  mkdirSync(dirname(fileOf(path)), { recursive: true });
  writeFileSync(fileOf(path), content);
};

/** Every uri of the list, page by page; how many pages there were. */
async function listed(): Promise<{ uris: string[]; pages: number }> {
  const uris: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
    const page = await opened.session.client.listResources(cursor === undefined ? {} : { cursor });
    expect(page.resources.length).toBeLessThanOrEqual(50);
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  }
  return { uris, pages };
}

const textOf = async (uri: string) => {
  const [content] = (await opened.session.client.readResource({ uri })).contents;
  return content && 'text' in content ? content.text : undefined;
};

describe('notes as resources', () => {
  it('follow the conversations in one list, each once, however the pages fall', async () => {
    const save = () => opened.session.call('save_message', { role: 'user', content: 'Hello' });
    for (let n = 0; n < 60; n += 1) put(`n/${String(n).padStart(2, '0')}.md`, 'x');
    expect((await listed()).uris[0]).toBe('daybook://note/n/00.md');
    for (let n = 0; n < 40; n += 1) await save();
    const mixed = await listed();
    expect(mixed.pages).toBe(2);
    expect(mixed.uris.slice(39, 41).map((uri) => uri.split('/')[2])).toEqual([
      'conversation',
      'note',
    ]);
    for (let n = 0; n < 10; n += 1) await save();
    const exact = await listed();
    expect(exact.pages).toBe(3);
    for (const { uris } of [mixed, exact]) expect(new Set(uris).size).toBe(uris.length);
    expect(exact.uris).toHaveLength(110);
  });

  it('are read by addresses that the list gives, whatever the name', async () => {
    const names = [
      'a b/c, d (e).md',
      'Übung/ノート.md',
      '100% sure.md',
      "it's & that.md",
      'a+b=c;d.md',
    ];
    for (const name of names) put(name, `content of ${name}`);
    const { uris } = await listed();
    expect(uris).toHaveLength(names.length);
    const texts = await Promise.all(uris.map(textOf));
    expect(texts.sort()).toEqual(names.map((name) => `content of ${name}`).sort());
    expect(await textOf('daybook://note/a%20b/c%2C%20d%20(e).md')).toBe(
      'content of a b/c, d (e).md',
    );
  });

  it('refuse what leads elsewhere', async () => {
    const { client } = opened.session;
    put('a.md', 'x');
    symlinkSync('/etc/hostname', fileOf('link.md'));
    const escapes = [-32602, 'PATH_ESCAPE'];
    for (const path of [
      '../state.md',
      '%2e%2e/x.md',
      '%252e%252e/x.md',
      'link.md',
      'A.md',
      '%00.md',
    ])
      expect(await codesOf(client.readResource({ uri: `daybook://note/${path}` })), path).toEqual(
        escapes,
      );
    const invalid = [-32602, 'VALIDATION_ERROR'];
    for (const path of ['a%2Fb.md', '%', '%ff.md', 'a.txt'])
      expect(await codesOf(client.readResource({ uri: `daybook://note/${path}` })), path).toEqual(
        invalid,
      );
    const absent = [-32002, 'E_MB_FILE_NOT_FOUND'];
    expect(await codesOf(client.readResource({ uri: 'daybook://note/b.md' }))).toEqual(absent);
    expect(await codesOf(client.subscribeResource({ uri: 'daybook://note/b.md' }))).toEqual(absent);
  });

  it('are completed by any part of the path', async () => {
    put('ideas/garden.md', 'x');
    put('other.md', 'x');
    const complete = (value: string) =>
      opened.session.client.complete({
        ref: { type: 'ref/resource', uri: 'daybook://note/{+path}' },
        argument: { name: 'path', value },
      });
    expect((await complete('GARD')).completion.values).toEqual(['ideas/garden.md']);
    expect((await complete('')).completion.total).toBe(2);
  });

  it('notify subscribers of hand edits, and clients that listed notes of a changed list', async () => {
    const { client } = opened.session;
    const received = resourceUpdates(client);
    const { updated } = received;
    put('a.md', 'one');
    put('b.md', 'one');
    await listed();
    const uri = 'daybook://note/a.md';
    await client.subscribeResource({ uri });
    put('b.md', 'two');
    put('a.md', 'two');
    await expect.poll(() => updated).toEqual([uri]);
    expect(await textOf(uri)).toBe('two');
    expect(received.listChanged).toBe(0);
    put('deep/new.md', 'new');
    await expect.poll(() => received.listChanged).toBe(1);
    await opened.session.call('mb_edit', { path: 'a.md', oldText: 'two', newText: 'three' });
    await expect.poll(() => updated).toEqual([uri, uri]);
    // The same text is no news, although the time of the file is new.
    utimesSync(fileOf('a.md'), 1, 1);
    await listed();
    put('b.md', 'last');
    await client.subscribeResource({ uri: 'daybook://note/b.md' });
    put('b.md', 'very last');
    await expect.poll(() => updated).toContain('daybook://note/b.md');
    await client.unsubscribeResource({ uri: 'daybook://note/b.md' });
    expect(updated.splice(2)).not.toContain(uri);
    rmSync(fileOf('a.md'));
    await expect.poll(() => updated).toEqual([uri, uri, uri]);
    expect(received.listChanged).toBe(2); // the list is notified first
  });
});
