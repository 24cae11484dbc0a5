/** The tools of the memory bank as a client calls them, on the built server. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/tools/answers/answer-budget.js';
import { runCommand } from '../../e2e/harness.js';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args?: Record<string, unknown>) => opened.session.call(name, args);
const fileOf = (path: string) => join(opened.place.root, 'memory-bank', path);
const put = (path: string, content: string) => {
  mkdirSync(dirname(fileOf(path)), { recursive: true });
  writeFileSync(fileOf(path), content);
};
const codeOf = async (name: string, args: Record<string, unknown>) =>
  (await opened.session.failure(name, args)).code;

describe('a note', () => {
  it('is written, read, edited in four ways, found, listed, deleted and restored', async () => {
    const added = await call('mb_add', { path: 'ideas/garden.md', content: '# Garden\n\nTulips' });
    expect(added).toMatchObject({ success: true, path: 'ideas/garden.md', sizeBytes: 17 });
    const read = await call('mb_read', { path: 'ideas/garden.md' });
    expect(read).toMatchObject({ content: '# Garden\n\nTulips', totalLines: 3, hasMore: false });
    expect(read['hash']).toBe(added['hash']);

    const edit = (args: Record<string, unknown>) =>
      call('mb_edit', { path: 'ideas/garden.md', ...args });
    await edit({ oldText: 'Tulips', newText: 'Roses', hash: read['hash'] });
    const inserted = await edit({ insertLine: 3, insertText: 'Fence' });
    expect(readFileSync(fileOf('ideas/garden.md'), 'utf8')).toBe('# Garden\n\nRoses\nFence\n');
    const replaced = await edit({ content: '# All new', hash: inserted['hash'] });
    expect(replaced).toMatchObject({ totalLines: 1 });
    expect(await edit({ newPath: 'garden.md' })).toMatchObject({
      path: 'garden.md',
      renamedFrom: 'ideas/garden.md',
      hash: replaced['hash'],
    });

    expect(await call('mb_search', { query: 'new' })).toMatchObject({
      total: 1,
      results: [{ path: 'garden.md', line: 1, text: '# All <mark>new</mark>' }],
    });
    expect(await call('mb_list')).toMatchObject({ total: 1, files: [{ path: 'garden.md' }] });
    const deleted = await call('mb_delete', { path: 'garden.md', hash: replaced['hash'] });
    expect(existsSync(String(deleted['trashPath']))).toBe(true);
    expect(await codeOf('mb_read', { path: 'garden.md' })).toBe('E_MB_FILE_NOT_FOUND');
    expect(await call('mb_search', { query: 'new' })).toMatchObject({ total: 0 });

    const { code, stdout } = await runCommand(opened.place, [
      '--root',
      opened.place.root,
      'restore',
      'garden.md',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain(fileOf('garden.md'));
    expect(await call('mb_search', { query: 'new' })).toMatchObject({ total: 1 });
  });

  it('has tools with the names of seed 004', async () => {
    await call('mb/add', { path: 'a.md', content: 'x' });
    expect(await call('mb/list')).toMatchObject({ total: 1 });
    expect(await call('mb/read', { path: 'a.md' })).toMatchObject({ content: 'x' });
    expect(await call('mb/search', { query: 'x' })).toMatchObject({ total: 1 });
    await call('mb/edit', { path: 'a.md', oldText: 'x', newText: 'y' });
    expect(await call('mb/reindex')).toMatchObject({ files: 1, sections: 1, skipped: [] });
    expect(await call('mb/delete', { path: 'a.md', permanent: true })).toMatchObject({
      deleted: true,
    });
  });

  it('that is in the trash is removed permanently by its path, or alone by its name there', async () => {
    const deleted = async () => {
      put('a.md', 'one');
      return (await call('mb_delete', { path: 'a.md' }))['trashName'];
    };
    const [first, second] = [await deleted(), await deleted()];
    const names = () => readdirSync(fileOf('.trash')).filter((name) => name.startsWith('a.'));
    expect(await codeOf('mb_delete', { path: 'a.md' })).toBe('E_MB_FILE_NOT_FOUND');
    put(String(first), 'a copy that a person made of it');
    await call('mb_delete', { path: first, permanent: true });
    expect(names()).toEqual([second]);
    expect(readFileSync(fileOf(String(first)), 'utf8')).toContain('a copy');
    put('a.md', 'live');
    await call('mb_delete', { path: 'a.md', permanent: true });
    expect(names()).toEqual([second]);
    await call('mb_delete', { path: 'a.md', permanent: true });
    expect(names()).toEqual([]);
    expect(await codeOf('mb_delete', { path: 'a.md', permanent: true })).toBe(
      'E_MB_FILE_NOT_FOUND',
    );
  });

  it('that a person edits is read by the next call', async () => {
    put('a.md', 'one');
    const { hash } = await call('mb_read', { path: 'a.md' });
    put('a.md', 'one and two');
    expect(await codeOf('mb_edit', { path: 'a.md', oldText: 'one', newText: 'x', hash })).toBe(
      'CONFLICT',
    );
    expect(await call('mb_search', { query: 'two' })).toMatchObject({ total: 1 });
    put('b/c.md', 'two');
    expect(await call('mb_search', { query: 'two', folder: 'b' })).toMatchObject({ total: 1 });
    expect(await call('mb_list', { folder: '/b/' })).toMatchObject({ total: 1 });
    for (const whole of ['.', './', '/', ''])
      expect(await call('mb_list', { folder: whole }), whole).toMatchObject({ total: 2 });
  });

  it('are not in a folder that is absent, and the list says so', async () => {
    put('a.md', 'one');
    const { total, note } = await call('mb_list', { folder: 'nosuch' });
    expect(total).toBe(0);
    expect(note).toContain('No note is in or below the folder "nosuch".');
    expect(await call('mb_list')).not.toHaveProperty('note');
  });

  it.each(['NFC', 'NFD'])('are found in a folder with accents, typed in %s', async (form) => {
    put(`${'été'.normalize('NFD')}/a.md`, 'two');
    const folder = 'été'.normalize(form);
    expect(await call('mb_list', { folder })).toMatchObject({ total: 1 });
    for (const mode of ['ranked', 'exact'])
      expect(await call('mb_search', { query: 'two', folder, mode })).toMatchObject({ total: 1 });
  });
});

describe('a note of another system, with accents in another Unicode form', () => {
  it('is read, edited, renamed and deleted with either form of its path', async () => {
    const [nfc, nfd] = ['ガイド/été.md'.normalize('NFC'), 'ガイド/été.md'.normalize('NFD')];
    put(nfd, 'one');
    expect(await call('mb_read', { path: nfc })).toMatchObject({ path: nfd, content: 'one' });
    await call('mb_edit', { path: nfc, oldText: 'one', newText: 'two' });
    expect(readFileSync(fileOf(nfd), 'utf8')).toContain('two');
    expect(await codeOf('mb_add', { path: nfc, content: 'x' })).toBe('PATH_ESCAPE');
    await call('mb_edit', { path: nfc, newPath: 'a/b.md' });
    expect(readFileSync(fileOf('a/b.md'), 'utf8')).toContain('two');
    put(nfd, 'three');
    await call('mb_delete', { path: nfc });
    expect(await call('mb_list')).toMatchObject({ files: [{ path: 'a/b.md' }] });
  });
});

describe('edits', () => {
  it('make one complete change in each call', async () => {
    put('a.md', 'one one\n');
    for (const args of [
      {},
      { oldText: 'one' },
      { newText: 'x' },
      { insertLine: 1 },
      { oldText: 'one', newText: 'x', newPath: 'b.md' },
      { content: 'x' },
      { oldText: 'two', newText: 'x' },
      { oldText: 'one', newText: 'x' },
      { insertLine: 9, insertText: 'x' },
    ])
      expect(await codeOf('mb_edit', { path: 'a.md', ...args }), JSON.stringify(args)).toBe(
        'VALIDATION_ERROR',
      );
    expect(readFileSync(fileOf('a.md'), 'utf8')).toBe('one one\n');
  });
});

describe('pages', () => {
  it('of a note have each line once, within the budget', async () => {
    const lines = Array.from({ length: 600 }, (_, n) => `line ${n} with some words`);
    put('long.md', lines.join('\n'));
    const seen: string[] = [];
    for (let startLine: unknown = 1; startLine !== undefined; ) {
      const page = await call('mb_read', { path: 'long.md', startLine, maxTokens: 1000 });
      expect(String(page['content']).length).toBeLessThan(5_000);
      seen.push(...String(page['content']).split('\n'));
      startLine = page['nextLine'];
    }
    expect(seen).toEqual(lines);
    const some = await call('mb_read', { path: 'long.md', startLine: 10, endLine: 12 });
    expect(some).toMatchObject({
      content: lines.slice(9, 12).join('\n'),
      endLine: 12,
      hasMore: false,
    });
    const none = await call('mb_read', { path: 'long.md', startLine: 601 });
    expect(none).toMatchObject({ content: '', startLine: 601, endLine: 600, hasMore: false });
    const past = { name: 'mb_read', arguments: { path: 'long.md', startLine: 601 } };
    const { content } = await opened.session.client.callTool(past);
    expect(JSON.stringify(content)).toContain(`it has ${lines.length} lines`);
    expect(await codeOf('mb_read', { path: 'long.md', startLine: 5, endLine: 4 })).toBe(
      'VALIDATION_ERROR',
    );
  });

  it('of a line that is longer than an answer have each character once', async () => {
    const long = `${'word '.repeat(1_500)}${'🙂'.repeat(3_000)}`;
    put('long.md', `first\n${long}\nlast\n`);
    let text = '';
    let next: Record<string, unknown> | undefined = { startLine: 1 };
    while (next !== undefined) {
      const page: Record<string, unknown> = await call('mb_read', {
        path: 'long.md',
        maxTokens: 1000,
        ...next,
      });
      expect(estimateTokens(page['content'])).toBeLessThan(1_100);
      const { nextLine, nextColumn, hasMore } = page;
      text += `${page['content']}${nextColumn === undefined ? '\n' : ''}`;
      expect(hasMore).toBe(nextLine !== undefined);
      next = hasMore
        ? { startLine: nextLine, ...(nextColumn !== undefined && { startColumn: nextColumn }) }
        : undefined;
    }
    expect(text).toBe(`first\n${long}\nlast\n`);
    const { content } = await opened.session.result('mb_read', {
      path: 'long.md',
      startLine: 2,
      maxTokens: 1000,
    });
    expect(JSON.stringify(content)).toContain('continue with startLine 2 and startColumn 39');
  });

  it('of lists and searches have each entry once', async () => {
    for (let n = 0; n < 30; n += 1) put(`${n}.md`, `word ${n}\nword\n`);
    for (const [name, args, list] of [
      ['mb_list', { limit: 7 }, 'files'],
      ['mb_list', { maxTokens: 500 }, 'files'],
      ['mb_search', { query: 'word', mode: 'exact', limit: 13 }, 'results'],
      ['mb_search', { query: 'word', maxTokens: 500 }, 'results'],
    ] as const) {
      const seen: string[] = [];
      let total: unknown;
      for (let offset: unknown = 0; offset !== undefined; ) {
        const page = await call(name, { ...args, offset });
        seen.push(...(page[list] as object[]).map((each) => JSON.stringify(each)));
        ({ total, nextOffset: offset } = page);
      }
      expect(new Set(seen).size, JSON.stringify(args)).toBe(total);
      expect(seen).toHaveLength(Number(total));
    }
  });

  it('of a search have the lines around a match, and the relevant part of a very long line', async () => {
    put('a.md', `# Top\none\ntwo\n${'x '.repeat(2000)}needle${' y'.repeat(2000)}\nfour\nfive\n`);
    const { results } = await call('mb_search', {
      query: 'needle',
      mode: 'regex',
      contextLines: 2,
    });
    const [hit] = results as { text: string; before: string[]; after: string[] }[];
    expect(hit).toMatchObject({
      line: 4,
      heading: 'Top',
      before: ['one', 'two'],
      after: ['four', 'five'],
    });
    expect(hit?.text).toMatch(/^\.{3}.{90,110}<mark>needle<\/mark>.*\.{3}$/);
    expect(hit?.text.length).toBeLessThan(450);
    const marks = { highlightStart: '[', highlightEnd: ']', ellipsis: ' (cut) ' };
    const marked = await call('mb_search', { query: 'needle', ...marks });
    const [again] = marked['results'] as { text: string }[];
    expect(again?.text).toMatch(/^ \(cut\) .{90,110}\[needle\].* \(cut\) $/);
  });
});

it('a search shows the nearest lines with text, not the empty lines around a heading', async () => {
  put('a.md', '# Tokens\n\n\nWe keep opaque ones.\n\n## Later\n\nNothing.\n');
  const around = async (args: Record<string, unknown>) =>
    (await call('mb_search', args))['results'];
  expect(await around({ query: 'opaque' })).toMatchObject([
    { line: 4, before: ['# Tokens'], after: ['## Later'] },
  ]);
  const all = await around({ query: '# Tokens', mode: 'exact', contextLines: 2 });
  expect(all).toMatchObject([{ line: 1, after: ['We keep opaque ones.', '## Later'] }]);
});

it('that is not there is sought by its name in other folders', async () => {
  put('adr/Rate-limits.md', 'Token bucket');
  const edit = { oldText: 'a', newText: 'b' };
  for (const [tool, rest] of Object.entries({ mb_read: {}, mb_edit: edit, mb_delete: {} })) {
    const args = { path: 'old/rate-limits.md', ...rest };
    const { content } = await opened.session.client.callTool({ name: tool, arguments: args });
    const [{ text }] = content as [{ text: string }];
    expect(JSON.parse(text)).toMatchObject({
      error: {
        code: 'E_MB_FILE_NOT_FOUND',
        hint: expect.stringContaining('adr/Rate-limits.md'),
        details: { sameName: ['adr/Rate-limits.md'] },
      },
    });
  }
  const read = ['--root', opened.place.root, 'mb', 'read', 'rate-limits.md'];
  expect((await runCommand(opened.place, read)).stderr).toContain('adr/Rate-limits.md');
});

it.each([
  ['[the plan](../ideas/plan.md#week-2)', true],
  ['[the plan](<../ideas/plan.md>)', true],
  ['![the plan](../ideas/pl%61n.md)', true],
  ['[[plan]]', true],
  ['[[ideas/plan|the plan]]', true],
  ['[[ideas/plan#Week 2]]', true],
  ['[the plan](plan.md)', false],
  ['[the plan](https://example.org/ideas/plan.md)', false],
  ['[[other]] plan.md', false],
])('a rename says whether a note has %s', async (text, hasLink) => {
  put('ideas/plan.md', 'plan');
  put('days/monday.md', `See ${text}.`);
  const renamed = await call('mb_edit', { path: 'ideas/plan.md', newPath: 'ideas/map.md' });
  expect(renamed['note']).toBe(
    hasLink ? 'These notes still have links to ideas/plan.md: days/monday.md.' : undefined,
  );
});

it('a wiki link with only a name is right after a move to another folder', async () => {
  put('ideas/plan.md', 'plan');
  put('monday.md', '[[plan]]');
  const moved = await call('mb_edit', { path: 'ideas/plan.md', newPath: 'done/plan.md' });
  expect(moved).not.toHaveProperty('note');
});

it('a rename can change only upper and lower case', async () => {
  put('ideas/garden.md', 'x');
  const rename = (path: string, newPath: string) => ({ path, newPath });
  const renamed = await call('mb_edit', rename('ideas/garden.md', 'ideas/Garden.md'));
  expect(renamed).toMatchObject({ path: 'ideas/Garden.md', renamedFrom: 'ideas/garden.md' });
  expect(existsSync(fileOf('ideas/Garden.md'))).toBe(true);
  expect(existsSync(fileOf('ideas/garden.md'))).toBe(false);
  put('other.md', 'y');
  expect(await codeOf('mb_edit', rename('other.md', 'ideas/garden.md'))).toBe('PATH_ESCAPE');
});

it('an edit of a note with conflict markers says that they are still there', async () => {
  put('both.md', '<<<<<<< HEAD\ntulips\n=======\nroses\n>>>>>>> other\n');
  const edited = await call('mb_edit', { path: 'both.md', oldText: 'tulips', newText: 'Tulips' });
  expect(edited['note']).toContain('conflict markers');
  const { hash } = edited;
  const whole = await call('mb_edit', { path: 'both.md', content: 'Tulips', hash });
  expect(whole).not.toHaveProperty('note');
});

describe('errors and empty results', () => {
  it('have a code for the reason', async () => {
    put('a.md', 'x');
    symlinkSync('/etc', fileOf('etc'));
    expect(await codeOf('mb_read', { path: '../conversation-logs/state.md' })).toBe('PATH_ESCAPE');
    expect(await codeOf('mb_add', { path: 'etc/x.md', content: 'x' })).toBe('PATH_ESCAPE');
    expect(await codeOf('mb_add', { path: 'A.md', content: 'x' })).toBe('PATH_ESCAPE');
    expect(await codeOf('mb_add', { path: 'a.txt', content: 'x' })).toBe('VALIDATION_ERROR');
    expect(await codeOf('mb_add', { path: 'b.md', content: 'x'.repeat(32 * 1024 + 1) })).toBe(
      'TOO_LARGE',
    );
    expect(await codeOf('mb_search', { query: '(', mode: 'regex' })).toBe('QUERY_SYNTAX');
    expect(await codeOf('mb_search', { query: '"', matchType: 'fts5' })).toBe('QUERY_SYNTAX');
    put('big.md', 'x'.repeat(32 * 1024 + 1));
    expect(await codeOf('mb_read', { path: 'big.md' })).toBe('TOO_LARGE');
    const list = await call('mb_list');
    expect(list).toMatchObject({
      total: 1,
      skipped: [
        { path: 'big.md', code: 'TOO_LARGE' },
        { path: 'etc', code: 'PATH_ESCAPE' },
      ],
    });
  });

  it('are counted by a search, which does not search them', async () => {
    put('sub/big.md', `frog ${'x'.repeat(33_000)}`);
    put('small.md', 'A frog.');
    expect(await call('mb_search', { query: 'frog' })).toMatchObject({ total: 1, skippedFiles: 1 });
    const found = await call('mb_search', { query: 'frog', folder: 'other' });
    expect(found).not.toHaveProperty('skippedFiles');
  });

  it('are listed within the limit of tokens', async () => {
    for (let at = 0; at < 20; at += 1) put(`${'long-name/'.repeat(6)}${at}.md`, 'x'.repeat(33_000));
    put('small.md', 'x');
    const list = await call('mb_list', { maxTokens: 500 });
    expect(list).toMatchObject({ total: 1, files: [{ path: 'small.md' }] });
    expect(list['skipped']).not.toEqual([]);
    expect(estimateTokens(list)).toBeLessThanOrEqual(500);
  });

  it('for a file with the ending .MD suggest to rename it', async () => {
    put('UPPER.MD', 'x');
    expect(await call('mb_list')).toMatchObject({
      skipped: [{ path: 'UPPER.MD', code: 'VALIDATION_ERROR' }],
    });
    const failure = (path: string) => opened.session.failure('mb_read', { path });
    expect(await failure('UPPER.MD')).toMatchObject({
      hint: expect.stringContaining('rename it on the disk'),
    });
    expect(await failure('UPPER.md')).toMatchObject({
      hint: expect.stringContaining('Rename the existing file to "UPPER.md"'),
    });
  });

  it('include a limit of notes that is not a number', async () => {
    const place = { ...opened.place, env: { ...opened.place.env, DAYBOOK_MB_MAX_FILES: 'many' } };
    const wrong = await runCommand(place, ['--root', place.root, 'info']);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('DAYBOOK_MB_MAX_FILES');
  });

  it('explain why a search found nothing', async () => {
    put('a.md', 'alpha\n');
    const ranked = await call('mb_search', { query: 'beta' });
    expect(ranked['explanation']).toMatch(/^No section has: beta\. .*"fuzzy"\.$/);
    const elsewhere = await call('mb_search', { query: 'alpha', mode: 'exact', folder: 'b' });
    expect(elsewhere['explanation']).toBe('1 section matches without `folder`.');
    expect(await call('mb_search', { query: 'b+', mode: 'regex' })).toMatchObject({
      explanation: 'No line matches.',
    });
  });
});
