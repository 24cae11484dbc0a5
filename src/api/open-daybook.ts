/**
 * Daybook as a library: the same stores, search and tools that the server offers, in this process,
 * on a folder of plain files. Any number of processes, servers among them, may have it open.
 */
import { type App, createApp } from '../app.js';
import { AppError } from '../base/errors.js';
import { loadConfig } from '../config/config.js';
import { readTextIfPresent } from '../files/paths/user-files.js';
import { resolveRealPath } from '../files/safe-access/real-path.js';
import type { MatchType } from '../fts/query/match-types.js';
import type { InsightResults } from '../search/insight-search.js';
import type { MessageFilters, MessageResults } from '../search/messages/message-search.js';
import { inputError } from '../server/mcp/error-result.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { InsightStore } from '../stores/insights/insights.js';
import { requireContext } from '../stores/insights/validate-insight.js';
import { TOOLSETS, tools } from '../tools/index.js';
import { requireSearch } from './search-request.js';
import { untilClosed } from './until-closed.js';

export interface OpenOptions {
  /**
   * The folder that holds everything; made where it is missing. Left out, it is found as the command
   * finds it: `DAYBOOK_ROOT`, a folder registered with `daybook init`, `~/.daybook`.
   */
  readonly root?: string;
  /** Settings by the names of their environment variables; `process.env` unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface SearchRequest {
  /** `auto` unless given: FTS5's query language, or plain words where it is no valid query. */
  readonly matchType?: MatchType;
  readonly filters?: MessageFilters;
  /** 20 unless given. */
  readonly limit?: number;
  readonly offset?: number;
  /** Aborted: CANCELLED. */
  readonly signal?: AbortSignal;
}

export interface InsightSearchRequest extends Omit<SearchRequest, 'filters'> {
  /** The absolute path of a project, or `global`: nothing of any other context is found. */
  readonly context: string;
  /** Only insights that have all of them. */
  readonly tags?: readonly string[];
  readonly includeExpired?: boolean;
}

export interface Daybook {
  /** Absolute. */
  readonly root: string;
  /** Writes are on disk when their promise resolves, and what is read is what is on disk then. */
  readonly conversations: ConversationStore;
  /** The same for insights. */
  readonly insights: InsightStore;
  /**
   * Finds messages, the best first. The first search builds the index, or loads it from your cache;
   * from then on it follows the folder, edits by hand included, until `close`. QUERY_SYNTAX only with
   * `matchType: 'fts5'`; VALIDATION_ERROR, CANCELLED, FILESYSTEM_ERROR.
   */
  search(query: string, request?: SearchRequest): Promise<MessageResults>;
  /** Finds insights of one context, the best first, as they are on disk. Throws like `search`. */
  searchInsights(query: string, request: InsightSearchRequest): Promise<InsightResults>;
  /**
   * Calls a tool as an MCP client on this machine would, by its name or an older one, and gives its
   * answer (docs/TOOLS.md has them all; toolsets that are switched off can be called too).
   * VALIDATION_ERROR names a wrong argument or tool; else the errors of the tool.
   */
  call(
    tool: string,
    input?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Finishes writes that were begun, then lets go of everything. CONFLICT for every call after it. */
  close(): Promise<void>;
}

/**
 * Opens the folder; reads nothing of what is in it. Background work of a server (daily backups,
 * resuming research, making vectors) is not done; where `DAYBOOK_EMBEDDINGS` is set, questions by meaning
 * use the vectors that a server or `daybook embeddings update` made. VALIDATION_ERROR for a wrong setting, FILESYSTEM_ERROR.
 */
export async function openDaybook({ root, env }: OpenOptions = {}): Promise<Daybook> {
  const config = loadConfig({
    ...(root !== undefined && { flags: { root } }),
    ...(env !== undefined && { env }),
    cwd: process.cwd(),
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
    realPath: resolveRealPath,
  });
  const app = await createApp(config, { loadsVectors: true });
  const { conversations, insights, search, insightSearch } = app;
  const { guarded, requireOpen, close } = untilClosed(() => app.close());
  return {
    root: config.root,
    conversations: guarded(conversations),
    insights: guarded(insights),
    async search(query, given = {}) {
      requireOpen();
      const { matchType = 'auto', filters = {}, limit = 20, offset = 0, signal } = given;
      const request = { query, matchType, filters, limit, offset };
      requireSearch({ ...request, signal });
      return search.search(request, { ...(signal && { signal }) });
    },
    async searchInsights(query, given) {
      requireOpen();
      const { matchType = 'auto', limit = 20, offset = 0, signal, ...selection } = given;
      const request = { query, matchType, limit, offset, ...selection };
      requireSearch({ ...request, signal });
      return insightSearch.search({ ...request, context: requireContext(given.context) }, signal);
    },
    async call(tool, input = {}, signal) {
      requireOpen();
      return call(app, tool, input, signal);
    },
    close,
  };
}

async function call(
  app: App,
  name: string,
  given: Readonly<Record<string, unknown>>,
  signal = new AbortController().signal,
): Promise<Readonly<Record<string, unknown>>> {
  const tool = tools.find((each) => each.name === name || each.aliases?.includes(name));
  if (tool === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `There is no tool ${JSON.stringify(name.slice(0, 80))}.`,
      {
        details: { known: tools.map((each) => each.name) },
      },
    );
  }
  const input = tool.input.safeParse(given);
  if (!input.success) throw inputError(tool, input.error);
  const local = { signal, isRemote: false, progress: () => undefined };
  return tool.output.parse(await tool.run(input.data, app, local));
}
