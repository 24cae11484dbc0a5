/**
 * Runs searches on a large index in the background. Without that, the first searches of a process would be
 * several times slower than later ones, because V8 has not compiled their code and some tables of the index
 * are built at the first use.
 */

import { yieldToEventLoop } from '../../base/async/time-slice.js';
import type { Clock } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';

/** A smaller index is fast without a warm-up. */
const MIN_MESSAGES = 2_000;
/** A client calls tools immediately after the start. */
const DELAY_MS = 500;
/** The warm-up ends after this time at the latest. */
const MAX_MS = 1_000;
/** More searches would make later ones hardly faster. */
const SEARCHES = 30;
const MAX_FILE_BYTES = 64n * 1024n;
const WORDS = /[\p{L}\p{N}]+/gu;

export interface WarmUp {
  readonly store: Pick<ConversationStore, 'known' | 'part'>;
  search(query: string): Promise<unknown>;
  /** Called before each search. */
  isOver(): boolean;
}

export interface LaterWarmUp extends Omit<WarmUp, 'isOver'> {
  readonly clock: Clock;
  /** The number of messages in the index. */
  readonly messages: number;
  isClosed(): boolean;
}

/** Starts a warm-up after a delay if the index is large. Returns the timer of the delay. */
export function warmUpLater(parts: LaterWarmUp): NodeJS.Timeout | undefined {
  const { clock, messages, isClosed, ...others } = parts;
  if (isClosed() || messages < MIN_MESSAGES) return undefined;
  return setTimeout(() => {
    const end = clock.monotonic() + MAX_MS;
    const isOver = () => isClosed() || clock.monotonic() > end;
    // If it fails, the next search of a client throws the error.
    warmUp({ ...others, isOver }).catch(() => undefined);
  }, DELAY_MS).unref();
}

/** Searches for words of some messages. Returns how many; throws what `part` and `search` throw. */
export async function warmUp({ store, search, isOver }: WarmUp): Promise<number> {
  let searches = 0;
  for (const { stamp, head } of store.known()) {
    if (isOver() || searches === SEARCHES) break;
    if (stamp.size > MAX_FILE_BYTES) continue;
    const { messages } = await store.part(head.conversationId, { count: 1 });
    const words = messages[0]?.content.match(WORDS)?.slice(0, 2) ?? [];
    if (words.length === 0) continue;
    await search(words.join(' '));
    searches += 1;
    await yieldToEventLoop();
  }
  return searches;
}
