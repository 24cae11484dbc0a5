/**
 * Public API of the package. Most programs need only `openDaybook`. `createApp` opens the stores of a
 * folder, `buildServer` makes an MCP server for an app, and `createTextIndex` makes a text index with the
 * results of SQLite FTS5.
 */

export {
  type Daybook,
  type InsightSearchRequest,
  type OpenOptions,
  openDaybook,
  type SearchRequest,
} from './api/open-daybook.js';
export type { StoreFacts } from './app/store-facts.js';
export { type App, type AppOptions, createApp } from './app.js';
export { AppError, type ErrorCode } from './base/errors.js';
export { type Config, loadConfig } from './config/config.js';
export type { ConfigSources } from './config/settings/find-settings.js';
export type { MatchType } from './fts/query/match-type-names.js';
export type { Hit, SearchResult } from './fts/search-result.js';
export type { SnippetOptions } from './fts/snippets/snippet.js';
export {
  createTextIndex,
  type DocumentId,
  type SearchOptions,
  type TextIndex,
  type TextIndexOptions,
  type TextIndexStats,
} from './fts/text-index.js';
export type { InsightHit, InsightResults } from './search/insight-search.js';
export type { MessageResults } from './search/messages/keyword-search.js';
export type { MessageFilters } from './search/messages/message-filters.js';
export type { MessageHit } from './search/messages/message-hits.js';
export { type BuiltServer, buildServer, type ServerOptions } from './server/mcp/build-server.js';
export type {
  AppendResult,
  ConversationStore,
  NewConversation,
  NewMessage,
} from './stores/conversations/conversations.js';
export type {
  Conversation,
  ConversationHead,
  Message,
} from './stores/conversations/document/schema.js';
export type {
  Insight,
  InsightSelection,
  InsightStore,
  InsightUpdate,
  NewInsight,
} from './stores/insights/insights.js';
