/**
 * Finds faults in a `conversation.json` that can be read. Daybook can use such a file, and the next write
 * corrects it, but the user may want to know. No I/O.
 */

import { isRecord } from '../../../base/json-fields.js';
import { countOf } from '../../../base/text/display-text.js';
import { jsonTokens, TOKEN } from '../../../files/read/json-tokens.js';

export interface Fault {
  /** A sentence without capital and full stop. */
  readonly text: string;
  /** Whether writing the file again corrects it. */
  readonly isCorrectable: boolean;
}

/** `value`: the parsed JSON of the file. */
export function faultsOf(value: unknown, conversationId: string): Fault[] {
  if (!isRecord(value)) return [];
  const { conversationId: ownId, messageCount, messages } = value;
  const list = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const ids = list.map(({ id }) => id).filter((id) => typeof id === 'string');
  const known = new Set(ids);
  const doubled = ids.length - known.size;
  const orphans = list.filter(
    ({ parentMessageId: parent }) => typeof parent === 'string' && !known.has(parent),
  ).length;
  const correctable = [
    ...(typeof ownId === 'string' && ownId !== conversationId
      ? [`its conversationId is ${ownId.slice(0, 100)}, but its folder is ${conversationId}`]
      : []),
    ...(messageCount !== undefined && messageCount !== list.length
      ? [
          `its messageCount is ${shown(messageCount)}, but it has ${countOf(list.length, 'message')}`,
        ]
      : []),
    ...(doubled > 0
      ? [`${countOf(doubled, 'message has', 'messages have')} the same id as another message`]
      : []),
  ];
  const have = countOf(orphans, 'message has', 'messages have');
  const lasting = orphans > 0 ? [`${have} a parentMessageId that no message has`] : [];
  return [
    ...correctable.map((text) => ({ text, isCorrectable: Array.isArray(messages) })),
    ...lasting.map((text) => ({ text, isCorrectable: false })),
  ];
}

/** Lists and objects are not shown, because they may be nested too deeply for `JSON.stringify`. */
const shown = (value: unknown) =>
  typeof value === 'object' ? 'no number' : JSON.stringify(value).slice(0, 100);

/** The fault of a file with `hasSeveralLists`. */
export const SEVERAL_LISTS: Fault = {
  text: 'it has the field messages more than once: only the last list is read, and the next change of the conversation removes the others',
  isCorrectable: false,
};

const LIST_NAME = 'messages';

/** Whether the outermost object has several fields `messages`. JSON.parse returns the last without an error. */
export function hasSeveralLists(bytes: Buffer): boolean {
  const quoted = JSON.stringify(LIST_NAME);
  if (bytes.indexOf(quoted) === bytes.lastIndexOf(quoted)) return false; // nearly all files; fast
  let depth = 0;
  let lists = 0;
  let last = '';
  for (const { kind, value } of jsonTokens(bytes.toString())) {
    if (kind === TOKEN.openBrace || kind === TOKEN.openBracket) depth += 1;
    else if (kind === TOKEN.closeBrace || kind === TOKEN.closeBracket) depth -= 1;
    else if (kind === TOKEN.colon && depth === 1 && last === LIST_NAME) lists += 1;
    last = value;
  }
  return lists > 1;
}
