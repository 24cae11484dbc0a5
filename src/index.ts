/**
 * Public API of the package: the app over a folder, the MCP server over an app, and the text index
 * that gives SQLite FTS5's answers, which is useful alone.
 */
export { type App, type AppOptions, createApp, type StoreFacts } from './app.js';
export { AppError, type ErrorCode } from './base/errors.js';
export { type Config, type ConfigSources, loadConfig } from './config.js';
export type { MatchType } from './search/match-type.js';
export type { Hit, SearchResult } from './search/search-result.js';
export type { SnippetOptions } from './search/snippet.js';
export {
  createTextIndex,
  type DocumentId,
  type SearchOptions,
  type TextIndex,
  type TextIndexOptions,
  type TextIndexStats,
} from './search/text-index.js';
export { type BuiltServer, buildServer, type ServerOptions } from './server/build-server.js';
export type { Conversation, ConversationHead, Message } from './stores/conversations/schema.js';
export type {
  AppendResult,
  ConversationStore,
  NewConversation,
  NewMessage,
} from './stores/conversations.js';
