/**
 * The end of a daybook: calls that were begun are finished, later ones are refused, on the stores as well.
 * A program that saved into what it had closed would otherwise never learn that its writes are not waited for.
 */
import { AppError } from '../base/errors.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { InsightStore } from '../stores/insights/insights.js';

type AtOnce<T> = {
  [K in keyof T]: T[K] extends (...args: never) => infer R
    ? R extends Promise<unknown>
      ? never
      : K
    : never;
}[keyof T];

/** What answers at once, from memory, and changes nothing. */
const AT_ONCE: Readonly<Record<AtOnce<ConversationStore> | AtOnce<InsightStore>, true>> = {
  damaged: true,
  duplicateKeys: true,
  follow: true,
  followFromNow: true,
  isSelected: true,
  known: true,
  knownHead: true,
  path: true,
  seed: true,
  start: true,
  watching: true,
};

export function untilClosed(end: () => Promise<void>) {
  let closing: Promise<void> | undefined;
  const requireOpen = () => {
    if (closing === undefined) return;
    throw new AppError('CONFLICT', 'This daybook is closed.', {
      hint: 'Nothing was done. Open it again with openDaybook, or call close() later.',
    });
  };
  return {
    requireOpen,
    close() {
      closing ??= end();
      return closing;
    },
    /** The same store, whose methods reject from `close` on. */
    guarded<T extends ConversationStore | InsightStore>(store: T): T {
      return new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          if (name in AT_ONCE) return value.bind(target);
          return async (...given: unknown[]) => {
            requireOpen();
            return value.apply(target, given);
          };
        },
      });
    },
  };
}
