/**
 * `daybook find`: finds conversations, notes, headings, insights and subjects of the knowledge graph by
 * words of their names. It allows typing errors.
 */
import type { App } from '../../app.js';
import { AppError } from '../../base/errors.js';
import type { FindHit } from '../../search/quick-find/quick-find-index.js';
import type { EntryKind } from '../../search/search-names.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { reportNotListed } from '../notices/not-listed.js';
import { reportOtherRoot } from '../notices/other-root.js';
import { reportLeftOut } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { oneLine, terminalJson } from '../terminal/terminal-text.js';
import { withReadingApp } from '../with-app.js';

export interface FindOptions {
  readonly kind?: EntryKind;
  readonly limit?: string;
  readonly json?: boolean;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

export async function find(words: readonly string[], options: FindOptions, flags: Flags) {
  const { kind } = options;
  const request = { limit: limitOf(options.limit), ...(kind && { kinds: [kind] }) };
  await withReadingApp(flags, async (app) => {
    const { quickFind } = app;
    const { hits, total, suggestions } = await quickFind.find(words.join(' '), request);
    if (options.json) console.log(terminalJson({ total, suggestions, hits: hits.map(toJson) }));
    else {
      const duplicates = duplicateKeys(app);
      for (const hit of hits) console.log(lineOf(hit, duplicates));
    }
    if (hits.length === 0) {
      const similar = suggestions.length > 0 ? ` Similar: ${suggestions.join(', ')}.` : '';
      console.error(`Nothing found.${oneLine(similar)}`);
      process.exitCode = NOTHING_FOUND;
    } else if (total > hits.length) {
      console.error(`${hits.length} of ${total}; --limit shows more`);
    }
    const hasConversations = (kind ?? 'conversation') === 'conversation';
    if (hasConversations) await reportLeftOut('conversations', app, flags);
    const isNothing = hits.length === 0 && !options.json && hasConversations;
    if (isNothing) await reportNotListed(app, flags);
    if (hits.length === 0) await reportOtherRoot(configuration(flags));
  });
}

const toJson = ({ entry: { kind, id, title }, score, matches }: FindHit) => ({
  kind,
  id,
  title,
  score,
  matches,
});

const duplicateKeys = ({ conversations }: App): ReadonlySet<string> =>
  new Set(conversations.duplicateKeys().map(({ clientId }) => clientId));

/** The name of a conversation is its key, or its id if another conversation has the same key. */
function lineOf(
  { entry: { kind, id, title, names }, matches }: FindHit,
  duplicates: ReadonlySet<string>,
): string {
  const key = names?.find(({ field }) => field === 'key')?.text;
  const name = key === undefined || duplicates.has(key) ? id : key;
  const shownTitle = title === id ? '' : `  ${oneLine(title)}`;
  return `${kind.padEnd(12)}  ${oneLine(name)}${shownTitle}${reasonOf(name, matches)}`;
}

/** The matching fields that the line does not contain yet. */
function reasonOf(name: string, matches: FindHit['matches']): string {
  const hidden = matches.filter(({ field, text }) => field !== 'title' && text !== name);
  if (hidden.length === 0) return '';
  return `  (${hidden.map(({ field, text }) => `${field}: ${oneLine(text)}`).join(', ')})`;
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('VALIDATION_ERROR', `--limit must be a whole number from 1 to ${MAX_LIMIT}.`);
}
