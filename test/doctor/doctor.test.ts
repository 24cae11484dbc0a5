/** Each finding of the doctor on a real store, and the store after a repair. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexCachePath, vectorsFolder } from '../../src/app/cache-paths.js';
import { AppError } from '../../src/base/errors.js';
import type { CheckContext } from '../../src/doctor/check.js';
import { statusOf } from '../../src/doctor/doctor.js';
import { passageKey } from '../../src/embeddings/passage-rows.js';
import {
  checkVectors,
  modelFolder,
  VectorFiles,
  vectorsLease,
} from '../../src/embeddings/vectors/vector-files.js';
import type { Row } from '../../src/embeddings/vectors/vector-table.js';
import { runCommand, withPlace } from '../e2e/harness.js';
import { run } from '../encryption/store.js';
import { ask } from '../search/search-place.js';
import { callsDuring } from '../support/fs-tap.js';
import { conversationText, type DoctorPlace, doctorPlace, ID, signal } from './place.js';

const FILE = `conversation-logs/${ID}/conversation.json`;
const INSIGHT = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
/** The name of a process of another machine. This machine cannot know whether that process lives. */
const STRANGER = 'deadbeef-4026531836-812-55512-a1b2c31';

const of = async (place: DoctorPlace, check: string) =>
  (await place.findings()).filter((finding) => finding.check === check);
const contentsOf = (place: DoctorPlace, id = ID) =>
  place.withApp(async ({ conversations }) =>
    (await conversations.load(id)).messages.map(({ content }) => content),
  );

