/**
 * Public API of the package: the app over a folder, the MCP server over an app, and their types.
 */
export { type App, type AppOptions, createApp, type StoreFacts } from './app.js';
export { AppError, type ErrorCode } from './base/errors.js';
export { type Config, type ConfigSources, loadConfig } from './config.js';
export { type BuiltServer, buildServer, type ServerOptions } from './server/build-server.js';
export type { Conversation, ConversationHead, Message } from './stores/conversations/schema.js';
export type {
  AppendResult,
  ConversationStore,
  NewConversation,
  NewMessage,
} from './stores/conversations.js';
