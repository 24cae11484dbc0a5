/** Hooks that views share: the title, focus and keys. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Sets the title of the window. `undefined` does not change it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === '' ? 'Daybook' : `${title} · Daybook`;
  }, [title]);
}

/** Moves the focus to the start of the view. */
export const focusView = (): void =>
  document.getElementById('main')?.focus({ preventScroll: true });

/**
 * Returns the ref for a field that is focused when it is shown: in the same step, because later the user may
 * already type in another field.
 */
export function useFocusWhenShown<Field extends HTMLElement>(isShown = true): RefObject<Field> {
  const field = useRef<Field>(null);
  useLayoutEffect(() => field.current?.focus(), [isShown]);
  return field;
}

/** Returns the ref for the button that opens an editor. It is focused again when the editor is closed. */
export function useFocusBack(isOpen: boolean): RefObject<HTMLButtonElement> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}

/**
 * Returns the function that does `work` as soon as nothing is being loaded. So an edit begins with what is stored,
 * also right after a save or a change by others.
 */
export function useWhenLoaded(isLoading: boolean, work: () => void): () => void {
  const [isAsked, setAsked] = useState(false);
  useLayoutEffect(() => {
    if (!isAsked || isLoading) return;
    setAsked(false);
    work();
  }, [isAsked, isLoading]);
  return () => setAsked(true);
}

/** Handles keys that are pressed outside of text fields and dialogs. */
export function useKeys(handlers: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.target instanceof Element && event.target.closest('dialog')) return;
      latest.current[event.key]?.(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** False while the key belongs to an input method, as Enter does that ends a Japanese word. */
export const isPressed = (event: KeyboardEvent, key: string): boolean =>
  event.key === key && !event.isComposing;

/** The keys j and k focus the next and the previous element that matches the selector. */
export function useListKeys(selector: string): void {
  useKeys({ j: () => focusNext(selector, 1), k: () => focusNext(selector, -1) });
}

/** Focuses the next or the previous of these elements; the first one if none of them has the focus. */
export function focusNext(selector: string, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
