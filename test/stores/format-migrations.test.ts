/**
 * Format migrations: with an invented version 2 of each kind of file, a file of version 1 is read as version
 * 2 and unchanged until the next write. Then a program that knows only version 1 cannot read it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { RetentionPolicyFile } from '../../src/maintenance/retention/policy.js';
import {
  type FileKind,
  FORMAT_STEPS,
  type FormatStep,
  upgraded,
} from '../../src/stores/format-migrations.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { ResearchJobFiles } from '../../src/stores/research-jobs/research-job-files.js';
import { StateStore } from '../../src/stores/state/state.js';
import { SummaryStore } from '../../src/stores/summaries/summary-store.js';
import { openBench } from '../exchange/bench.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { ID0, openStore, user } from './conversations/store.js';

/** A program that knows one version more. Returns a function that makes it the older one again. */
function teach(kind: FileKind, step: FormatStep): () => void {
  const forget = () => {
    FORMAT_STEPS[kind].length = 0;
  };
  FORMAT_STEPS[kind].push(step);
  onTestFinished(forget);
  return forget;
}

/** Version 2 calls the field `old` by the name `now`. */
const renamed =
  (old: string, now: string): FormatStep =>
  ({ [old]: value, ...rest }) =>
    value === undefined ? rest : { ...rest, [now]: value };

describe('a conversation of version 1', () => {
  const V1 = { subject: 'Garden', messages: [{ id: 'a', role: 'user', content: 'Beans?' }] };

  it('is read as version 2, and the next write stores version 2', async () => {
    const older = teach('conversation', renamed('subject', 'title'));
    const bench = await openStore();
    bench.put(ID0, V1);
    const text = bench.textOf(ID0);
    expect(await bench.store.load(ID0)).toMatchObject({ title: 'Garden', messageCount: 1 });
    expect(bench.textOf(ID0)).toBe(text);
    await bench.store.append(ID0, [user('Peas?')]);
    const written = bench.jsonOf(ID0);
    expect(written).toMatchObject({ formatVersion: 2, title: 'Garden', messageCount: 2 });
    expect(written).not.toHaveProperty('subject');

    older();
    const newer = bench.textOf(ID0);
    const { store } = await bench.another();
    expect((await errorOf(store.load(ID0))).code).toBe('FORMAT_TOO_NEW');
    expect((await errorOf(store.append(ID0, [user('x')]))).code).toBe('FORMAT_TOO_NEW');
    expect(bench.textOf(ID0)).toBe(newer);
  });

  it('is imported from an export of version 1, with its summaries', async () => {
    const first = await openBench();
    first.put(ID0, V1);
    const { messages } = await first.store.load(ID0);
    const summary = { provider: 'extractive', messageCount: messages.length, sourceHash: '' };
    await first.summaries.put(ID0, 'brief', {
      ...summary,
      qualityScore: 1,
      generatedAt: '',
      text: 'Beans.',
    });
    const exported = await first.exported('jsonl');
    teach('conversation', renamed('subject', 'title'));
    teach('summaries', ({ summaries, ...rest }) => ({
      ...rest,
      summaries: { standard: (summaries as { brief: object }).brief },
    }));
    const second = await openBench();
    await second.restore(exported);
    expect(second.jsonOf(ID0)).toMatchObject({ formatVersion: 2, title: 'Garden' });
    expect(await second.summaries.get(ID0)).toMatchObject({ standard: { text: 'Beans.' } });
    const again = await openBench();
    await again.restore(await second.exported('jsonl'));
    expect(again.textOf(ID0)).toBe(second.textOf(ID0));
    expect(await again.summaries.get(ID0)).toEqual(await second.summaries.get(ID0));
  });

  it('passes once through every step from its version on', () => {
    teach('conversation', renamed('a', 'b'));
    teach('conversation', renamed('b', 'c'));
    const pass = (file: object) => upgraded('conversation', { ...file }, 'p');
    expect(pass({ a: 1 })).toEqual({ c: 1, formatVersion: 3 });
    expect(pass({ formatVersion: 2, a: 1, b: 2 })).toEqual({ a: 1, c: 2, formatVersion: 3 });
    expect(pass({ formatVersion: 3, a: 1, b: 2 })).toEqual({ formatVersion: 3, a: 1, b: 2 });
  });
});

