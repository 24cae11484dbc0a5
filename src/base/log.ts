/**
 * Logging to stderr, one JSON line an event (pino). stdout belongs to JSON-RPC and to the CLI.
 * Written synchronously: a log line about a crash must be out before the process is.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

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

/** Least severe first. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** pino is loaded with the first line: most sessions of a server write none. */
export function createLog(level: LogLevel): Log {
  const least = level === 'silent' ? LEVELS.length : LEVELS.indexOf(level);
  let log: Log | undefined;
  const writer = (name: keyof Log): Write => {
    if (LEVELS.indexOf(name) < least) return () => undefined;
    return (...line: [string] | [object, string]) => {
      log ??= openLog(level);
      log[name](...(line as [object, string]));
    };
  };
  const [debug, info, warn, error] = LEVELS.map(writer) as [Write, Write, Write, Write];
  return { debug, info, warn, error };
}

function openLog(level: LogLevel): Log {
  const { destination, pino } = require('pino') as typeof import('pino');
  return pino({ level, base: null }, destination({ fd: 2, sync: true }));
}

/** For library use and tests: writes nothing. */
export const silentLog: Log = createLog('silent');
