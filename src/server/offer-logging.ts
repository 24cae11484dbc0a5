/**
 * Log messages to the client: what became of its own tool calls, on the stream of the call, from the
 * level that the client asked for. Nothing of other clients, and no detail of an internal error: that
 * is in the server's log under the reference.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type LoggingLevel,
  LoggingLevelSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Log } from '../base/log.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type ClientLog = (extra: Extra, level: LoggingLevel, data: Record<string, unknown>) => void;

/** Least severe first. */
const LEVELS = LoggingLevelSchema.options;

/** Answers `logging/setLevel`; until a client asks, it hears of warnings and worse. */
export function offerLogging(server: Server, log: Log): ClientLog {
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
