/**
 * Logging to stderr, one JSON line an event (pino). stdout belongs to JSON-RPC and to the CLI.
 * Written synchronously: a log line about a crash must be out before the process is.
 */
import { destination, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export function createLog(level: LogLevel): Log {
  return pino({ level, base: null }, destination({ fd: 2, sync: true }));
}

/** For library use and tests: says nothing. */
export const silentLog: Log = pino({ level: 'silent' });
