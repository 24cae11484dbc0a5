/** Copies of errors. */
import { expect, it } from 'vitest';
import { AppError, errorWith, withHint } from '../../src/base/errors.js';

it('a copy of an error is the same but for what is changed', () => {
  const details = { httpStatus: 400 };
  const error = new AppError('PROVIDER', 'Refused.', { retryable: false, details });
  const same = { code: 'PROVIDER', retryable: false, cause: error };
  expect(withHint(error, 'Ask.')).toMatchObject({
    ...same,
    message: 'Refused.',
    hint: 'Ask.',
    details,
  });
  const changed = errorWith(error, { message: 'No.', details: { line: 1 } });
  expect(changed).toMatchObject({ ...same, message: 'No.', details: { line: 1 } });
  expect(changed.isGeneralHint).toBe(true);
});
