/** What a query asks of one of its phrases in one segment. segment-query.ts chooses the class. */
import type { PostingList } from '../segments/segment.js';
import type { PositionList } from './near.js';

export interface Matcher {
  /** Length of the phrase in tokens. */
  readonly length: number;
  /** The documents that contain the phrase, deleted ones too, with the number of its instances in each. */
  hits(): PostingList;
  /** The number of instances in a document of `hits`. */
  count(slot: number): number;
  /** The number of instances in any document. */
  countIn(slot: number): number;
  /** Adds the positions of all instances in a document, ascending, as near.ts encodes them. */
  addPositions(slot: number, into: PositionList): void;
}
