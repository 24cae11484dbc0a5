/**
 * What stands between a text and the disk. Stores pass every content through it on the way out and
 * back, so that no store can forget encryption once there is some.
 */

export interface Codec {
  /** The text as it is stored. `binding` ties it to its place: the same text elsewhere must not open. */
  seal(text: string, binding: string): string;
  /** The text as it was given; DECRYPT where the key or the binding is wrong. */
  open(stored: string, binding: string): string;
}

export const plainCodec: Codec = {
  seal: (text) => text,
  open: (stored) => stored,
};
