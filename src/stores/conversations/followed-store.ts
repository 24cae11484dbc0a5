/**
 * The side of the store that an index stands on: what is known without a look at the disk, and being
 * told of every change.
 */
import type { Stamp } from '../../files/stamp.js';
import type { WatcherStatus } from '../../files/watcher.js';
import type { ConversationChange } from './catalogue.js';
import type { ConversationHead } from './schema.js';
import type { StoreCore } from './store-core.js';

export class FollowedStore {
  protected readonly core: StoreCore;

  constructor(core: StoreCore) {
    this.core = core;
  }

  /**
   * Calls `follower` with every change from now on, each conversation's in order and before the call
   * that made it resolves. What was there before is told by `watch` or `lookAtAll`, unless it was seeded.
   */
  follow(follower: (change: ConversationChange) => void): void {
    this.core.follow(follower);
  }

  /**
   * The same without what was there before; what it returns ends it. Whoever begins to `follow` later
   * makes that be told here as well.
   */
  followFromNow(follower: (change: ConversationChange) => void): () => void {
    return this.core.followFromNow(follower);
  }

  /**
   * What a cache remembers of an earlier time; to be called before `watch` or `lookAtAll`, which
   * check it. False where followers were told of the conversation already: then that counts.
   */
  seed(stamp: Stamp, head: ConversationHead): boolean {
    return this.core.catalogue.seed(stamp, head);
  }

  /** Everything readable that is known now, with the stamps it was read at. */
  known(): Iterable<{ stamp: Stamp; head: ConversationHead }> {
    return this.core.catalogue.stamped();
  }

  /** What is known of a conversation without looking at the disk. */
  knownHead(conversationId: string): ConversationHead | undefined {
    return this.core.catalogue.head(conversationId);
  }

  /** Looks at everything once and tells followers what changed. FILESYSTEM_ERROR. */
  lookAtAll(): Promise<void> {
    return this.core.catalogue.refresh();
  }

  /** The same for one conversation. Takes an id, not a key. */
  lookAt(conversationId: string): Promise<void> {
    return this.core.catalogue.refreshSome([conversationId]);
  }

  /** `undefined` while nothing is watched. */
  watching(): WatcherStatus | undefined {
    return this.core.watching();
  }

  /** Conversations read since `watch` began, and how many there are. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.core.catalogue.progress;
  }
}
