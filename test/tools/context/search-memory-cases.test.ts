/**
 * search_memory over all stores, with a set of cases: results that must be in an answer, and results that
 * must not, such as ended facts, insights of another project, and similar words.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daybook, openDaybook } from '../../../src/api/open-daybook.js';
import { searchMemory } from '../../../src/tools/context/search-memory.js';

const OURS = '/projects/harbour';
const THEIRS = '/projects/meadow';
/** Texts without marks. */
const PLAIN = { highlightStart: '', highlightEnd: '' };

/** Subject, predicate, object; an older one ends with the next of the same subject and predicate. */
const FACTS = [
  ['Ada', 'lives in', 'London'],
  ['Ada', 'lives in', 'Lisbon'],
  ['Ada', 'works_at', 'Northwind Shipyard'],
  ['harbour API', 'rateLimit', '100 requests a minute'],
  ['harbour API', 'rateLimit', '250 requests a minute'],
  ['Bruno', 'lives in', 'Prague'],
  ['invoice service', 'database', 'MySQL'],
  ['invoice service', 'database', 'PostgreSQL'],
] as const;

const INSIGHTS = {
  ourTimeout: [OURS, 'Deployments time out after nine minutes unless the cache is warm.'],
  ourNaming: [OURS, 'Ships are named by their call sign in every table.'],
  theirTimeout: [THEIRS, 'Deployments time out after two minutes because of the proxy.'],
  everywhere: ['global', 'Deployments on Fridays are announced the day before.'],
} as const;

const NOTES = {
  'decisions/berths.md':
    '# Berths\n\nBerths are booked by the hour since the council decided so.\n',
  'people/pilots.md':
    '# Pilots\n\nPilots come aboard at the outer buoy.\n\n## Pay\n\nPilots are paid by tonnage.\n',
} as const;

const SAID = {
  berth: 'Can we book berths by the half hour? The pilots asked for it.',
  movedBerth: 'No: berths stay booked by the hour, the council refused.',
  soup: 'The soup needs more salt and a bay leaf.',
} as const;

interface Case {
  readonly query: string;
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
  readonly includeEnded?: boolean;
  readonly context?: string;
  readonly sources?: readonly string[];
}

const fact = (at: number) => (FACTS[at] ?? []).join(' ');

const CASES: readonly Case[] = [
  {
    query: 'Where does Ada live?',
    must: [fact(1)],
    mustNot: [fact(0), fact(5)],
    sources: ['facts'],
  },
  { query: 'Where does Ada live?', must: [fact(1), fact(0)], mustNot: [], includeEnded: true },
  { query: 'Ada lives in London', must: [fact(1)], mustNot: [fact(0)] },
  { query: 'Ada work', must: [fact(2)], mustNot: [fact(0), fact(1)] },
  { query: 'Who works at the shipyards?', must: [fact(2)], mustNot: [fact(7)] },
  { query: 'rate limit of the harbour API', must: [fact(4)], mustNot: [fact(3)] },
  {
    query: 'rate limit of the harbour API',
    must: [fact(3), fact(4)],
    mustNot: [],
    includeEnded: true,
  },
  { query: 'database of the invoice service', must: [fact(7)], mustNot: [fact(6)] },
  { query: 'MySQL', must: [], mustNot: [fact(6)] },
  { query: 'MySQL', must: [fact(6)], mustNot: [fact(7)], includeEnded: true },
  { query: 'why do deployments time out', must: ['ourTimeout'], mustNot: ['theirTimeout'] },
  { query: 'deployment proxy', must: [], mustNot: ['theirTimeout'] },
  {
    query: 'why do deployments time out',
    must: ['theirTimeout'],
    mustNot: ['ourTimeout'],
    context: THEIRS,
  },
  { query: 'how are ships named', must: ['ourNaming'], mustNot: ['theirTimeout'] },
  { query: 'how are ships named', must: [], mustNot: ['ourNaming'], context: THEIRS },
  { query: 'announcing a deployment', must: [], mustNot: ['theirTimeout'] },
  { query: 'announcing a deployment', must: ['everywhere'], mustNot: [], context: 'global' },
  { query: 'booking a berth', must: ['decisions/berths.md', 'berth'], mustNot: ['soup'] },
  { query: 'what are pilots paid', must: ['people/pilots.md'], mustNot: ['soup', fact(4)] },
  {
    query: 'council decision about berths',
    must: ['decisions/berths.md', 'movedBerth'],
    mustNot: ['soup'],
  },
  { query: 'soups', must: ['soup'], mustNot: ['berth', 'decisions/berths.md'] },
];

