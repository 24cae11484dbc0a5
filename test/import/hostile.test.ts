/** Archives and files that are damaged or malicious: they are refused or reported, and no data is lost. */
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { openInput } from '../../src/files/input/input.js';
import { notesOf } from '../../src/import/reading/documents/note-paths.js';
import { SOURCES } from '../../src/import/source-list.js';
import { openWebUiActivity } from '../../src/import/sources/openwebui-activity.js';
import { errorOf } from '../support/error-of.js';
import { sampled } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import { zipOf } from '../support/zip.js';
import { fileWith, folderWith, lines, openImportBench } from './bench.js';
import { CHATGPT, changed, NASTY, TEXT_SAMPLES } from './samples.js';

describe('a text for which quadratic code would take hours', () => {
  const spaces = ' '.repeat(500_000);

  it('is imported from a vault', async () => {
    const bench = await openImportBench();
    const { notes, facts } = await bench.import(
      folderWith({
        '.obsidian/app.json': '{}',
        'A.md': `- a${spaces}b\n- near [[House]]\n`,
        'B.md': `---\ntitle: a${spaces}b\n---\nx\n`,
      }),
    );
    expect([notes > 1, facts]).toEqual([true, 1]);
  });

  it('is imported from a transcript', async () => {
    const bench = await openImportBench();
    const text = `**User:** a${'\n'.repeat(500_000)}b\n\n---\n\n**Assistant:** c\n`;
    expect(await bench.import(fileWith(text, 'x.md'))).toMatchObject({ added: 1, messages: 2 });
  });

  it('is imported from an answer of OpenWebUI', () => {
    const call = `<details type="tool_calls" a="b" ${'x'.repeat(1_000_000)}>c</details>`;
    const { activities, rest } = openWebUiActivity(`${call}d`);
    const attributes = { type: 'tool_calls', a: 'b' };
    expect([activities, rest]).toEqual([[{ type: 'tool_calls', attributes, body: 'c' }], 'd']);
  });

  it('can be the name of a note', () => {
    const [note] = [...notesOf({ path: 'x' }, [], `a${spaces}b`, 'x')];
    expect(note?.note).toBe('imported/a.md');
  });
});

