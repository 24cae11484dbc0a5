/** Seals and opens single files of an encrypted store (docs/FORMAT.md), depending on the kind of file. */
import { basename } from 'node:path';
import type { CipherKey } from '../files/sealing/cipher.js';
import type { FileSealer } from '../files/sealing/file-sealer.js';
import { plainSealer } from '../files/sealing/file-sealer.js';
import { isAttachment, isDocumentFile, isNeverSealedWhole } from '../files/sealing/open-stores.js';
import { sealedFileKey } from '../files/sealing/sealed-form.js';
import { isArchiveName } from '../files/tar-archive.js';
import { convertFile } from './re-encrypt-file.js';
import { convertLines, hasOtherLines, sealedLines } from './re-encrypt-lines.js';

/** `lineFiles`: the paths of the graph's files. In archives they are recognized by their file names. */
export function fileSealerOf(key: CipherKey | undefined, lineFiles: readonly string[]): FileSealer {
  if (key === undefined) return plainSealer;
  const lineNames = new Set(lineFiles.map((path) => basename(path)));
  const hasLines = (path: string) => lineNames.has(basename(path)) && !isAttachment(path);
  const open = (path: string, stored: Buffer): Buffer => {
    if (hasLines(path)) return Buffer.from(convertLines(stored.toString(), path, undefined));
    return Buffer.from(convertFile(path, stored, { from: key, to: undefined }) ?? stored);
  };
  const sealed = (path: string, stored: Buffer): Buffer | undefined => {
    if (hasLines(path)) {
      const text = stored.toString();
      return hasOtherLines(text, key) ? Buffer.from(sealedLines(text, path, key)) : undefined;
    }
    if (isArchiveName(path) || (isNeverSealedWhole(path) && !isDocumentFile(path)))
      return undefined;
    const converted = convertFile(path, stored, { from: key, to: key });
    return converted && Buffer.from(converted);
  };
  return {
    open,
    sealed,
    like(path, stored, content) {
      const wasSealed = hasLines(path)
        ? !hasOtherLines(stored.toString(), key)
        : sealedFileKey(stored) !== undefined || !open(path, stored).equals(stored);
      return wasSealed ? (sealed(path, content) ?? content) : content;
    },
  };
}
