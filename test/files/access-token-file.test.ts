/** The token of a local HTTP server: created once, private, the same for all callers at the same time. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOrCreateToken } from '../../src/files/access-token-file.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const newPath = () => join(tempFolder(), 'daybook', 'http-token');
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the token of a local server', () => {
  it('is created at the first call, only its owner can read it, and it stays the same', async () => {
    const path = newPath();
    const token = await readOrCreateToken(path);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(path, 'utf8')).toBe(`${token}\n`);
    expect(modeOf(path)).toBe('600');
    expect(await readOrCreateToken(path)).toBe(token);
  });

  it('is the same for callers at the same time', async () => {
    const path = newPath();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => readOrCreateToken(path)));
    expect(new Set(tokens).size).toBe(1);
  });

  it('is made private again if others could read it', async () => {
    const path = newPath();
    await readOrCreateToken(path);
    chmodSync(path, 0o644);
    await readOrCreateToken(path);
    expect(modeOf(path)).toBe('600');
  });

  it.each([
    '',
    '\n',
    'short',
    'with blanks in between them',
    'line one is long enough\nline two',
  ])('is refused if the file contains no token: %j', async (text) => {
    const path = newPath();
    mkdirSync(join(path, '..'));
    writeFileSync(path, text);
    expect(await errorOf(readOrCreateToken(path))).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
