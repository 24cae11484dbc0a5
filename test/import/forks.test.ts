/** Sessions that were resumed, forked, copied or edited here, and then grow: no message is doubled. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { counts, folderWith, lines, openImportBench, said } from './bench.js';

type Line = ReturnType<typeof line>;

const A = '33333333-cccc-4ccc-8ccc-00000000000a';
const B = '33333333-cccc-4ccc-8ccc-00000000000b';
const id = (n: number) => `33333333-dddd-4ddd-8ddd-${String(n).padStart(12, '0')}`;
const line = (n: number, parent: number | null, session = A, text = `text ${n}`) => ({
  type: n % 2 === 0 ? 'assistant' : 'user',
  uuid: id(n),
  parentUuid: parent === null ? null : id(parent),
  sessionId: session,
  cwd: '/home/ada/shed',
  version: '2.1.0',
  isSidechain: false,
  timestamp: `2026-01-02T10:00:${String(n).padStart(2, '0')}.000Z`,
  message: { role: n % 2 === 0 ? 'assistant' : 'user', content: text },
});
const inSession = (session: string, some: readonly Line[]) =>
  some.map((each) => ({ ...each, sessionId: session }));

let bench: Awaited<ReturnType<typeof openImportBench>>;
let folder: string;
const path = (name: string) => join(folder, 'projects', name);
const write = (name: string, some: readonly object[]) => writeFileSync(path(name), lines(...some));
const run = () => bench.import(folder);
/** The texts of each conversation, in the order of their ids. */
const talks = () => bench.folders().map((name) => said(bench.jsonOf(name)));
const texts = (...numbers: number[]) =>
  numbers.map((n) => `${n % 2 === 0 ? 'assistant' : 'user'}: text ${n}`);

beforeEach(async () => {
  bench = await openImportBench();
  folder = folderWith({ 'projects/-shed/a.jsonl': '', 'projects/-other/x.jsonl': '' });
});

