/**
 * Research services with real files and the stand-in, with short intervals. Each service has its own stores,
 * as in another process. A test can make writes fail.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GracePeriod } from '../../src/base/async/grace-period.js';
import { systemClock } from '../../src/base/clock.js';
import type { AppError } from '../../src/base/errors.js';
import { silentLog } from '../../src/base/log.js';
import type { Lease } from '../../src/files/locks/lease.js';
import { createPerplexity } from '../../src/providers/perplexity.js';
import type { PerplexityOptions } from '../../src/providers/perplexity-types.js';
import { Research } from '../../src/research/research.js';
import type { FollowupQuestion, ResearchDeps } from '../../src/research/research-types.js';
import {
  type AppendOptions,
  type AppendResult,
  ConversationStore,
  type ConversationStoreOptions,
  type NewConversation,
  type NewMessage,
} from '../../src/stores/conversations/conversations.js';
import {
  ResearchJobFiles,
  type ResearchJobFilesOptions,
} from '../../src/stores/research-jobs/research-job-files.js';
import type { ResearchJob } from '../../src/stores/research-jobs/research-job-schema.js';
import { type StandIn, type StandInOptions, startStandIn } from './perplexity-stand-in.js';

export const FAST = {
  waitMs: 60_000,
  sendingMs: 1_000,
  pickUpWaitMs: 30_000,
  storeAgainMs: 10,
  progressMs: 10,
  pollMinMs: 5,
  pollMaxMs: 10,
  maxRunMs: 60_000,
};

/** The error of the disk, for all services of the bench, while it is set. */
export interface Faults {
  conversations?: AppError | undefined;
  jobs?: AppError | undefined;
  /** Acts as if another process had taken over all leases. */
  leasesLost?: boolean;
}

class FaultyStore extends ConversationStore {
  readonly #faults: Faults;

  constructor(options: ConversationStoreOptions, faults: Faults) {
    super(options);
    this.#faults = faults;
  }

  override async create(conversation: NewConversation) {
    if (this.#faults.conversations) throw this.#faults.conversations;
    return super.create(conversation);
  }

  override async append(
    ref: string,
    messages: readonly NewMessage[],
    options?: AppendOptions,
  ): Promise<AppendResult> {
    if (this.#faults.conversations) throw this.#faults.conversations;
    return super.append(ref, messages, options);
  }
}

class FaultyJobs extends ResearchJobFiles {
  readonly #faults: Faults;
  readonly #written: string[];

  constructor(options: ResearchJobFilesOptions, faults: Faults, written: string[]) {
    super(options);
    this.#faults = faults;
    this.#written = written;
  }

  override async put(conversationId: string, job: ResearchJob): Promise<void> {
    if (this.#faults.jobs) throw this.#faults.jobs;
    await super.put(conversationId, job);
    this.#written.push(job.runId === undefined ? job.state : `${job.state} ${job.runId}`);
  }

  override async tryLease(conversationId: string): Promise<Lease | undefined> {
    const lease = await super.tryLease(conversationId);
    return (
      lease && {
        isHeld: () => !this.#faults.leasesLost && lease.isHeld(),
        release: () => lease.release(),
      }
    );
  }
}

export class Bench {
  readonly api: StandIn;
  readonly folder: string;
  readonly store: ConversationStore;
  readonly jobs: ResearchJobFiles;
  readonly faults: Faults = {};
  /** States of job records, in the order in which they became durable. */
  readonly written: string[] = [];
  readonly #backend: PerplexityOptions['backend'];
  readonly #services: Research[] = [];

  constructor(api: StandIn, folder: string, backend: PerplexityOptions['backend']) {
    this.api = api;
    this.folder = folder;
    this.#backend = backend;
    [this.store, this.jobs] = this.#stores();
  }

  service(
    {
      timing,
      ...deps
    }: Partial<Omit<ResearchDeps, 'timing'>> & {
      timing?: Partial<ResearchDeps['timing']>;
    } = {},
    wire: Partial<PerplexityOptions> = {},
    graceMs = 30_000,
  ): Research {
    const perplexity = createPerplexity({
      apiKey: this.api.key,
      backend: this.#backend,
      baseUrl: this.api.url,
      clock: systemClock,
      presets: { search: 'low', deepResearch: 'high' },
      askTimeoutMs: 120_000,
      retryDelayMs: 1,
      ...wire,
    });
    const [store, jobs] = this.#stores();
    const grace = new GracePeriod(graceMs);
    const base = { store, jobs, perplexity, clock: systemClock, log: silentLog, grace };
    const service = new Research({ ...base, ...deps, timing: { ...FAST, ...timing } });
    this.#services.push(service);
    return service;
  }

  #stores(): [ConversationStore, ResearchJobFiles] {
    const options = { logsFolder: this.folder, fsync: false };
    const store = new FaultyStore({ ...options, maxMessages: 10_000 }, this.faults);
    const jobOptions = { ...options, conversations: store, log: silentLog };
    return [store, new FaultyJobs(jobOptions, this.faults, this.written)];
  }

  /** The bytes of one `conversation.json`. */
  text(id: string): Promise<string> {
    return readFile(join(this.folder, id, 'conversation.json'), 'utf8');
  }

  jobText(id: string): Promise<string> {
    return readFile(join(this.folder, id, 'job.json'), 'utf8');
  }

  setJobText(id: string, text: string): Promise<void> {
    return writeFile(join(this.folder, id, 'job.json'), text);
  }

  /** All files of all conversations, with their content. */
  async files(): Promise<Record<string, string>> {
    const names = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const kept = names.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
    const paths = kept.filter((path) => path.endsWith('.json')).sort();
    const contents = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
    return Object.fromEntries(paths.map((path, i) => [path, contents[i] ?? '']));
  }

  async jobCount(): Promise<number> {
    return (await this.jobs.list()).length;
  }

  /** The names of the held leases. */
  async leases(): Promise<string[]> {
    const names = await readdir(join(this.folder, '.leases')).catch(() => []);
    return names.filter((name) => name.endsWith('.lock'));
  }

  async close(): Promise<void> {
    await Promise.all(this.#services.map((service) => service.close()));
    await this.api.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function openBench(
  backend: PerplexityOptions['backend'] = 'agent',
  options: StandInOptions = {},
): Promise<Bench> {
  const api = await startStandIn({ gateway: backend === 'chat-completions', ...options });
  return new Bench(api, await mkdtemp(join(tmpdir(), 'daybook-research-')), backend);
}

export function question(query: string, change: Partial<FollowupQuestion> = {}): FollowupQuestion {
  return {
    query,
    filters: {},
    relatedQuestions: false,
    showThinking: false,
    discardLostRun: false,
    ...change,
  };
}

/** For a request that the stand-in never answers. */
export const NEVER_ANSWERED = new Promise<never>(() => undefined);

/** A promise for `until` of the stand-in, and the function that resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Resolves when `check` no longer throws; at most a minute, for a slow machine. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  const until = performance.now() + 60_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
