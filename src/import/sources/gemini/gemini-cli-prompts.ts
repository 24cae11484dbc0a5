/**
 * `logs.json` of Gemini CLI: every prompt that was typed in a project, including those of deleted sessions.
 * Prompts of sessions that still have a file are ignored.
 */

import { isRecord, objectIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import { unobserved } from '../../input/observed-input.js';
import { elementsOf, firstElement, unreadable } from '../../reading/documents/documents.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportedMessage, ImportItem } from '../../source-interface.js';
import { promptsOnly } from '../claude/claude-code-history.js';

const LOG = /(^|\/)logs\.json$/;

/** Whether this is such a file, by its name. */
export const isPromptLog = ({ name }: InputFile): boolean => LOG.test(name);

const isPrompt = (value: unknown): boolean =>
  isRecord(value) && ['sessionId', 'messageId', 'message'].every((name) => name in value);

/** Whether its first record is a prompt. */
export const hasPrompts = async (file: InputFile): Promise<boolean> =>
  isPrompt(await firstElement(unobserved(file)));

/** Yields one conversation for each session that is not in `sessions`. */
export async function* lostPrompts(
  file: InputFile,
  sessions: ReadonlySet<string>,
  project: string | undefined,
): AsyncGenerator<ImportItem> {
  const lost = new Map<string, ImportedMessage[]>();
  for await (const { value, record } of elementsOf(file)) {
    const fields = objectIn(value);
    const [id, content] = [textIn(fields['sessionId']), textIn(fields['message'])];
    if (id === undefined || content === undefined) yield unreadable(file.name, record);
    else if (!sessions.has(id)) {
      const messages = lost.get(id) ?? [];
      lost.set(id, messages);
      messages.push({ role: 'user', content, createdAt: timeIn(fields['timestamp']) });
    }
  }
  for (const [id, messages] of lost) yield promptsOnly(file, { id, project, messages });
}
