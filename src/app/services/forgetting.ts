/**
 * Removes the words of permanently deleted conversations from the caches of all indexes: soon after the last
 * deletion, and at the latest when the App closes. So many deletions in a row cost one pass over the caches.
 */
import { remainingFigures } from '../../analytics/figures-cache.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import {
  forgetIn,
  remainingIndex,
  remainingRecall,
} from '../../search/cache/forget-conversations.js';
import { allIndexCaches } from '../cache-paths.js';

/** Longer than the time between two deletions of one command. */
const QUIET_MS = 1_000;

/** Call `onForgotten` after each permanent deletion, and `close` after the indexes were saved. */
export function forgettingOf(config: Config, log: Log) {
  const paths = allIndexCaches(config);
  const caches = [
    { path: paths.search, remaining: remainingIndex },
    { path: paths.recall, remaining: remainingRecall },
    { path: paths.figures, remaining: remainingFigures },
  ];
  const gone = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let forgetting = Promise.resolve();
  const forget = async () => {
    const ids = new Set(gone);
    gone.clear();
    if (ids.size === 0) return;
    for (const { path, remaining } of caches) await forgetIn({ path, log }, ids, remaining);
  };
  const close = () => {
    clearTimeout(timer);
    forgetting = forgetting.then(forget);
    return forgetting;
  };
  const onForgotten = (conversationId: string) => {
    gone.add(conversationId);
    clearTimeout(timer);
    timer = setTimeout(() => void close(), QUIET_MS).unref();
  };
  return { onForgotten, close };
}
