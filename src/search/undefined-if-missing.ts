/** For reads of an object that an index found, whose file may have changed or vanished since. */
import { isAppError } from '../base/errors.js';

/** `undefined` if the read fails with an AppError. Other errors are thrown. */
export async function undefinedIfMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
