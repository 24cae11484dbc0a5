/** `daybook redact` removes a text from every file below the root, also inside archives, and from the cache. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allIndexCaches } from '../../src/app/cache-paths.js';
import { redactorOf } from '../../src/app/services/redactor.js';
import { sleep } from '../../src/base/clock.js';
import { withLock } from '../../src/files/locks/file-lock.js';
import { locksFolderIn } from '../../src/files/locks/lock-folders.js';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { readArchive, readArchiveBytes } from '../../src/files/tar-archive.js';
import { checkArchive } from '../../src/maintenance/check-archive.js';
import { Redaction } from '../../src/privacy/redact-bytes.js';
import type { Cost, SearchResult, Usage } from '../../src/providers/perplexity-answer.js';
import { toStoredExchange } from '../../src/research/stored-exchange.js';
import type { SourceMark } from '../../src/stores/conversations/document/import-mark.js';
import type { Conversation, Message } from '../../src/stores/conversations/document/schema.js';
import type { Insight } from '../../src/stores/insights/schema.js';
import { readJob, researchJobSchema } from '../../src/stores/research-jobs/research-job-schema.js';
import { conversationText, type DoctorPlace, doctorPlace, ID, signal } from '../doctor/place.js';
import { ask } from '../search/search-place.js';
import { tempFolder } from '../support/temp-folder.js';

const TEXT = 'Marienstraße "12" \\ Hof';

/** The files below the root and the cache that contain the text, as it is or as JSON writes it. */
function filesWith(place: DoctorPlace, text = TEXT): string[] {
  const spellings = [text, JSON.stringify(text).slice(1, -1)].map((each) => Buffer.from(each));
  return [place.root, place.config.cacheFolder].filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => {
        const bytes = readFileSync(path);
        const content = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
        return spellings.some((spelling) => content.includes(spelling));
      }),
  );
}

async function fill(place: DoctorPlace): Promise<void> {
  const lives = { subject: 'Ada', predicate: 'lives in', object: TEXT };
  await place.withApp(
    async ({ conversations, memoryBank, insights, kg, state, backups, search }) => {
      const { conversationId } = await conversations.create({
        title: `At ${TEXT}`,
        messages: [{ role: 'user', content: `I live at ${TEXT}.`, metadata: { where: [TEXT] } }],
      });
      const gone = await conversations.create({ messages: [{ role: 'user', content: TEXT }] });
      await conversations.trash(gone.conversationId);
      const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n} ${TEXT.split(' ')[0]}`);
      place.write(`conversation-logs/${ID}/conversation.json`, conversationText(contents));
      place.write(
        `conversation-logs/${ID}/conversation.broken-20260301T101500123Z.json`,
        `{"x": "${TEXT}`,
      );
      place.write(
        `conversation-logs/${conversationId}/summaries.json`,
        JSON.stringify({ formatVersion: 1, summaries: { brief: { text: `Lives at ${TEXT}` } } }),
      );
      await state.set({ values: { address: TEXT } });
      await memoryBank.add('people/ada.md', `# Ada\n\n${TEXT}\n`);
      await memoryBank.add('people/bob.md', `# Bob\n\n${TEXT}\n`);
      await memoryBank.delete('people/bob.md', undefined as never);
      const kept = await insights.save({ content: `moved to ${TEXT}`, context: 'global' });
      await insights.trash((await insights.save({ content: TEXT, context: 'global' })).id);
      expect(kept.id).toBeDefined();
      await kg.add([lives, { subject: 'Ada', predicate: 'knows', object: 'Charles' }]);
      await kg.save();
      await kg.delete([lives]);
      await kg.save();
      await kg.add([{ ...lives, predicate: 'works at' }]);
      place.write(
        'exports/all.jsonl',
        `${JSON.stringify({ content: TEXT })}\n{"escaped":"Marienstra\\u00dfe \\"12\\" \\\\ Hof"}\n`,
      );
      await backups.make();
      search.start();
      await ask({ search }, 'raven');
    },
  );
}

const redact = (place: DoctorPlace, text = TEXT) =>
  place.withApp(async ({ kg }) => {
    const redactor = redactorOf(place.config, plainSealer);
    const { files } = await redactor.find(text, signal);
    const paths = files.map(({ path }) => path);
    await redactor.redact(paths, text, '[redacted]', { signal });
    await kg.save();
    return redactor.find(text, signal);
  });

