/** Calls the search tools for the search view, and converts all kinds of results into hits. */

import { counted, titleOf } from '../components.jsx';
import { hrefOf } from '../navigation/route.js';
import { withoutToolNames } from '../reader-text.js';
import { call, type Output } from '../server/api.js';
import { MARK_END, MARK_START } from './marked.jsx';

/** Filters that only a search of messages has. */
export const FILTERS = ['mode', 'role', 'module', 'tag', 'from', 'to'] as const;
export const FIELDS = ['q', 'kind', ...FILTERS, 'project'] as const;
export type Asked = Readonly<Record<(typeof FIELDS)[number], string>>;

const KINDS = ['messages', 'notes', 'insights', 'facts'] as const;
type Kind = (typeof KINDS)[number];

export interface Hit {
  readonly key: string;
  readonly kind: Kind;
  readonly href: string;
  readonly title: string;
  readonly role?: string;
  readonly seq?: number;
  readonly at?: string;
  readonly snippet: string;
  /** Why it was found; empty if the tool does not return a reason. */
  readonly reason: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  readonly total: number;
  /** The number of results by kind, and an explanation if there are none. */
  readonly summary: string;
}

/** True if only messages are searched. */
export const isOfMessages = ({ kind }: Asked): boolean => kind === '';

/** True if insights are searched; then a project must be chosen. */
export const hasInsights = ({ kind }: Asked): boolean => kind === 'all' || kind === 'insights';

/** Removes the fields that have no effect for this kind. */
export function effectiveFields(asked: Asked): Asked {
  return {
    ...asked,
    ...(!isOfMessages(asked) && Object.fromEntries(FILTERS.map((name) => [name, '']))),
    ...(!hasInsights(asked) && { project: '' }),
  };
}

/** Returns `undefined` without a query. Throws CallError. */
export async function runSearch(
  asked: Asked,
  limit: number,
  signal: AbortSignal,
): Promise<Found | undefined> {
  if (asked.q.trim() === '') return undefined;
  return isOfMessages(asked) ? askMessages(asked, limit, signal) : askMemory(asked, limit, signal);
}

const MARKS = { highlightStart: MARK_START, highlightEnd: MARK_END };

async function askMessages(
  { q, mode, role, module, tag, from, to }: Asked,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  const filters = { mode, role, module, tag, startDate: from, endDate: to };
  const given = Object.entries(filters).filter(([, value]) => value !== '');
  const input = { query: q, explain: true, ...MARKS, ...Object.fromEntries(given) };
  const found = await call('search_messages', { ...input, limit }, signal);
  const { total, relaxed, explanation = '' } = found;
  const results = [...found.results];
  // An answer of the server has a limited size.
  for (let { nextOffset: offset } = found; offset !== undefined && results.length < limit; ) {
    const rest = { ...input, limit: limit - results.length, offset };
    const page: typeof found = await call('search_messages', rest, signal);
    results.push(...page.results);
    offset = page.nextOffset;
  }
  const none = relaxed ? '; none has all of the words' : '';
  return {
    total,
    hits: results.map((hit) => ({
      kind: 'messages',
      key: `${hit.conversationId}:${hit.seq}`,
      at: hit.createdAt,
      href: hrefOf('conversation', hit.conversationId, { seq: String(hit.seq) }),
      title: titleOf(hit),
      role: hit.role,
      seq: hit.seq,
      snippet: hit.snippet,
      reason: reasonOf(hit.why),
    })),
    summary: `${counted(total, 'message')}${none}. ${total === 0 ? withoutToolNames(explanation) : ''}`,
  };
}

const reasonOf = (why: Output<'search_messages'>['results'][number]['why']): string =>
  Object.entries(why ?? {})
    .map(([name, found]) => `${name}: ${[found].flat().join(', ')}`)
    .join('; ');

async function askMemory(
  { q, kind, project }: Asked,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  const wanted = KINDS.filter((each) => kind === 'all' || kind === each);
  const sources = project === '' ? wanted.filter((each) => each !== 'insights') : wanted;
  if (sources.length === 0) return { hits: [], total: 0, summary: 'There are no insights yet.' };
  const context = sources.includes('insights') ? { context: project } : {};
  const input = { query: q, sources, limit, maxTokens: 25_000, ...MARKS, ...context };
  const { results, totals, note = '' } = await call('search_memory', input, signal);
  const counts = sources.map((each) => counted(totals[each] ?? 0, each.replace(/s$/, '')));
  const total = sources.reduce((sum, each) => sum + (totals[each] ?? 0), 0);
  return {
    total,
    hits: results.map(hitOf),
    summary: `${counts.join(', ')}. ${total === 0 ? withoutToolNames(note) : ''}`,
  };
}

type MemoryResult = Output<'search_memory'>['results'][number];

function hitOf(result: MemoryResult): Hit {
  const { source, text, conversationId = '', seq = 0, path = '', line = 0, id = '' } = result;
  const common = { kind: source, snippet: text, reason: '' };
  if (source === 'notes') {
    return { ...common, key: `${path}:${line}`, href: hrefOf('notes', path), title: path };
  }
  if (source === 'insights') {
    return { ...common, key: id, href: hrefOf('insights', '', { id }), title: 'Insight' };
  }
  if (source === 'facts') {
    const { subject = '', ts = '' } = result.fact ?? {};
    const href = hrefOf('knowledge', subject);
    return { ...common, key: `${text} ${ts}`, href, title: subject };
  }
  const { role = '', createdAt: at = '' } = result;
  const title = titleOf({ conversationId, title: result.title });
  const href = hrefOf('conversation', conversationId, { seq: String(seq) });
  return { ...common, key: `${conversationId}:${seq}`, href, title, role, seq, at };
}
