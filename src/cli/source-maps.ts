/**
 * Stack traces that name lines of the sources instead of the bundle. A map is read when a caller reads
 * the stack of an error: `process.setSourceMapsEnabled` would read those of all files at each start.
 */
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readGivenText } from '../files/safe-access/given-file.js';

/** The place of a frame in a file: its address, line and column. */
const PLACE = /(file:\S+?\.js):(\d+):(\d+)/;

const maps = new Map<string, SourceMap | undefined>();

/** From now on, for every error of this process. */
export function useSourceMaps(): void {
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
}

/** As Node writes it: its own errors with their code. */
function headOf(error: Error & { readonly code?: unknown }): string {
  const { name, code } = error;
  const head = Error.prototype.toString.call(error);
  if (typeof code !== 'string' || !code.startsWith('ERR_') || name.includes(code)) return head;
  return head.replace(name, `${name} [${code}]`);
}

function inSources(frame: string): string {
  return frame.replace(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = fileURLToPath(new URL(entry.originalSource, file));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

/** Undefined where the file has no map that can be read. */
function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readGivenText(fileURLToPath(`${file}.map`))));
  } catch {
    return undefined; // the place in the bundle is shown then
  }
}
