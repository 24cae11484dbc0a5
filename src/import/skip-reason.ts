/** Why an import skips a conversation: the user chose a day or a project, or excluded its folder. */
import { isExcluded } from '../files/paths/excluded-folders.js';
import { fileTimeOf } from './conversations/planned-conversation.js';
import type { ImportedConversation } from './source-interface.js';

export interface Choice {
  /** ISO 8601: only conversations that were changed since. */
  readonly since?: string | undefined;
  /** Only conversations of this project: a path of a folder, or a name. */
  readonly project?: string | undefined;
  /** Absolute paths of folders; conversations that were held there or below are never imported. */
  readonly excluded?: readonly string[] | undefined;
}

/** The reason, for the report; `undefined` if the conversation is wanted. */
export async function skipReason(
  item: ImportedConversation,
  { since, project, excluded = [] }: Choice,
): Promise<string | undefined> {
  if (item.project !== undefined && (await isExcluded(item.project, excluded)))
    return 'of an excluded folder';
  if (since !== undefined) {
    const said = item.updatedAt ?? item.messages.at(-1)?.createdAt ?? item.createdAt;
    if ((said ?? fileTimeOf(item)) < since) return `last changed before ${since}`;
  }
  const names = [item.module, item.project, ...(item.tags ?? [])];
  if (project === undefined) return undefined;
  const isWanted = names.includes(project) || names.includes(project.replace(/[/\\]+$/, ''));
  return isWanted ? undefined : 'of another project';
}
