/**
 * Refuses calls after `close`, also on the stores. Running calls are finished. Without this check, a program
 * could save after `close`, and its write could be lost without an error. What the stores return is copied,
 * so that a program can change it.
 */
import { AppError } from '../base/errors.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { InsightStore } from '../stores/insights/insights.js';
import { requireJsonMetadata } from './json-metadata.js';

/** Names of the methods that do not return a promise. */
type SyncMethod<T> = T extends unknown
  ? {
      [K in keyof T]: T[K] extends (...args: never) => infer R
        ? R extends Promise<unknown>
          ? never
          : K
        : never;
    }[keyof T]
  : never;

/** The properties of the conversation store whose methods callers use. */
const PARTS = ['history', 'edits', 'editorCopies'] as const;
type Part = ConversationStore[(typeof PARTS)[number]];
const isPart = (name: string | symbol): boolean => PARTS.some((part) => part === name);

type Guarded = ConversationStore | InsightStore | Part;

/** Methods that return at once from memory and write nothing. They can be called after `close`. */
const SYNC_METHODS: Readonly<Record<SyncMethod<Guarded>, true>> = {
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

/**
 * A copy of lists and plain objects, because the store keeps its own in memory and writes them. Everything
 * else, such as a function, is returned as it is.
 */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

export function untilClosed(end: () => Promise<void>) {
  let closing: Promise<void> | undefined;
  const requireOpen = () => {
    if (closing === undefined) return;
    throw new AppError('CONFLICT', 'This daybook is closed.', {
      hint: 'Nothing was done. Open it again with openDaybook, or call close() later.',
    });
  };
  /** The store, or a part of it, with methods that reject after `close`. */
  const guarded = <T extends Guarded>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (isPart(name) && value !== undefined) return guarded(value as Part);
        if (typeof value !== 'function') return value;
        if (name in SYNC_METHODS)
          return (...given: unknown[]) => copyOf(value.apply(target, given));
        return async (...given: unknown[]) => {
          requireOpen();
          requireJsonMetadata(given);
          return copyOf(await value.apply(target, given));
        };
      },
    });
  return {
    requireOpen,
    guarded,
    close() {
      closing ??= end();
      return closing;
    },
  };
}
