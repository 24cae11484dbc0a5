/** Reading what an index names: the disk may have changed since. */
import { isAppError } from '../base/errors.js';

/** `undefined` where it vanished or was damaged since it was indexed: the rest is still an answer. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