const INSIGHT = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
const JOB = {
  formatVersion: 1,
  state: 'failed',
  question: 'Why?',
  backend: 'agent',
  notes: [],
  startedAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '',
  startsConversation: false,
  relatedQuestions: false,
  showThinking: false,
};

interface Reader {
  readonly file: string;
  readonly v1: object;
  readonly step: FormatStep;
  read(): Promise<unknown>;
  /** A change to something else in the file. */
  write(): Promise<unknown>;
  /** What both the reader and the file of version 2 have. */
  readonly v2: object;
}

async function readers(): Promise<Record<Exclude<FileKind, 'conversation'>, Reader>> {
  const { store, logsFolder, put } = await openStore();
  put(ID0, { messages: [{ role: 'user', content: 'Why?' }] });
  const bank = tempFolder();
  const shared = { logsFolder, fsync: false, clock: systemClock };
  const state = new StateStore(shared);
  const summaries = new SummaryStore({ ...shared, conversations: store });
  const policy = new RetentionPolicyFile(shared);
  const jobs = new ResearchJobFiles({ ...shared, conversations: store, log: silentLog });
  const insights = new InsightStore({ folder: bank, fsync: false });
  onTestFinished(() => insights.close());
  const rules = [{ olderThanDays: 90 }];
  const brief = { text: 'It was asked why.' };
  return {
    state: {
      file: join(logsFolder, 'state.json'),
      v1: { window: 7, values: { kept: 1 } },
      step: renamed('window', 'contextWindow'),
      read: () => state.get(),
      write: () => state.set({ values: { other: 2 } }),
      v2: { contextWindow: 7, values: { kept: 1 } },
    },
    summaries: {
      file: join(logsFolder, ID0, 'summaries.json'),
      v1: { formatVersion: 1, levels: { brief } },
      step: renamed('levels', 'summaries'),
      read: async () => ({ summaries: await summaries.get(ID0) }),
      write: () =>
        summaries.put(ID0, 'detailed', {
          text: 'Longer.',
          provider: 'p',
          messageCount: 1,
          sourceHash: '',
          qualityScore: 1,
          generatedAt: '',
        }),
      v2: { summaries: { brief } },
    },
    retention: {
      file: join(logsFolder, 'retention.json'),
      v1: { formatVersion: 1, limits: rules },
      step: renamed('limits', 'rules'),
      read: () => policy.read(),
      write: () => policy.write({ rules, bySize: true }),
      v2: { rules },
    },
    job: {
      file: join(logsFolder, ID0, 'job.json'),
      v1: JOB,
      step: renamed('question', 'query'),
      read: () => jobs.get(ID0),
      write: async () => {
        const job = await jobs.get(ID0);
        if (job !== undefined) await jobs.put(ID0, { ...job, reason: 'It ended.' });
      },
      v2: { query: 'Why?', state: 'failed' },
    },
    insight: {
      file: join(bank, 'insights', `${INSIGHT}.json`),
      v1: { text: 'Tests need a real clock', context: 'global' },
      step: renamed('text', 'content'),
      read: () => insights.get(INSIGHT),
      write: () => insights.update(INSIGHT, { tags: ['t'] }),
      v2: { content: 'Tests need a real clock', context: 'global' },
    },
  };
}

describe.each(['state', 'summaries', 'retention', 'job', 'insight'] as const)('%s', (kind) => {
  it('of version 1 is read as version 2, and the next write stores version 2', async () => {
    const { file, v1, step, read, write, v2 } = (await readers())[kind];
    const older = teach(kind, step);
    const text = JSON.stringify(v1);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    expect(await read()).toMatchObject(v2);
    expect(readFileSync(file, 'utf8')).toBe(text);
    await write();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ ...v2, formatVersion: 2 });
    expect(await read()).toMatchObject(v2);

    older();
    const newer = readFileSync(file, 'utf8');
    expect((await errorOf(read())).code).toBe('FORMAT_TOO_NEW');
    expect((await errorOf(write())).code).toBe('FORMAT_TOO_NEW');
    expect(readFileSync(file, 'utf8')).toBe(newer);
  });
});
