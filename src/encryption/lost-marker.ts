/**
 * Detects an encrypted store whose marker (`encryption.json`) is missing or has no key. Without this check,
 * new texts would be written unencrypted beside the encrypted ones.
 */
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { AppError } from '../base/errors.js';
import { listFiles, listFolders } from '../files/paths/folders.js';
import { readStored } from '../files/read/whole-file.js';
import type { StorePaths } from '../files/sealing/open-stores.js';
import { sealedDocumentKey, sealedFileKey, sealedLineKey } from '../files/sealing/sealed-form.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { MARKER_REMEDY, markerPath } from './marker.js';

/** The number of checked files of each kind. */
const MAX_FILES = 20;
/** Larger files are not checked. */
const MAX_BYTES = 1024 * 1024;

/**
 * DECRYPT if most of the files are encrypted. A few may have been copied from another store. Files of the keys
 * `left` do not count: they could not be decrypted when the store was.
 */
export async function requireClear(
  logsFolder: string,
  paths: StorePaths,
  left: readonly string[] = [],
): Promise<void> {
  const { sealed, clear } = await countSealed(logsFolder, paths);
  const others = sealed.filter((id) => !left.includes(id));
  const [keyId] = others;
  if (keyId === undefined || others.length <= clear) return;
  const path = markerPath(logsFolder);
  throw new AppError(
    'DECRYPT',
    `The files of this store are encrypted with the key ${keyId}, but ${path} does not name this key.`,
    {
      hint: `Nothing was written. ${MARKER_REMEDY}`,
      details: { path, keyId },
    },
  );
}

/** `sealed`: the ids of the keys of the encrypted files, one for each. `clear`: the number of plain files. */
export async function countSealed(
  logsFolder: string,
  paths: StorePaths,
): Promise<{ readonly sealed: readonly string[]; readonly clear: number }> {
  const sealed: string[] = [];
  let clear = 0;
  for (const path of await documents(logsFolder, paths)) {
    const found = await keyIdIn(path, keyOfFile);
    if (found === 'none') clear += 1;
    else if (found !== undefined) sealed.push(found);
  }
  // Plain files of the graph are not counted, because a file without facts has only plain lines.
  for (const path of paths.lineFiles) {
    const found = await keyIdIn(path, sealedLineKey);
    if (found !== 'none' && found !== undefined) sealed.push(found);
  }
  return { sealed, clear };
}

async function documents(logsFolder: string, { sealed }: StorePaths): Promise<string[]> {
  const conversations = (await namesIn(listFolders, logsFolder))
    .filter((name) => CONVERSATION_ID.test(name))
    .sort()
    .slice(-MAX_FILES)
    .map((name) => join(logsFolder, name, 'conversation.json'));
  const others: string[] = [];
  for (const folder of sealed.filter((each) => each !== logsFolder)) {
    for (const [at, suffix] of [
      [folder, '.md'],
      [join(folder, 'insights'), '.json'],
    ] as const) {
      const names = (await namesIn(listFiles, at)).filter((name) => name.endsWith(suffix));
      others.push(...names.slice(0, MAX_FILES).map((name) => join(at, name)));
    }
  }
  return [...conversations, ...others];
}

/** Returns an empty list if the folder cannot be listed. The store of the folder reports the error later. */
const namesIn = (list: (path: string) => Promise<string[]>, path: string): Promise<string[]> =>
  list(path).catch(() => []);

/** The id of the key of a conversation, a note or an insight. A note may be a text that begins like a sealed file. */
function keyOfFile(bytes: Buffer): string | undefined {
  return (isUtf8(bytes) ? undefined : sealedFileKey(bytes)) ?? sealedDocumentKey(bytes);
}

/**
 * Returns `undefined` if the file is absent, too large or cannot be read. Its store reports the error later.
 */
async function keyIdIn(
  path: string,
  keyOf: typeof keyOfFile,
): Promise<string | 'none' | undefined> {
  try {
    const found = await readStored(path, MAX_BYTES);
    return found === undefined ? undefined : (keyOf(found.bytes) ?? 'none');
  } catch {
    return undefined;
  }
}
