/** Why an import skips a conversation: the user chose a day or a project, or excluded its folder. */
import { isAbsolute } from 'node:path';
import { isInside } from '../files/paths/path-confinement.js';
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
export function skipReason(item: ImportedConversation, { since, project, excluded }: Choice) {
  if (isExcluded(item, excluded)) return 'of an excluded folder';
  if (since !== undefined) {
    const said = item.updatedAt ?? item.messages.at(-1)?.createdAt ?? item.createdAt;
    if ((said ?? fileTimeOf(item)) < since) return `last changed before ${since}`;
  }
  const names = [item.module, item.project, ...(item.tags ?? [])];
  if (project === undefined) return undefined;
  const isWanted = names.includes(project) || names.includes(project.replace(/[/\\]+$/, ''));
  return isWanted ? undefined : 'of another project';
}

function isExcluded({ project }: ImportedConversation, excluded: readonly string[] = []): boolean {
  if (project === undefined || !isAbsolute(project)) return false;
  return excluded.some((folder) => isInside(project, folder));
}
