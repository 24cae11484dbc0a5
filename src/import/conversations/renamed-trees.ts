/**
 * A source can give a conversation another id: a session of Claude Code that was resumed, or a chat that was moved
 * to another server. The conversation is recognised by its first message, and its branches and subagents by the
 * other id that they name.
 */

import { isOwnId } from '../../stores/conversations/document/import-mark.js';
import type { ImportedConversation } from '../source-interface.js';
import type { AlreadyImported } from './already-imported.js';
import { SourceIdMap } from './source-id-map.js';

export class RenamedTrees {
  readonly #known: AlreadyImported;
  /** By the id that the source gives now: the id of the import. */
  readonly #ids = new SourceIdMap<string>();

  constructor(known: AlreadyImported) {
    this.#known = known;
  }

  /** The conversation under the ids of the earlier import. The main branch of a tree must come first. */
  underKnownIds(kind: string, given: ImportedConversation): ImportedConversation {
    this.#note(kind, given);
    const { id, treeId, branchOf } = given;
    const tree = treeId ?? branchOf?.id;
    const before = tree === undefined ? undefined : this.#ids.get({ kind, id: tree });
    if (tree === undefined || before === undefined) return given;
    const renamed = (now: string) =>
      now === tree || now.startsWith(`${tree}:`) ? before + now.slice(tree.length) : now;
    return {
      ...given,
      id: renamed(id),
      ...(treeId !== undefined && { treeId: before }),
      ...(branchOf && { branchOf: { ...branchOf, id: renamed(branchOf.id) } }),
    };
  }

  #note(kind: string, { id, treeId, messages }: ImportedConversation): void {
    const first = messages[0]?.id;
    if (id !== treeId || first === undefined || !isOwnId(first)) return;
    if (this.#known.get({ kind, id }) !== undefined) return;
    const before = this.#known.getByFirstMessage({ kind, first })?.mark.id;
    if (before !== undefined) this.#ids.set({ kind, id }, before);
  }
}
