/**
 * A torn line is one whose end was not written, because of a crash, or because another process is still writing
 * it. If the last line of the log is torn, it is neither applied nor reported as damaged, and the next append
 * begins with a line feed.
 */
import { isSealedLine } from '../../../files/sealing/sealed-form.js';

/** The end of a line that was written completely, even if it was damaged later. */
const WHOLE = /"sum":"[0-9a-f]{8}"\}$/;
const WHOLE_SEALED = /~$/;
const END_BYTES = 20;

/** For a line that cannot be read: `bytes` from `start` to `to`. */
export function isTornLine(bytes: Buffer, start: number, to: number): boolean {
  const end = bytes.toString('latin1', Math.max(start, to - END_BYTES), to);
  return !(isSealedLine(bytes, start) ? WHOLE_SEALED : WHOLE).test(end);
}
