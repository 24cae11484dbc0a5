/** The files of another store of Daybook that belong to its conversations, or that say how to read it. */
import { posix } from 'node:path';
import { firstOf } from '../../../base/async/first-of.js';
import { parsedJson } from '../../../base/json.js';
import { isRecord, objectIn } from '../../../base/json-fields.js';
import { countOf } from '../../../base/text/display-text.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import { isAttachment } from '../../../files/sealing/open-stores.js';
import { sealedFileKey, sealedLineKey } from '../../../files/sealing/sealed-form.js';
import type { ImportProblem } from '../../source-interface.js';
import { textOf } from './documents.js';

/** A conversation in its own folder. The group is its id. */
export const IN_FOLDER = /(?:^|\/)(\d{8}-\d{13})\/conversation\.json$/;
const SUMMARIES = /(?:^|\/)\d{8}-\d{13}\/summaries\.json$/;

/** The files of this name in the folders that have folders of conversations. */
export function besideConversations(name: string, { files }: Input): InputFile[] {
  const folders = new Set<string>();
  for (const file of files) {
    if (IN_FOLDER.test(file.name)) folders.add(posix.join(file.name, '../..'));
  }
  return files.filter(
    (file) => posix.basename(file.name) === name && folders.has(posix.dirname(file.name)),
  );
}

const DECRYPTED_COPY =
  'To import all of it, copy the store, run daybook decrypt on the copy, and import the copy.';

/** The problem of these encrypted files of a memory bank. */
export function encryptedFiles([first, ...others]: readonly InputFile[]): ImportProblem[] {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${countOf(others.length, 'other file')}` : '';
  const [are, they] = others.length > 0 ? ['are', 'they were'] : ['is', 'it was'];
  const message = `${first.name}${more} ${are} encrypted, so ${they} not imported. ${DECRYPTED_COPY}`;
  return [{ type: 'problem', path: first.name, code: 'DECRYPT', message }];
}

/** Whether the file is encrypted, or a line at the beginning of a graph. Lines of a note may have any text. */
export async function isEncryptedFile(file: InputFile, isGraph: boolean): Promise<boolean> {
  const part = (await firstOf(file.bytes())) ?? Buffer.alloc(0);
  if (sealedFileKey(part) !== undefined) return true;
  return isGraph && sealedLineKey(part.subarray(0, 1024)) !== undefined;
}

/** The problem of the first encrypted store in the input; `undefined` if there is none. */
export async function encryptedStore(input: Input): Promise<ImportProblem | undefined> {
  for (const marker of besideConversations('encryption.json', input)) {
    if (!isRecord(objectIn(parsedJson(await textOf(marker)))['key'])) continue;
    const message = `The store is encrypted, as ${marker.name} says, so nothing of it was imported. To import its conversations, run daybook export there with its key, and import the export. ${DECRYPTED_COPY}`;
    return { type: 'problem', path: marker.name, code: 'DECRYPT', message };
  }
  return undefined;
}

/** The files that a conversation has beside it, by the folder that they are in. */
export class FilesBeside {
  readonly #attachments = new Map<string, InputFile[]>();
  readonly #summaries = new Map<string, InputFile>();

  constructor(files: readonly InputFile[]) {
    for (const file of files) {
      const [folder, name] = partsOfAttachment(file.name);
      if (SUMMARIES.test(file.name)) this.#summaries.set(posix.dirname(file.name), file);
      if (!isAttachment(file.name) || folder === undefined || name === undefined) continue;
      const group = this.#attachments.get(folder) ?? [];
      group.push({ ...file, name });
      this.#attachments.set(folder, group);
    }
  }

  /** The attachments of the conversation in this folder, under the names that they had in the store. */
  attachments(folder: string): readonly InputFile[] {
    return this.#attachments.get(folder) ?? [];
  }

  /** The file of a conversation in its own folder, and the files beside it. */
  withFilesOf(conversation: InputFile): readonly InputFile[] {
    const folder = posix.dirname(conversation.name);
    return [conversation, this.summaries(folder) ?? [], this.attachments(folder)].flat();
  }

  /** The file `summaries.json` in this folder. */
  summaries(folder: string): InputFile | undefined {
    return this.#summaries.get(folder);
  }
}

/** The folder of the conversation, and the name that the attachment had in the store. */
const partsOfAttachment = (name: string) => /^(.*?)\/attachments\/(.+)$/.exec(name)?.slice(1) ?? [];
