/** The answer of a tool as the state of a view. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from './api.js';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/**
 * Calls `load` when `key` changes. An answer for an earlier key is ignored. The data of the earlier key stay until
 * then, but not if the load fails: beside an error they would look like the answer. An error is only that of `key`.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const gone = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(gone.signal).then(
      (data) => !gone.signal.aborted && setState({ data, key, isLoading: false }),
      (error) =>
        !gone.signal.aborted &&
        setState((before) => ({
          ...(before.key === key && before),
          failed: { key, error },
          isLoading: false,
        })),
    );
    return () => gone.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const { data, failed, isLoading } = state;
  return { data, error: failed?.key === key ? failed.error : undefined, isLoading, reload };
}

interface State<T> {
  readonly data?: T;
  /** The key of the data. */
  readonly key?: string;
  readonly failed?: { readonly key: string; readonly error: CallError };
  readonly isLoading: boolean;
}
