/** Ids and errors: derived ids are the same in all processes, and every code has a hint. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { AppError, ERROR_KINDS, errnoOf, isAppError } from '../../src/base/errors.js';
import { derivedUuid, newUuid, sha256Hex } from '../../src/base/ids.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are valid UUIDs, and a derived id depends only on its parts', () => {
    expect(newUuid()).toMatch(UUID);
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' })),
        fc.array(fc.string({ unit: 'binary' })),
        (a, b) => {
          expect(derivedUuid(...a)).toMatch(UUID);
          expect(derivedUuid(...a) === derivedUuid(...b)).toBe(
            JSON.stringify(a) === JSON.stringify(b),
          );
        },
      ),
    );
  });

  it('derived ids never change between versions, because files contain them', () => {
    expect(derivedUuid('20250124-1706102400123', 'user', 'Hello', '1')).toBe(
      '833eb5ad-97b4-86d4-a7ff-75ceaa424bea',
    );
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('errors', () => {
  it('have a number and a hint for each code', () => {
    const kinds = Object.values(ERROR_KINDS);
    expect(new Set(kinds.map(({ number }) => number)).size).toBe(kinds.length);
    expect(kinds.filter(({ hint }) => hint.trim() === '')).toEqual([]);
  });

  it('are distinguished by code; a system error has its errno and an AppError none', () => {
    const locked = new AppError('LOCKED', 'x', { cause: new Error('y') });
    expect([locked.number, locked.retryable]).toEqual([2511, true]);
    expect(isAppError(locked, 'LOCKED')).toBe(true);
    expect(isAppError(locked, 'CORRUPT')).toBe(false);
    expect(isAppError(new Error('x'))).toBe(false);
    expect(errnoOf(Object.assign(new Error('x'), { code: 'EIO' }))).toBe('EIO');
    expect(errnoOf(locked)).toBeUndefined();
    expect(errnoOf(new Error('x'))).toBeUndefined();
    expect(errnoOf('EIO')).toBeUndefined();
  });
});

describe('sleep', () => {
  it('ends at once with the reason of an aborted signal', async () => {
    await expect(sleep(60_000, AbortSignal.abort('before'))).rejects.toBe('before');
    const controller = new AbortController();
    const sleeping = sleep(60_000, controller.signal);
    controller.abort('during');
    await expect(sleeping).rejects.toBe('during');
    await expect(sleep(1, new AbortController().signal)).resolves.toBeUndefined();
  });
});
