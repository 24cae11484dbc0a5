/** The five systems that Daybook joins, memories, folders of notes, and other chat programs. */
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sourceHashOf } from '../../src/stores/summaries/summary-file.js';
import { tempFolder } from '../support/temp-folder.js';
import { counts, fileWith, folderWith, lines, openImportBench, said } from './bench.js';

const T = 1706102400123;
const UUID = '66666666-aaaa-4aaa-8aaa-000000000001';

/** Closed, or left open so that all of it is still in the write-ahead log. */
function database(sql: string, { isOpen = false } = {}): { path: string; close(): void } {
  const path = join(tempFolder(), 'old.db');
  const made = new sqlite.Database(path);
  made.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
  made.exec(sql);
  if (!isOpen) made.close();
  return { path, close: () => void (made.isOpen && made.close()) };
}

const MNEMOSYNE = `
  CREATE TABLE conversations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, title TEXT, metadata TEXT);
  CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id TEXT, role TEXT, content TEXT, created_at INTEGER, parent_message_id TEXT, metadata TEXT, embedding BLOB);
  CREATE TABLE conversation_summaries (id TEXT, conversation_id TEXT, level TEXT, summary_text TEXT, provider TEXT, model TEXT, generated_at INTEGER, message_count INTEGER, quality_score REAL);
  INSERT INTO conversations VALUES ('test-convo', ${T}, ${T + 5000}, 'Capitals', '{"mood":"calm"}');
  INSERT INTO messages VALUES ('m-1', 'test-convo', 'user', 'Capital of France?', ${T}, NULL, '{}', x'00ff');
  INSERT INTO messages VALUES ('m-2', 'test-convo', 'assistant', 'Paris.', ${T}, 'm-1', '{"model":"x"}', NULL);
  INSERT INTO conversation_summaries VALUES ('s', 'test-convo', 'brief', 'About Paris', 'ollama', 'y', ${T}, 2, 0.5);
  INSERT INTO conversation_summaries VALUES ('t', 'test-convo', 'detailed', 'About France', 'ollama', 'y', ${T}, 1, NULL);
  CREATE TABLE persistence_state (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL);
  INSERT INTO persistence_state VALUES ('active_conversation', 'test-convo', ${T});
  INSERT INTO persistence_state VALUES ('context_window', '30', ${T});
  INSERT INTO persistence_state VALUES ('pinned_conversations', '["test-convo"]', ${T});
  INSERT INTO persistence_state VALUES ('language', 'French', ${T});`;

