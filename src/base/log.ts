/**
 * Logging to stderr, one JSON line an event (pino). stdout belongs to JSON-RPC and to the CLI.
 * Written synchronously: a log line about a crash must be out before the process is.
 */
import { destination, pino } from 'pino';

/** A message alone, or the fields of the line and its message. */
interface Write {
  (message: string): void;
  (fields: object, message: string): void;
}

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export function createLog(level: LogLevel): Log {
  return pino({ level, base: null }, destination({ fd: 2, sync: true }));
}

/** For library use and tests: says nothing. */
export const silentLog: Log = pino({ level: 'silent' });
