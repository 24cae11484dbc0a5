/**
 * What an assistant learns from an answer or an error when something is missing, deleted, damaged or
 * written in another form than it is stored.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCommand, withClient } from '../e2e/harness.js';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);
const failure = (name: string, args: Record<string, unknown>) =>
  opened.session.failure(name, args) as Promise<{ code: string; message: string; hint: string }>;
const save = (conversationId: string, content: string, more: Record<string, unknown> = {}) =>
  call('save_message', { conversationId, role: 'user', content, ...more });
const run = (...args: string[]) => runCommand(opened.place, ['--root', opened.place.root, ...args]);

describe('a deleted item', () => {
  it('is reported as deleted, and a save with its key says that it starts a new conversation', async () => {
    const { conversationId } = await save('wall', 'The south wall.');
    await call('delete_conversation', { conversationId: 'wall' });
    const error = await failure('get_conversation', { conversationId: 'wall' });
    expect(error.message).toContain('in the trash');
    expect(error.hint).toContain(`\`restore_conversation\` with the name ${conversationId}`);
    expect(error.hint).toContain(`daybook restore ${conversationId}`);
    const again = await save('wall', 'Another wall.');
    expect(again['note']).toContain(`in the trash: ${conversationId}`);
    expect(await save('wall', 'And more.')).not.toHaveProperty('note');
  });

  it('is removed from the trash by a permanent deletion, and nothing else is', async () => {
    const { conversationId } = await save('wall', 'The south wall.');
    await save('shed', 'The shed.');
    for (const key of ['wall', 'shed']) {
      await call('delete_conversation', { conversationId: key });
    }
    await save('shed', 'Another shed.');
    const removal = { conversationId: 'wall', permanent: true };
    expect(await call('delete_conversation', removal)).toMatchObject({ conversationId });
    const error = await failure('delete_conversation', removal);
    expect([error.code, error.message]).toEqual([
      'CONVERSATION_NOT_FOUND',
      expect.not.stringContaining('in the trash'),
    ]);
    // A key that another conversation has now means that conversation.
    await call('delete_conversation', { conversationId: 'shed', permanent: true });
    const { stdout } = await run('trash', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ title: 'The shed' }] });
    const asked = await run('delete', 'shed', '--permanent', '--yes');
    expect([asked.code, asked.stdout]).toEqual([
      0,
      'Removed permanently: shed, "The shed", which is in the trash\n',
    ]);
    expect(JSON.parse((await run('trash', '--json')).stdout)).toMatchObject({ items: [] });
  });

  it.each([
    ['get_conversations', 'conversations', { query: 'house' }],
    ['search_memory', 'results', { sources: ['facts'] }],
    ['get_relevant_snippets', 'snippets', { conversationId: 'house' }],
  ])('is reported as not included by %s, if it found nothing', async (tool, list, filter) => {
    await save('garden', 'The garden wall.', { title: 'Garden wall' });
    const ask = () => call(tool, { query: 'wall' });
    expect(await ask()).not.toHaveProperty('note');
    await call('delete_conversation', { conversationId: 'garden' });
    const none = await ask();
    expect(none).toMatchObject({ [list]: [] });
    expect(none['note']).toContain('Not included: 1 conversation in the trash.');
    await save('house', 'The house wall.', { title: 'House wall' });
    expect(await ask()).not.toHaveProperty('note');
    const narrow = await call(tool, { query: 'larch', ...filter });
    expect(JSON.stringify(narrow)).not.toContain('Not included');
  });

  it('is reported as deleted if it is a note', async () => {
    const path = 'ideas/gone.md';
    await call('mb_add', { path, content: 'x' });
    await call('mb_delete', { path });
    const error = await failure('mb_read', { path });
    expect(error).toMatchObject({ code: 'E_MB_FILE_NOT_FOUND', details: { isInTrash: true } });
    expect(error.hint).toContain(`the name ${path} and the kind note`);
    expect((await run('restore', path)).code).toBe(0);
    expect(await call('mb_read', { path })).toMatchObject({ content: 'x' });
    const never = await failure('mb_read', { path: 'ideas/never.md' });
    expect(never.message).not.toContain('trash');
  });

  it('is reported as deleted if it is an insight, by its id or the beginning of its id', async () => {
    const { id } = await call('save_insight', { content: 'Peas need cold.', context: 'global' });
    await call('delete_insight', { id });
    for (const name of [String(id), String(id).slice(0, 8)]) {
      const { code, stderr } = await run('insight', 'get', name);
      expect(code).toBe(1);
      expect(stderr).toMatch(`The insight ${id} is in the trash. It was deleted at 20`);
      expect(stderr).toMatch(new RegExp(`daybook .*restore ${id}`));
    }
    const { stderr: never } = await run('insight', 'get', 'ffff-0');
    expect(never).not.toContain('trash');
  });

  it('of another kind is restored with the argument kind, which the error names', async () => {
    const { id } = await call('save_insight', {
      content: 'Clay needs sand.',
      context: 'project:a',
    });
    await call('delete_insight', { id });
    const { env, ...place } = opened.place;
    const all = { ...place, env: { ...env, DAYBOOK_TOOLSETS: 'all' } };
    await withClient(all, async (session) => {
      const error = await session.failure('restore_conversation', { name: id });
      expect(error).toMatchObject({ hint: expect.stringContaining('`kind`') });
      await session.call('restore_conversation', { name: id, kind: 'insight' });
    });
  });
});

describe('a search or a list', () => {
  it('of similar names has pages', async () => {
    for (let at = 0; at < 5; at += 1) await save(`c${at}`, `text ${at}`, { module: 'garden' });
    const ids: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await call('get_conversations', {
        query: 'garden',
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      });
      expect(page).toMatchObject({ total: 5, approximate: true });
      const found = page['conversations'] as { conversationId: string }[];
      ids.push(...found.map(({ conversationId }) => conversationId));
      cursor = page['nextCursor'];
    } while (cursor !== undefined);
    expect(new Set(ids).size).toBe(5);
    const listed = await run('list', 'garden', '--limit', '2');
    expect(listed.stderr).toContain('similar words');
    expect(listed.stderr).toContain('--cursor similar.2');
  });

  it('does not report a word as found if only a module has it', async () => {
    await save('c', 'Tomatoes go there.', { module: 'garden' });
    const { explanation } = await call('search_messages', { query: 'garden' });
    expect(explanation).toBe('No message has garden in its text.');
    const symbol = await run('search', '🗼');
    expect(symbol.stderr).toContain('not searched, such as emoji');
    expect(symbol.stderr).not.toContain('fuzzy');
  });

  it('does not report a symbol as not searched if it is searched', async () => {
    await save('c', 'Use a fat arrow.');
    const { explanation } = await call('search_messages', { query: '=>' });
    expect(explanation).toBe('No message has => in its text.');
  });

  it('names where the ids of conversations are, and what a key may be', async () => {
    const missing = await failure('get_conversation', { conversationId: 'nope' });
    expect(missing.hint).toContain('`get_conversations` lists');
    const refused = await failure('get_conversation', { conversationId: '庭の計画' });
    expect(refused.hint).toContain('a to z');
    expect(refused.hint).toContain('title');
  });

  it('shows Japanese words as they were typed', async () => {
    await save('c', '東京の庭');
    const query = 'トマト 温室栽培';
    const { explanation } = await call('search_messages', { query });
    expect(explanation).toContain('No message has: トマト, 温室栽培.');
    await call('save_insight', { content: '粘土には砂を混ぜる', context: 'project:庭' });
    const found = await call('search_insights', { query, context: 'project:庭' });
    expect(found['explanation']).toContain('has: トマト, 温室栽培.');
  });

  it('explains how to find a word with a typing error', async () => {
    await save('c', 'The wheelbarrow is in the shed.');
    const query = 'wheelbarow';
    const { explanation } = await call('search_messages', { query });
    expect(explanation).toBe(
      'No message has: wheelbarow. To allow typing errors, set `matchType` to "fuzzy". To search tool calls and cited pages, set `activity`.',
    );
    expect((await call('search_messages', { query, matchType: 'fuzzy' }))['total']).toBe(1);
  });

  it.each([
    { tool: 'mb_search', made: ['mb_add', { path: 'a.md', content: 'Frogs.' }] },
    { tool: 'search_insights', made: ['save_insight', { content: 'Frogs.', context: 'global' }] },
  ] as const)('explains how $tool finds another form of a word', async ({ tool, made }) => {
    await call(made[0], made[1]);
    const args = { query: 'frog', ...(tool === 'search_insights' && { context: 'global' }) };
    expect((await call(tool, args))['explanation']).toContain('set `matchType` to "prefix"');
    const found = await call(tool, { ...args, matchType: 'prefix' });
    expect(found['total']).toBe(1);
    const none = await call(tool, { ...args, query: 'toad', matchType: 'prefix' });
    expect(none['explanation']).not.toContain('matchType');
  });

  it('reports that a search by meaning compared only words', async () => {
    await save('c', 'Tomatoes go there.');
    const args = { query: 'tomatoes', mode: 'semantic' };
    expect((await call('search_messages', args))['note']).toContain('Embeddings could not be used');
  });

  it('reports that a filter excludes matches of other word forms', async () => {
    await save('c', 'Where should the tomatoes go?');
    const { total, explanation } = await call('search_messages', {
      query: 'tomato',
      module: 'plan',
      role: 'user',
    });
    expect(total).toBe(0);
    expect(explanation).toContain('1 message matches without `module`');
    expect(explanation).not.toContain('No message has');
    await call('update_conversation', { conversationId: 'c', title: 'A tomato' });
    await save('c', 'By the wall.');
    const { total: all } = await call('search_messages', { query: 'tomato' });
    const { explanation: counted } = await call('search_messages', {
      query: 'tomato',
      module: 'plan',
    });
    expect(counted).toContain(`${all} messages match without \`module\``);
    const { explanation: blank } = await call('search_messages', { query: ' ( ' });
    expect(blank).toContain('only signs');
    await call('update_conversation', { conversationId: 'c', title: 'Tomatoes 🍅' });
    const { note } = await call('get_conversations', { query: '🍅' });
    expect(note).toContain('only signs');
    for (const name of ['get_relevant_snippets', 'search_memory'])
      expect(await call(name, { query: ' ' }), name).toHaveProperty('note');
  });

  it('reports how many conversations match without the module or the tag', async () => {
    await save('c', 'Tomatoes go there.', { module: 'garden' });
    const { note } = await call('get_conversations', { module: 'gard' });
    expect(note).toBe(
      '1 conversation matches without `module`. No conversation has the module "gard". Modules in use: "garden".',
    );
    expect((await run('search', 'tomatoes', '--module', 'gard')).stderr).toContain(
      'without --module. No conversation has the module "gard". Modules in use: "garden".',
    );
    expect((await run('list', '--module', 'gard')).stderr).toContain('without --module');
    const tagged = await call('get_conversations', { module: 'garden', tag: 'veg' });
    expect(tagged['note']).toBe('1 conversation matches without `tag`.');
    expect((await run('list', '--tag', 'veg')).stderr).toContain('without --tag');
  });

  it('reports how many conversations could not be read', async () => {
    const { conversationPath } = await save('c', 'The giraffe.');
    await call('get_conversations');
    writeFileSync(join(String(conversationPath), 'conversation.json'), '{"messages":');
    await vi.waitFor(
      async () => {
        const { note } = await call('get_conversations');
        expect(note).toBe('1 conversation could not be read; see `store_info`.');
      },
      { timeout: 60_000, interval: 100 },
    );
    const { explanation } = await call('search_messages', { query: 'giraffe' });
    expect(explanation).toContain('1 conversation could not be read and searched');
    await save('other', 'The zebra.');
    const { note } = await call('search_messages', { query: 'zebra' });
    expect(note).toContain('1 conversation could not be read and searched');
  });
});

describe('the key of a damaged conversation', () => {
  it('is mentioned in errors and lists, and in a save that starts another conversation', async () => {
    const { conversationPath } = await save('wall', 'The south wall.');
    writeFileSync(join(String(conversationPath), 'conversation.json'), '{"messages":');
    const damaged = '1 conversation could not be read';
    await vi.waitFor(
      async () => expect((await call('get_conversations'))['note']).toContain(damaged),
      { timeout: 60_000, interval: 100 },
    );
    for (const tool of ['history_threads_list', 'history_messages_recent']) {
      expect((await call(tool))['note']).toContain(damaged);
      expect((await call(tool, { module: 'plan' }))['note']).toContain(damaged);
    }
    const { notes } = await call('session_start');
    expect(JSON.stringify(notes)).toContain(damaged);
    for (const tool of ['search_memory', 'get_relevant_snippets']) {
      expect((await call(tool, { query: 'wall', maxTokens: 500 }))['note']).toContain(damaged);
    }
    const { message } = await failure('get_conversation', { conversationId: 'wall' });
    expect(message).toContain(`${damaged} and may have this key`);
    const saving = { conversationId: 'wall', role: 'user', content: 'More.' };
    expect((await failure('save_message', saving)).code).toBe('CONVERSATION_CORRUPTED');
    expect((await save('roof', 'More.'))['note']).toContain('may have this key');
  });
});

describe('an input', () => {
  it('with a time range that ends before it begins is refused', async () => {
    const calls: [string, Record<string, string>][] = [
      ['get_conversations', { updatedAfter: '2026-02-01', updatedBefore: '2026-01-31' }],
      ['search_messages', { query: 'x', startDate: '2026-02-01', endDate: '2026-01-31' }],
      ['get_context_summary', { startDate: '2026-02-01', endDate: '2026-01-31' }],
      ['kg_query', { since: '2026-02-01', until: '2026-01-31' }],
      ['get_analytics', { from: '2026-02-01', to: '2026-01-31' }],
    ];
    for (const [tool, args] of calls) {
      expect((await failure(tool, args)).message, tool).toMatch(/^`\w+` is after `\w+`\.$/);
    }
    await call('get_conversations', { updatedAfter: '2026-02-01', updatedBefore: '2026-02-01' });
  });

  it('for a context may be the URL of a repository, but no path that does not exist', async () => {
    const content = 'Clay needs sand.';
    for (const context of ['git:https://github.com/Ada/Shed.git', 'git:git@github.com:Ada/Shed']) {
      const saved = await call('save_insight', { content, context });
      expect(saved['context']).toBe('git:github.com/Ada/Shed');
    }
    for (const context of ['relative/path', 'git:', 'project:a b', './nowhere', 'x'.repeat(300)]) {
      const { code } = await failure('save_insight', { content, context });
      expect(code, context).toBe('VALIDATION_ERROR');
    }
  });

  it('of the wrong type is reported with only this fault', async () => {
    const { message } = await failure('save_insight', { content: [], tags: '', context: 'global' });
    expect(message).toContain('"content" must be string, not array.');
    expect(message).toContain('"tags" must be array, not string.');
    expect(message).not.toMatch(/too small|is empty|characters/i);
  });

  it('may be JSON in a string, as some clients send it, if this has the expected type', async () => {
    const given = { role: 'user', content: '["x"]', metadata: '{"model":"m"}', tags: '["a","b"]' };
    const { conversationId } = await call('save_message', given);
    const read = await call('get_conversation', { conversationId, messageLimit: '5' });
    expect(read).toMatchObject({
      tags: ['a', 'b'],
      messages: [{ content: '["x"]', metadata: { model: 'm' } }],
    });
    const triples = JSON.stringify([{ subject: 'Ada', predicate: 'knows', object: '1815' }]);
    await call('kg_add', { triples });
    const { triples: found } = await call('kg_query', { subject: 'Ada', includeClosed: 'false' });
    expect(found).toMatchObject([{ object: '1815' }]);
    await call('update_conversation', { conversationId, tags: 'soil' });
    expect(await call('get_conversation', { conversationId })).toMatchObject({ tags: ['soil'] });
    for (const [tool, args, part] of [
      ['save_message', { ...given, metadata: '{model' }, '"metadata" must be a JSON object, not a'],
      ['save_message', { ...given, metadata: '[1]' }, '"metadata" must be a JSON object, not a'],
      ['save_message', { ...given, tags: 'a, b' }, '"tags" must be array, not string.'],
      ['get_conversation', { conversationId, messageLimit: 'five' }, 'must be number, not string'],
      [
        'get_conversation',
        { conversationId, messageLimit: '0' },
        '"messageLimit" must be 1 or more',
      ],
      ['kg_add', { triples: '[{"subject":"a"}]' }, '"triples.0.predicate" is missing'],
    ] as const) {
      const { code, message } = await failure(tool, args);
      expect([code, message]).toEqual(['VALIDATION_ERROR', expect.stringContaining(part)]);
    }
  });

  it('may be null for what is left out, unless the tool changes something', async () => {
    const given = { role: 'user', content: 'plums', title: null, tags: null, metadata: null };
    const { conversationId } = await call('save_message', given);
    const asked = { query: 'plums', module: null, limit: null, conversationId };
    expect(await call('search_messages', asked)).toMatchObject({ total: 1 });
    await call('kg_add', {
      triples: [{ subject: 'a', predicate: 'b', object: 'c', ts: null }],
    });
    for (const [tool, args, part] of [
      ['save_message', { ...given, content: null }, '"content" is missing'],
      ['save_message', { ...given, tags: ['a', null] }, '"tags.1" must be string'],
      ['update_message', { conversationId, messageId: 'm', content: null }, '"content" must be'],
    ] as const) {
      const { code, message } = await failure(tool, args);
      expect([code, message]).toEqual(['VALIDATION_ERROR', expect.stringContaining(part)]);
    }
  });

  it('can be the title of a conversation: the hint says how to find it', async () => {
    const { hint } = await failure('get_conversation', { conversationId: 'Why does it leak?' });
    expect(hint).toContain('by its title, call `get_conversations`');
  });

  it('with a fraction is refused as an integer', async () => {
    const { message } = await failure('list_insights', { context: 'global', limit: 1.5 });
    expect(message).toContain('"limit" must be a whole number.');
  });

  it('of only white space is refused as an insight', async () => {
    expect((await failure('save_insight', { content: ' \n\t ' })).message).toContain('is empty');
  });

  it('with an empty title is accepted without it, and a # before a tag is removed', async () => {
    expect(await save('blank', 'The first words.', { title: ' ' })).toMatchObject({
      title: 'The first words',
    });
    const { thread } = await call('history_threads_create', { module: 'plan', title: '' });
    expect(thread).not.toHaveProperty('title');
    const content = 'Clay needs sand.';
    const tagged = { content, context: 'project:tags', tags: ['#Übung'] };
    await call('save_insight', tagged);
    const tags = ['\u0075\u0308bung'];
    expect(await call('list_insights', { context: 'project:tags', tags })).toMatchObject({
      results: [{ tags: ['Übung'] }],
    });
  });

  it('with a day that does not exist is refused', async () => {
    const day = '2023-02-30';
    const triples = [{ subject: 'Ada', predicate: 'is', object: 'here', ts: day }];
    for (const [name, args] of [
      ['kg_add', { triples }],
      ['search_messages', { query: 'x', startDate: day }],
      ['get_conversations', { updatedAfter: `${day}T10:00:00Z` }],
      ['get_analytics', { from: '2026-13-01' }],
      ['get_analytics', { to: day }],
    ] as const) {
      expect((await failure(name, args)).code, name).toBe('VALIDATION_ERROR');
    }
    const text = [{ ...triples[0], ts: '2023-02-28' }, ...triples].map((each) =>
      JSON.stringify(each),
    );
    expect(await call('kg_import', { text: text.join('\n') })).toMatchObject({
      added: 1,
      refusedTotal: 1,
    });
    for (const args of [
      ['search', 'x', '--from', day],
      ['import', '.', '--since', day],
    ]) {
      expect((await run(...args)).code, args[0]).toBe(2);
    }
  });

  it('for a tag may have a #, and an empty title or tag is refused', async () => {
    await save('c', 'Peas.', { tags: ['#green', 'a b'] });
    const { conversations } = await call('get_conversations');
    expect(conversations).toMatchObject([{ tags: ['green', 'a b'] }]);
    for (const tag of ['#Green', 'green']) {
      expect(await call('search_messages', { query: 'peas', tag })).toMatchObject({ total: 1 });
    }
    for (const change of [{ title: ' ' }, { tags: ['#'] }]) {
      const { code } = await failure('update_conversation', { conversationId: 'c', ...change });
      expect(code).toBe('VALIDATION_ERROR');
    }
  });
});

describe('a command of the knowledge graph', () => {
  const query = () => run('kg', 'query', 'P');
  const snapshot = () => join(opened.place.root, 'memory-bank', 'kg_snapshot.json');

  it('sets status 1 if facts may be missing, not if git or a person changed its file', async () => {
    await run('kg', 'add', 'P', 'likes', 'tea');
    await run('kg', 'save');
    writeFileSync(snapshot(), readFileSync(snapshot(), 'utf8').replace(/\n$/, '\n\n'));
    const changed = await query();
    expect(changed.stderr).toContain('git or a person changed it');
    expect(changed.code).toBe(0);
    await run('kg', 'save');
    await run('kg', 'add', 'P', 'likes', 'milk');
    writeFileSync(snapshot(), '');
    const broken = await query();
    expect(broken.stdout).toContain('milk');
    expect(broken.code).toBe(1);
  });
});

describe('an error', () => {
  it('for an invalid number says so', async () => {
    expect((await run('search', 'x', '--limit', 'abc')).stderr).toContain('must be a number');
  });

  it('for a wrong hash does not say that something was changed', async () => {
    await call('mb_add', { path: 'n.md', content: 'x x' });
    const edit = (more: object) => failure('mb_edit', { path: 'n.md', newText: 'y', ...more });
    const { message } = await edit({ oldText: 'x x', hash: 'bad' });
    expect(message).toContain('not "bad"');
    expect((await edit({ oldText: 'x' })).message).toContain('in line 1.');
  });
});

describe('a thread', () => {
  it('of another module is reported with its module', async () => {
    await save('c', 'Peas.', { module: 'garden' });
    const args = { threadId: 'c', module: 'house', role: 'user', content: 'x' };
    expect((await failure('history_threads_append_message', args)).hint).toContain('"garden"');
  });

  it('that is the only one does not make session_start report an empty store', async () => {
    const { conversationId } = await save('c', 'Peas.');
    const { notes } = await call('session_start', { currentThreadId: conversationId });
    expect(notes).toEqual(['There is no message outside the current thread yet.']);
  });
});

describe('an argument at the wrong place', () => {
  it('is reported with the list to which it belongs, and with the fields of that list', async () => {
    const ts = '2024-01-01';
    const fact = { subject: 'Ada', predicate: 'is', object: 'here' };
    expect((await failure('kg_add', { ...fact, ts })).message).toContain('inside "triples"');
    const nested = await failure('kg_add', { triples: [{ ...fact, validFrom: ts }] });
    expect(nested.message).toContain('in "triples.0"; there the arguments are subject, predicate');
  });

  it('that is a relative path of an export is refused with an absolute path as example', async () => {
    const { message, hint } = await failure('import_conversations', { path: '~/x.zip' });
    expect([message, hint].join(' ')).toMatch(/not an absolute path.*such as "\/home/s);
  });
});

describe('an insight that is expired already', () => {
  it('is saved with a note', async () => {
    const insight = { content: 'Old.', context: 'project:a' };
    const { note } = await call('save_insight', { ...insight, expires: '2020-01-01' });
    expect(note).toContain('in the past');
    expect(await call('save_insight', { ...insight, content: 'New.' })).not.toHaveProperty('note');
  });
});
