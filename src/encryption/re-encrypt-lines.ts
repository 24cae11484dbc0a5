/** Encrypts and decrypts files of lines: the files of the knowledge graph and its rejects file. */
import type { CipherKey } from '../files/sealing/cipher.js';
import { isSealedLine, openLine, sealLine } from '../files/sealing/sealed-form.js';

/** Head lines are never sealed. They contain only the name of the format and the hash of a snapshot. */
const HEAD = /^\[?\{"format":"daybook-kg"/;

/** Whether a line must be converted: it is not sealed with this key or, without a key, it is sealed. */
export function hasOtherLines(text: string, key: CipherKey | undefined): boolean {
  return text.split('\n').some((line) => {
    if (line.trim() === '' || HEAD.test(line)) return false;
    return key === undefined ? isSealedLine(Buffer.from(line), 0) : !line.startsWith(`~${key.id}:`);
  });
}

/** Sealed with this key or, without one, decrypted. A damaged line is not changed. DECRYPT. */
export function convertLines(text: string, path: string, key: CipherKey | undefined): string {
  const lines = text.split('\n').map((line) => {
    if (line === '') return line;
    const plain = openLine(line, path)?.toString() ?? line;
    return key === undefined ? plain : sealLine(plain, key);
  });
  return lines.join('\n');
}

/** Like `convertLines`, but head lines are not sealed, as in a file of facts. DECRYPT. */
export function sealedLines(text: string, path: string, key: CipherKey): string {
  const lines = text
    .split('\n')
    .map((line) => (HEAD.test(line) ? line : convertLines(line, path, key)));
  return lines.join('\n');
}
