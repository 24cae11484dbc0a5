/**
 * Shows lines of the sources in stack traces, not lines of the bundle. A source map is read only when a
 * stack is read; `process.setSourceMapsEnabled` would read all maps at each start.
 */
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readGivenText } from '../files/safe-access/given-file.js';

/** File URL, line and column of a stack frame. */
const PLACE = /(file:\S+?\.mjs):(\d+):(\d+)/;

const maps = new Map<string, SourceMap | undefined>();

/** Sets `Error.prepareStackTrace` for this process. */
export function useSourceMaps(): void {
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${inSources(String(frame))}`)].join('\n');
}

/** The first line in the form of Node.js, which adds the code of its own errors. */
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

/** `undefined` if the file has no readable map. */
function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readGivenText(fileURLToPath(`${file}.map`))));
  } catch {
    return undefined; // then the line of the bundle is shown
  }
}