describe('a session of Claude Code', () => {
  const START = [line(1, null), line(2, 1), line(3, 2), line(4, 3)];

  it('that was copied to another folder is one conversation, which grows', async () => {
    write('-shed/a.jsonl', [...START, line(5, 4), line(6, 5)]);
    write('-other/x.jsonl', START);
    expect(counts(await run())).toMatchObject({ added: 1, skipped: 0 });
    expect(talks()).toEqual([texts(1, 2, 3, 4, 5, 6)]);
    write('-shed/a.jsonl', [...START, line(5, 4), line(6, 5), line(7, 6)]);
    expect(counts(await run())).toMatchObject({ added: 0, updated: 1 });
    expect(talks()).toEqual([texts(1, 2, 3, 4, 5, 6, 7)]);
  });

  it('that was forked continues in its branch when the first file is deleted', async () => {
    const forked = [...inSession(B, START), line(15, 4, B), line(16, 15, B)];
    const first = [...START, line(21, 4), line(22, 21)];
    write('-shed/a.jsonl', first);
    write('-shed/b.jsonl', forked);
    await run();
    const main = texts(1, 2, 3, 4, 21, 22);
    expect(talks()).toEqual([main, texts(15, 16)]);
    rmSync(path('-shed/a.jsonl'));
    await run();
    expect(talks()).toEqual([main, texts(15, 16)]);
    for (let n = 31; n < 36; n += 2) {
      forked.push(line(n, n === 31 ? 16 : n - 1, B), line(n + 1, n, B));
      write('-shed/b.jsonl', forked);
      const report = await run();
      expect(counts(report)).toMatchObject({ added: 0, updated: 1 });
      expect(report.messages).toBe(2);
    }
    expect(talks()).toEqual([main, texts(15, 16, 31, 32, 33, 34, 35, 36)]);
    const before = bench.hash();
    await run();
    expect(bench.hash()).toBe(before);
  });

  it('that was rewound shows its new messages, also if a subagent worked for it', async () => {
    const beside = (session: string) =>
      lines({ ...line(91, null, session, 'look'), isSidechain: true, agentId: 'x' });
    write('-shed/a.jsonl', [...START, line(5, 4), line(6, 5)]);
    mkdirSync(path(`-shed/${A}/subagents`), { recursive: true });
    writeFileSync(path(`-shed/${A}/subagents/agent-x.jsonl`), beside(A));
    await run();
    expect(talks()).toHaveLength(2);
    write('-shed/a.jsonl', [...START, line(5, 4), line(6, 5), line(15, 4), line(16, 15)]);
    await run();
    expect(said(bench.bySource(A))).toEqual(texts(1, 2, 3, 4, 15, 16));
    expect(talks()).toContainEqual(texts(5, 6));
  });

  it('that has branches and a subagent keeps them under a new id when the first file is deleted', async () => {
    const rewound = [...START, line(5, 4), line(6, 5), line(15, 4), line(16, 15)];
    const subagent = (session: string) => {
      mkdirSync(path(`-shed/${session}/subagents`), { recursive: true });
      write(`-shed/${session}/subagents/agent-x.jsonl`, [
        { ...line(91, null, session, 'look'), isSidechain: true, agentId: 'x' },
      ]);
    };
    write('-shed/a.jsonl', rewound);
    renameSync(path('-shed/a.jsonl'), path(`-shed/${A}.jsonl`));
    subagent(A);
    await run();
    const before = talks();
    expect(before.flat().sort()).toEqual([...texts(1, 2, 3, 4, 5, 6, 15, 16), 'user: look'].sort());
    rmSync(path(`-shed/${A}.jsonl`));
    rmSync(path(`-shed/${A}`), { recursive: true });
    // The newest message is in another branch now, which the source shows.
    write(`-shed/${B}.jsonl`, [...inSession(B, rewound), line(27, 6, B)]);
    subagent(B);
    expect(counts(await run())).toMatchObject({ added: 0 });
    expect(talks()).toHaveLength(before.length);
    expect(talks().flat().sort()).toEqual([...before.flat(), ...texts(27)].sort());
  });

  it('that was forked from a fork continues in the branch of the branch', async () => {
    const second = [...START, line(15, 2), line(16, 15), line(17, 16), line(18, 17)];
    const third = [line(25, 16), line(26, 25)];
    write('-shed/a.jsonl', [...second, ...third, line(31, 4), line(32, 31)]);
    await run();
    expect(talks()).toHaveLength(3);
    const rest = [line(1, null, B), line(2, 1, B), line(15, 2, B), line(16, 15, B)];
    write('-shed/a.jsonl', [...rest, ...inSession(B, third), line(41, 26, B)]);
    expect((await run()).messages).toBe(1);
    const all = talks();
    expect(all).toHaveLength(3);
    expect(all.flat().sort()).toEqual(texts(1, 2, 3, 4, 15, 16, 17, 18, 25, 26, 31, 32, 41).sort());
  });

  it('with two branches that grow in turn has no doubled messages', async () => {
    const left = [line(15, 4), line(16, 15)];
    const right = [line(21, 4), line(22, 21)];
    const write1 = () => write('-shed/a.jsonl', [...START, ...left, ...right]);
    write1();
    await run();
    expect(talks()).toEqual([texts(1, 2, 3, 4, 21, 22), texts(15, 16)]);
    for (let n = 31; n < 43; n += 2) {
      const side = n % 4 === 3 ? left : right;
      const last = Number(side.at(-1)?.uuid.slice(-12));
      side.push(line(n, last), line(n + 1, n));
      write1();
      const report = await run();
      expect([report.added, report.messages], `round ${n}`).toEqual([0, 2]);
      const before = bench.hash();
      await run();
      expect(bench.hash(), `round ${n}`).toBe(before);
    }
    expect(talks()).toEqual([
      texts(1, 2, 3, 4, 21, 22, 33, 34, 37, 38, 41, 42),
      texts(15, 16, 31, 32, 35, 36, 39, 40),
    ]);
  });

  it('replaces its prompts, which were imported from the history before', async () => {
    const prompt = { display: 'text 1', timestamp: 1, project: '/home/ada/shed', sessionId: A };
    writeFileSync(join(folder, 'history.jsonl'), lines(prompt));
    await run();
    expect(talks()).toEqual([['user: text 1']]);
    write('-shed/a.jsonl', START);
    await run();
    expect(talks()).toEqual([texts(1, 2, 3, 4)]);
  });
});

describe('an answer that was imported while it was being written', () => {
  const cut = [line(1, null), line(2, 1), line(3, 2), line(4, 3, A, 'the first')];
  const whole = [line(1, null), line(2, 1), line(3, 2), line(4, 3, A, 'the first and the rest')];
  const last = 'assistant: the first and the rest';

  beforeEach(async () => {
    write('-shed/a.jsonl', cut);
    await run();
  });

  it('gets its end, also if another message was edited here', async () => {
    const [name = ''] = bench.folders();
    const edited = bench.jsonOf(name);
    edited.messages[1].content = 'edited here';
    bench.put(name, edited);
    write('-shed/a.jsonl', whole);
    await run();
    write('-shed/a.jsonl', [...whole, line(5, 4)]);
    await run();
    expect(talks()).toEqual([
      ['user: text 1', 'assistant: edited here', 'user: text 3', last, 'user: text 5'],
    ]);
  });

  it('gets its end, also if the conversation continued here', async () => {
    const [name = ''] = bench.folders();
    await bench.store.append(name, [{ role: 'user', content: 'said here' }]);
    write('-shed/a.jsonl', whole);
    await run();
    expect(talks()).toEqual([[...texts(1, 2, 3), last, 'user: said here']]);
    for (const more of [[line(5, 4)], [line(5, 4), line(6, 5)]]) {
      write('-shed/a.jsonl', [...whole, ...more]);
      await run();
    }
    expect(talks()).toEqual([[...texts(1, 2, 3), last, 'user: said here'], texts(5, 6)]);
  });
});