describe('copies that a sync program made', () => {
  it('are found beside conversations, the state and the graph, without other findings', async () => {
    const place = doctorPlace();
    await place.withApp(async ({ conversations, kg, state }) => {
      await conversations.create({ messages: [{ role: 'user', content: 'hello' }] });
      await state.set({ contextWindow: 5 });
      await kg.add([{ subject: 'a', predicate: 'b', object: 'c' }]);
      await kg.save();
      await kg.save();
    });
    expect(await of(place, 'conflict copies')).toEqual([]);
    const logs = join(place.root, 'conversation-logs');
    const [id = ''] = readdirSync(logs).filter((name) => /^\d/.test(name));
    const copies = [
      join(logs, id, 'conversation (conflicted copy).json'),
      join(logs, 'state.sync-conflict-20261126-101010-ABC.json'),
      join(place.root, 'memory-bank', 'kg_wal.sync-conflict-20261126-101010-ABC.log'),
      join(place.root, 'memory-bank', 'kg_snapshot 2.json'),
    ];
    for (const path of copies) writeFileSync(path, '{}');
    writeFileSync(join(logs, id, 'conversation.broken-20261126T101010123Z.json'), '{}');
    const found = await of(place, 'conflict copies');
    expect(found.map(({ path }) => path).sort()).toEqual(copies.sort());
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  it.each([
    ['\n', 'after a line feed'],
    ['', 'as `cat copy >> log` appends it'],
  ])('of a snapshot or a log of the graph can be appended to the log: %j, %s', async (feed) => {
    const place = doctorPlace();
    const other = doctorPlace();
    const fact = (object: string) => ({ subject: 'Ada', predicate: 'knows', object });
    await other.withApp(async ({ kg }) => {
      await kg.add([fact('Charles')]);
      await kg.save();
      await kg.add([fact('Mary')]);
    });
    await place.withApp(async ({ kg }) => void (await kg.add([fact('Annabella')])));
    const log = join(place.root, 'memory-bank/kg_wal.log');
    for (const name of ['kg_snapshot.json', 'kg_wal.log']) {
      appendFileSync(log, `${feed}${readFileSync(join(other.root, 'memory-bank', name), 'utf8')}`);
    }
    const objects = await place.withApp(async ({ kg }) =>
      (await kg.query({}, { limit: 10, offset: 0 })).triples.map(({ object }) => object),
    );
    expect(objects.sort()).toEqual(['Annabella', 'Charles', 'Mary']);
    expect(await of(place, 'knowledge graph')).toEqual([]);
  });
});

describe('a healthy store', () => {
  it('has a step with a count and a time for each check, and only a missing backup is found', async () => {
    const place = doctorPlace();
    await place.withApp(async ({ conversations, memoryBank, insights, kg, state }) => {
      const { conversationId } = await conversations.create({
        messages: [{ role: 'user', content: 'hello' }],
      });
      await state.set({ activeConversation: conversationId });
      await memoryBank.add('ideas.md', '# Ideas\n');
      await insights.save({ content: 'an insight', context: 'global' });
      await kg.add([{ subject: 'a', predicate: 'b', object: 'c' }]);
    });
    const { steps } = await place.examine();
    expect(statusOf(steps)).toBe(0);
    const found = steps.flatMap(({ findings }) => findings);
    expect(found.map(({ message }) => message)).toEqual(['There is no backup.']);
    const counts = Object.fromEntries(steps.map(({ check, checked }) => [check, checked]));
    expect(counts).toMatchObject({ conversations: 1, notes: 1, insights: 1, 'knowledge graph': 1 });
    for (const { durationMs } of steps) expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  it('has a finding for a missing backup if it contains only notes, and none if it is empty', async () => {
    const place = doctorPlace();
    expect(await place.findings()).toEqual([]);
    place.write('memory-bank/a.md', 'a note');
    expect(await place.findings()).toMatchObject([{ message: 'There is no backup.' }]);
  });
});

describe('the check of conversations', () => {
  it('finds folders and files of conversations that are links', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const elsewhere = join(place.root, 'elsewhere');
    renameSync(join(place.logs, ID), elsewhere);
    symlinkSync(elsewhere, join(place.logs, ID));
    const [folder] = await of(place, 'conversations');
    expect(folder).toMatchObject({ severity: 'error', message: expect.stringContaining('link') });
    rmSync(join(place.logs, ID));
    mkdirSync(join(place.logs, ID));
    symlinkSync(join(elsewhere, 'conversation.json'), join(place.logs, ID, 'conversation.json'));
    const [file] = await of(place, 'conversations');
    expect(file).toMatchObject({ severity: 'error', message: expect.stringContaining('link') });
  });

  it('finds a conversation in a wrong folder, and its hint moves it to a right one', async () => {
    const place = doctorPlace();
    for (const parent of ['2025', '20250101-1735700000000']) {
      const path = join(place.logs, parent, ID);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeFileSync(join(path, 'conversation.json'), conversationText([parent]));
      const [finding] = (await of(place, 'conversations')).filter(({ path: at }) => at === path);
      expect(finding?.hint).toContain(`into ${place.logs}`);
      renameSync(path, join(place.logs, ID));
      expect(await contentsOf(place)).toEqual([parent]);
      rmSync(join(place.logs, ID), { recursive: true });
    }
  });

  it('repairs a truncated file with all its complete messages, and keeps the broken file', async () => {
    const place = doctorPlace();
    const whole = conversationText(['first', 'second {"}', 'third'], {
      title: 'Kept',
      tags: ['t'],
    });
    const cut = whole.slice(0, whole.indexOf('third') + 3);
    place.write(FILE, cut);
    const [finding] = await of(place, 'conversations');
    expect(finding).toMatchObject({ severity: 'error', repairable: true });
    expect(finding?.hint).toContain('complete messages (2)');
    expect((await place.repair()).join()).toContain('Messages written: 2');
    expect(await of(place, 'conversations')).toEqual([]);
    expect(await contentsOf(place)).toEqual(['first', 'second {"}']);
    const files = readdirSync(join(place.logs, ID)).sort();
    expect(files[0]).toMatch(/^conversation\.broken-\d{8}T\d{9}Z\.json$/);
    expect(readFileSync(join(place.logs, ID, files[0] ?? ''), 'utf8')).toBe(cut);
    const head = await place.withApp(({ conversations }) => conversations.load(ID));
    expect(head).toMatchObject({ title: 'Kept', tags: ['t'], messageCount: 2 });
  });

  it.each([
    ['latin1', 1, 'with \uFFFD in place of what is not UTF-8'],
    ['utf16le', 0, 'save it as UTF-8'],
  ] as const)('says what a repair cannot keep of a file in the encoding %s', async (encoding, count, hint) => {
    const place = doctorPlace();
    place.write(FILE, Buffer.from(conversationText(['Müller']), encoding));
    const [finding] = await of(place, 'conversations');
    expect(finding).toMatchObject({ severity: 'error', repairable: count > 0 });
    expect(finding?.hint).toContain(hint);
  });

  it('keeps a broken file with permissions for its owner only', async () => {
    const place = doctorPlace();
    chmodSync(place.write(FILE, conversationText(['one']).slice(0, -4)), 0o644);
    await place.repair();
    expect(await of(place, 'permissions')).toEqual([]);
    const folder = join(place.logs, ID);
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);
  });

  it('repairs a file with the messages before and after its damage', async () => {
    const place = doctorPlace();
    const text = conversationText(['one', 'two', 'three']);
    const at = text.indexOf('"two"');
    place.write(FILE, `${text.slice(0, at)}\u0000\u0001"{[}${text.slice(at + 4)}`);
    await place.repair();
    expect(await contentsOf(place)).toEqual(['one', 'three']);
  });

  it('repairs a field whose name has no quotes, without making a field of another name', async () => {
    const place = doctorPlace();
    const text = conversationText(['one', 'two'], { title: 'T' });
    place.write(FILE, text.replace('"messages"', 'messages'));
    await place.repair();
    expect(await contentsOf(place)).toEqual(['one', 'two']);
    const stored = JSON.parse(readFileSync(join(place.root, FILE), 'utf8'));
    expect(Object.keys(stored)).not.toContain('T');
  });

  it('repairs a file with wrong types by keeping the messages and fields of a correct type', async () => {
    const place = doctorPlace();
    const value = JSON.parse(conversationText(['one', 'two'], { tags: 'none', title: 'T' }));
    value.messages[1].metadata = 7;
    value.messages.push({ role: 'robot', content: 'x' }, 'text', null);
    place.write(FILE, JSON.stringify(value));
    await place.repair();
    expect(await contentsOf(place)).toEqual(['one', 'two']);
    const head = await place.withApp(({ conversations }) => conversations.load(ID));
    expect(head.title).toBe('T');
    expect(head.tags).toBeUndefined();
  });

  it('does not change a file without readable messages or a file of a newer version', async () => {
    const place = doctorPlace();
    const other = ID.replace('123', '124');
    place.write(FILE, 'nothing here');
    const newer = conversationText(['x'], { formatVersion: 9 });
    place.write(`conversation-logs/${other}/conversation.json`, newer);
    const broken = ID.replace('123', '125');
    const cut = newer.slice(0, newer.lastIndexOf(']'));
    place.write(`conversation-logs/${broken}/conversation.json`, cut);
    const found = await of(place, 'conversations');
    expect(found.map(({ repairable }) => repairable)).toEqual([false, false, false]);
    await place.repair();
    expect(readFileSync(join(place.root, FILE), 'utf8')).toBe('nothing here');
    expect(readFileSync(join(place.logs, other, 'conversation.json'), 'utf8')).toBe(newer);
    expect(readFileSync(join(place.logs, broken, 'conversation.json'), 'utf8')).toBe(cut);
  });

  it('finds wrong counts, repeated ids, the id of another folder and missing parents', async () => {
    const place = doctorPlace();
    const value = JSON.parse(conversationText(['one', 'two'], { messageCount: 7 }));
    value.messages[1].id = 'm0';
    value.conversationId = '20250124-1706102400999';
    place.write(FILE, JSON.stringify(value));
    const messages = (await of(place, 'conversations')).map(({ message }) => message).join('\n');
    expect(messages).toContain('messageCount is 7, but it has 2 messages');
    expect(messages).toContain('1 message has the same id as another');
    expect(messages).toContain('20250124-1706102400999');
    await place.repair();
    expect(await of(place, 'conversations')).toEqual([]);
    expect(await contentsOf(place)).toEqual(['one', 'two']);

    const orphan = JSON.parse(conversationText(['one']));
    orphan.messages[0].parentMessageId = 'gone';
    place.write(FILE, JSON.stringify(orphan));
    const [finding] = await of(place, 'conversations');
    expect(finding).toMatchObject({ severity: 'warning', repairable: false });
    const { hint } = finding ?? {};

    place.write(FILE, JSON.stringify({ ...orphan, messageCount: 7 }));
    const both = await of(place, 'conversations');
    expect(both.map(({ repairable }) => repairable)).toEqual([true, false]);
    expect(both[1]).toEqual(finding);
    expect(both[0]?.hint).not.toBe(hint);
    await place.repair();
    expect(await of(place, 'conversations')).toEqual([finding]);

    place.write(FILE, JSON.stringify({ ...value, conversationId: ID, messageCount: 'many' }));
    const [odd] = await of(place, 'conversations');
    expect(odd?.message).toContain('messageCount is "many"');
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    place.write(
      FILE,
      conversationText(['one']).replace('"messageCount": 1', `"messageCount": ${deep}`),
    );
    const [list] = await of(place, 'conversations');
    expect(list?.message).toContain('messageCount is no number');
    await place.repair();
    expect(await of(place, 'conversations')).toEqual([]);
  });

  it('finds two lists of messages in one file, and a repair removes neither of them', async () => {
    const place = doctorPlace();
    const [one, two] = [['one'], ['two', 'three']].map((contents) =>
      JSON.stringify(JSON.parse(conversationText(contents)).messages),
    );
    const text = `{"messageCount": 7, "messages": ${one}, "messages": ${two}}`;
    const path = place.write(FILE, text);
    const found = await of(place, 'conversations');
    expect(found.map(({ message }) => message).join('\n')).toContain(
      'It has the field messages more than once: only the last list is read',
    );
    expect(found.map(({ repairable }) => repairable)).toEqual([false, false]);
    await place.repair();
    expect(readFileSync(path, 'utf8')).toBe(text);

    // The field name inside a text or inside metadata is no second list.
    const value = JSON.parse(conversationText(['the field "messages": [] twice']));
    place.write(FILE, JSON.stringify({ ...value, metadata: { messages: [{ messages: 1 }] } }));
    expect(await of(place, 'conversations')).toEqual([]);
  });

  it('finds an earlier version that cannot be read, which daybook history still lists', async () => {
    const place = doctorPlace();
    const name = `conversation-logs/${ID}/versions/0001.20260301T101500123Z.hand.json`;
    place.write(FILE, conversationText(['hello']));
    place.write(name, conversationText(['hello']));
    expect(await of(place, 'conversations')).toEqual([]);
    const path = place.write(name, '{bad');
    expect(await of(place, 'conversations')).toMatchObject([
      { path, severity: 'error', repairable: false },
    ]);
    const versions = dirname(path);
    rmSync(versions, { recursive: true });
    symlinkSync(place.folder, versions);
    expect(await of(place, 'conversations')).toMatchObject([{ path: versions }]);
  });

  it('removes the copies of attachments of a branch that was never written, and nothing else', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    place.write(`conversation-logs/${ID}/attachments/a/cat.png`, 'cat');
    const abandoned = (last: number, ...contents: string[]) => {
      const name = `20250124-170610240012${last}`;
      const folder = join(place.logs, name);
      mkdirSync(join(folder, 'attachments'), { recursive: true, mode: 0o700 });
      for (const [index, content] of contents.entries()) {
        const file = index === 0 ? 'a/cat.png' : 'b.png';
        place.write(`conversation-logs/${name}/attachments/${file}`, content);
      }
      for (const each of [join(folder, 'attachments'), folder]) utimesSync(each, 1.7e9, 1.7e9);
      return folder;
    };
    const [copies, empty] = [abandoned(4, 'cat'), abandoned(5)];
    const others = [abandoned(6, 'dog'), abandoned(7, 'cat', 'more'), abandoned(8, 'cat')];
    utimesSync(others[2] ?? '', new Date(), new Date());
    const withFile = place.write('conversation-logs/20250124-1706102400129/attachments', 'a file');
    for (const each of [withFile, dirname(withFile)]) utimesSync(each, 1.7e9, 1.7e9);
    const inside = join(abandoned(1), 'versions', 'inside');
    mkdirSync(inside, { recursive: true });
    utimesSync(dirname(dirname(inside)), 1.7e9, 1.7e9);
    const found = (await of(place, 'conversations')).map(({ message }) => message);
    expect(
      found.filter((each) => each.includes(`only copies of attachments of ${ID}`)),
    ).toHaveLength(1);
    expect(found.filter((each) => each.includes('contains no file'))).toHaveLength(2);
    expect(found.filter((each) => each.includes('has other files'))).toHaveLength(3);
    await place.repair();
    const removed = [copies, empty, dirname(dirname(inside))];
    expect([...removed, ...others, withFile].filter(existsSync)).toEqual([...others, withFile]);
    expect(existsSync(join(place.logs, ID, 'attachments/a/cat.png'))).toBe(true);
  });

  it('finds keys of two conversations, ignored folders and empty folders', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x'], { clientId: 'plan' }));
    const twin = '20250124-1706102400124';
    place.write(
      `conversation-logs/${twin}/conversation.json`,
      conversationText(['y'], { clientId: 'plan', conversationId: twin }),
    );
    place.write('conversation-logs/my copy/conversation.json', conversationText(['z']));
    const empty = join(place.logs, '20250124-1706102400125');
    mkdirSync(empty, { mode: 0o700 });
    utimesSync(empty, 1_700_000_000, 1_700_000_000);
    const ofFuture = join(place.logs, '20250124-1706102400126');
    place.write('conversation-logs/20250124-1706102400126/summaries.json', '{}');
    utimesSync(ofFuture, 32_000_000_000, 32_000_000_000);
    const messages = (await of(place, 'conversations')).map(({ message }) => message).join('\n');
    expect(messages).toContain('The folder has other files, but no conversation.json');
    expect(messages).toContain('More than one conversation has the key plan');
    expect(messages).toContain('ignores the folder "my copy"');
    expect(messages).toContain('The folder is empty');
    await place.repair();
    expect(existsSync(empty)).toBe(false);
    expect(existsSync(join(place.logs, 'my copy', 'conversation.json'))).toBe(true);
  });
});

