/** The log writes the lines of its level, and loads pino only for the first one. */
import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createLog, silentLog } from '../../src/base/log.js';

const { cache } = createRequire(import.meta.url);
const pinoFiles = () =>
  Object.keys(cache).filter((path) => path.endsWith(['', 'pino', 'pino.js'].join(sep)));

describe('the log', () => {
  it('loads pino only when the first line is written', () => {
    for (const path of pinoFiles()) delete cache[path]; // of earlier tests in the same process
    const log = createLog('error');
    log.warn('below the level');
    log.debug({ fact: 1 }, 'below the level');
    silentLog.error('says nothing');
    expect(pinoFiles()).toEqual([]);
    log.error({ from: 'log.test.ts' }, 'one line of this test');
    expect(pinoFiles()).toHaveLength(1);
  });

  it('writes no character that changes a terminal, and stays JSON', () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const name = 'a\u009b31m\u007f\u202eb\u001b]0;x\u0007\u2028c\nd';
    try {
      createLog('error').error({ name }, name);
      const line = String(write.mock.calls[0]?.[0]);
      expect(JSON.parse(line)).toMatchObject({ name, msg: name });
      expect(line).toMatch(/^[ -~]+\n$/);
    } finally {
      write.mockRestore();
    }
  });
});
