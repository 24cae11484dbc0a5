/**
 * Searches all files of the store, also the trash, for secrets. Of JSON files the decoded texts are checked,
 * because escapes would hide a key of several lines. Changes nothing.
 */
import { isAppError } from '../base/errors.js';
import { parsedJson } from '../base/json.js';
import { isRecord } from '../base/json-fields.js';
import { isBelow } from '../files/paths/path-confinement.js';
import { readStamp } from '../files/read/stamp.js';
import { NO_DATA, walkFiles } from '../files/read/walk-files.js';
import { readStored } from '../files/read/whole-file.js';
import type { FileSealer } from '../files/sealing/file-sealer.js';
import { isArchiveName, readArchive } from '../files/tar-archive.js';
import { allTextsIn } from './secret-masker.js';
import { secretsIn } from './secrets.js';

export interface StoredSecret {
  /** The absolute path. */
  readonly path: string;
  /** `message 3` or `line 12`; absent for other JSON texts. */
  readonly place?: string;
  /** Such as `GITHUB_TOKEN`. */
  readonly kind: string;
  /** Its first characters. */
  readonly shown: string;
}

export interface ScanOptions {
  /** Opens the files of the store. */
  readonly sealer: FileSealer;
  /** Files that may be outside the folders: the knowledge graph. Absolute paths. */
  readonly otherFiles?: Iterable<string>;
  readonly signal: AbortSignal;
  onFile(): void;
}

const SHOWN = 6;

/** Skips files that cannot be read; `daybook doctor` lists them. FILESYSTEM_ERROR. */
export async function* scanFolders(
  folders: readonly string[],
  { sealer, otherFiles = [], signal, onFile }: ScanOptions,
): AsyncGenerator<StoredSecret> {
  for (const folder of folders) {
    for await (const { path, isPlain } of walkFiles(folder, (name) => NO_DATA.has(name))) {
      signal.throwIfAborted();
      if (!isPlain) continue;
      onFile();
      yield* isArchiveName(path) ? secretsInArchive(path, sealer) : secretsInFile(path, sealer);
    }
  }
  for (const path of otherFiles) {
    if (folders.some((folder) => isBelow(path, folder)) || !(await isFile(path))) continue;
    signal.throwIfAborted();
    onFile();
    yield* secretsInFile(path, sealer);
  }
}

async function* secretsInFile(path: string, sealer: FileSealer): AsyncGenerator<StoredSecret> {
  const text = await textOf(path, sealer);
  for (const part of text === undefined ? [] : partsOf(path, text)) yield* secretsOf(path, part);
}

const isFile = async (path: string) => (await readStamp(path)) !== undefined;

async function* secretsInArchive(path: string, sealer: FileSealer): AsyncGenerator<StoredSecret> {
  try {
    for await (const { name, bytes } of readArchive(path)) {
      const text = sealer.open(name, Buffer.from(bytes)).toString();
      for (const part of partsOf(name, text)) yield* secretsOf(`${path} (${name})`, part, name);
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}

interface Part {
  readonly text: string;
  readonly place?: string;
}

/** `path`: as it is shown. `name`: the file in which the part is. */
async function* secretsOf(
  path: string,
  { text, place }: Part,
  name = path,
): AsyncGenerator<StoredSecret> {
  for (const { kind, start, end } of await secretsIn(text)) {
    const line = `line ${text.slice(0, start).split('\n').length}`;
    const where = name.endsWith('.json') ? place : line;
    const shown = `${text.slice(start, Math.min(end, start + SHOWN)).replace(/\s/g, ' ')}…`;
    yield { path, ...(where !== undefined && { place: where }), kind, shown };
  }
}

async function textOf(path: string, sealer: FileSealer): Promise<string | undefined> {
  try {
    const found = await readStored(path);
    return found && sealer.open(path, found.bytes).toString();
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

function partsOf(path: string, text: string): Part[] {
  const value = path.endsWith('.json') ? parsedJson(text) : undefined;
  if (value === undefined) return [{ text }];
  if (!isRecord(value) || !Array.isArray(value['messages'])) {
    return [{ text: allTextsIn(value).join('\n') }];
  }
  const { messages, ...head } = value;
  return [
    { text: allTextsIn(head).join('\n') },
    ...(messages as unknown[]).map((message, index) => ({
      text: allTextsIn(message).join('\n'),
      place: `message ${index + 1}`,
    })),
  ];
}
