/**
 * Redacts a file of the graph: replaces text in the parts of its facts. Each changed line gets a new
 * checksum. Damaged lines and lines without an operation are redacted as plain text.
 */
import { isPart } from '../model/triple.js';
import { encodeOperation, readLine } from './operation-line.js';

/** Replaces a whole part if redaction would make it too long. */
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
