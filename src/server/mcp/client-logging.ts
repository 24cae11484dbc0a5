/**
 * Log messages to the client: the outcome of its own tool calls, in the stream of the call. A client
 * gets no messages about other clients, and no details of an internal error, which are only in the log
 * of the server.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type LoggingLevel,
  LoggingLevelSchema,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../../base/log.js';
import type { Extra } from './call-progress.js';

export type ClientLog = (extra: Extra, level: LoggingLevel, data: Record<string, unknown>) => void;

/** Least severe first. */
const LEVELS = LoggingLevelSchema.options;

/** Handles `logging/setLevel`. Until the client sets a level, it receives warnings and errors. */
export function registerLogging(server: Server, log: Log): ClientLog {
  let minimumLevel: LoggingLevel = 'warning';
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    minimumLevel = params.level;
    return {};
  });
  return ({ sendNotification }, level, data) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minimumLevel)) return;
    const params = { level, logger: 'daybook', data };
    sendNotification({ method: 'notifications/message', params }).catch((error: unknown) =>
      log.debug({ err: error }, 'a log message was not sent'),
    );
  };
}
