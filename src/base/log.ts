/**
 * Logs to stderr, one JSON line for each event (pino). stdout is only for JSON-RPC and the CLI. Lines are
 * written synchronously, so that a line about a crash is written before the process ends.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Logs a message, or fields and a message. */
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

/** The levels, the least severe first. */
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Creates a log. pino is loaded at the first line, because most server sessions log nothing. */
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

/** A log that writes nothing, for library use and tests. */
export const silentLog: Log = createLog('silent');
