/** The address of a view in a frame: that of the browser belongs to the host. */
import type { Address } from '../address.js';

export interface MemoryAddress extends Address {
  readonly hasBefore: boolean;
  /** To the address before; nothing where there is none. */
  back(): void;
}

export function memoryAddress(start: string): MemoryAddress {
  const before: string[] = [];
  const listeners = new Set<() => void>();
  let here = start;
  const change = (href: string) => {
    here = href;
    for (const listener of listeners) listener();
  };
  return {
    get hasBefore() {
      return before.length > 0;
    },
    current: () => here,
    go(href) {
      if (href === here) return;
      before.push(here);
      change(href);
    },
    replace: change,
    note(href) {
      here = href;
    },
    back() {
      const last = before.pop();
      if (last !== undefined) change(last);
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