describe('the check of the state and summaries', () => {
  it('repairs both files, and reports a broken file of a research run', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const state = place.write('conversation-logs/state.json', '{"values": {"a": 1}, "contextWin');
    place.write(`conversation-logs/${ID}/summaries.json`, '{"formatVersion": 1, "summaries": {');
    const job = place.write(`conversation-logs/${ID}/job.json`, '{"state": "flying"}');
    const found = await of(place, 'state and summaries');
    expect(found.map(({ severity }) => severity)).toEqual(['error', 'error', 'error']);
    await place.repair();
    expect(await place.withApp(({ state: store }) => store.get())).toMatchObject({
      values: { a: 1 },
    });
    expect(readFileSync(state, 'utf8')).not.toContain('contextWin');
    expect(readdirSync(place.logs).some((name) => /^state\.broken-.*\.json$/.test(name))).toBe(
      true,
    );
    expect((await of(place, 'state and summaries')).map(({ path }) => path)).toEqual([job]);
  });

  it('reports files that are nested deeper than Daybook reads, and does not change them', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const paths = ['state.json', `${ID}/summaries.json`, `${ID}/job.json`].map((name) =>
      place.write(`conversation-logs/${name}`, `{"mine": ${deep}}`),
    );
    await place.repair();
    const found = await of(place, 'state and summaries');
    expect(found.map(({ path }) => path)).toEqual(paths);
    for (const path of paths) expect(readFileSync(path, 'utf8')).toContain(deep);
  });

  it('reports a retention policy that cannot be read, and does not change it', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const text = '{"rules": [{"olderThanDays": 30, "tga": "draft"}]}';
    const path = place.write('conversation-logs/retention.json', text);
    await place.repair();
    expect(await of(place, 'state and summaries')).toMatchObject([{ severity: 'error', path }]);
    expect(readFileSync(path, 'utf8')).toBe(text);
    place.write('conversation-logs/retention.json', text.replace('tga', 'tag'));
    expect(await of(place, 'state and summaries')).toEqual([]);
  });

  it('keeps the values of both sides of a conflict of git, and of two values that of this branch', async () => {
    const place = doctorPlace();
    const lines = ['{"values": {', '<<<<<<< HEAD', '"a": 1, "mine": 2,', '======='].concat([
      '"a": 3, "theirs": 4,',
      '>>>>>>> other',
      '"both": 5}, "contextWindow": 7}',
      '',
    ]);
    place.write('conversation-logs/state.json', lines.join('\n'));
    await place.repair();
    expect(await of(place, 'state and summaries')).toEqual([]);
    expect(await place.withApp(({ state: store }) => store.get())).toMatchObject({
      values: { a: 1, mine: 2, theirs: 4, both: 5 },
      contextWindow: 7,
    });
  });

  it('reports files of a newer version, also a broken one, and does not change them', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const files = [
      ['conversation-logs/state.json', '{"formatVersion": 9, "values": {}}'],
      [`conversation-logs/${ID}/summaries.json`, '{"formatVersion": 9, "summaries": {'],
      [`conversation-logs/${ID}/job.json`, '{"formatVersion": 9}'],
    ].map(([name = '', text = '']) => [place.write(name, text), text]);
    const found = await of(place, 'state and summaries');
    expect(found.map(({ path, repairable }) => [path, repairable])).toEqual(
      files.map(([path]) => [path, false]),
    );
    await place.repair();
    for (const [path = '', text] of files) expect(readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('the check of the memory bank', () => {
  it('finds notes that cannot be read, and notes whose names differ only in case', async () => {
    const place = doctorPlace();
    place.write('memory-bank/a.md', 'x');
    place.write('memory-bank/A.md', 'y');
    place.write('memory-bank/bytes.md', Buffer.from([0xff, 0xfe, 0x00]));
    place.write('memory-bank/con.md', 'z');
    place.write('memory-bank/long.md', 'z'.repeat(40_000));
    const messages = (await of(place, 'notes')).map(({ message }) => message).join('\n');
    expect(messages).toContain('On Windows and macOS');
    expect(messages).toMatch(/con\.md/);
    expect(messages).toMatch(/^The file has 40000 bytes\./m);
    expect(messages).toMatch(/UTF-8|text/);
  });

  it('finds notes with conflict markers, and Markdown files that are not notes', async () => {
    const place = doctorPlace();
    const markers = ['<<<<<<< HEAD', 'tulips', '=======', 'roses', '>>>>>>> other'];
    const note = place.write('memory-bank/both.md', `# Beds\n${markers.join('\n')}\n`);
    place.write('memory-bank/rule.md', 'Title\n=======\n');
    const upper = place.write('memory-bank/UPPER.MD', 'x');
    expect(await of(place, 'notes')).toMatchObject([
      {
        path: upper,
        severity: 'warning',
        message: expect.stringMatching(/^The file is not a note/),
      },
      { path: note, severity: 'warning', message: expect.stringContaining('conflict markers') },
    ]);
  });

  it('gives a hint to rename a file if no note can have its name', async () => {
    const place = doctorPlace();
    const path = place.write('memory-bank/50%20off.md', 'x');
    const [found, ...others] = await of(place, 'notes');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ path, hint: expect.stringContaining('Rename the file') });
  });

  it('reports an insight with conflict markers of git until the insight is saved again', async () => {
    const place = doctorPlace();
    const sides = '<<<<<<< HEAD\n "content": "sand",\n=======\n "content": "compost",\n>>>>>>> b\n';
    const path = place.write(
      `memory-bank/insights/${INSIGHT}.json`,
      `{\n${sides} "context": "global"\n}\n`,
    );
    const [found, ...others] = await of(place, 'insights');
    expect(others).toEqual([]);
    expect(found).toMatchObject({ severity: 'warning', path, repairable: false });
    expect(found?.hint).toContain(INSIGHT);
    await place.withApp(({ insights }) => insights.update(INSIGHT, { content: 'sand, compost' }));
    expect(await of(place, 'insights')).toEqual([]);
  });

  it('repairs a broken insight if its content is complete, and keeps the broken file', async () => {
    const place = doctorPlace();
    const path = `memory-bank/insights/${INSIGHT}.json`;
    place.write(path, `{"content": "whole", "context": "global", "tags": ["a"], "meta`);
    const cut = INSIGHT.replace('6', '7');
    place.write(`memory-bank/insights/${cut}.json`, `{"context": "global", "content": "half of i`);
    const found = await of(place, 'insights');
    expect(found.map(({ repairable }) => repairable).sort()).toEqual([false, true]);
    await place.repair();
    const insight = await place.withApp(({ insights }) => insights.get(INSIGHT));
    expect(insight).toMatchObject({ content: 'whole', tags: ['a'] });
    const kept = readdirSync(join(place.root, 'memory-bank/insights'));
    expect(kept.some((name) => name.startsWith(`.${INSIGHT}.broken-`))).toBe(true);
    expect((await of(place, 'insights')).length).toBe(1);
  });

  it('reports conflict markers of git in the graph, and a repair keeps the facts of both sides', async () => {
    const place = doctorPlace();
    await place.withApp(async ({ kg }) => {
      for (const subject of ['a', 'b']) await kg.add([{ subject, predicate: 'p', object: 'o' }]);
      await kg.save();
    });
    const path = join(place.root, 'memory-bank', 'kg_snapshot.json');
    const [head, one, two, ...rest] = readFileSync(path, 'utf8').split('\n');
    const lines = [head, '<<<<<<< HEAD', one, '=======', two, '>>>>>>> other', ...rest];
    place.write('memory-bank/kg_snapshot.json', lines.join('\n'));
    const messages = (await of(place, 'knowledge graph')).map(({ message }) => message);
    expect(messages[0]).toContain('conflict markers of git: 3');
    expect(messages.join()).not.toContain('recovered');
    await place.repair();
    expect(await of(place, 'knowledge graph')).toEqual([]);
    const { total } = await place.withApp(({ kg }) => kg.query({}, { offset: 0, limit: 9 }));
    expect(total).toBe(2);
  });

  it('reports a log of the graph that is missing or empty, as a sync program leaves it', async () => {
    const place = doctorPlace();
    const add = (subject: string) =>
      place.withApp(({ kg }) => kg.add([{ subject, predicate: 'p', object: 'o' }]));
    await add('a');
    expect(await of(place, 'knowledge graph')).toEqual([]);
    await place.withApp(({ kg }) => kg.save());
    expect(await of(place, 'knowledge graph')).toEqual([]);
    await add('b');
    const wal = place.write('memory-bank/kg_wal.log', '');
    const lost = [{ severity: 'warning', path: wal, repairable: false }];
    expect(await of(place, 'knowledge graph')).toMatchObject(lost);
    rmSync(wal);
    expect(await of(place, 'knowledge graph')).toMatchObject(lost);
    await place.withApp(({ kg }) => kg.save());
    expect(await of(place, 'knowledge graph')).toEqual([]);
  });

  it('reports a snapshot of the graph that is missing, as in a clone without it', async () => {
    const place = doctorPlace();
    const add = (subject: string) =>
      place.withApp(({ kg }) => kg.add([{ subject, predicate: 'p', object: 'o' }]));
    await add('a');
    await place.withApp(({ kg }) => kg.save());
    await add('b');
    const file = (name: string) => join(place.root, 'memory-bank', name);
    const names = ['kg_snapshot.sha256', 'kg_snapshot.previous.json', 'kg_wal.previous.log'];
    for (const name of names) rmSync(file(name), { force: true });
    const snapshot = readFileSync(file('kg_snapshot.json'));
    rmSync(file('kg_snapshot.json'));
    const path = file('kg_snapshot.json');
    const lost = [{ severity: 'warning', path, repairable: false }];
    expect(await of(place, 'knowledge graph')).toMatchObject(lost);
    const stats = await place.withApp(({ kg }) => kg.stats());
    expect(stats).toMatchObject({ open: 1, isDamaged: true });
    expect(stats.notices.join(' ')).toContain('is missing. The facts in it are missing too.');
    writeFileSync(path, snapshot);
    const { open } = await place.withApp(({ kg }) => kg.stats());
    expect(open).toBe(2);
    rmSync(path);
    await place.withApp(({ kg }) => kg.save());
    expect(await of(place, 'knowledge graph')).toEqual([]);
  });

  it('repairs a graph with damaged lines without loss of another fact', async () => {
    const place = doctorPlace();
    const fact = (n: number) => ({ subject: `s${n}`, predicate: 'p', object: 'o' });
    await place.withApp(async ({ kg }) => {
      for (const n of [1, 2, 3]) await kg.add([fact(n)]);
    });
    const wal = join(place.root, 'memory-bank', 'kg_wal.log');
    place.write('memory-bank/kg_wal.log', readFileSync(wal, 'utf8').replace('"s2"', '"sX"'));
    const [finding, ...others] = await of(place, 'knowledge graph');
    expect(finding).toMatchObject({ severity: 'error', repairable: true });
    expect(others).toEqual([]);
    await place.repair();
    expect(await of(place, 'knowledge graph')).toEqual([]);
    const { subjects } = await place.withApp(({ kg }) =>
      kg.subjects({}, { limit: 10, offset: 0 } as never),
    );
    expect(subjects.map(({ subject }) => subject).sort()).toEqual(['s1', 's3']);
    expect(readFileSync(join(place.root, 'memory-bank', 'kg_rejects.log'), 'utf8')).toContain('sX');
  });
});

