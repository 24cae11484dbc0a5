/** The address of a view in a frame. It is in memory, because the browser's URL belongs to the host. */
import type { Address } from '../navigation/address.js';

export interface MemoryAddress extends Address {
  readonly hasBefore: boolean;
  /** Goes to the previous address. Does nothing if there is none. */
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
    setParams(href) {
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
