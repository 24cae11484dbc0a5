/** The hash by which a caller states which version of a message it has read. */
import { sha256Hex } from '../../../base/ids.js';

/** The hash of a message's content: the first 16 hexadecimal digits of its SHA-256. */
export const messageHash = (content: string): string => sha256Hex(content).slice(0, 16);
