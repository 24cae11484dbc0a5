/**
 * The options that the stores of notes, insights and facts share.
 */
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import type { WriteQueue } from './deferred-writes/write-queue.js';
import type { TextScreen } from './text-screen.js';

export interface StoreOptions extends Durability {
  /** Called before something new is written. Rejects with STORAGE_FULL if the store must not grow. */
  readonly requireRoom?: (() => Promise<void>) | undefined;
  /** Removes what must not be stored. */
  readonly screen?: TextScreen;
  /** Where changes wait while the store cannot be written. */
  readonly queue?: WriteQueue | undefined;
  readonly clock?: Clock;
  readonly log?: Log;
}
