/**
 * Composition root: the configuration in, one App with every store and service out.
 * Tools see this interface and nothing of the configuration but the facts that are fit to show.
 */
import { type Clock, systemClock } from './base/clock.js';
import { type Log, silentLog } from './base/log.js';
import { VERSION } from './base/version.js';
import type { Config } from './config.js';
import { type ConversationStore, openConversationStore } from './stores/conversations.js';

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
  readonly facts: StoreFacts;
  /** Finishes what was accepted, then lets go of everything. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly log?: Log;
  readonly clock?: Clock;
}

/** Opens every store on the folders of the configuration. Creates no conversation by itself. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { log = silentLog, clock = systemClock } = options;
  const conversations = await openConversationStore({
    logsFolder: config.logsDir,
    fsync: config.fsync,
    maxMessages: config.maxMessages,
    clock,
  });
  // Beside the first calls: leftovers of dead processes are in nobody's way.
  const tidied = conversations.tidy().catch((error: unknown) => {
    log.warn({ err: error }, 'leftovers of ended processes were not removed');
  });
  return {
    conversations,
    facts: factsOf(config),
    async close() {
      await tidied;
      await conversations.close();
    },
  };
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
