/** What the stores of notes, insights and facts have in common. */
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import type { WriteQueue } from './deferred-writes/write-queue.js';
import type { TextScreen } from './text-screen.js';

export interface StoreOptions extends Durability {
  /** Called before something new is written. Rejects (STORAGE_FULL) when the store would refuse to grow. */
  readonly requireRoom?: (() => Promise<void>) | undefined;
  /** Removes what must not be stored. */
  readonly screen?: TextScreen;
  /** Where changes wait while the store cannot be written. */
  readonly queue?: WriteQueue | undefined;
  readonly clock?: Clock;
  readonly log?: Log;
}
