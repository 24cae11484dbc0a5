/** Exceptions as a client receives them. */
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { toAppError } from '../../src/server/mcp/errors/error-result.js';

const asGiven = (error: unknown) => toAppError(error, new AbortController().signal, silentLog);

it('an error for a missing part of the program asks for a restart', async () => {
  // Uses Node itself, because vitest has its own import.
  const { runInThisContext, constants } = createRequire(import.meta.url)('node:vm');
  const load = runInThisContext('(path) => import(path)', {
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const failure: unknown = await load('/nope/missing.js').catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' });
  expect(asGiven(failure)).toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('A part of the program is missing'),
    hint: expect.stringContaining('Restart the server'),
  });
});

it('a part of the program that could not be loaded asks for a restart', () => {
  const failure = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  expect(asGiven(failure)).toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('Too many files are open'),
    hint: expect.stringContaining('restart the server'),
  });
});

it('every other exception is an internal error with a reference to the log', () => {
  const { code, message } = asGiven(new Error('secret detail'));
  expect(code).toBe('INTERNAL');
  expect(message).toMatch(/^Internal error \(ref [0-9a-f]{8}\)\.$/);
});
