/**
 * Shows tool calls and thinking (`tools` and `thinking` of a message's metadata, docs/FORMAT.md) as
 * Markdown for readers: summarized in one line, or in full.
 */

import { type JsonObject, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import { fenced } from '../../base/text/code-block.js';
import type { ExportedDocument } from '../export-formats.js';

export type ShownActivity = 'folded' | 'all';

/** A new document in which the activity is part of the text, before the message. */
export function withActivity(document: ExportedDocument, shown: ShownActivity): ExportedDocument {
  return {
    ...document,
    messages: document.messages.map((message) => {
      const activity = activityOf(message['metadata'], shown);
      const texts = [...activity, String(message['content'])];
      return { ...message, content: texts.filter((text) => text.trim() !== '').join('\n\n') };
    }),
  };
}

function activityOf(metadata: unknown, shown: ShownActivity): string[] {
  const { tools, thinking } = objectIn(metadata);
  const calls = objectsIn(tools);
  const thoughts = textIn(thinking)?.trim() ?? '';
  if (shown === 'folded') return foldedLine(calls, thoughts !== '');
  const quoted = thoughts.split('\n').map((line) => `> ${line}`.trimEnd());
  return [...(thoughts === '' ? [] : [quoted.join('\n')]), ...calls.flatMap(callBlocks)];
}

/** For example `*[thinking, Bash 3 times, Read]*`; empty if there was no activity. */
function foldedLine(calls: readonly JsonObject[], isThinking: boolean): string[] {
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(nameOf(call), (counts.get(nameOf(call)) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ${count} times`));
  const all = [...(isThinking ? ['thinking'] : []), ...parts];
  return all.length === 0 ? [] : [`*[${all.join(', ')}]*`];
}

function callBlocks(call: JsonObject): string[] {
  const failed = call['isError'] === true ? ' (failed)' : '';
  const texts = [call['input'], call['result']].filter((part) => part !== undefined);
  return [
    `**${nameOf(call)}**${failed}`,
    ...texts.map((part) => fenced(typeof part === 'string' ? part : JSON.stringify(part, null, 2))),
  ];
}

/** The name of a tool comes from outside, so it is escaped as plain text. */
const nameOf = ({ name }: JsonObject) =>
  (textIn(name) ?? 'tool').replaceAll(/[\s*`[\]<>\\]+/g, ' ').trim();
