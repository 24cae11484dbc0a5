/**
 * NEAR: finds the instances of several phrases that are within a distance of each other. FTS5 reads all
 * position lists in parallel with a moving window, and keeps only the positions that the window reaches.
 * bm25 counts exactly those positions, so this code moves the window in the same way as FTS5.
 */
import { withCapacity } from '../../base/arrays/typed-array.js';

/** A position is a column and a token offset in it. Positions of two columns are never within a distance. */
const COLUMN_STRIDE = 2 ** 40;

export const positionOf = (column: number, offset: number) => column * COLUMN_STRIDE + offset;
export const columnOf = (position: number) => Math.floor(position / COLUMN_STRIDE);
export const offsetOf = (position: number) => position % COLUMN_STRIDE;

/** Positions of a phrase in a document, ascending. The list is filled again for the next document. */
export class PositionList {
  array = new Float64Array(16);
  length = 0;

  push(position: number): void {
    this.array = withCapacity(this.array, this.length + 1);
    this.array[this.length++] = position;
  }
}

/** A phrase and its positions. */
interface Located {
  /** In tokens. */
  readonly length: number;
  /** Adds the positions of all instances in a document, ascending. */
  addPositions(slot: number, into: PositionList): void;
}

/** A cursor in the positions of one phrase. */
class Cursor {
  /** Followed by Infinity. */
  readonly positions = new PositionList();
  readonly kept = new PositionList();
  readonly phrase: Located;
  /** The phrase may begin at most this far before the greatest position of the window. */
  readonly reach: number;
  at = 0;

  constructor(phrase: Located, distance: number) {
    this.phrase = phrase;
    this.reach = phrase.length + distance;
  }

  get current(): number {
    return this.positions.array[this.at] as number;
  }

  get next(): number {
    return this.positions.array[this.at + 1] as number;
  }

  keep(): void {
    const { kept, current } = this;
    if (kept.length === 0 || kept.array[kept.length - 1] !== current) kept.push(current);
  }
}

/** The walk of one NEAR, for one document after another. */
export class NearWalk {
  readonly #cursors: readonly Cursor[];
  /** The document whose positions the cursors have. */
  #slot = -1;

  /** There is at least one phrase. */
  constructor(phrases: readonly Located[], distance: number) {
    this.#cursors = phrases.map((phrase) => new Cursor(phrase, distance));
  }

  /** Whether a document matches the NEAR. */
  meets(slot: number): boolean {
    const cursors = this.#cursors;
    const lead = cursors[0] as Cursor;
    if (slot === this.#slot) return lead.kept.length > 0;
    this.#slot = slot;
    for (const cursor of cursors) {
      cursor.at = cursor.positions.length = cursor.kept.length = 0;
      cursor.phrase.addPositions(slot, cursor.positions);
      if (cursor.positions.length === 0) return false;
      cursor.positions.push(Infinity);
    }
    while (this.#advanceToWindow(lead)) {
      let soonest = lead;
      for (const cursor of cursors) {
        cursor.keep();
        if (cursor.next < soonest.next) soonest = cursor;
      }
      soonest.at++;
      if (soonest.current === Infinity) break;
    }
    return lead.kept.length > 0;
  }

  /** The positions of a phrase that meet the NEAR in that document. */
  kept(phrase: number): PositionList {
    return (this.#cursors[phrase] as Cursor).kept;
  }

  /** Advances the cursors until all are within one window. False if one of them has reached its end. */
  #advanceToWindow(lead: Cursor): boolean {
    let greatest = lead.current;
    for (let isWindow = false; !isWindow; ) {
      isWindow = true;
      for (const cursor of this.#cursors) {
        const least = greatest - cursor.reach;
        if (cursor.current >= least && cursor.current <= greatest) continue;
        isWindow = false;
        while (cursor.current < least) cursor.at++;
        if (cursor.current === Infinity) return false;
        greatest = Math.max(greatest, cursor.current);
      }
    }
    return true;
  }
}
