/**
 * Redacts a line of the graph's files, without its line feed: replaces text in the parts of its fact. A
 * changed line gets a new checksum. A line without an operation does not change.
 */
import { isPart } from '../model/triple.js';
import { encodeOperation, readLine } from './operation-line.js';

/** Replaces a whole part if redaction would make it too long. */
const WHOLE = '[redacted]';

/** Returns `undefined` for a damaged line. */
export function redactedGraphLine(
  line: string,
  redact: (part: string) => string,
): string | undefined {
  const [, opening = '', body = '', end = ''] = /^(\[?)(.*?)(,?\r?)$/s.exec(line) ?? [];
  const bytes = Buffer.from(body);
  const content = readLine(bytes, 0, bytes.length, '');
  if (content.kind === 'damaged') return undefined;
  if (content.kind !== 'operation') return line;
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
