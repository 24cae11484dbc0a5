/** A research service on a store and a stand-in, with intervals short enough for tests. */
import { systemClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { createPerplexity, type PerplexityOptions } from '../../src/providers/perplexity.js';
import { createResearch } from '../../src/research/research.js';
import type {
  FollowupQuestion,
  ResearchDeps,
  ResearchService,
} from '../../src/research/research-types.js';
import { MemoryStore } from './memory-stores.js';
import { type StandIn, type StandInOptions, startStandIn } from './perplexity-stand-in.js';

export const FAST = {
  waitMs: 3_000,
  pickUpWaitMs: 1_000,
  progressMs: 10,
  pollMinMs: 5,
  pollMaxMs: 10,
  maxRunMs: 60_000,
  closeGraceMs: 300,
};

export interface Bench {
  readonly api: StandIn;
  readonly store: MemoryStore;
  /** Another service on the same store and API, as another process would be. */
  service(deps?: Partial<ResearchDeps>, wire?: Partial<PerplexityOptions>): ResearchService;
  close(): Promise<void>;
}

export async function openBench(
  backend: PerplexityOptions['backend'] = 'agent',
  options: StandInOptions = {},
): Promise<Bench> {
  const api = await startStandIn({ gateway: backend === 'chat-completions', ...options });
  const store = new MemoryStore();
  const services: ResearchService[] = [];
  return {
    api,
    store,
    service(deps = {}, wire = {}) {
      const perplexity = createPerplexity({
        apiKey: api.key,
        backend,
        baseUrl: api.url,
        clock: systemClock,
        retryDelayMs: 1,
        ...wire,
      });
      const base = { store, jobs: store, perplexity, clock: systemClock, log: silentLog };
      const service = createResearch({ ...base, ...deps, timing: { ...FAST, ...deps.timing } });
      services.push(service);
      return service;
    },
    async close() {
      await Promise.all(services.map((service) => service.close()));
      await api.close();
    },
  };
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

/** Resolves when `check` does not throw any more; at most two seconds. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  const until = performance.now() + 2_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
