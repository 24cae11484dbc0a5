/** The stack trace of an unexpected error names lines of the sources, not of the bundled command. */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProcess, withPlace } from './harness.js';

const SRC = resolve(import.meta.dirname, '../../src');
/** This script is loaded before the command, and lets `process.cwd` fail with an unexpected error. */
const BROKEN_CWD = `process.cwd = () => { throw new Error('made to fail'); };`;

describe('source maps of the built command', () => {
  it('let a stack trace name the file and line of the source that failed', async () => {
    await withPlace(async (place) => {
      const program = join(place.folder, 'broken-cwd.mjs');
      await writeFile(program, BROKEN_CWD);
      const env = { ...place.env, NODE_OPTIONS: `--import=${program}` };
      const { code, stderr } = await runProcess({ ...place, env }, ['info']);
      expect(code).toBe(1);
      const frames = [...stderr.matchAll(/\((\/\S+\.ts):(\d+):\d+\)/g)];
      expect(frames.length).toBeGreaterThan(1);
      const [, path = '', line] = frames[0] ?? [];
      expect(relative(SRC, path)).not.toMatch(/^\.\./);
      const source = (await readFile(path, 'utf8')).split('\n');
      expect(source[Number(line) - 1]).toContain('process.cwd()');
    });
  });
});
