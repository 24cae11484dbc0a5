/**
 * Logs to stderr, one JSON line for each event (pino). stdout is only for JSON-RPC and the CLI. A log never
 * stops its process: not if stderr is not read or is closed, nor if pino cannot be loaded.
 */
import { createRequire } from 'node:module';
import { CONTROLS, unicodeEscape } from './text/display-text.js';

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
      try {
        log ??= openLog(level);
      } catch {
        // Too many files are open, or Daybook was replaced since it started. The next line tries again.
        return writeLine(`${JSON.stringify({ level: name, msg: line.at(-1) })}\n`);
      }
      log[name](...(line as [object, string]));
    };
  };
  const [debug, info, warn, error] = LEVELS.map(writer) as [Write, Write, Write, Write];
  return { debug, info, warn, error };
}

function openLog(level: LogLevel): Log {
  const { pino } = require('pino') as typeof import('pino');
  return pino({ level, base: null }, { write: writeLine });
}

/** If the client does not read stderr, so many bytes wait in memory. Further lines are left out. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Writes at once what the pipe accepts. A write with `writeSync` would wait until the client reads. stderr may be
 * a terminal, and JSON does not escape all control characters.
 */
function writeLine(line: string): void {
  const { stderr } = process;
  // If the client has closed stderr, each write fails, and an error without a listener ends the process.
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => undefined);
  if (stderr.writableLength < MAX_WAITING_BYTES)
    stderr.write(`${line.trimEnd().replace(CONTROLS, unicodeEscape)}\n`);
}

/** A log that writes nothing, for library use and tests. */
export const silentLog: Log = createLog('silent');
