/** The options that the stores of notes, insights and facts share. */
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import type { WriteQueue } from './deferred-writes/write-queue.js';
import type { TextMasker } from './text-masker.js';

export interface StoreOptions extends Durability {
  /** Called before new data is written. Rejects with STORAGE_FULL if the store must not grow. */
  readonly requireRoom?: ((moreBytes?: number) => Promise<void>) | undefined;
  /** Removes secrets and private parts before a text is stored. */
  readonly masker?: TextMasker;
  /** The queue in which changes wait while the store cannot be written. */
  readonly queue?: WriteQueue;
  readonly clock?: Clock;
  readonly log?: Log;
}
