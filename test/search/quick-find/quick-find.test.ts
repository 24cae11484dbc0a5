/** Quick find over real stores, by the tool, the command and the completions that use it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withClient, withPlace } from '../../e2e/harness.js';
import { tempFolder } from '../../support/temp-folder.js';
import { useToolSession } from '../../support/tool-session.js';

const MAIN = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);

describe('get_conversations with a query that no title has', () => {
  it('returns conversations with similar words, marked as approximate', async () => {
    await call('save_message', {
      conversationId: 'garden',
      role: 'user',
      content: 'x',
      title: 'Tomatoes by the south wall',
      module: 'home',
    });
    const exact = await call('get_conversations', { query: 'toma' });
    expect(exact['total']).toBe(1);
    expect(exact['approximate']).toBeUndefined();
    const similar = await call('get_conversations', { query: 'tomatos' });
    expect(similar).toMatchObject({
      approximate: true,
      total: 1,
      conversations: [{ clientId: 'garden' }],
    });
    expect(await call('get_conversations', { query: 'tomatos', module: 'work' })).toMatchObject({
      total: 0,
      conversations: [],
    });
  });
});

it('quick_find finds headings alone, before it was asked for notes', async () => {
  await withPlace(async (place) => {
    const all = { ...place, env: { ...place.env, DAYBOOK_TOOLSETS: 'all' } };
    await withClient(all, async ({ call }) => {
      await call('mb_add', { path: 'garden.md', content: '# The garden\n\n## Larch plank\n' });
      const { hits } = await call('quick_find', { query: 'larch', kinds: ['heading'] });
      expect(hits).toMatchObject([{ kind: 'heading', title: 'Larch plank' }]);
    });
  });
});

it('quick_find and get_conversations suggest no names of other kinds', async () => {
  await withPlace(async (place) => {
    const all = { ...place, env: { ...place.env, DAYBOOK_TOOLSETS: 'all' } };
    await withClient(all, async ({ call }) => {
      await call('kg_add', { subject: 'London', predicate: 'is', object: 'a city' });
      expect((await call('quick_find', { query: 'london' }))['total']).toBe(1);
      const none = await call('quick_find', { query: 'london', kinds: ['conversation', 'note'] });
      expect(none).toMatchObject({ total: 0, suggestions: [] });
      const listed = await call('get_conversations', { query: 'london' });
      expect(listed['total']).toBe(0);
      expect(listed).not.toHaveProperty('suggestions');
    });
  });
});

describe('daybook find', () => {
  it('finds conversations, notes, headings, insights and subjects by their names', () => {
    const root = tempFolder();
    const env = { ...process.env, HOME: root, XDG_CONFIG_HOME: join(root, 'config') };
    const daybook = (...args: string[]) =>
      execFileSync(process.execPath, [MAIN, ...args, '--root', root], { env, encoding: 'utf8' });
    daybook('save', 'user', 'x', '--conversation-id', 'g', '--title', 'The garden');
    daybook('mb', 'add', 'ideas/garden.md', '# Beds\n\n## Garden beds\n');
    daybook('insight', 'save', 'Garden soil is clay', '--context', 'global');
    daybook('kg', 'add', 'Garden', 'faces', 'south');
    const { hits } = JSON.parse(daybook('find', 'gardn', '--json')) as { hits: { kind: string }[] };
    expect(daybook('find', 'garden', '--kind', 'heading')).toBe(
      'heading       ideas/garden.md:3  Garden beds\n',
    );
    expect(new Set(hits.map(({ kind }) => kind))).toEqual(
      new Set(['conversation', 'note', 'heading', 'insight', 'subject']),
    );
    expect(daybook('find', 'garden', '--kind', 'note')).toContain('ideas/garden.md');
    daybook('insight', 'save', 'Zinnia seeds', '--context', 'global', '--expires', '2020-01-01');
    for (const absent of ['zzzz', 'zinnia']) {
      const none = spawnSync(process.execPath, [MAIN, 'find', absent, '--root', root], { env });
      expect([none.status, none.stdout.toString()]).toEqual([1, '']);
    }
  });
});
