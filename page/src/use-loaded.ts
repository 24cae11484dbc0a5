/** The answer of a tool as the state of a view. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from './api.js';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Calls `load` when `key` changes. An answer for an earlier key is ignored. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: CallError; isLoading: boolean }>({
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const gone = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(gone.signal).then(
      (data) => !gone.signal.aborted && setState({ data, isLoading: false }),
      (error) =>
        !gone.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => gone.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}
