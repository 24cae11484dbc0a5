/** What the configuration tells about a store, for people. */
import { VERSION } from '../base/version.js';
import type { Config } from '../config/config.js';
import { withoutPassword } from '../config/find-settings.js';
import { indexCachePath } from './index-cache-path.js';

/** What `store_info` and `daybook info` show. It contains no secret. */
export interface StoreFacts {
  readonly version: string;
  readonly root: string;
  readonly rootSource: string;
  readonly conversationLogsDir: string;
  readonly configFile: string;
  /** Where the search index is cached; absent where it is built at every start. */
  readonly indexCachePath?: string;
  /** How a client on this machine starts a server on this store; only where one serves it. */
  readonly start?: {
    readonly command: string;
    readonly args: readonly string[];
    /** The same as one line for a shell, and the line that runs `daybook init`. */
    readonly startLine: string;
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
        baseUrl: withoutPassword(perplexity.baseUrl),
      },
    },
  };
}