describe('an archive', () => {
  it.each([
    ['a name that climbs out', '../outside.json'],
    ['a name deep down that climbs out', 'a/../../outside.json'],
    ['an absolute name', '/tmp/outside.json'],
    ['a drive letter', 'C:/outside.json'],
    ['backslashes', 'a\\..\\outside.json'],
  ])('with %s is refused as a whole', async (_what, name) => {
    const bench = await openImportBench();
    const path = fileWith(
      zipOf([
        { name: 'conversations.json', content: CHATGPT },
        { name, content: '{}' },
      ]),
      'x.zip',
    );
    expect(await errorOf(bench.import(path))).toMatchObject({ code: 'PATH_ESCAPE' });
    expect(bench.folders()).toEqual([]);
  });

  it('that is encrypted with age is refused with what to do', async () => {
    const bench = await openImportBench();
    const error = await errorOf(
      bench.import(fileWith('age-encryption.org/v1\n-> X25519 a\n', 'x.age')),
    );
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(error.message).toContain('is an encrypted age file');
    expect(error.hint).toContain('daybook restore');
  });

  it('that has only the page of an export is refused with what to import', async () => {
    const bench = await openImportBench();
    const error = await errorOf(
      bench.import(fileWith('<html>var jsonData = []</html>', 'chat.html')),
    );
    expect(error.hint).toContain('the zip archive or the folder');
  });

  it('that would become much larger than its size is refused', async () => {
    const bench = await openImportBench();
    const content = Buffer.alloc(80 * 1024 * 1024, 0x20);
    const bomb = fileWith(zipOf([{ name: 'conversations.json', content }]), 'x.zip');
    expect(await errorOf(bench.import(bomb))).toMatchObject({ code: 'TOO_LARGE' });
  });

  it('with a false size of an entry is refused with CORRUPT or VALIDATION_ERROR', async () => {
    const bench = await openImportBench();
    const entry = { name: 'conversations.json', content: CHATGPT, claimsBytes: 100 };
    const error = await errorOf(bench.import(fileWith(zipOf([entry]), 'x.zip')));
    expect(['CORRUPT', 'VALIDATION_ERROR']).toContain(error.code);
  });

  it('may contain links and encrypted files; they are not read', async () => {
    const bench = await openImportBench();
    const path = fileWith(
      zipOf([
        { name: 'conversations.json', content: CHATGPT },
        { name: 'conversations-001.json', content: '/etc/passwd', mode: 0o120777 },
        { name: 'conversations-002.json', content: 'x', isEncrypted: true },
      ]),
      'x.zip',
    );
    const { problems, added } = await bench.import(path);
    expect(added).toBe(3);
    expect(problems.filter(({ code }) => code === 'PATH_ESCAPE')).toHaveLength(2);
  });

  it('whose only list is a link is refused with the name of the link', async () => {
    const bench = await openImportBench();
    const link = { name: 'conversations.json', content: '/etc/passwd', mode: 0o120777 };
    const error = await errorOf(bench.import(fileWith(zipOf([link]), 'x.zip')));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(error.message).toContain('conversations.json is a link, so it was not read');
  });

  it('with a damaged entry is imported without it, and the entry is reported', async () => {
    const entry = (at: number) => {
      const said = { author: { role: 'user' }, content: { parts: [`Was ${at} sown in spring?`] } };
      const mapping = { a: { id: 'a', message: said } };
      const content = JSON.stringify([{ id: `x${at}`, mapping }]);
      return { name: `conversations-00${at}.json`, content };
    };
    for (const damage of ['checksum', 'bytes'] as const) {
      const sound = [entry(0), entry(2)];
      const damaged = { ...entry(1), damage };
      const path = fileWith(zipOf([...sound, damaged]), 'x.zip');
      for (const given of [path, dirname(path)]) {
        const bench = await openImportBench();
        const report = await bench.import(given);
        expect(report).toMatchObject({ added: 2, problems: [{ code: 'CORRUPT' }] });
        expect(report.problems).toHaveLength(1);
        expect(report.problems[0]?.path).toContain(damaged.name);
        expect(report.problems[0]?.message).toContain('Download the export again');
        const whole = fileWith(zipOf([...sound, entry(1)]), 'x.zip');
        expect(await bench.import(whole)).toMatchObject({ added: 1, unchanged: 2, problems: [] });
      }
      const alone = fileWith(zipOf([{ ...damaged, name: 'conversations.json' }]), 'x.zip');
      const bench = await openImportBench();
      const error = await errorOf(bench.import(alone));
      expect(error).toMatchObject({ code: 'CORRUPT' });
      expect(error.message).toContain('conversations.json is damaged in the archive');
    }
  });

  it('that is cut off at any point is reported as damaged', async () => {
    const bytes = zipOf([{ name: 'conversations.json', content: CHATGPT }]);
    for (const length of [5, 30, 200, bytes.byteLength - 30, bytes.byteLength - 1]) {
      const path = fileWith(bytes.subarray(0, length), 'x.zip');
      const error = await errorOf(openInput(path));
      expect(error).toMatchObject({ code: 'CORRUPT' });
      expect(error.message).toMatch(/[^.]\.$/);
    }
  });
});

describe('a JSON file that no source recognises', () => {
  it('is reported as incomplete, with the position, if a download was cut off', async () => {
    const bench = await openImportBench();
    const path = fileWith(Buffer.from(CHATGPT).subarray(0, 900), 'conversations.json');
    const error = await errorOf(bench.import(path));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', details: { path } });
    expect(error.details).toHaveProperty('line');
    expect(error.message).toMatch(/is not valid JSON at line \d+, column \d+: .+ complete\?$/);
  });

  it('is reported as incomplete if it ends inside a character, and in a folder', async () => {
    const bench = await openImportBench();
    const bytes = Buffer.from('[{"mapping":"é').subarray(0, -1);
    for (const path of [fileWith(bytes), folderWith({ 'conversations.json': bytes })]) {
      expect((await errorOf(bench.import(path))).message).toContain('is not valid JSON at line 1');
    }
  });

  it('is reported as incomplete without a position if it is large', async () => {
    const bench = await openImportBench();
    const text = `[{"text":"${'x'.repeat(5 * 1024 * 1024)}`;
    const error = await errorOf(bench.importText(text));
    expect(error.message).toContain('is incomplete or damaged JSON');
    const whole = await errorOf(bench.importText(`${text}"}]`));
    expect(whole.message).toContain('does not support');
  });

  it.each([['{"a":1}'], ['{"a":1}\n{"a":2}\n'], ['just text']])('is %s', async (text) => {
    const bench = await openImportBench();
    expect((await errorOf(bench.importText(text))).message).toContain('does not support');
  });
});

it('a message whose only part has a type that is no text is reported, and the others are imported', async () => {
  const bench = await openImportBench();
  const odd = { role: 'assistant', content: [{ type: { toString: null } }] };
  const text = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }, odd] });
  expect(await bench.importText(text)).toMatchObject({ added: 1, messages: 1 });
});

