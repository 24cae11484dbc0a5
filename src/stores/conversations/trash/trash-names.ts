/**
 * Names of folders in the trash: `<conversation id>.<UTC time of deletion>`, such as
 * `20250124-1706102400123.20260301T101500123Z`. A folder that a person moved there may have any
 * ending of letters, digits, `.`, `_`, `-`, or none.
 */
import { compactTime, isoOfCompact } from '../../../base/clock.js';

export const TRASH_NAME = /^(\d{8}-\d{13})(?:\.([\w.-]{1,100}))?$/;
const ID_LENGTH = 22;

export function trashNameOf(conversationId: string, deletedMs: number): string {
  return `${conversationId}.${compactTime(deletedMs)}`;
}

export const idOf = (name: string) => name.slice(0, ID_LENGTH);

/** `undefined` if the name has no time. */
export function deletedAtOf(name: string): string | undefined {
  return isoOfCompact(TRASH_NAME.exec(name)?.[2] ?? '');
}
