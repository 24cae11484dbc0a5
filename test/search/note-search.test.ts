/**
 * Searching notes: sections by rank, lines by text or regular expression, and no expression that takes too
 * long.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NoteHit, type NoteQuery, NoteSearch } from '../../src/search/notes/note-search.js';
import { sectionsOf } from '../../src/search/notes/note-sections.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const GARDEN = `# Garden
Plans for spring.

## Tulips
Plant them in autumn,
before the first frost.

\`\`\`sh
# no heading: rm -rf tulips
\`\`\`

## Fence
Order wood. See C++ manual.
`;

function open(files: Record<string, string> = {}) {
  const folder = join(tempFolder(), 'bank');
  const bank = new MemoryBank({ folder, maxFiles: 1000, fsync: false });
  const search = new NoteSearch(bank);
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  const run = (query: string, more: Partial<NoteQuery> = {}, signal?: AbortSignal) => {
    const defaults = { mode: 'ranked', matchType: 'auto', caseSensitive: false } as const;
    return search.search({ query, ...defaults, limit: 20, offset: 0, ...more }, signal);
  };
  const places = async (query: string, more: Partial<NoteQuery> = {}) =>
    (await run(query, more)).hits.map(({ path, line }) => `${path}:${line}`);
  return { folder, bank, search, put, run, places };
}

const matched = ({ text, matches }: NoteHit) =>
  matches.map(({ start, end }) => text.slice(start, end));

describe('ranked search', () => {
  it('returns the best line of each section, its headings, and the matches', async () => {
    const { run, places } = open({ 'ideas/garden.md': GARDEN, 'other.md': 'nothing here\n' });
    const { hits, total } = await run('first frost');
    expect(total).toBe(1);
    expect(hits[0]).toMatchObject({
      path: 'ideas/garden.md',
      line: 6,
      text: 'before the first frost.',
      headings: ['Garden', 'Tulips'],
    });
    expect(hits.map(matched)).toEqual([['first', 'frost']]);
    expect(await places('spring OR wood')).toHaveLength(2);
    const { hits: symbols } = await run('C++');
    expect(symbols.map((hit) => [hit.line, matched(hit)])).toEqual([[13, ['C']]]);
  });

  it('searches paths and headings; a section is below all of its headings', async () => {
    const { places } = open({
      'ideas/garden.md': GARDEN,
      'frost.md': 'warm words\n',
      'empty.md': '',
    });
    expect(await places('garden wood')).toEqual(['ideas/garden.md:13']);
    expect(await places('heading : tulips')).toEqual(['ideas/garden.md:4']);
    expect(await places('path : frost')).toEqual(['frost.md:1']);
    expect(await places('path : empty')).toEqual(['empty.md:1']);
    expect(await places('content : garden')).toEqual(['ideas/garden.md:1']);
  });

  it('has the match types of the other searches, and explains an empty result', async () => {
    const { run, places } = open({ 'a.md': 'alpha beta\n', 'b.md': 'beta gamma\n' });
    expect(await places('alph', { matchType: 'prefix' })).toEqual(['a.md:1']);
    expect(await places('betta', { matchType: 'fuzzy' })).toHaveLength(2);
    expect(await places('beta alpha', { matchType: 'exact' })).toEqual([]);
    expect(await run('alpha gamma')).toMatchObject({ total: 2, relaxed: true });
    expect(await run('delta')).toMatchObject({ total: 0, unknownWords: ['delta'] });
    expect((await errorOf(run('"', { matchType: 'fts5' }))).code).toBe('QUERY_SYNTAX');
    expect(await run('alpha', { folder: 'sub' })).toMatchObject({
      total: 0,
      withoutFilter: { folder: 1 },
    });
  });

  it('marks a phrase across two lines in both lines', async () => {
    const { run } = open({ 'a.md': 'one two\nthree four\n' });
    const { hits } = await run('"two three"');
    expect(hits.map(matched)).toEqual([['two']]);
  });
});

describe('exact and regular expressions', () => {
  it('find every line, in order, and mark the first match', async () => {
    const { run, places } = open({ 'b.md': 'x.y\nxzy X.Y\n', 'a.md': 'X.y\r\nend\r\n' });
    const exact = { mode: 'exact' } as const;
    expect(await places('x.y', exact)).toEqual(['a.md:1', 'b.md:1', 'b.md:2']);
    expect(await places('x.y', { ...exact, caseSensitive: true })).toEqual(['b.md:1']);
    expect((await run('x.Y', exact)).hits.map(matched)).toEqual([['X.y'], ['x.y'], ['X.Y']]);
    const regex = { mode: 'regex', caseSensitive: true } as const;
    expect(await places('x.y', regex)).toEqual(['b.md:1', 'b.md:2']);
    expect(await places('^end$', regex)).toEqual(['a.md:2']);
    expect(await places('(?i)^X', regex)).toEqual(['a.md:1', 'b.md:1', 'b.md:2']);
    expect((await errorOf(run('a\nb', exact))).code).toBe('VALIDATION_ERROR');
  });

  it('have pages with each line once, and stay in a folder', async () => {
    const lines = Array.from({ length: 25 }, (_, n) => `hit ${n}\nmiss\n`).join('');
    const { run, places } = open({
      'in/a.md': lines,
      'inside.md': 'hit\n',
      'in/deep/b.md': 'hit\n',
    });
    const seen: string[] = [];
    for (let offset = 0; offset < 26; offset += 10)
      seen.push(...(await places('hit', { mode: 'exact', folder: 'in', offset, limit: 10 })));
    expect(seen).toHaveLength(26);
    expect(new Set(seen).size).toBe(26);
    expect(seen).not.toContain('inside.md:1');
    expect((await run('hit', { mode: 'regex', folder: 'in', limit: 1 })).total).toBe(26);
  });

  it('have the same matches as in JavaScript, position by position', async () => {
    const unit = fc.constantFrom('a', 'b', '.', ' ', 'é', '𝒳', 'İ', '\\', '(');
    const line = fc.string({ unit, maxLength: 12 });
    const pattern = fc.constantFrom(
      'a+b',
      '[^a ]+',
      'é|𝒳',
      '\\.',
      '\\\\',
      '(a|b)+$',
      '^ *a',
      '.𝒳',
      'b?\\(',
    );
    const { put, run } = open();
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        pattern,
        line,
        async (lines, source, text) => {
          put('a.md', lines.map((each) => `${each}\n`).join(''));
          const found = async (query: string, mode: 'regex' | 'exact') =>
            (await run(query, { mode, caseSensitive: true, limit: 100 })).hits.map((hit) => [
              hit.line,
              hit.matches[0]?.start,
              matched(hit)[0],
            ]);
          const expected = (find: (each: string) => [number, string] | undefined) =>
            lines.flatMap((each, index) => {
              const match = find(each);
              return match === undefined ? [] : [[index + 1, ...match]];
            });
          const native = (each: string): [number, string] | undefined => {
            const match = new RegExp(source, 'u').exec(each);
            return match ? [match.index, match[0]] : undefined;
          };
          expect(await found(source, 'regex')).toEqual(expected(native));
          if (text === '') return;
          const literal = (each: string): [number, string] | undefined =>
            each.includes(text) ? [each.indexOf(text), text] : undefined;
          expect(await found(text, 'exact')).toEqual(expected(literal));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('report the fault of an invalid regular expression', async () => {
    const { run } = open({ 'a.md': 'x\n' });
    for (const pattern of [
      '(',
      '[z-a]',
      '*',
      'a**',
      '\\',
      'a{1001}',
      '(?=a)',
      '(?<!a)b',
      '(a)\\1',
      '\\p{Foo}',
      '('.repeat(999),
    ]) {
      const error = await errorOf(run(pattern, { mode: 'regex' }));
      expect(error.code, pattern.slice(0, 20)).toBe('QUERY_SYNTAX');
      expect(error.message.length).toBeLessThan(1200);
    }
    const large = '(?:\\pL{0,1000})'.repeat(8);
    expect((await errorOf(run(large, { mode: 'regex' }))).code).toBe('QUERY_SYNTAX');
  });

  it('that would hang a backtracking engine end in time proportional to the text', async () => {
    const evil = `${'a'.repeat(30_000)}!\n`;
    const { run } = open({
      'a.md': evil,
      'b.md': `${'ab'.repeat(15_000)}\n`,
      'c.md': `${' '.repeat(32_000)}x\n`,
    });
    const patterns = [
      '(a+)+$',
      '(a|aa)+$',
      '(a*)*b$',
      '([a-z]+)*\\d',
      '(a?){200}a{200}b',
      '(.{1,30}a){30}c',
      '\\s+$',
      '(x+x+)+y',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
    ];
    // With the engine of JavaScript, the first of these alone would take longer than the test.
    for (const query of patterns) {
      const found = await run(query, { mode: 'regex' }).catch((error: unknown) => error);
      const isRefused = /\{(200|30)\}/.test(query);
      expect(found, query).toMatchObject(
        isRefused ? { code: 'TIMEOUT' } : { hits: expect.any(Array) },
      );
    }
    expect((await run('(a+)+!', { mode: 'regex' })).total).toBe(1);
  });

  it('stop when the caller cancels', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`${n}.md`, `${'a b '.repeat(8000)}\n`]),
    );
    const { run } = open(files);
    const giveUp = new AbortController();
    const searching = run('([ab] ?){20}c', { mode: 'regex' }, giveUp.signal);
    setTimeout(() => giveUp.abort(), 20);
    expect((await errorOf(searching)).code).toBe('CANCELLED');
  });
});

describe('the index of notes', () => {
  it('agrees with the files after any changes', async () => {
    const { bank, put, places, folder, search } = open({ 'a.md': 'alpha\n' });
    expect(await places('alpha')).toEqual(['a.md:1']);
    put('a.md', '# Heading\n\nbeta\n');
    expect(await places('alpha')).toEqual([]);
    expect(await places('beta')).toEqual(['a.md:3']);
    await bank.rename('a.md', 'b/c.md', undefined);
    expect(await places('beta')).toEqual(['b/c.md:3']);
    rmSync(join(folder, 'b'), { recursive: true });
    expect(await places('beta')).toEqual([]);
    put('d.md', '# One\ngamma\n# Two\n');
    expect(await search.rebuild()).toEqual({ notes: 1, sections: 2 });
    expect(await places('gamma')).toEqual(['d.md:2']);
  });
});

describe('a rebuild that is cancelled', () => {
  it('stops reading, and the next search reads the rest', async () => {
    const notes = Array.from({ length: 200 }, (_, n) => [`n${n}.md`, 'delta\n']);
    const { bank, run, search } = open(Object.fromEntries(notes));
    let read = 0;
    bank.follow(() => {
      read += 1;
      if (read === 40) giveUp.abort();
    });
    const giveUp = new AbortController();
    await expect(search.rebuild(giveUp.signal)).rejects.toThrow(/aborted/);
    expect(read).toBeLessThan(80);
    expect((await run('delta', { limit: 1 })).total).toBe(200);
    expect(read).toBe(200);
  });
});

describe('sections', () => {
  it('end at headings, but not at those in code blocks', () => {
    const places = sectionsOf(GARDEN.trimEnd().split('\n')).map(({ line, headings }) => [
      line,
      headings,
    ]);
    expect(places).toEqual([
      [1, ['Garden']],
      [4, ['Garden', 'Tulips']],
      [12, ['Garden', 'Fence']],
    ]);
  });

  it.each([
    ['#', ['']],
    ['# a #', ['a']],
    ['# a ## ', ['a']],
    ['#a', undefined],
    ['####### a', undefined],
    ['    # a', undefined],
    ['   ###  C#  ', ['C#']],
    ['# ###', ['']],
  ])('of %j are as expected', (line, headings) => {
    const expected = headings?.filter((heading) => heading !== '') ?? [];
    expect(sectionsOf([line])).toEqual([{ line: 1, headings: expected, lines: [line] }]);
    expect(sectionsOf(['x', line])).toHaveLength(headings === undefined ? 1 : 2);
  });

  it.each([
    [
      ['Garden', '===', 'x', '', 'Tulips ', '---'],
      [
        [1, ['Garden']],
        [5, ['Garden', 'Tulips']],
      ],
    ],
    [
      ['x', '', 'Big tulips', ' --', '# C'],
      [
        [1, []],
        [3, ['Big tulips']],
        [5, ['C']],
      ],
    ],
    [['---', 'title: x', '---', 'y'], [[1, []]]],
    [['a long text', 'of two lines', '---'], [[1, []]]],
    [['- item', '---', '', '> quote', '---', '', '1. one', '---'], [[1, []]]],
    [['', '---', '---', '    code', '---'], [[1, []]]],
    [['```', 'x', '', 'y', '---', '```'], [[1, []]]],
    [['| a |', '--', '', 'a', '-', '', 'b', '', '---'], [[1, []]]],
  ])('can have underlined headings: %j', (lines, expected) => {
    expect(sectionsOf(lines).map(({ line, headings }) => [line, headings])).toEqual(expected);
  });

  it('of a line of many spaces are found as fast as of other lines', () => {
    const spaces = ' '.repeat(2_000_000); // it would take a second for each 25 000 if the time were quadratic
    expect(sectionsOf([`# a${spaces}b`, '', `c${spaces}d`, '---'])).toHaveLength(2);
  });

  it('contain every line once, also with code blocks that do not end', () => {
    const line = fc.constantFrom(
      '# a',
      '## b',
      '```',
      '~~~',
      '````',
      '``` x',
      'text',
      '===',
      '---',
      '',
      '``` `',
      '#',
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const sections = sectionsOf(lines);
        expect(sections.flatMap((section) => [...section.lines])).toEqual(lines);
        let next = 1;
        for (const section of sections) {
          expect(section.line).toBe(next);
          next += section.lines.length;
        }
      }),
    );
  });
});