describe('SQLite files of the older systems', () => {
  it.each([
    ['closed', false],
    ['in use, with everything in its log', true],
  ])('of the persistence server are imported, %s, and not changed', async (_form, isOpen) => {
    const { path, close } = database(MNEMOSYNE, { isOpen });
    const bench = await openImportBench();
    const report = await bench.import(path);
    close();
    expect(report.sources).toMatchObject([{ kind: 'mnemosyne' }]);
    const made = bench.bySource('test-convo');
    expect(said(made)).toEqual(['user: Capital of France?', 'assistant: Paris.']);
    expect(made).toMatchObject({
      clientId: 'test-convo',
      title: 'Capitals',
      createdAt: '2024-01-24T13:20:00.123Z',
      metadata: { mood: 'calm' },
    });
    expect(made.messages[1]).toMatchObject({
      parentMessageId: made.messages[0].id,
      metadata: { model: 'x' },
    });
    expect((await bench.store.load('test-convo')).messageCount).toBe(2);
  });

  it('of the persistence server have summaries, which never replace an existing one', async () => {
    const { path } = database(MNEMOSYNE);
    const bench = await openImportBench();
    await bench.import(path);
    const { summaries } = bench.stores;
    const { conversationId, messages } = await bench.store.load('test-convo');
    const found = await summaries.get(conversationId);
    expect(found).toMatchObject({
      brief: { text: 'About Paris', provider: 'ollama', model: 'y', qualityScore: 0.5 },
      // About a part of the conversation, so it counts as stale.
      detailed: { text: 'About France', messageCount: 1, sourceHash: '' },
    });
    expect(found.brief?.sourceHash).toBe(sourceHashOf(messages));
    const { level: _, tokenCount: __, ...brief } = found.brief!;
    await summaries.put(conversationId, 'brief', { ...brief, text: 'Of my own' });
    const before = bench.hash();
    await bench.import(path);
    expect(bench.hash()).toBe(before);
  });

  it('of the persistence server are not skipped if the summaries in the store are of a newer format', async () => {
    const { path } = database(MNEMOSYNE);
    const bench = await openImportBench();
    await bench.import(path);
    const { conversationId } = await bench.store.load('test-convo');
    const summaries = join(bench.logsFolder, conversationId, 'summaries.json');
    writeFileSync(summaries, JSON.stringify({ formatVersion: 99, summaries: {} }));
    const report = await bench.import(path);
    expect(report).toMatchObject({ skipped: 0, problems: [{ code: 'FORMAT_TOO_NEW' }] });
  });

  it('of the persistence server pin conversations, and set values of the state that are not set', async () => {
    const { path } = database(MNEMOSYNE);
    const bench = await openImportBench();
    const { state } = bench.stores;
    await state.set({ contextWindow: 7 });
    const plan = await bench.import(path, { dryRun: true });
    expect((await state.get()).values).toEqual({});
    const report = await bench.import(path);
    expect([plan.stateValues, report.stateValues]).toEqual([2, 2]);
    expect(await state.get()).toMatchObject({
      activeConversation: 'test-convo',
      contextWindow: 7,
      values: { language: 'French' },
    });
    expect(bench.bySource('test-convo').pinned).toBe(true);
    await state.set({ values: { language: 'German' } });
    const before = bench.hash();
    expect((await bench.import(path)).stateValues).toBe(0);
    expect(bench.hash()).toBe(before);
  });

  it('of odei-history are imported as threads, with their ids as keys', async () => {
    const { path } = database(`
      CREATE TABLE threads (id TEXT, module TEXT, title TEXT, createdAt TEXT, updatedAt TEXT, meta TEXT);
      CREATE TABLE messages (id TEXT, threadId TEXT, seq INTEGER, role TEXT, content TEXT, createdAt TEXT);
      INSERT INTO threads VALUES ('${UUID}', 'discuss', 'Values', '2025-12-18T14:22:00Z', '2025-12-18T15:00:00Z', '{"tags":["values"],"status":"open"}');
      INSERT INTO messages VALUES ('b', '${UUID}', 2, 'assistant', 'two', '2025-12-18T14:23:00Z');
      INSERT INTO messages VALUES ('a', '${UUID}', 1, 'user', 'one', '2025-12-18T14:22:00Z');`);
    const bench = await openImportBench();
    await bench.import(path);
    const made = bench.bySource(UUID);
    expect(said(made)).toEqual(['user: one', 'assistant: two']);
    expect(made).toMatchObject({
      module: 'discuss',
      tags: ['odei-history', 'values'],
      updatedAt: '2025-12-18T15:00:00.000Z',
      metadata: { status: 'open' },
    });
  });

  it('report each message that is not imported: of another role, or of a missing conversation', async () => {
    const { path } = database(`${MNEMOSYNE}
      INSERT INTO messages VALUES ('m-3', 'test-convo', 'tool', 'ls', ${T}, NULL, NULL, NULL);
      INSERT INTO messages VALUES ('m-4', 'gone', 'user', 'Still here?', ${T}, NULL, NULL, NULL);
      INSERT INTO messages VALUES ('m-5', 'gone', 'user', CAST(x'6100c3a9' AS TEXT), ${T}, NULL, NULL, NULL);`);
    const bench = await openImportBench();
    const { problems } = await bench.import(path);
    expect(problems).toMatchObject([
      { code: 'VALIDATION_ERROR', record: 'conversation test-convo, message m-3' },
    ]);
    expect(said(bench.bySource('gone'))).toEqual(['user: Still here?', 'user: a\0é']);
  });

  it('of insights-mcp are imported as insights, whose times may be in seconds', async () => {
    const { path } = database(`
      CREATE TABLE insights (id TEXT, content TEXT, context TEXT, metadata TEXT, created_at INTEGER, updated_at INTEGER);
      INSERT INTO insights VALUES ('${UUID}', 'Use JWT', '/home/ada/shed', '{"files":["a.ts"]}', 1706102400, 1706102401);
      INSERT INTO insights VALUES ('not-a-uuid', 'Other', 'global', NULL, ${T}, ${T});
      INSERT INTO insights VALUES ('x', 'Nowhere', 'relative/path', NULL, ${T}, ${T});`);
    const bench = await openImportBench();
    const report = await bench.import(path);
    expect(report).toMatchObject({ insights: 2, problems: [{ code: 'CORRUPT' }] });
    expect(await bench.insights.get(UUID)).toMatchObject({
      content: 'Use JWT',
      context: '/home/ada/shed',
      created_at: 1706102400000,
      metadata: { files: ['a.ts'] },
    });
    const before = bench.hash();
    expect((await bench.import(path)).insights).toBe(0);
    expect(bench.hash()).toBe(before);
  });

  it('of llm are imported as conversations', async () => {
    const { path } = database(`
      CREATE TABLE conversations (id TEXT, name TEXT, model TEXT);
      CREATE TABLE responses (id TEXT, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT);
      INSERT INTO conversations VALUES ('01hm', 'Shed', 'gpt-x');
      INSERT INTO responses VALUES ('r1', 'gpt-x', 'How?', 'Be brief', 'So.', '01hm', '2026-02-03T10:00:00');
      INSERT INTO responses VALUES ('r2', 'gpt-x', 'And?', 'Be brief', 'Thus.', '01hm', '2026-02-03T10:01:00');`);
    const bench = await openImportBench();
    await bench.import(path);
    expect(said(bench.bySource('01hm'))).toEqual([
      ...['system: Be brief', 'user: How?', 'assistant: So.', 'user: And?', 'assistant: Thus.'],
    ]);
  });

  it('of llm, which have no index, are not read completely for each conversation', async () => {
    const { path } = database(`
      CREATE TABLE conversations (id TEXT, name TEXT, model TEXT);
      CREATE TABLE responses (id TEXT, prompt TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT);
      INSERT INTO conversations VALUES ('c', '', '');
      INSERT INTO responses VALUES ('r', 'How?', 'So.', 'c', '2026-02-03T10:00:00');`);
    const prepare = vi.spyOn(sqlite.Database.prototype, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    const bench = await openImportBench();
    expect(await bench.import(path)).toMatchObject({ added: 1, messages: 2 });
    const statements = prepare.mock.calls.map(([sql]) => sql);
    const plan = new sqlite.Database(path);
    plan.exec('PRAGMA locking_mode = EXCLUSIVE');
    onTestFinished(() => plan.close());
    for (const sql of statements) if (sql.startsWith('CREATE INDEX')) plan.exec(sql);
    const query = statements.find((sql) => sql.includes('FROM responses')) ?? '';
    const [step] = plan.all(`EXPLAIN QUERY PLAN ${query}`, ['c']);
    expect(step).toMatchObject({ detail: expect.stringContaining('USING INDEX') });
  });

  it('that are damaged are reported, and nothing of them is imported', async () => {
    const bench = await openImportBench();
    const bytes = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)]);
    await expect(bench.importText(bytes, 'broken.db')).rejects.toThrow();
    expect(bench.folders()).toEqual([]);
  });
});

