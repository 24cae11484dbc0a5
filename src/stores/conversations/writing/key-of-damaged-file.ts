/**
 * Whether a conversation that cannot be read had a key: a new message for this key must not start a second
 * conversation. The key is in the damaged text, in its sealed fields, or in the newest earlier version, which also
 * helps if an editor has emptied the file.
 */
import { undefinedIfUnreadable } from '../../../base/errors.js';
import { readWhole } from '../../../files/read/whole-file.js';
import { salvage } from '../repair/salvage.js';
import type { StoreCore } from '../store-core.js';
import type { VersionFiles } from '../versions/version-files.js';

export async function hadKey(
  core: StoreCore,
  versions: VersionFiles,
  conversationId: string,
  clientId: string,
): Promise<boolean> {
  if (core.catalogue.lastKeyOf(conversationId) === clientId) return true;
  const path = core.files.fileOf(conversationId);
  const text = (await undefinedIfUnreadable(readWhole(path)))?.bytes.toString() ?? '';
  if (mentionsKey(text, clientId)) return true;
  const saved = undefinedIfUnreadable(sealedKey(core, conversationId, text));
  return (await saved) === clientId || (await versionKey(versions, conversationId)) === clientId;
}

/** Whether the text, which is no valid JSON, has this key. */
function mentionsKey(text: string, clientId: string): boolean {
  const [, ...rests] = text.split('"clientId"');
  return rests.some((rest) => {
    const start = /^\s*:\s*/.exec(rest)?.[0].length;
    return start !== undefined && rest.startsWith(JSON.stringify(clientId), start);
  });
}

/** The key in the sealed fields of an encrypted conversation. */
async function sealedKey({ files, codec }: StoreCore, conversationId: string, text: string) {
  if (!text.includes('"sealed"')) return undefined;
  const location = { path: files.fileOf(conversationId), conversationId };
  return salvage(text, location, codec)?.head.clientId;
}

async function versionKey(versions: VersionFiles, id: string): Promise<string | undefined> {
  const [newest] = (await undefinedIfUnreadable(versions.list(id))) ?? [];
  const document = newest && (await undefinedIfUnreadable(versions.read(id, newest)));
  return document?.head.clientId;
}
