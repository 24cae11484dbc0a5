/** Calls the views when files of the store change, so that they load again. */
import { useEffect, useRef } from 'preact/hooks';
import { follow } from '../server/api.js';
import { ALL_CHANGES, type Change } from './change.js';

/** Calls `listener` for changes of one kind; with `key` only for changes of this id. */
export function useChanges(kind: string, listener: () => void, key?: string): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(
    () =>
      onChange((change) => {
        if (change.kind !== kind) return;
        const isMeant =
          key === undefined || change.keys.some((each) => each === key || each === '*');
        if (isMeant) latest.current();
      }),
    [kind, key],
  );
}

/** Figures are counted again at most this often while conversations change. */
const PAUSE_MS = 5_000;

/**
 * Calls `listener` at the first change of a conversation, and again after a pause if there were more changes: for
 * figures, which take the server long.
 */
export function useConversationChanges(listener: () => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined;
    let hasMore = false;
    const changed = () => {
      hasMore = pause !== undefined;
      if (hasMore) return;
      latest.current();
      pause = setTimeout(() => {
        pause = undefined;
        if (hasMore) changed();
      }, PAUSE_MS);
    };
    const unfollow = onChange((change) => change.kind === 'conversation' && changed());
    return () => {
      unfollow();
      clearTimeout(pause);
    };
  }, []);
}

/** Makes all views load again. */
export const reloadViews = (): void => ALL_CHANGES.forEach(report);

function report(change: Change): void {
  for (const each of listeners) each(change);
}

type Listener = (change: Change) => void;
const listeners = new Set<Listener>();
let isFollowing = false;

/** Calls `listener` for each change of files, and with ALL_CHANGES after a lost connection. */
function onChange(listener: Listener): () => void {
  listeners.add(listener);
  if (!isFollowing) {
    isFollowing = true;
    follow(report);
  }
  return () => void listeners.delete(listener);
}
