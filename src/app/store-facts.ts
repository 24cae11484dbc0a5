/** The facts of the configuration that people may see. */
import { VERSION } from '../base/version.js';
import type { Config } from '../config/config.js';
import { indexCachePath } from './cache-paths.js';

/** The facts that `store_info` and `daybook info` show. They contain no secret. */
export interface StoreFacts {
  readonly version: string;
  readonly root: string;
  readonly rootSource: string;
  readonly conversationLogsDir: string;
  readonly configFile: string;
  /** Path of the cached search index; absent if the index is built at every start. */
  readonly indexCachePath?: string;
  /** The command with which a client on this machine starts a server for this store; only in servers. */
  readonly start?: {
    readonly command: string;
    readonly args: readonly string[];
    /** `command` and `args` as a command line for a shell. */
    readonly startLine: string;
    /** The command line that runs `daybook init`. */
    readonly initLine: string;
  };
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

export function factsOf(config: Config): StoreFacts {
  const cachePath = indexCachePath(config);
  const { toolsets, fsync, maxMessages, logLevel, perplexity } = config;
  return {
    version: VERSION,
    root: config.root,
    rootSource: config.rootSource,
    conversationLogsDir: config.logsDir,
    configFile: config.configFile,
    ...(cachePath !== undefined && { indexCachePath: cachePath }),
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
