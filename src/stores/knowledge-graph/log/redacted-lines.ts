/**
 * The lines of a file of the graph with parts of their facts replaced. Each line that changes gets a
 * new checksum; damaged lines, and files that hold no operations, are changed as plain texts.
 */
import { isPart } from '../model/triple.js';
import { encodeOperation, readLine } from './operation-line.js';

/** A part that would become longer than a part may be is replaced as a whole. */
const WHOLE = '[redacted]';

export function redactedGraphLines(text: string, redact: (part: string) => string): string {
  return text
    .split('\n')
    .map((line) => redactedLine(line, redact))
    .join('\n');
}

function redactedLine(line: string, redact: (part: string) => string): string {
  const [, opening = '', body = '', end = ''] = /^(\[?)(.*?)(,?\r?)$/s.exec(line) ?? [];
  const bytes = Buffer.from(body);
  const content = readLine(bytes, 0, bytes.length, '');
  if (content.kind !== 'operation') return redact(line);
  const { subject, predicate, object } = content.key;
  const key = {
    subject: partOf(redact(subject)),
    predicate: partOf(redact(predicate)),
    object: partOf(redact(object)),
  };
  const isSame = key.subject === subject && key.predicate === predicate && key.object === object;
  return isSame ? line : `${opening}${encodeOperation(key, content.operation)}${end}`;
}

const partOf = (part: string) => (isPart(part) ? part : WHOLE);
