/** What a watch keeps while tools write, truncate, replace and move their logs. */
import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';
import { watched } from './watch-rounds.js';

const time = (n: number) => `2026-01-02T10:00:0${n}.000Z`;
const roles = ['user', 'assistant'] as const;
const words = ['one', 'two', 'three', 'four'];
const CODEX_ID = '01999999-0000-7000-8000-000000000001';

interface Log {
  /** The path of the log in the folder of the tool, and another one for the same session. */
  readonly path: string;
  readonly moved: string;
  readonly id: string;
  /** The head of the log, and the line of each message. */
  readonly head: string;
  line(n: number): string;
}

const LOGS: Readonly<Record<string, Log>> = {
  'Claude Code': {
    path: 'projects/x/s.jsonl',
    moved: 'projects/y/s.jsonl',
    id: 's',
    head: '',
    line: (n) =>
      lines({
        type: roles[n % 2],
        uuid: `u${n}`,
        parentUuid: n === 0 ? null : `u${n - 1}`,
        sessionId: 's',
        timestamp: time(n),
        message: { role: roles[n % 2], id: `m${n}`, content: [{ type: 'text', text: words[n] }] },
      }),
  },
  Codex: {
    path: `sessions/2026/01/02/rollout-2026-01-02T10-00-00-${CODEX_ID}.jsonl`,
    moved: `archived_sessions/rollout-2026-01-02T10-00-00-${CODEX_ID}.jsonl`,
    id: CODEX_ID,
    head: lines({ timestamp: time(0), type: 'session_meta', payload: { id: CODEX_ID } }),
    line: (n) =>
      lines({
        timestamp: time(n),
        type: 'response_item',
        payload: { type: 'message', role: roles[n % 2], content: [{ text: words[n] }] },
      }),
  },
  'Gemini CLI': {
    path: 'shed/chats/session-1.jsonl',
    moved: 'barn/chats/session-1.jsonl',
    id: 'g',
    head: lines({ sessionId: 'g', projectHash: 'p', startTime: time(0) }),
    line: (n) =>
      lines({
        id: `m${n}`,
        timestamp: time(n),
        content: words[n],
        type: n % 2 === 0 ? 'user' : 'gemini',
      }),
  },
  'Cursor (command line)': {
    path: 'shed/agent-transcripts/c/c.jsonl',
    moved: 'barn/agent-transcripts/c/c.jsonl',
    id: 'c',
    head: '',
    line: (n) =>
      lines({ role: roles[n % 2], message: { content: [{ type: 'text', text: words[n] }] } }),
  },
};

const SAID = words.map((word, n) => `${roles[n % 2]}: ${word}`);

describe.each(Object.entries(LOGS))('the log of %s', (_tool, { path, moved, id, head, line }) => {
  /** The log of the first `count` messages. */
  const log = (count: number) =>
    head +
    words
      .slice(0, count)
      .map((_word, n) => line(n))
      .join('');

  /** The texts of the only conversation, after a round for each change. */
  async function kept(changes: readonly ((folder: string) => void)[]) {
    const bench = await openImportBench();
    const folder = folderWith({ [path]: log(2) });
    const reports = await watched(bench, folder, changes.length + 1, (round) =>
      changes[round - 1]?.(folder),
    );
    expect(reports.flatMap(({ problems }) => problems)).toEqual([]);
    expect(bench.folders()).toHaveLength(1);
    return said(bench.bySource(id));
  }

  it('is read while its last line is not complete', async () => {
    const [before, after] = [line(2).slice(0, 25), line(2).slice(25)];
    const append = (text: string) => (folder: string) => appendFileSync(join(folder, path), text);
    expect(await kept([append(before)])).toEqual(SAID.slice(0, 2));
    expect(await kept([append(before), append(after.slice(0, -1))])).toEqual(SAID.slice(0, 3));
    expect(await kept([append(before), append(after), append(line(3))])).toEqual(SAID);
  });

  it('loses no stored message when it is cut off, and continues when it is complete again', async () => {
    const cut = (folder: string) => truncateSync(join(folder, path), log(1).length + 5);
    const write = (folder: string) => writeFileSync(join(folder, path), log(4));
    expect(await kept([cut])).toEqual(SAID.slice(0, 2));
    expect(await kept([cut, write])).toEqual(SAID);
  });

  it('continues after zeros, which a power failure left in place of its last bytes', async () => {
    const append = (text: string) => (folder: string) => appendFileSync(join(folder, path), text);
    const zeros = '\0'.repeat(5000);
    expect(await kept([append(zeros), append(line(2)), append(line(3))])).toEqual(SAID);
  });

  it('is the same session after another file replaced it, and at another path', async () => {
    const replace = (folder: string) => {
      writeFileSync(join(folder, 'new.tmp'), log(3));
      renameSync(join(folder, 'new.tmp'), join(folder, path));
    };
    const move = (folder: string) => {
      mkdirSync(dirname(join(folder, moved)), { recursive: true });
      renameSync(join(folder, path), join(folder, moved));
    };
    const append = (folder: string) => appendFileSync(join(folder, moved), line(3));
    expect(await kept([replace, move, append])).toEqual(SAID);
  });
});