describe('memories and notes', () => {
  it('are imported from a memory bank with its snapshot and log', async () => {
    const bench = await openImportBench();
    const fact = (subject: string, object: string) => ({
      subject,
      predicate: 'knows',
      object,
      ts: T,
    });
    const folder = folderWith({
      'memory-bank/ideas/garden.md': '# Garden',
      'memory-bank/kg_snapshot.json': [fact('Ada', 'Charles'), { subject: 'x' }],
      'memory-bank/kg_wal.log': `${lines(fact('Ada', 'Mary'), fact('Ada', 'y'.repeat(201)))}{"subject":`,
    });
    const report = await bench.import(folder);
    expect(report).toMatchObject({ notes: 1, facts: 2 });
    expect(report.problems).toMatchObject([{ code: 'E_KG_INVALID_TRIPLE', record: 'line 2' }]);
    expect((await bench.memoryBank.read('ideas/garden.md')).content).toBe('# Garden\n');
    expect((await bench.import(folder)).facts).toBe(0);
  });

  it('are imported from the graph of a Daybook store without deleted facts, and with ends', async () => {
    const from = await openImportBench();
    const fact = (object: string) => ({ subject: 'Ada', predicate: 'knows', object });
    await from.kg.add(['Charles', 'Mary', 'Annabella'].map((name) => fact(name)));
    await from.kg.delete([fact('Charles')]);
    await from.kg.end([fact('Mary')]);
    const factsAfterImport = async () => {
      const to = await openImportBench();
      const report = await to.import(from.bank);
      const facts: (readonly [string, boolean])[] = [];
      for await (const { object, validTo } of to.kg.all()) {
        facts.push([object, validTo !== undefined]);
      }
      expect(report.problems).toEqual([]);
      expect((await to.import(from.bank)).facts).toBe(0);
      return facts.sort();
    };
    const expected = [
      ['Annabella', false],
      ['Mary', true],
    ];
    expect(await factsAfterImport()).toEqual(expected);
    await from.kg.save();
    expect(await factsAfterImport()).toEqual(expected);
    // Deleted in the log after it was added in the snapshot.
    await from.kg.delete([fact('Annabella')]);
    expect(await factsAfterImport()).toEqual([['Mary', true]]);
    appendFileSync(join(from.bank, 'kg_wal.log'), '\n{"s":"Ada","sum":"00000000"}\n');
    const damaged = await (await openImportBench()).import(from.bank);
    expect(damaged.problems).toMatchObject([{ code: 'CORRUPT', record: 'line 4' }]);
  });

  it('are imported from an Obsidian vault: notes, and their observations and relations as facts', async () => {
    const bench = await openImportBench();
    const folder = folderWith({
      '.obsidian/app.json': '{}',
      'projects/shed.md':
        '---\ntitle: Shed\npermalink: shed\n---\n- [decision] Use larch #wood\n- [x] done\n- rests on [[Foundation|the base]]\n',
    });
    const report = await bench.import(folder);
    expect(report).toMatchObject({ notes: 1, facts: 2, sources: [{ kind: 'vault' }] });
    const facts: string[] = [];
    for await (const { subject, predicate, object } of bench.kg.all()) {
      facts.push(`${subject} / ${predicate} / ${object}`);
    }
    expect(facts.sort()).toEqual([
      'Shed / decision / Use larch #wood',
      'Shed / rests on / Foundation',
    ]);
  });

  it('are imported from mem0 as insights', async () => {
    const bench = await openImportBench();
    const text = {
      results: [
        {
          id: UUID,
          memory: 'Likes larch',
          user_id: 'ada',
          created_at: '2025-01-01T00:00:00-08:00',
        },
      ],
    };
    expect(await bench.importText(text)).toMatchObject({
      insights: 1,
      sources: [{ kind: 'mem0' }],
    });
    expect(await bench.insights.get(UUID)).toMatchObject({
      content: 'Likes larch',
      context: 'global',
    });
  });
});