describe('the other checks', () => {
  it('find permissions for other users, and a repair removes them', async () => {
    const place = doctorPlace();
    const path = place.write(FILE, conversationText(['x']));
    const open = [place.logs, join(place.logs, ID), path];
    chmodSync(path, 0o644);
    for (const folder of open.slice(0, 2)) chmodSync(folder, 0o755);
    const found = await of(place, 'permissions');
    expect(found.map((finding) => finding.path).sort()).toEqual(open);
    await place.repair();
    expect(open.map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  });

  it('report files in a folder that keeps other users out, such as those of an editor, in one note', async () => {
    const place = doctorPlace();
    const path = place.write(FILE, conversationText(['x']));
    chmodSync(path, 0o644);
    chmodSync(join(place.logs, ID), 0o755);
    const found = await of(place, 'permissions');
    expect(found).toMatchObject([{ severity: 'note', path: place.logs, repairable: true }]);
    expect(found[0]?.message).toContain('2 files or folders');
    await place.repair();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await of(place, 'permissions')).toEqual([]);
  });

  it('find temporary files of a killed process, and a lock without a sign of its owner', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const inFolder = (folder: string) => place.write(`${folder}/.tmp-${STRANGER}-0a1b2c3d`, 'x');
    const folders = [
      'conversation-logs',
      'memory-bank/ideas',
      `conversation-logs/${ID}/attachments/a`,
    ];
    const temporaries = folders.map(inFolder);
    for (const name of ['conversation-logs', `conversation-logs/${ID}`]) {
      const empty = join(place.root, name, `.tmp-${STRANGER}-0a1b2c3e`);
      mkdirSync(empty);
      temporaries.push(empty);
    }
    const withFile = join(place.logs, `.tmp-${STRANGER}-0a1b2c3f`);
    place.write(`conversation-logs/${basename(withFile)}/conversation.json`, '{}');
    temporaries.push(withFile);
    for (const path of temporaries) utimesSync(path, 1_600_000_000, 1_600_000_000);
    place.write('conversation-logs/.trash/.tmp-0a1b2c3d/conversation.json', '{}');
    const lockSeen = (name: string, seconds: number, folder = place.logs) => {
      const lock = join(folder, '.locks', name, STRANGER);
      mkdirSync(lock, { recursive: true, mode: 0o700 });
      utimesSync(lock, seconds, seconds);
      return lock;
    };
    const quiet = lockSeen(ID, Date.now() / 1000 - 60);
    const beforeBoot = lockSeen('state', 1_600_000_000);
    const settings = dirname(place.config.configFile);
    const ofSettings = lockSeen('folders', 1_600_000_000, settings);
    const file = join(settings, `.tmp-${STRANGER}-0a1b2c3d`);
    writeFileSync(file, 'x');
    utimesSync(file, 1_600_000_000, 1_600_000_000);
    temporaries.push(file, ofSettings);
    const found = await of(place, 'leftovers');
    const severities = found.map(({ severity }) => severity).sort();
    expect(severities).toEqual([...Array<string>(10).fill('note'), 'warning']);
    await place.repair();
    expect([quiet, beforeBoot, ...temporaries].filter(existsSync)).toEqual([quiet]);
    expect(readdirSync(join(place.logs, '.trash'))).toEqual([]);
  });

  it('find a damaged or wrong cache of the message index, and a repair removes it', async () => {
    const place = doctorPlace();
    const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n}`);
    const path = place.write(FILE, conversationText(contents));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    await place.withApp(async ({ conversations, search }) => {
      search.start();
      await ask({ search }, 'raven');
      await conversations.list();
    });
    const file = indexCachePath(place.config) ?? '';
    expect(existsSync(file)).toBe(true);
    expect(await of(place, 'search index')).toEqual([]);
    // The file gets another text, but keeps its time and size.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"raven 7"', '"haven 7"'));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    expect((await of(place, 'search index'))[0]?.message).toContain('has wrong data for 1');
    const bytes = readFileSync(file);
    bytes.fill(0x55, 4, 200);
    writeFileSync(file, bytes);
    expect((await of(place, 'search index'))[0]?.message).toContain('damaged');
    const [finding] = await of(place, 'search index');
    expect(finding).toMatchObject({ severity: 'warning', repairable: true });
    await place.repair();
    expect(existsSync(file)).toBe(false);
  });

  it('compare all caches with one reading of the files', async () => {
    const place = doctorPlace();
    const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n}`);
    const path = place.write(FILE, conversationText(contents));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const readings = async () => {
      const calls = await callsDuring(place.root, () => place.examine());
      return calls.filter((call) => call.name === 'open' && call.path === path).length;
    };
    const withoutCaches = await readings();
    expect(withoutCaches).toBeGreaterThan(0);
    await place.withApp(async ({ search, messageSearch, figures }) => {
      search.start();
      const page = { filters: {}, limit: 9, offset: 0 };
      await messageSearch.search({ query: 'which raven', mode: 'hybrid', ...page });
      await figures.all();
    });
    const caches = (['search', 'recall', 'figures'] as const).map(
      (name) => indexCachePath(place.config, name) ?? '',
    );
    expect(caches.map(existsSync)).toEqual([true, true, true]);
    expect(await readings()).toBe(withoutCaches);
    expect(await of(place, 'search index')).toEqual([]);
    const whole = caches.map((each) => readFileSync(each));
    for (const [index, bytes] of whole.entries()) {
      const damaged = Buffer.from(bytes);
      damaged[100] = (damaged[100] ?? 0) ^ 0xff;
      writeFileSync(caches[index] ?? '', damaged);
    }
    expect((await of(place, 'search index')).map((each) => each.path)).toEqual(caches);
    for (const [index, bytes] of whole.entries()) writeFileSync(caches[index] ?? '', bytes);
    // The file gets another text with one more word, but keeps its time and size.
    writeFileSync(path, readFileSync(path, 'utf8').replace('"raven 7"', '"ra en 7"'));
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const wrong = await of(place, 'search index');
    expect(wrong.map((finding) => finding.path)).toEqual([caches[0], caches[2]]);
  });

  it('find a damaged cache of the recall index, and a repair removes it', async () => {
    const place = doctorPlace();
    const file = indexCachePath(place.config, 'recall') ?? '';
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, 'noise', { mode: 0o600 });
    expect(await of(place, 'search index')).toMatchObject([{ path: file, repairable: true }]);
    await place.repair();
    expect(existsSync(file)).toBe(false);
  });

  it('find vectors without a text, and texts without a vector', async () => {
    const place = doctorPlace();
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['one', 'two']));
    const row = (text: string) => ({
      key: passageKey(text),
      scale: 0.01,
      values: new Int8Array(8),
    });
    const folder = join(vectorsFolder(place.config), '00ff');
    await new VectorFiles(folder, 'model').write([row('one'), row('deleted')]);
    expect((await of(place, 'vectors')).map(({ message }) => message)).toEqual([
      'Vectors of texts that are no longer stored: 1.',
      'Passages that have no vector yet: 1 of 2.',
    ]);
    await place.repair();
    expect((await of(place, 'vectors')).map(({ message }) => message)).toEqual([
      'Passages that have no vector yet: 1 of 2.',
    ]);
    await new VectorFiles(folder, 'model').write([row('two')]);
    expect(await of(place, 'vectors')).toEqual([]);
  });

  it('keep vectors that a server makes between the examination and the repair', async () => {
    const place = doctorPlace();
    const row = (text: string) => ({
      key: passageKey(text),
      scale: 0.01,
      values: new Int8Array(8),
    });
    const all = vectorsFolder(place.config);
    await new VectorFiles(join(all, '00ff'), 'model').write([row('deleted')]);
    await place.withApp(async ({ doctor, conversations }) => {
      const { repair } = await doctor.examine({ signal });
      await conversations.create({ messages: [{ role: 'user', content: 'new' }] });
      await new VectorFiles(join(all, '00ff'), 'model').write([row('new')]);
      const lease = await vectorsLease(all);
      expect((await repair(signal))[0]?.error?.code).toBe('LOCKED');
      await lease?.release();
      expect((await repair(signal))[0]?.error).toBeUndefined();
    });
    for await (const { keys } of checkVectors(all)) expect([...keys]).toEqual([row('new').key]);
  });

  it('count the vectors of the configured server alone, not those of an earlier model', async () => {
    const model = { DAYBOOK_EMBEDDINGS: 'openai', DAYBOOK_EMBEDDINGS_MODEL: 'small' };
    const place = doctorPlace({ ...model, DAYBOOK_EMBEDDINGS_ENDPOINT: 'http://127.0.0.1:9/v1/' });
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['one', 'two']));
    const [row, other] = ['one', 'two'].map((text) => ({
      key: passageKey(text),
      scale: 0.01,
      values: new Int8Array(8),
    })) as [Row, Row];
    const all = vectorsFolder(place.config);
    await new VectorFiles(join(all, '00ff'), 'earlier').write([row, other]);
    const messages = async () => (await of(place, 'vectors')).map(({ message }) => message);
    expect(await messages()).toEqual(['Passages that have no vector yet: 2 of 2.']);
    const identity = 'http://127.0.0.1:9/v1 small';
    const files = new VectorFiles(modelFolder(all, identity), identity);
    await files.write([row]);
    expect(await messages()).toEqual(['Passages that have no vector yet: 1 of 2.']);
    await files.write([other]);
    expect(await messages()).toEqual([]);
  });

  it('call no vector unwanted while a conversation cannot be read', async () => {
    const place = doctorPlace();
    place.write(`conversation-logs/${ID}/conversation.json`, '{"broken');
    const folder = join(vectorsFolder(place.config), '00ff');
    const row = { key: passageKey('one'), scale: 0.01, values: new Int8Array(8) };
    await new VectorFiles(folder, 'model').write([row]);
    expect(await of(place, 'vectors')).toEqual([]);
  });

  it('find texts without a vector before the first vector is made, if embeddings are on', async () => {
    const place = doctorPlace({ DAYBOOK_EMBEDDINGS: 'ollama' });
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['one', 'two']));
    expect((await of(place, 'vectors')).map(({ message }) => message)).toEqual([
      'Passages that have no vector yet: 2 of 2.',
    ]);
  });

  it('find a damaged file of vectors, and a repair removes it', async () => {
    const place = doctorPlace();
    const name = join(vectorsFolder(place.config), '00ff', '0123456789abcdef.vectors');
    mkdirSync(join(vectorsFolder(place.config), '00ff'), { recursive: true, mode: 0o700 });
    writeFileSync(name, '{"format":"daybook-vectors-1"}\nx', { mode: 0o600 });
    expect(await of(place, 'vectors')).toHaveLength(1);
    await place.repair();
    expect(existsSync(name)).toBe(false);
  });

  it('find backups and archives with a damaged end, and a newest backup that is old', async () => {
    const place = doctorPlace({ DAYBOOK_BACKUP: 'daily' });
    place.write(FILE, conversationText(['x']));
    const path = await place.withApp(async ({ backups }) => (await backups.make()).path);
    expect(await of(place, 'backups')).toEqual([]);
    const sound = readFileSync(path);
    const bytes = Buffer.from(sound);
    bytes.fill(0, bytes.length - 30);
    place.write('backups/daybook-20250101T000000Z.tar.gz', bytes);
    const old = join(place.root, 'backups', 'daybook-20250101T000000Z.tar.gz');
    const archive = place.write('archive/conversations-2020-01.tar.gz', bytes);
    expect((await of(place, 'backups')).map((finding) => finding.path)).toEqual([old, archive]);
    rmSync(archive);
    writeFileSync(old, sound);
    place.write(path.slice(place.root.length + 1), bytes);
    expect(await of(place, 'backups')).toMatchObject([{ severity: 'error', path }]);
    rmSync(path);
    const messages = (await of(place, 'backups')).map(({ message }) => message);
    expect(messages[0]).toMatch(/days old/);
    place.write('backups/daybook-29990101T000000Z.tar.gz', sound); // made while the clock was wrong
    expect((await of(place, 'backups')).map(({ message }) => message)).toEqual(messages);
  });

  it('say that a file is in the place of a folder', async () => {
    const place = doctorPlace();
    writeFileSync(join(place.root, 'memory-bank'), 'x');
    const [finding] = await of(place, 'disk');
    expect(finding).toMatchObject({ severity: 'error', path: join(place.root, 'memory-bank') });
    expect(finding?.hint).toContain('Rename the file');
  });

  it('find times in the future, and a conversation that was changed before its creation', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x'], { updatedAt: '2999-01-01T00:00:00.000Z' }));
    expect(await of(place, 'clock')).toMatchObject([{ severity: 'warning' }]);
    place.write(FILE, conversationText(['x'], { updatedAt: '2024-01-01T00:00:00.000Z' }));
    expect(await of(place, 'clock')).toMatchObject([{ severity: 'note' }]);
    place.write(
      FILE,
      conversationText(['x']).replace(
        '"m0",\n      "createdAt": "2025',
        '"m0",\n      "createdAt": "2999',
      ),
    );
    expect(await of(place, 'clock')).toMatchObject([{ severity: 'warning' }]);
  });

  it('find programs on this machine that delete their sessions', async () => {
    const place = doctorPlace();
    place.write('../.claude/projects/x/y.jsonl', '');
    expect((await of(place, 'other tools'))[0]?.message).toContain('Claude Code deletes');
  });

  it('run although one check fails, and the step of this check has its error', async () => {
    const place = doctorPlace();
    place.write(FILE, conversationText(['x']));
    const broken = () => Promise.reject(new AppError('FILESYSTEM_ERROR', 'no'));
    const also = [
      { name: 'broken', run: broken },
      { name: 'next', run: async ({ countChecked }: CheckContext) => countChecked() },
    ];
    const { steps } = await place.withApp(({ doctor }) => doctor.examine({ signal, also }));
    expect(statusOf(steps)).toBe(2);
    expect(steps.slice(-2)).toMatchObject([
      { check: 'broken', error: { code: 'FILESYSTEM_ERROR' } },
      { check: 'next', checked: 1 },
    ]);
  });
});

it('the command reads a damaged file although its time and size are those in the index cache', async () => {
  await withPlace(async (place) => {
    const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n}`);
    const path = join(place.root, FILE);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, conversationText(contents));
    const time = new Date('2025-02-01T00:00:00Z');
    utimesSync(path, time, time);
    await run(place, 'search', 'raven');
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('"messages"')] = 0;
    writeFileSync(path, bytes);
    utimesSync(path, time, time);
    expect(await run(place, 'list')).toContain(ID); // from the cache
    const { code, stdout } = await runCommand(place, ['--root', place.root, 'doctor']);
    expect(stdout).toContain('problem  conversations');
    expect(code).toBe(1);
  });
});