describe('redaction', () => {
  it('waits until a running change of the retention policy has ended', async () => {
    const place = doctorPlace();
    const { config } = place;
    const policy = { formatVersion: 1, rules: [{ olderThanDays: 90, module: TEXT }] };
    place.write('conversation-logs/retention.json', JSON.stringify(policy));
    const path = join(config.logsDir, 'retention.json');
    let redacting: Promise<void> | undefined;
    await withLock(locksFolderIn(config.logsDir), 'retention', async () => {
      const redactor = redactorOf(config, plainSealer);
      redacting = redactor.redact([path], TEXT, '[redacted]', { signal });
      await sleep(300);
      expect(readFileSync(path, 'utf8')).toContain('Marienstra');
    });
    await redacting;
    expect(readFileSync(path, 'utf8')).toContain('[redacted]');
  });

  it('removes the text from all files, and all files can be read afterwards', async () => {
    const place = doctorPlace();
    await fill(place);
    const before = filesWith(place);
    for (const part of [
      '.trash',
      'summaries.json',
      'state.json',
      'ada.md',
      'insights',
      'kg_',
      '.gz',
      'all.jsonl',
      'broken',
    ]) {
      expect(
        before.some((path) => path.includes(part)),
        part,
      ).toBe(true);
    }
    expect(await redact(place)).toEqual({ files: [], names: [], unread: [] });
    expect(filesWith(place)).toEqual([]);
    await place.withApp(
      async ({ conversations, kg, memoryBank, insights, state, doctor, backups }) => {
        const heads = await conversations.list();
        const own = heads.find(({ title }) => title?.includes('[redacted]'));
        const { messages } = await conversations.load(own?.conversationId ?? '');
        expect(messages[0]).toMatchObject({
          content: 'I live at [redacted].',
          metadata: { where: ['[redacted]'] },
        });
        expect((await memoryBank.read('people/ada.md')).content).toContain('[redacted]');
        expect((await insights.all())[0]?.insight.content).toBe('moved to [redacted]');
        expect((await state.get()).values).toEqual({ address: '[redacted]' });
        const { triples } = await kg.query(
          { subject: 'Ada' } as never,
          { limit: 9, offset: 0 } as never,
        );
        expect(triples.map(({ predicate, object }) => `${predicate} ${object}`).sort()).toEqual([
          'knows Charles',
          'works at [redacted]',
        ]);
        const { steps } = await doctor.examine({ signal });
        const found = steps
          .flatMap(({ findings }) => findings)
          .filter(({ severity }) => severity !== 'note');
        expect(found.filter(({ path }) => !path.includes('job.json'))).toEqual([]);
        expect((await backups.list()).length).toBe(1);
      },
    );
  });

  it('removes an old cache of an index even if the setting of the cache is off', async () => {
    const place = doctorPlace();
    const { search: cache } = allIndexCaches(place.config);
    mkdirSync(dirname(cache), { recursive: true });
    writeFileSync(cache, TEXT);
    const redactor = redactorOf({ ...place.config, indexCache: false }, plainSealer);
    await redactor.redact([], TEXT, '[redacted]', { signal });
    expect(filesWith(place)).toEqual([]);
  });

  it('lists the files whose names contain the text, because it does not rename files', async () => {
    const place = doctorPlace();
    place.write('memory-bank/Marienstrasse.md', 'x\n');
    const { names, files } = await redactorOf(place.config, plainSealer).find(
      'Marienstrasse',
      signal,
    );
    expect(names).toEqual([join(place.root, 'memory-bank/Marienstrasse.md')]);
    expect(files).toEqual([]);
  });

  it('replaces the text in a file that is neither JSON nor UTF-8, and keeps the other bytes', () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('secret'),
      Buffer.from([0x80]),
    ]);
    const redaction = new Redaction('secret', 'x');
    expect(redaction.countIn(bytes)).toBe(1);
    expect([...redaction.apply(bytes)]).toEqual([0xff, 0xfe, 0x78, 0x80]);
  });

  it('keeps the spaces of a file that was edited by hand', () => {
    const text = '{ "messages":[ {"role":"user","content":"secret"} ]   }';
    expect(new Redaction('secret', 'x').apply(Buffer.from(text)).toString()).toBe(
      text.replace('secret', 'x'),
    );
  });

  it('changes only values in a file that an editor saved with a byte-order mark', () => {
    const text = '\ufeff{"messages":[{"role":"user","content":"a user"}]}';
    expect(new Redaction('user', 'x').apply(Buffer.from(text)).toString()).toBe(
      text.replace('a user', 'a x'),
    );
  });

  it.each([
    'content',
    'user',
    'role',
    'sum',
    'source',
    '2025',
    '1737',
    'global',
    'kind',
    'op"',
  ])('damages no file if the text is also in names of fields, times and ids: %s', async (text) => {
    const place = doctorPlace();
    const facts = [
      { subject: 'Ada', predicate: 'says', object: text, ts: 1_737_730_800_123 },
      { subject: 'Ada', predicate: 'knows', object: 'Charles', ts: 1_737_730_800_123 },
    ];
    const source = { kind: 'kind', id: 'x', first: 'm0', head: '1737a2025b3c4d5e' };
    const mergedFrom = [{ conversationId: ID, source }];
    const metadata = { source, mergedFrom, pin: 2025, note: text };
    const more = { metadata, tags: [text], clientId: 'c.1737' };
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText([text, 'b'], more));
    await place.withApp(async ({ conversations, insights, kg, state, backups }) => {
      await kg.add(facts);
      await kg.save();
      await kg.add([{ subject: 'Bob', predicate: 'knows', object: 'Ada', ts: 1_737_730_800_123 }]);
      await insights.save({ content: `an insight of ${text}`, context: 'global' });
      await state.set({ values: { key: text }, activeConversation: 'c.1737' });
      await conversations.load(ID);
      await backups.make();
    });
    expect(await redact(place, text)).toMatchObject({ files: [], unread: [] });
    await place.withApp(async ({ conversations, insights, kg, state, doctor }) => {
      const { messages, ...head } = await conversations.load(ID);
      expect(messages).toMatchObject([
        { id: 'm0', role: 'user', content: '[redacted]', createdAt: '2025-01-24T15:00:00.123Z' },
        { id: 'm1', role: 'assistant', content: 'b' },
      ]);
      expect(head).toMatchObject({
        metadata: { source, mergedFrom, note: '[redacted]' },
        tags: ['[redacted]'],
      });
      expect((await insights.all())[0]?.insight).toMatchObject({
        content: 'an insight of [redacted]',
        context: 'global',
      });
      expect((await state.get()).values).toEqual({ key: '[redacted]' });
      const found = await kg.query({}, { offset: 0, limit: 9 });
      expect(found.triples.map(({ subject, object, ts }) => [subject, object, ts])).toEqual([
        ['Ada', '[redacted]', 1_737_730_800_123],
        ['Ada', 'Charles', 1_737_730_800_123],
        ['Bob', 'Ada', 1_737_730_800_123],
      ]);
      const { steps } = await doctor.examine({ signal });
      const problems = steps.flatMap(({ findings }) => findings);
      expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    });
  });

  it('replaces a number below an empty key, as below other keys of the user', async () => {
    const place = doctorPlace();
    const metadata = { '': { source: { pin: 4711 } }, a: { source: { pin: 4711 } } };
    const path = `conversation-logs/${ID}/conversation.json`;
    place.write(path, conversationText(['a', 'b'], { metadata }));
    expect(await redact(place, '4711')).toMatchObject({ files: [], unread: [] });
    const { metadata: now } = JSON.parse(readFileSync(join(place.root, path), 'utf8'));
    expect(now).toEqual({
      '': { source: { pin: '[redacted]' } },
      a: { source: { pin: '[redacted]' } },
    });
  });

  it('replaces the text in fields whose names every object of JavaScript has', () => {
    const document = JSON.stringify({
      constructor: ['Marie'],
      toString: 'Marie',
      hasOwnProperty: 'Marie',
    });
    const redacted = new Redaction('Marie', '[redacted]').apply(Buffer.from(document));
    expect(redacted.toString()).toBe(document.replaceAll('Marie', '[redacted]'));
  });

  it.each([
    '"updatedAt": {"toString": null}',
    `"upd\\u0061tedAt": "x", "deep": ${'['.repeat(9_000)}${']'.repeat(9_000)}`,
  ])('replaces a text in a conversation with odd fields (%#)', async (fields) => {
    const place = doctorPlace();
    const path = place.write(
      `conversation-logs/${ID}/conversation.json`,
      `{${fields}, "messages": [{"role": "user", "content": "at 4711"}]}`,
    );
    place.write('memory-bank/last.md', 'also 4711');
    expect(await redact(place, '4711')).toMatchObject({ files: [], unread: [] });
    expect(readFileSync(path, 'utf8')).toContain('"at [redacted]"');
    expect(filesWith(place, '4711')).toEqual([]);
  });

  /** TypeScript requires that these objects have all fields of their types. */
  const conversation: Record<keyof Conversation, true> = {
    conversationId: true,
    createdAt: true,
    updatedAt: true,
    messageCount: true,
    title: true,
    titleFrom: true,
    module: true,
    clientId: true,
    pinned: true,
    tags: true,
    metadata: true,
    branchOf: true,
    messages: true,
  };
  const message: Record<keyof Message, true> = {
    id: true,
    role: true,
    content: true,
    createdAt: true,
    parentMessageId: true,
    metadata: true,
  };
  const insight: Record<keyof Insight, true> = {
    id: true,
    content: true,
    context: true,
    tags: true,
    metadata: true,
    created_at: true,
    updated_at: true,
    expires_at: true,
  };
  const mark: Record<keyof SourceMark, true> = {
    kind: true,
    id: true,
    count: true,
    hash: true,
    said: true,
    head: true,
    updatedAt: true,
    times: true,
    isRemnant: true,
    first: true,
    replaced: true,
    kept: true,
    deleted: true,
  };
  const usage: Record<keyof Usage, true> = {
    inputTokens: true,
    outputTokens: true,
    totalTokens: true,
    reasoningTokens: true,
    cachedInputTokens: true,
    citationTokens: true,
    searchQueries: true,
    raw: true,
  };
  const cost: Record<keyof Cost, true> = { currency: true, total: true };
  const source: Record<keyof SearchResult, true> = {
    id: true,
    url: true,
    title: true,
    snippet: true,
    date: true,
    lastUpdated: true,
    alsoMarked: true,
  };
  const answer = toStoredExchange(
    'q',
    {
      ...{ responseId: 'r', model: 'm', text: 'a', searchResults: [], relatedQuestions: ['q'] },
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, raw: {} },
      cost: { currency: 'USD', total: 1 },
      incomplete: 'length',
    },
    { kind: 'search', backend: 'agent', notes: ['n'] },
  )[1].metadata as object;
  it('keeps the cost of an answer, although its fields are in the metadata', () => {
    const document = JSON.stringify({
      metadata: { cost: { currency: 'USD', total: 3 }, n: 'cost' },
    });
    const redacted = (text: string) =>
      JSON.parse(new Redaction(text, '[redacted]').apply(Buffer.from(document)).toString());
    expect(redacted('cost').metadata).toEqual({
      cost: { currency: 'USD', total: 3 },
      n: '[redacted]',
    });
    expect(redacted('3')).toEqual(JSON.parse(document));
  });

  it('gives names of the user different names, so that no value is lost', () => {
    const values = { Ann: 1, 'Ann and Bob': 2, Bob: 3, '[redacted]': 4, Cid: { Ann: 5 } };
    let document: Buffer = Buffer.from(JSON.stringify({ values }));
    for (const name of ['Ann', 'Bob']) document = new Redaction(name, '[redacted]').apply(document);
    const found = JSON.parse(document.toString()).values;
    expect(Object.values(found)).toEqual([1, 2, 3, 4, { '[redacted]': 5 }]);
    expect(document.toString()).not.toMatch(/Ann|Bob/);
  });

  it.each([
    ['the answer of a research', answer],
    ['a usage', usage],
    ['a cost', cost],
    ['a source of an answer', source],
    ['a conversation', conversation],
    ['a message', message],
    ['an insight', insight],
    ['the mark of an import', mark],
    ['a research', researchJobSchema.shape],
  ])('changes no name of a field of %s', (_what, names) => {
    const document = JSON.stringify(
      Object.fromEntries(Object.keys(names).map((name) => [name, 1])),
    );
    for (const name of Object.keys(names)) {
      expect(new Redaction(name, '[redacted]').apply(Buffer.from(document)).toString()).toBe(
        document,
      );
    }
  });

  it.each([
    'agent',
    'running',
    'started',
    'Status',
    'agent-1',
    'raven',
  ])('of the text %s keeps the file of a research run readable', (text) => {
    const job = {
      formatVersion: 1,
      state: 'running',
      query: `a raven and ${text}`,
      backend: 'agent',
      startedAt: '2026-01-02T10:00:00.000Z',
      updatedAt: '2026-01-02T10:00:00.000Z',
      runId: 'agent-1',
      lastStatus: 'in_progress',
      relatedQuestions: true,
      notes: [text],
      showThinking: false,
      startsConversation: true,
    };
    const bytes = new Redaction(text, '[redacted]').apply(Buffer.from(JSON.stringify(job)));
    expect(readJob(JSON.parse(bytes.toString()), 'job.json')).toMatchObject({
      backend: 'agent',
      state: 'running',
      startedAt: job.startedAt,
      runId: 'agent-1',
      query: expect.stringContaining('[redacted]'),
      notes: ['[redacted]'],
    });
  });

  it('does not change encryption.json, without which the store could not be read', async () => {
    const place = doctorPlace();
    const text = '{"format":"daybook-encryption","key":{"scrypt":{"salt":"c2FsdA=="}}}';
    const path = place.write('conversation-logs/encryption.json', text);
    const redactor = redactorOf(place.config, plainSealer);
    expect((await redactor.find('c2Fsd', signal)).files).toEqual([]);
    await redactor.redact([path], 'c2Fsd', '[redacted]', { signal });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is not undone by a running server that has the text in memory', async () => {
    const place = doctorPlace();
    await fill(place);
    await place.withApp(async ({ conversations, search }) => {
      search.start();
      for (const { conversationId } of await conversations.list())
        await conversations.load(conversationId);
      expect(await redact(place)).toEqual({ files: [], names: [], unread: [] });
      for (const { conversationId } of await conversations.list()) {
        await conversations.load(conversationId);
        await conversations.append(conversationId, [{ role: 'user', content: 'more' }]);
        expect((await conversations.history.list(conversationId)).versions).toEqual([]);
      }
    });
    expect(filesWith(place)).toEqual([]);
  });

  it('replaces the text in archives of old conversations, also in archives inside a backup', async () => {
    const place = doctorPlace();
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText([`at ${TEXT}`]));
    await place.withApp(async ({ archives, backups }) => {
      await archives.archive(await archives.choose({ olderThanDays: 1 }));
      await backups.make();
    });
    const everywhere = async () => {
      const found: string[] = [];
      const names = readdirSync(join(place.root, 'backups')).filter((name) => name.endsWith('.gz'));
      for await (const { name, bytes } of readArchive(
        join(place.root, 'backups', names[0] ?? ''),
      )) {
        if (!/^archive\/.*gz$/.test(name)) continue;
        for await (const inner of readArchiveBytes(bytes, name))
          found.push(Buffer.from(inner.bytes).toString());
      }
      return found.join('\n');
    };
    expect(await everywhere()).toContain(JSON.stringify(`at ${TEXT}`));
    const { files } = await redactorOf(place.config, plainSealer).find(TEXT, signal);
    expect(files.map(({ path, count }) => [path.includes('/backups/'), count])).toEqual([
      [false, 1],
      [true, 1],
    ]);
    expect(await redact(place)).toEqual({ files: [], names: [], unread: [] });
    expect(await everywhere()).toContain('at [redacted]');
    await place.withApp(async ({ backups }) => {
      const [backup] = await backups.list();
      expect(
        await checkArchive(join(place.root, 'backups', backup?.name ?? ''), signal),
      ).toBeDefined();
    });
  });

  it('changes no foreign file in the folder of a graph outside the root', async () => {
    const folder = tempFolder();
    const [snapshot, wal] = [join(folder, 'kg_snapshot.json'), join(folder, 'kg_wal.log')];
    const place = doctorPlace({ MCP_KG_SNAPSHOT: snapshot, MCP_KG_WAL: wal });
    const foreign = join(folder, 'foreign', 'program.txt');
    mkdirSync(dirname(foreign));
    for (const path of [foreign, join(folder, 'other.json')]) writeFileSync(path, TEXT);
    await place.withApp(async ({ kg }) => {
      await kg.add([{ subject: 'Ada', predicate: 'lives in', object: TEXT }]);
      await kg.save();
      await kg.add([{ subject: 'Bob', predicate: 'lives in', object: TEXT }]);
    });
    expect(await redact(place)).toEqual({ files: [], names: [], unread: [] });
    for (const path of [snapshot, wal]) expect(readFileSync(path, 'utf8')).not.toContain('Hof');
    for (const path of [foreign, join(folder, 'other.json')])
      expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });

  it('finds the text in JSON inside a JSON string, and next to bytes that are not UTF-8', () => {
    const line = JSON.stringify({ s: TEXT });
    const rejects = Buffer.from(`${JSON.stringify({ file: 'x', line: 1, text: line })}\n`);
    const cut = Buffer.concat([Buffer.from(line), Buffer.from([0xff]), Buffer.from(TEXT)]);
    for (const [bytes, count] of [
      [rejects, 1],
      [cut, 2],
    ] as const) {
      const redaction = new Redaction(TEXT, 'x');
      expect(redaction.countIn(bytes)).toBe(count);
      const left = redaction.apply(bytes);
      expect(left.includes('Hof')).toBe(false);
      expect(redaction.countIn(left)).toBe(0);
    }
  });
});