/** Every source reads the file, even if it would not recognise it. */
async function readByAll(folder: string): Promise<number> {
  let items = 0;
  for (const source of SOURCES) {
    const input = await openInput(folder);
    try {
      await source.detect(input);
      for await (const item of source.read(input, { activity: 'all' })) {
        items += 1;
        expect(item.path).toBeTypeOf('string');
      }
    } catch (error) {
      if (!isAppError(error)) throw error;
    } finally {
      await input.close();
    }
  }
  return items;
}

describe.each(Object.entries(TEXT_SAMPLES))('a file like %s', (name, content) => {
  it('is read without a crash if it is cut off at any byte', async () => {
    const bytes = Buffer.from(content);
    const step = Math.max(1, Math.floor(bytes.byteLength / 12));
    for (let length = 0; length < bytes.byteLength; length += step) {
      await readByAll(folderWith({ [name]: bytes.subarray(0, length) }));
    }
  });

  it('is read without a crash if any value has another type', async () => {
    const isLines = !name.endsWith('.json');
    if (/\.(md|txt)$/.test(name)) return;
    await fc.assert(
      fc.asyncProperty(fc.nat(120), fc.constantFrom(...NASTY), async (at, into) => {
        const left = { left: at + 1 };
        const text = isLines
          ? lines(
              ...content
                .trim()
                .split('\n')
                .map((line) => changed(JSON.parse(line), left, into)),
            )
          : JSON.stringify(changed(JSON.parse(content), left, into));
        await readByAll(folderWith({ [name]: text }));
      }),
      { numRuns: 12 },
    );
  });

  it('is read without a crash if any value is an object that no text can be made of', async () => {
    if (/\.(md|txt)$/.test(name)) return;
    const values = (name.endsWith('.json') ? [content] : content.trim().split('\n')).map((text) =>
      JSON.parse(text),
    );
    const oddAt = (left: { left: number }) =>
      values.map((value) => changed(value, left, { toString: null }));
    const all = { left: Number.MAX_SAFE_INTEGER };
    oddAt(all);
    const places = Array.from({ length: Number.MAX_SAFE_INTEGER - all.left }, (_, at) => at + 1);
    expect(places).not.toHaveLength(0);
    for (const left of sampled(name, places, 2)) {
      const odd = oddAt({ left });
      await readByAll(folderWith({ [name]: lines(...odd) }));
    }
  });

  it('is read without a crash if it has random bytes, another encoding or deep nesting', async () => {
    const noises = [
      Buffer.from(content, 'utf16le'),
      Buffer.concat([Buffer.from(content), Buffer.from([0xff, 0xfe, 0])]),
      `${'['.repeat(200_000)}`,
      `${'{"a":'.repeat(50_000)}`,
      `[${'<pre><system-reminder>'.repeat(5000)}`,
      Buffer.alloc(10_000, 0),
    ];
    for (const noise of noises) await readByAll(folderWith({ [name]: noise }));
  });
});

it('a value that is nested too deeply is an error of the export', async () => {
  const bench = await openImportBench();
  const deep = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
  const text = `{"messages":[{"role":"user","content":"hello","metadata":${deep}}]}`;
  const file = join(folderWith({ 'deep.json': text }), 'deep.json');
  await expect(bench.import(file)).rejects.toMatchObject({
    code: 'CORRUPT',
    message: expect.stringContaining('deep.json'),
  });
});

it('the imports leave no temporary folder', async () => {
  const bench = await openImportBench();
  const bytes = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)]);
  // Other processes create their own folders in the system's folder.
  const folder = tempFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = join(folder, 'broken.db');
  writeFileSync(file, bytes);
  await bench.import(file).catch(() => undefined);
  expect(readdirSync(folder)).toEqual(['broken.db']);
});

it('a mark with values that are no texts does not stop later imports', async () => {
  const bench = await openImportBench();
  const conversationId = '20260101-1767261600000';
  const none = { toString: null };
  const source = { kind: 'x', id: 'y', count: 1, deleted: [none, 'm2'], replaced: [none] };
  const conversations = [
    { conversationId, messages: [{ role: 'user', content: 'a' }], metadata: { source } },
  ];
  const text = { format: 'daybook-export', version: 1, conversations };
  expect(await bench.importText(text)).toMatchObject({ added: 1 });
  expect(await bench.importText(text)).toMatchObject({ unchanged: 1, problems: [] });
});
