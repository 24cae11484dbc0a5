/**
 * Allocates the ids of new conversations: the first free millisecond from a time on. The folder of the id is
 * created exclusively, so two processes never get the same id. If the clock is set back, the ids of this process
 * still ascend.
 */
import { sep } from 'node:path';
import type { Clock } from '../../../base/clock.js';
import { claimFolder } from '../../../files/paths/folders.js';
import { conversationIdAt } from '../document/conversation-id.js';
import { trashedIds } from './trashed-ids.js';

/** The greatest first id. It has thirteen digits and leaves room for greater ids. */
const LAST_ID_MS = 9_999_000_000_000;
/** No search for a free id was made. */
const NO_PAST = { first: -1, next: 0 };

export interface IdAllocatorOptions {
  readonly logsFolder: string;
  readonly clock: Clock;
  /** The ids of archived conversations, as far as the archives were read. */
  readonly archivedIds?: ReadonlySet<string>;
}

export class IdAllocator {
  readonly #options: IdAllocatorOptions;
  #lastMs = 0;
  /** The first time of the last search for a free id in the past, and the time at which it ended. */
  #lastPast = NO_PAST;

  constructor(options: IdAllocatorOptions) {
    this.#options = options;
  }

  /**
   * Creates the folder of the first free id from that time on, or from the present time on if none is given.
   * Returns the id.
   */
  async claim(createdAt?: string): Promise<string> {
    const reserved = createdAt === undefined ? undefined : await this.reserved();
    const first = this.firstMs(createdAt);
    // Imported conversations without their own times all have the same time.
    const start = this.#lastPast.first === first ? this.#lastPast.next : first;
    for (let ms = start; ; ms += 1) {
      if (createdAt === undefined) this.#lastMs = ms;
      else this.#lastPast = { first, next: ms + 1 };
      const id = conversationIdAt(ms);
      const folder = `${this.#options.logsFolder}${sep}${id}`;
      if (!reserved?.has(id) && (await claimFolder(folder))) return id;
    }
  }

  /** After a failed creation: the next search begins at its first time, so that it gets the same id. */
  restart(): void {
    this.#lastPast = NO_PAST;
  }

  /** The ids of conversations in the trash, and of those in archives as far as they were read. */
  async reserved(): Promise<ReadonlySet<string>> {
    const trashed = await trashedIds(this.#options.logsFolder);
    return new Set([...trashed, ...(this.#options.archivedIds ?? [])]);
  }

  /** The time of the first id to try. Ids have times from 1970 to 2286; other times are clamped. */
  firstMs(createdAt: string | undefined): number {
    if (createdAt === undefined) return Math.max(this.#options.clock.now(), this.#lastMs + 1);
    return Math.min(Math.max(Date.parse(createdAt), 0), LAST_ID_MS);
  }
}
