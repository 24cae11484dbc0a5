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
  /** Called with a file, and the reason in words, that could not be read completely. */
  onUnread(file: { readonly path: string; readonly reason: string }): void;
}

const SHOWN = 6;

/** Reports files that cannot be read to `onUnread`, and continues. FILESYSTEM_ERROR: of a folder. */
export async function* scanFolders(
  folders: readonly string[],
  { sealer, otherFiles = [], signal, onFile, onUnread }: ScanOptions,
): AsyncGenerator<StoredSecret> {
  for (const folder of folders) {
    for await (const { path, isPlain } of walkFiles(folder, (name) => NO_DATA.has(name))) {
      signal.throwIfAborted();
      if (!isPlain) continue;
      onFile();
      const found = isArchiveName(path)
        ? secretsInArchive(path, sealer)
        : secretsInFile(path, sealer);
      yield* reportingUnread(path, found, onUnread);
    }
  }
  for (const path of otherFiles) {
    if (folders.some((folder) => isBelow(path, folder)) || !(await isFile(path))) continue;
    signal.throwIfAborted();
    onFile();
    yield* reportingUnread(path, secretsInFile(path, sealer), onUnread);
  }
}

async function* reportingUnread(
  path: string,
  found: AsyncIterable<StoredSecret>,
  onUnread: ScanOptions['onUnread'],
): AsyncGenerator<StoredSecret> {
  try {
    yield* found;
  } catch (error) {
    if (!isAppError(error)) throw error;
    onUnread({ path, reason: error.message });
  }
}

async function* secretsInFile(path: string, sealer: FileSealer): AsyncGenerator<StoredSecret> {
  const found = await readStored(path);
  const text = found && sealer.open(path, found.bytes).toString();
  for (const part of text === undefined ? [] : partsOf(path, text)) yield* secretsOf(path, part);
}

const isFile = async (path: string) => (await readStamp(path)) !== undefined;

async function* secretsInArchive(path: string, sealer: FileSealer): AsyncGenerator<StoredSecret> {
  for await (const { name, bytes } of readArchive(path)) {
    const text = sealer.open(name, Buffer.from(bytes)).toString();
    for (const part of partsOf(name, text)) yield* secretsOf(`${path} (${name})`, part, name);
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

function partsOf(path: string, text: string): Part[] {
  const value = path.endsWith('.json') ? parsedJson(text) : undefined;
  if (value === undefined) return [{ text }];
  if (!isRecord(value) || !Array.isArray(value['messages'])) {
    return [{ text: textOf(value) }];
  }
  const { messages, ...head } = value;
  return [
    { text: textOf(head) },
    ...(messages as unknown[]).map((message, index) => ({
      text: textOf(message),
      place: `message ${index + 1}`,
    })),
  ];
}

/** The user chooses names in metadata and in the state, so a secret may be there too. */
const textOf = (value: unknown): string => allTextsIn(value, { withNames: true }).join('\n');
