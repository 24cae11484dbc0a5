/**
 * Composition root: the configuration in, one App with every store and service out.
 * Tools see this interface and nothing of the configuration but the facts that are fit to show.
 */
import { type Clock, systemClock } from './base/clock.js';
import { type Log, silentLog } from './base/log.js';
import { VERSION } from './base/version.js';
import type { Config } from './config.js';
import { createPerplexity, type Perplexity } from './providers/perplexity.js';
import { createResearch } from './research/research.js';
import type { ResearchService } from './research/research-types.js';
import { type ConversationStore, openConversationStore } from './stores/conversations.js';
import { ResearchJobFiles } from './stores/research-job-files.js';

/** What `store_info` and `daybook info` tell; holds no secret. */
export interface StoreFacts {
  readonly version: string;
  readonly root: string;
  readonly rootSource: string;
  readonly conversationLogsDir: string;
  readonly configFile: string;
  readonly settings: {
    readonly toolsets: readonly string[];
    readonly fsync: boolean;
    readonly maxMessages: number;
    readonly logLevel: string;
    readonly perplexity: {
      readonly configured: boolean;
      readonly backend: string;
      readonly baseUrl: string;
    };
  };
}

export interface App {
  readonly conversations: ConversationStore;
  readonly research: ResearchService;
  readonly facts: StoreFacts;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly log?: Log;
  readonly clock?: Clock;
}

/** A dead server's lease on a research run ends by itself; a second look then takes the run over. */
const SECOND_RESUME_MS = 25_000;

/**
 * Opens every store on the folders of the configuration. Creates no conversation by itself; what dead
 * processes left behind is cleared, and their research runs are followed, in the background.
 */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = silentLog, clock = systemClock } = options;
  const { logsDir: logsFolder, fsync, maxMessages } = config;
  const conversations = await openConversationStore({ logsFolder, fsync, maxMessages, clock });
  const research = createResearch({
    store: conversations,
    jobs: new ResearchJobFiles({ logsFolder, fsync, conversations, log }),
    perplexity: perplexityOf(config, clock),
    clock,
    log,
    maxMessages,
    timing: { waitMs: config.perplexity.waitMs },
  });
  const tidying = conversations.tidy().catch((error: unknown) => {
    log.warn({ err: error }, 'left-overs of dead processes could not be cleared');
  });
  void tidying.then(() => research.resume());
  const secondResume = setTimeout(() => void research.resume(), SECOND_RESUME_MS).unref();
  return {
    conversations,
    research,
    facts: factsOf(config),
    async close() {
      clearTimeout(secondResume);
      await tidying;
      await research.close();
      await conversations.close();
    },
  };
}

function perplexityOf({ perplexity }: Config, clock: Clock): Perplexity | undefined {
  const { apiKey, backend, baseUrl, model, searchPreset, researchPreset, timeoutMs } = perplexity;
  if (apiKey === undefined) return undefined;
  return createPerplexity({
    apiKey,
    backend,
    baseUrl,
    clock,
    presets: { search: searchPreset, deepResearch: researchPreset },
    askTimeoutMs: timeoutMs,
    ...(model === undefined ? {} : { models: { search: model, deepResearch: model } }),
  });
}

function factsOf(config: Config): StoreFacts {
  const { toolsets, fsync, maxMessages, logLevel, perplexity } = config;
  return {
    version: VERSION,
    root: config.root,
    rootSource: config.rootSource,
    conversationLogsDir: config.logsDir,
    configFile: config.configFile,
    settings: {
      toolsets,
      fsync,
      maxMessages,
      logLevel,
      perplexity: {
        configured: perplexity.apiKey !== undefined,
        backend: perplexity.backend,
        baseUrl: perplexity.baseUrl,
      },
    },
  };
}
