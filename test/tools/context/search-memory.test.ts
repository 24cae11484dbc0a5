/** The tool search_memory: one question to messages, notes, insights and facts. */
import { describe, expect, it } from 'vitest';
import { leastCpuMs } from '../../support/cpu-time.js';
import { useToolSession } from '../../support/tool-session.js';

interface Answer {
  readonly totals: Record<string, number>;
  readonly results: readonly { source: string; text: string; metadata?: unknown }[];
}

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown>) => opened.session.call(name, args);
const search = async (args: Record<string, unknown>) =>
  (await call('search_memory', { context: 'global', ...args })) as unknown as Answer;

async function saveAboutTea(): Promise<void> {
  const metadata = { sources: ['https://example.org/tea'] };
  await call('save_message', { role: 'assistant', content: 'Tea grows in Uji.', metadata });
  const long = `${'other '.repeat(300)}\nTea was steeped.\n${'words '.repeat(300)}`;
  await call('mb_add', { path: 'tea.md', content: `# Kitchen\n${long}` });
  await call('save_insight', { content: 'Green tea at 70 degrees', context: 'global' });
  await call('kg_add', { subject: 'tea', predicate: 'grows_in', object: 'Uji' });
}

describe('search_memory', () => {
  it('finds results in all four stores, each with its source', async () => {
    await saveAboutTea();
    const { totals, results } = await search({ query: 'tea' });
    expect(totals).toEqual({ messages: 1, notes: 1, insights: 1, facts: 1 });
    expect(results.map(({ source }) => source).sort()).toEqual(Object.keys(totals).sort());
    expect(results.every(({ metadata }) => metadata === undefined)).toBe(true);
  });

  it('finds one Chinese character in all four stores', async () => {
    await call('save_message', { role: 'user', content: '東京の庭に木を植える' });
    await call('mb_add', { path: 'a.md', content: '京都の庭\n' });
    await call('save_insight', { content: '庭には二羽いる', context: 'global' });
    await call('kg_add', { subject: '東京の庭', predicate: 'has', object: 'a gate' });
    const { totals, results } = await search({ query: '庭', highlightStart: '[' });
    expect(totals).toEqual({ messages: 1, notes: 1, insights: 1, facts: 1 });
    const marked = results.filter(({ source }) => source !== 'facts');
    expect(marked.map(({ text }) => /\[.?庭/u.test(text))).toEqual([true, true, true]);
    const { snippets } = await call('get_relevant_snippets', { query: '庭' });
    expect(snippets).toHaveLength(1);
  });

  it('marks matches and cuts long texts as requested', async () => {
    await saveAboutTea();
    const marks = { highlightStart: '[', highlightEnd: ']', ellipsis: ' (cut) ' };
    const { results } = await search({ query: 'tea', includeMetadata: true, ...marks });
    const bySource = Object.fromEntries(results.map((result) => [result.source, result]));
    expect(bySource['messages']).toMatchObject({
      text: '[Tea] grows in Uji.',
      metadata: { sources: ['https://example.org/tea'] },
    });
    expect(bySource['insights']?.text).toBe('Green [tea] at 70 degrees');
    expect(bySource['notes']?.text).toMatch(/^ \(cut\) other .*\[Tea\].* \(cut\) $/s);
  });

  it('that finds nothing names the contexts with insights, if the searched one has none', async () => {
    await call('save_insight', { content: 'Green tea at 70 degrees', context: 'global' });
    const context = 'project:shed';
    const note = expect.stringContaining('Contexts with insights: global (');
    expect(await search({ query: 'tea', context, sources: ['insights'] })).toMatchObject({ note });
    const others = ['messages', 'notes', 'facts'];
    expect(await search({ query: 'zebra', context, sources: others })).not.toHaveProperty('note');
    expect(await search({ query: 'zebra' })).not.toHaveProperty('note');
  });
});

it('after one new fact, the other facts are not indexed again', async () => {
  const lines = Array.from({ length: 4000 }, (_, at) => {
    const object = `the berth of ship ${at} is booked by the hour until the tide turns`;
    return JSON.stringify({ subject: `ship ${at}`, predicate: 'lies at', object });
  });
  await call('kg_import', { text: lines.join('\n') });
  const find = () => search({ query: 'which ship lies at berth 7?', sources: ['facts'] });
  const unchanged = await leastCpuMs(find);
  const costs: number[] = [];
  for (const object of ['six', 'seven', 'eight', 'nine', 'ten']) {
    await call('kg_add', { subject: 'harbour', predicate: 'opens at', object });
    costs.push(await leastCpuMs(find, 1));
  }
  expect(Math.min(...costs)).toBeLessThan(2.5 * unchanged);
});

describe('the filter for names', () => {
  it('keeps only results whose names are completely in the query, in any form', async () => {
    const save = (content: string, tags: string[]) =>
      call('save_insight', { content, context: 'global', tags });
    await save('Pods restart at night.', ['k8s', 'kubernetes cluster']);
    await save('The cluster is asked about tomatoes.', ['garden']);
    await call('kg_add', { subject: 'tomato bed', predicate: 'lies_at', object: 'south wall' });
    await call('kg_add', { subject: 'herb bed', predicate: 'lies_at', object: 'tomato house' });
    const of = async (query: string, named: boolean) => {
      const { totals, results } = await search({ query, named, sources: ['insights', 'facts'] });
      return { ...totals, texts: results.map(({ text }) => text.replaceAll('**', '')).sort() };
    };
    const asked = 'which kubernetes clusters, and where are the tomato beds?';
    expect(await of(asked, true)).toEqual({
      insights: 1,
      facts: 1,
      texts: ['Pods restart at night.', 'tomato bed lies_at south wall'],
    });
    expect(await of(asked, false)).toMatchObject({ insights: 2, facts: 2 });
    expect(await of('where is the bed?', true)).toMatchObject({ insights: 0, facts: 0 });
  });
});
