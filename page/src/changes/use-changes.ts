/** Calls the views when files of the store change, so that they load again. */
import { useEffect, useRef } from 'preact/hooks';
import { follow } from '../api.js';
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
