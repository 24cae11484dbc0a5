/**
 * Checks the cache of figures: it can be read, and for each conversation whose file is unchanged it has the
 * figures of that file. Changes nothing.
 */
import {
  type CacheCheck,
  compareCache,
  digestOf,
  type Expected,
} from '../search/cache/check-cache.js';
import type { ConversationDocument } from '../stores/conversations/document/document.js';
import { readFiguresCache } from './figures-cache.js';
import { figuresOf, type MessageFigures } from './message-figures.js';

/** FILESYSTEM_ERROR. */
export const checkFiguresCache = (path: string, expected: Expected): Promise<CacheCheck> =>
  compareCache(path, expected, async (onCached, log) => {
    let count = 0;
    await readFiguresCache({ path, log }, (id, { stamp, messages }) => {
      count += 1;
      onCached(id, { stamp, digest: digestOfAll(messages) });
    });
    return count === 0 ? undefined : count;
  });

/** What the cache must have of a conversation. */
export const figuresDigest = (document: ConversationDocument): number =>
  digestOfAll(document.snapshot().messages.map(figuresOf));

const digestOfAll = (messages: readonly MessageFigures[]): number =>
  digestOf(messages.length, JSON.stringify(messages.map(valuesOf)));

const valuesOf = ({ time, role, words, tokens, billedTokens, model, cost }: MessageFigures) => [
  ...[time, role, words, tokens, billedTokens, model, cost?.currency, cost?.total],
];