describe('insights that are imported again', () => {
  const SECRET = `sk-ant-api03-${'Ab3dE5fG7h'.repeat(9)}AA`;
  const row = (content: string, tags: string[], updated_at = T) => [
    { id: UUID, content, context: 'global', tags, created_at: T, updated_at },
  ];

  it('are unchanged, also if a secret was masked in them', async () => {
    const bench = await openImportBench();
    const made = row(`The key is ${SECRET}`, ['a']);
    await bench.importText(made);
    const before = bench.hash();
    expect(await bench.importText(made)).toMatchObject({ insights: 0, problems: [] });
    expect(bench.hash()).toBe(before);
  });

  it('are unchanged if a person wrote the secret into the stored insight', async () => {
    const bench = await openImportBench();
    const made = row(`The key is ${SECRET}`, ['a']);
    mkdirSync(join(bench.bank, 'insights'), { recursive: true });
    writeFileSync(join(bench.bank, `insights/${UUID}.json`), JSON.stringify(made[0]));
    expect(await bench.importText(made)).toMatchObject({ insights: 0, problems: [] });
  });

  it.each([
    ['text', row('Use oak', ['a'], T + 1)],
    ['tags', row('Use larch', ['a', 'b'], T + 1)],
  ])('are reported if the import has newer %s', async (_what, newer) => {
    const bench = await openImportBench();
    await bench.importText(row('Use larch', ['a']));
    const report = await bench.importText(newer);
    expect(report).toMatchObject({ insights: 0, problems: [{ code: 'ALREADY_EXISTS' }] });
    expect(report.problems[0]?.message).toContain('insight import --newer');
    expect(await bench.insights.get(UUID)).toMatchObject({ content: 'Use larch', tags: ['a'] });
  });

  it('are not newer only because their file is newer', async () => {
    const bench = await openImportBench();
    const file = fileWith({ results: [{ id: UUID, memory: 'Use larch', user_id: 'anna' }] });
    await bench.import(file);
    await bench.insights.update(UUID, { tags: ['wood'] });
    const later = new Date('2100-01-01');
    utimesSync(file, later, later);
    expect(await bench.import(file)).toMatchObject({ insights: 0, problems: [] });
  });

  it('are left out if they were deleted here, as long as they are in the trash', async () => {
    const bench = await openImportBench();
    const made = [...row('Use larch', ['a']), { content: 'Use oak', context: 'global' }];
    await bench.importText(made);
    for (const { insight } of await bench.insights.all()) await bench.insights.trash(insight.id);
    for (const dryRun of [true, false]) {
      const report = await bench.import(fileWith(made), { dryRun });
      expect(report).toMatchObject({ insights: 0, leftOut: { 'insights deleted here': 2 } });
    }
    for (const { name } of await bench.insights.trashed()) await bench.insights.purge(name);
    expect(await bench.importText(made)).toMatchObject({ insights: 2, leftOut: {} });
  });

  it('are not reported if only tags were changed here since', async () => {
    const bench = await openImportBench();
    await bench.importText(row('Use larch', ['a']));
    await bench.insights.update(UUID, { tags: ['b'] });
    expect((await bench.importText(row('Use larch', ['a']))).problems).toEqual([]);
  });
});

