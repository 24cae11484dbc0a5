/**
 * Log messages to the client: the outcome of its own tool calls, on the stream of the call, from the
 * level that the client asked for. A client learns nothing of other clients, and no detail of an
 * internal error: the server's own log has that under the error's reference.
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

/** Answers `logging/setLevel`. Until the client sets a level, it gets warnings and worse. */
export function registerLogging(server: Server, log: Log): ClientLog {
  let least: LoggingLevel = 'warning';
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    least = params.level;
    return {};
  });
  return ({ sendNotification }, level, data) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return;
    const params = { level, logger: 'daybook', data };
    sendNotification({ method: 'notifications/message', params }).catch((error: unknown) =>
      log.debug({ err: error }, 'a log message was not sent'),
    );
  };
}
