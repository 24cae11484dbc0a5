/** Hooks that views share: the address, answers of tools, changes of files, and keys. */
import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { address } from './address.js';
import { type CallError, onChange } from './api.js';

export interface Route {
  /** Such as `conversation`. */
  readonly view: string;
  /** The path after the view, decoded. */
  readonly name: string;
  readonly params: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...rest] = path.split('/');
  return { view, name: decode(rest.join('/')), params: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address within the page. */
export function hrefOf(view: string, name = '', params: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  const path = name === '' ? view : `${view}/${encodeURIComponent(name)}`;
  return `#/${path}${query.size > 0 ? `?${query}` : ''}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(address.current()));
  // A layout effect, because an effect runs after the first paint and misses an earlier change of address.
  useLayoutEffect(() => {
    return address.follow(() => setRoute(parseRoute(address.current())));
  }, []);
  return route;
}

/** Sets the title of the window. `undefined` does not change it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === '' ? 'Daybook' : `${title} · Daybook`;
  }, [title]);
}

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

/** The value after it has not changed for `ms` milliseconds. */
export function useSettled<T>(value: T, ms = 180): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Moves the focus to the start of the view. */
export const focusView = (): void =>
  document.getElementById('main')?.focus({ preventScroll: true });

/** Returns the ref for the button that opens an editor. It is focused again when the editor is closed. */
export function useFocusBack(isOpen: boolean): RefObject<HTMLButtonElement> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}

/** Handles keys that are pressed outside of text fields. */
export function useKeys(handlers: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      latest.current[event.key]?.(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
