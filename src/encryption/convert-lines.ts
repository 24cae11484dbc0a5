/** Files of lines: which of them have another form than the store is getting, and the rejected lines. */
import type { CipherKey } from '../files/sealing/cipher.js';
import { isSealedLine, openLine, sealLine } from '../files/sealing/sealed-form.js';

/** Heads hold nothing of the graph: the name of the format and of a snapshot. */
const HEAD = /^\[?\{"format":"daybook-kg"/;

/** Whether a line of facts is in another form. */
export function hasOtherLines(text: string, key: CipherKey | undefined): boolean {
  return text.split('\n').some((line) => {
    if (line.trim() === '' || HEAD.test(line)) return false;
    return key === undefined ? isSealedLine(Buffer.from(line), 0) : !line.startsWith(`~${key.id}:`);
  });
}

/** The same lines in that form. A line that does not open stays as it is. DECRYPT. */
export function convertLines(text: string, path: string, key: CipherKey | undefined): string {
  const lines = text.split('\n').map((line) => {
    if (line === '') return line;
    const plain = openLine(line, path)?.toString() ?? line;
    return key === undefined ? plain : sealLine(plain, key);
  });
  return lines.join('\n');
}

/** The same with heads in the clear, as in a file of facts. A sealed line stays. DECRYPT. */
export function sealedLines(text: string, path: string, key: CipherKey): string {
  const lines = text
    .split('\n')
    .map((line) => (HEAD.test(line) ? line : convertLines(line, path, key)));
  return lines.join('\n');
}
