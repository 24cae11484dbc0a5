/**
 * `history.jsonl` of Claude Code: every prompt that was typed, including those of deleted sessions. Prompts
 * of sessions that are in the same import are ignored.
 */

import { objectIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { objectLines } from '../../reading/documents/documents.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { timeIn } from '../../reading/text/times.js';
import type {
  ImportedConversation,
  ImportedMessage,
  ImportProblem,
} from '../../source-interface.js';

export const HISTORY = /(^|\/)history\.jsonl$/;

/** Ids of the sessions in this import, and the beginnings of their prompts. */
export interface KnownPrompts {
  readonly sessions: Set<string>;
  readonly texts: Set<string>;
  /** False if sessions were not read because they did not change. Their prompts are not in `texts`. */
  areAllRead: boolean;
}

interface Lost {
  readonly id: string;
  readonly project: string | undefined;
  readonly messages: ImportedMessage[];
}

/**
 * Yields one conversation for each deleted session. Prompts without a session become one conversation for
 * each project and day.
 */
export async function* historyConversations(
  file: InputFile,
  known: KnownPrompts,
): AsyncGenerator<ImportedConversation | ImportProblem> {
  const lost = new Map<string, Lost>();
  const problems: ImportProblem[] = [];
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    const content = withPasted(textIn(value['display']), objectIn(value['pastedContents']));
    const createdAt = timeIn(value['timestamp']);
    const session = textIn(value['sessionId']);
    if (content === undefined || (session !== undefined && known.sessions.has(session))) continue;
    const isOfSession = !known.areAllRead || known.texts.has(content.slice(0, 200));
    if (session === undefined && isOfSession) continue;
    const project = textIn(value['project']);
    const id = session ?? `history:${project ?? ''}:${createdAt?.slice(0, 10) ?? ''}`;
    const group = lost.get(id) ?? { id, project, messages: [] };
    lost.set(id, group);
    group.messages.push({ role: 'user', content, createdAt });
  }
  yield* problems;
  for (const each of lost.values()) yield promptsOnly(file, each);
}

/** The conversation for the prompts of a session that is gone. */
export const promptsOnly = (
  file: InputFile,
  { id, project, messages }: Lost,
): ImportedConversation => ({
  type: 'conversation',
  path: file.name,
  id,
  fileTimeMs: file.modifiedAtMs,
  isRemnant: true,
  ...moduleOfFolder(project),
  tags: ['prompts only'],
  messages,
});

/** Replaces each `[Pasted text #1 +12 lines]` of the prompt by the pasted text of that number. */
function withPasted(display: string | undefined, pasted: JsonObject): string | undefined {
  return display?.replace(/\[Pasted text #(\d+)[^\]\n]*\]/g, (mark, number: string) => {
    return textIn(objectIn(pasted[number])['content']) ?? mark;
  });
}