describe('search_memory', () => {
  let folder: string;
  let daybook: Daybook;
  const names = new Map<string, string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-test-'));
    const env = { XDG_CACHE_HOME: join(folder, 'cache'), DAYBOOK_FSYNC: '0' };
    daybook = await openDaybook({ root: join(folder, 'root'), env });
    for (const [subject, predicate, object] of FACTS)
      await daybook.call('kg_add', { subject, predicate, object, replaces: true });
    for (const [name, [context, content]] of Object.entries(INSIGHTS)) {
      const { id } = await daybook.call('save_insight', { context, content });
      names.set(String(id), name);
    }
    for (const [path, content] of Object.entries(NOTES))
      await daybook.call('mb_add', { path, content });
    for (const [name, content] of Object.entries(SAID)) {
      const role = name === 'movedBerth' ? 'assistant' : 'user';
      const saved = await daybook.call('save_message', { conversationId: name, role, content });
      names.set(String(saved['messageId']), name);
    }
  });
  afterAll(async () => {
    await daybook.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (input: Record<string, unknown>) =>
    searchMemory.output.parse(
      await daybook.call('search_memory', { ...PLAIN, context: OURS, ...input }),
    );

  const foundBy = async ({ must: _, mustNot: __, ...input }: Case) => {
    const { results } = await ask({ ...input, limit: 30 });
    return results.map(
      ({ source, text, path, id, messageId }) =>
        path ?? names.get(id ?? messageId ?? '') ?? `${source === 'facts' ? text : ''}`,
    );
  };

  it.each(CASES)('$query (ended: $includeEnded, context: $context)', async (one) => {
    const found = await foundBy(one);
    for (const name of one.must) expect(found).toContain(name);
    for (const name of one.mustNot) expect(found).not.toContain(name);
  });

  it('returns the source of each result and the number of matches of each source', async () => {
    const { results, totals, tier } = await ask({ query: 'how are berths booked by pilots' });
    expect(tier).toBe('words');
    expect(new Set(results.map(({ source }) => source))).toEqual(new Set(['messages', 'notes']));
    expect(totals).toMatchObject({ facts: 0, insights: 0 });
    expect(results.find(({ source }) => source === 'notes')).toMatchObject({ line: 1 });
    const { seq, role, conversationId } = results.find(({ source }) => source === 'messages') ?? {};
    expect({ seq, role }).toEqual({ seq: 1, role: 'user' });
    expect(conversationId).toMatch(/^\d{8}-\d+$/);
  });

  it('counts nothing of another context', async () => {
    const { totals } = await ask({ query: 'proxy minutes deployments', sources: ['insights'] });
    expect(totals).toEqual({ insights: 1 });
  });

  it('finds the changes and deletions between two questions', async () => {
    const query = { query: 'colour of the lighthouse', sources: ['facts'] };
    const triple = { subject: 'lighthouse', predicate: 'colour' };
    await daybook.call('kg_add', { ...triple, object: 'red' });
    expect((await ask(query)).results.map(({ text }) => text)).toEqual(['lighthouse colour red']);
    await daybook.call('kg_add', { ...triple, object: 'white', replaces: true });
    expect((await ask(query)).results.map(({ text }) => text)).toEqual(['lighthouse colour white']);
    await daybook.call('kg_delete', { ...triple, object: 'white' });
    expect((await ask(query)).results).toEqual([]);
  });

  it('does not exceed its budget of tokens', async () => {
    for (const year of [1901, 1902, 1903, 1904]) {
      const content = `# Diary ${year}\n\n${'The keeper trimmed the wick at dusk. '.repeat(40)}\n`;
      await daybook.call('mb_add', { path: `diary/${year}.md`, content });
    }
    const query = { query: 'keepers and wicks', sources: ['notes'] };
    const [short, whole] = [await ask({ ...query, maxTokens: 500 }), await ask(query)];
    expect(whole.results).toHaveLength(4);
    expect(short.results.length).toBeGreaterThan(0);
    expect(short.results.length).toBeLessThan(4);
    expect(short.totals).toEqual({ notes: 4 });
  });
});
