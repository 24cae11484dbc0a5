/**
 * Daybook as a library: the stores, the search and the tools of the server, in this process. Several
 * processes, also servers, can open the same folder at the same time.
 */
import { type App, createApp } from '../app.js';
import { AppError } from '../base/errors.js';
import { loadConfig } from '../config/config.js';
import { readTextIfPresent } from '../files/safe-access/given-file.js';
import { resolveRealPath } from '../files/safe-access/real-path.js';
import type { MatchType } from '../fts/query/match-type-names.js';
import type { InsightResults } from '../search/insight-search.js';
import type { MessageResults } from '../search/messages/keyword-search.js';
import type { MessageFilters } from '../search/messages/message-filters.js';
import { inputError } from '../server/mcp/errors/input-error.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { InsightStore } from '../stores/insights/insights.js';
import { requireContext } from '../stores/insights/validate-insight.js';
import { TOOLSETS, tools } from '../tools/index.js';
import { requireKnownNames, requireSearch, requireSignal } from './search-request.js';
import { untilClosed } from './until-closed.js';

export interface OpenOptions {
  /**
   * The folder of all data; it is created if it is missing. Default, as for the command: `DAYBOOK_ROOT`,
   * otherwise a folder registered with `daybook init`, otherwise `~/.daybook`.
   */
  readonly root?: string;
  /** Settings by name of their environment variable. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface SearchRequest {
  /** Default `auto`: FTS5 syntax, or plain words if the query is not valid FTS5. */
  readonly matchType?: MatchType;
  readonly filters?: MessageFilters;
  /** Maximum number of results. Default 20. */
  readonly limit?: number;
  /** Number of results to skip. Default 0. */
  readonly offset?: number;
  /** If it is aborted, the search throws CANCELLED. */
  readonly signal?: AbortSignal;
}

export interface InsightSearchRequest extends Omit<SearchRequest, 'filters'> {
  /** `global`, an absolute path, `git:host/owner/repository` or `project:name`: only its insights are found. */
  readonly context: string;
  /** Only insights with all of these tags. */
  readonly tags?: readonly string[];
  readonly includeExpired?: boolean;
}

const PAGE_OPTIONS = ['matchType', 'limit', 'offset', 'signal'];
const SEARCH_OPTIONS = [...PAGE_OPTIONS, 'filters'];
const INSIGHT_OPTIONS = [...PAGE_OPTIONS, 'context', 'tags', 'includeExpired'];
const FILTERS = ['conversationId', 'module', 'tag', 'role', 'startTime', 'endTime'];

export interface Daybook {
  /** The absolute path of the folder. */
  readonly root: string;
  /** A write is durable when its promise resolves. A read returns the present content of the files. */
  readonly conversations: ConversationStore;
  /** Durable writes and reads as for `conversations`. */
  readonly insights: InsightStore;
  /**
   * Finds messages, best first. The first search builds the index or loads it from the cache of the user.
   * Then the index follows all changes of the files until `close`. Throws QUERY_SYNTAX (only with
   * `matchType: 'fts5'`), VALIDATION_ERROR, CANCELLED or FILESYSTEM_ERROR.
   */
  search(query: string, request?: SearchRequest): Promise<MessageResults>;
  /** Finds insights of one context, best first. Throws the errors of `search`. */
  searchInsights(query: string, request: InsightSearchRequest): Promise<InsightResults>;
  /**
   * Calls a tool as a local MCP client does, by its name or an alias, and returns its output. docs/TOOLS.md
   * describes the tools; tools of disabled toolsets can be called too. Throws VALIDATION_ERROR for a wrong
   * argument or an unknown tool, and the errors of the tool.
   */
  call(
    tool: string,
    input?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Finishes running writes and closes all files. Later calls throw CONFLICT. */
  close(): Promise<void>;
}

/**
 * Opens the folder without reading its files. The background work of a server (daily backups, resuming
 * research, making vectors) is not done. If `DAYBOOK_EMBEDDINGS` is set, a search by meaning uses the
 * vectors that a server or `daybook embeddings update` made. Throws VALIDATION_ERROR for a wrong setting,
 * and FILESYSTEM_ERROR.
 */
export async function openDaybook(options: OpenOptions = {}): Promise<Daybook> {
  requireKnownNames(options, ['root', 'env']);
  const { root, env } = options;
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
      requireKnownNames(given, SEARCH_OPTIONS);
      const { matchType = 'auto', filters = {}, limit = 20, offset = 0, signal } = given;
      requireKnownNames(filters, FILTERS);
      const request = { query, matchType, filters, limit, offset };
      requireSearch({ ...request, signal });
      return search.search(request, { ...(signal && { signal }) });
    },
    async searchInsights(query, given) {
      requireOpen();
      requireKnownNames(given, INSIGHT_OPTIONS);
      const { matchType = 'auto', limit = 20, offset = 0, signal, ...selection } = given;
      const request = { query, matchType, limit, offset, ...selection };
      requireSearch({ ...request, signal });
      return insightSearch.search({ ...request, context: requireContext(given.context) }, signal);
    },
    async call(tool, input = {}, signal) {
      requireOpen();
      requireSignal(signal);
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
      `There is no tool ${JSON.stringify(String(name).slice(0, 80))}.`,
      {
        hint: 'Call one of the tools in `details.known` by its exact name.',
        details: { known: tools.map((each) => each.name) },
      },
    );
  }
  // A program may pass `undefined` for an optional argument. In JSON there is no such value.
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const input = tool.input.safeParse(Object.fromEntries(present));
  if (!input.success) throw inputError(tool, input.error);
  const local = { signal, isRemote: false, progress: () => undefined };
  return tool.output.parse(await tool.run(input.data, app, local));
}