describe('other chat programs', () => {
  it('OpenWebUI: the tree of each chat is imported, with other answers as branches', async () => {
    const bench = await openImportBench();
    const messages = {
      a: { id: 'a', parentId: null, role: 'user', content: 'How?', timestamp: 1770112800 },
      b: {
        id: 'b',
        parentId: 'a',
        role: 'assistant',
        content: 'So.',
        timestamp: 1770112801,
        model: 'm',
      },
      c: { id: 'c', parentId: 'a', role: 'assistant', content: 'Thus.', timestamp: 1770112802 },
    };
    const chat = {
      id: UUID,
      title: 'Shed',
      created_at: 1770112800,
      chat: { history: { messages, currentId: 'b' } },
    };
    const report = await bench.importText([chat, { id: 'broken' }]);
    expect(report.sources).toMatchObject([{ kind: 'openwebui' }]);
    expect(counts(report)).toMatchObject({ added: 2, skipped: 1 });
    expect(said(bench.bySource(UUID))).toEqual(['user: How?', 'assistant: So.']);
    expect(said(bench.bySource(`${UUID}:c`))).toEqual(['assistant: Thus.']);
  });

  it('LibreChat: messages are in a list or inside each other', async () => {
    const bench = await openImportBench();
    const b = {
      messageId: 'b',
      parentMessageId: 'a',
      isCreatedByUser: false,
      text: '',
      content: [{ type: 'text', text: { value: 'So.' } }],
      createdAt: '2026-02-03T10:00:01Z',
    };
    const a = {
      messageId: 'a',
      parentMessageId: '0',
      isCreatedByUser: true,
      text: 'How?',
      createdAt: '2026-02-03T10:00:00Z',
    };
    const conversation = (id: string, messages: unknown[]) => ({
      conversationId: id,
      title: 'Shed',
      messages,
    });
    await bench.importText(conversation('list-1', [a, b]));
    await bench.importText(conversation('tree-1', [{ ...a, children: [b] }]));
    for (const id of ['list-1', 'tree-1']) {
      expect(said(bench.bySource(id))).toEqual(['user: How?', 'assistant: So.']);
    }
  });
});
