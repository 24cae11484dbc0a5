/**
 * The append log: what was appended comes back in order, and a torn or altered line harms only itself.
 */
import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppendLog } from '../../src/files/append-log.js';
import { plainCodec } from '../../src/files/codec.js';
import { tempFolder, withUmask } from '../support/temp-folder.js';

function openLog(root = tempFolder(), codec = plainCodec) {
  const path = join(root, 'log');
  const create = () =>
    new AppendLog({ path, locksFolder: join(root, '.locks'), name: 'log', codec, fsync: false });
  return { path, create, log: create() };
}

describe('AppendLog', () => {
  it('is empty where there is no file', async () => {
    expect(await openLog().log.read()).toEqual({ entries: [], damaged: [], hasTornTail: false });
  });

  it('gives back any JSON value, in the order of the calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json(), { maxLength: 8 }), async (texts) => {
        const { log, create } = openLog();
        const values = texts.map((text) => JSON.parse(text));
        await Promise.all(values.map((value) => log.append(value)));
        expect(await create().read()).toEqual({
          entries: values.map((value) => JSON.parse(JSON.stringify(value))),
          damaged: [],
          hasTornTail: false,
        });
      }),
      { numRuns: 30 },
    );
  });

  it('keeps line breaks, half surrogate pairs and U+2028 inside one line', async () => {
    const { log, path } = openLog();
    const value = 'a\nb\r\nc\u2028d\ud800';
    await log.append(value);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
    expect((await log.read()).entries).toEqual([value]);
  });

  it('writes what waits together: 500 appends are far fewer writes, and none is lost', async () => {
    const { log, path } = openLog();
    const versions = new Set<number>();
    await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        await log.append(n);
        versions.add(statSync(path).size);
      }),
    );
    expect((await log.read()).entries).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(versions.size).toBeLessThan(5);
  });

  it('loses nothing when two logs append to one file', async () => {
    const { log, create } = openLog();
    const other = create();
    for (let n = 0; n < 20; n += 1) await Promise.all([log.append(`a${n}`), other.append(`b${n}`)]);
    const { entries, damaged } = await log.read();
    expect(damaged).toEqual([]);
    const ofA = entries.filter((entry) => String(entry).startsWith('a'));
    expect(ofA).toEqual(Array.from({ length: 20 }, (_, n) => `a${n}`));
    expect(entries).toHaveLength(40);
  });

  it('reads up to a cut at any byte, and goes on after it', async () => {
    const { log, path, create } = openLog();
    await log.append({ n: 1 });
    await log.append({ text: '日本語' });
    const whole = readFileSync(path);
    const first = whole.indexOf('\n', 1);
    for (let cut = first; cut < whole.length; cut += 1) {
      writeFileSync(path, whole.subarray(0, cut));
      expect((await create().read()).hasTornTail).toBe(cut > first + 1);
      await create().append('next');
      const { entries, hasTornTail } = await create().read();
      expect(entries).toEqual([{ n: 1 }, 'next']);
      expect(hasTornTail).toBe(false);
    }
  });

  it('does not believe a line whose checksum is wrong or missing, and says where it is', async () => {
    const { log, path } = openLog();
    for (const word of ['one', 'two', 'three']) await log.append(word);
    writeFileSync(path, `${readFileSync(path, 'utf8').replace('two', 'TWO')}\n{"by":"hand"}\n`);
    const { entries, damaged, hasTornTail } = await log.read();
    expect(entries).toEqual(['one', 'three']);
    expect(damaged.map(({ line }) => line)).toEqual([3, 5]);
    expect(damaged[1]?.text).toBe('{"by":"hand"}');
    expect(hasTornTail).toBe(false);
  });

  it('takes CRLF, empty lines and a byte-order mark', async () => {
    const { log, path } = openLog();
    await log.append(1);
    await log.append(2);
    const edited = `\ufeff\r\n${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}\r\n\r\n`;
    writeFileSync(path, edited);
    expect(await log.read()).toEqual({ entries: [1, 2], damaged: [], hasTornTail: false });
  });

  it('passes every line through the codec, bound to the name', async () => {
    const codec = {
      seal: (text: string, binding: string) => Buffer.from(`${binding}|${text}`).toString('base64'),
      open: (stored: string, binding: string) => {
        const text = Buffer.from(stored, 'base64').toString();
        expect(text.startsWith(`${binding}|`)).toBe(true);
        return text.slice(binding.length + 1);
      },
    };
    const { log, path } = openLog(tempFolder(), codec);
    await log.append('secret');
    expect(readFileSync(path, 'utf8')).not.toContain('secret');
    expect((await log.read()).entries).toEqual(['secret']);
  });

  it.each([0o000, 0o022, 0o077])('makes the file private under the umask %o', async (mask) => {
    const root = tempFolder();
    mkdirSync(join(root, '.locks'));
    const { log, path } = openLog(root);
    await withUmask(mask, () => log.append(1));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('reports a folder in its place and works again when that is gone', async () => {
    const root = tempFolder();
    const { log, path } = openLog(root);
    mkdirSync(path);
    await expect(log.append(1)).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    await expect(log.read()).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    rmdirSync(path);
    await log.append(2);
    expect((await log.read()).entries).toEqual([2]);
  });
});
