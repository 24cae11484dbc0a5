/**
 * Imports conversations of one source into the store, each as a whole or not at all, and durable before it
 * is counted. A repeated import changes nothing. An import after a kill continues where the last one
 * ended.
 */
import { type AppError, isAppError } from '../../base/errors.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import {
  hasReplaced,
  markOfSource,
  replacedWith,
  type SourceId,
} from '../../stores/conversations/document/import-mark.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import { addUnder } from '../../stores/conversations/writing/add-under.js';
import type { Masker } from '../../stores/conversations/writing/mask-queue.js';
import { maskedBy } from '../../stores/text-masker.js';
import { addLeftOut, addProblem } from '../import-outcome.js';
import type { Activity, ImportedConversation } from '../source-interface.js';
import type { KnownConversation, Planned } from './already-imported.js';
import { BranchImport } from './branch-import.js';
import { candidateWithoutCopy } from './omit-forked-history.js';
import { differs, importWhole, type WholeImportOptions } from './own-export-import.js';
import { plannedAgain, plannedOf } from './planned-again.js';
import type { Candidate } from './planned-conversation.js';
import { isChanged, isOtherPath, type Reconciled, reconcile } from './reconcile.js';
import { refinementOf, withoutDeleted } from './refined-candidate.js';
import { RenamedTrees } from './renamed-trees.js';
import { SourceIdMap } from './source-id-map.js';
import { candidateWithActivity } from './stored-activity.js';
import { importSourceSummaries } from './summary-import.js';

/** Errors that concern one conversation and do not stop the others. */
const ERRORS_OF_ONE_CONVERSATION: readonly AppError['code'][] = [
  'ALREADY_EXISTS',
  'CONFLICT',
  'VALIDATION_ERROR',
  'CONVERSATION_CORRUPTED',
  'CONVERSATION_FULL',
  'CONVERSATION_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'DECRYPT',
  'FORMAT_TOO_NEW',
  'TOO_LARGE',
  'LOCKED',
];

/** One promise for all finished conversations, because a promise for each would need memory. */
const FINISHED = Promise.resolve();

export interface ConversationImportOptions extends WholeImportOptions {
  readonly masker: Masker;
  readonly activity: Activity;
  /** Throws LOCKED if another import has started while this one was paused. */
  readonly requireHeld: () => void;
}

export class ConversationImport {
  readonly #options: ConversationImportOptions;
  readonly #branches: BranchImport;
  readonly #renamed: RenamedTrees;
  /** Ids of the conversations that this import created. */
  readonly #created = new Set<string>();
  /** Conversations that are being imported or are done in this import. */
  readonly #started = new SourceIdMap<Promise<void>>();
  /** By tree: resolves when all of its conversations that this import has begun are done. */
  readonly #turns = new SourceIdMap<Promise<void>>();
  /** The trees of conversations that are in the import more than once. */
  readonly #repeated = new SourceIdMap<true>();
  /** For a conversation that is a branch: the conversation whose import it waits for. */
  readonly #waitsFor = new SourceIdMap<SourceId>();

  constructor(options: ConversationImportOptions) {
    this.#options = options;
    this.#branches = new BranchImport(options);
    this.#renamed = new RenamedTrees(options.known);
  }

  /**
   * Durable when it resolves. Throws only errors that concern all conversations: STORAGE_FULL,
   * FILESYSTEM_ERROR.
   */
  importOne(kind: string, asGiven: ImportedConversation): Promise<void> {
    const given = this.#renamed.underKnownIds(kind, asGiven);
    const source = { kind, id: given.id };
    if (this.#started.get(source) !== undefined) {
      this.#repeated.set({ kind, id: given.treeId ?? given.id }, true);
      return this.#inTurn(kind, given);
    }
    const importing = this.#inTurn(kind, given);
    this.#started.set(source, importing);
    const ended = () => this.#started.set(source, FINISHED);
    importing.then(ended, ended);
    return importing;
  }

  /**
   * The conversations of a tree that was imported before are imported in turn, because their messages may be
   * in others of them than the source has them now. A conversation that is in the import again, such as in
   * a later export in the same folder, is imported like that too: it may have more messages.
   */
  #inTurn(kind: string, given: ImportedConversation): Promise<void> {
    const tree = { kind, id: given.treeId ?? given.id };
    const before = this.#turns.get(tree);
    const importing =
      before !== undefined && this.#isStoredTree(tree)
        ? before.then(() => this.#import(kind, given))
        : this.#import(kind, given);
    const all = before === undefined ? importing : Promise.allSettled([before, importing]);
    const ended = () => {
      if (this.#turns.get(tree) === settled) this.#turns.delete(tree);
    };
    const settled: Promise<void> = all.then(ended, ended);
    this.#turns.set(tree, settled);
    return importing;
  }

  /** Whether conversations of the tree were imported before: by an earlier import, or earlier in this one. */
  #isStoredTree(tree: SourceId): boolean {
    if (this.#repeated.get(tree)) return true;
    return this.#options.known.ofTree(tree).some((id) => !this.#created.has(id));
  }

  async #import(kind: string, given: ImportedConversation): Promise<void> {
    const { outcome, known } = this.#options;
    for (const [reason, count] of Object.entries(given.leftOut ?? {})) {
      addLeftOut(outcome, reason, count);
    }
    const leftHere = known.reasonToLeaveOut({ kind, id: given.id });
    const isEmpty = given.messages.length === 0 && given.whole === undefined;
    const isBranch = given.treeId !== undefined && given.treeId !== given.id;
    if (isEmpty && isBranch) return;
    if (isEmpty || leftHere !== undefined) return this.#leaveOut(leftHere);
    try {
      if (given.whole === undefined) {
        const candidate = await this.#candidate(kind, given);
        if (candidate.messages.length === 0) return this.#leaveOut();
        await this.#importCandidate(candidate);
        if (given.summaries !== undefined)
          await importSourceSummaries(candidate, given.summaries, this.#options);
      } else await importWhole(given.id, given.whole, this.#options);
    } catch (error) {
      if (!isAppError(error) || !ERRORS_OF_ONE_CONVERSATION.includes(error.code)) throw error;
      outcome.skipped += 1;
      addProblem(outcome, given, error);
    }
  }

  #leaveOut(reason = 'conversations without messages'): void {
    this.#options.outcome.skipped += 1;
    addLeftOut(this.#options.outcome, reason);
  }

  async #candidate(kind: string, given: ImportedConversation): Promise<Candidate> {
    const { outcome, masker } = this.#options;
    const { messages, masked } = await masker.mask(given.messages);
    const { title, module, tags, metadata } = given;
    const head = await maskedBy(masker, { title, module, tags, metadata });
    outcome.masked += masked.length + head.masked.length;
    return candidateWithoutCopy(kind, { ...given, ...head.value, messages }, this.#options);
  }

  async #importCandidate(given: Candidate): Promise<void> {
    const { outcome, known, dryRun, store } = this.#options;
    const { mark } = given;
    const tree = this.#storedTreeOf(given);
    const there = known.get(mark) ?? (tree ? undefined : known.getByFirstMessage(mark));
    const isLess = mark.isRemnant === true && there?.mark.isRemnant !== true;
    const planned = known.planned(mark);
    if (planned !== undefined) this.#planAgain(planned, given, there);
    else if (there === undefined && known.hasId(mark.id)) {
      // The conversation was exported from this store, or has the id of one that is in this store.
      if (store.knownHead(mark.id)?.messageCount === mark.count) outcome.unchanged += 1;
      else throw differs(mark.id);
    } else if (there === undefined) {
      const parentId = await this.#parentWith(given);
      if (parentId !== undefined) return this.#addToParent(parentId, given);
      const candidate = withoutDeleted(given, known.deletedIn(known.branchesOf(undefined, given)));
      const count = candidate.messages.length;
      if (count > 0 && !dryRun) await this.#create(candidate);
      else if (count > 0) known.plan(mark, plannedOf(candidate));
      outcome[count > 0 ? 'added' : 'unchanged'] += 1;
      outcome.messages += count;
    } else if (!isChanged(there.mark, mark)) {
      known.setCurrent(there.conversationId);
      outcome.unchanged += 1;
    } else if (isLess || hasReplaced(there.mark, mark)) outcome.unchanged += 1;
    else await this.#update(there, this.#following(given, there));
  }

  /** Counts another version of a conversation that this dry run would have added or changed before. */
  #planAgain(planned: Planned, candidate: Candidate, there: KnownConversation | undefined): void {
    const { outcome, known } = this.#options;
    const again = plannedAgain(planned, candidate);
    outcome[again.outcome] += 1;
    outcome.messages += again.messages;
    known.plan(candidate.mark, again.planned);
    if (there !== undefined && again.outcome === 'updated') {
      known.planMessages(there.conversationId, candidate.messages);
    }
  }

  /** The tree of a branch, if conversations of the tree were imported before. */
  #storedTreeOf({ mark, treeId }: Candidate): SourceId | undefined {
    if (treeId === undefined || treeId === mark.id) return undefined;
    const tree = { kind: mark.kind, id: treeId };
    return this.#isStoredTree(tree) ? tree : undefined;
  }

  /**
   * Returns the conversation from which the candidate was branched, or another of its tree, if it has one of
   * the messages of the candidate: when it was imported, the source showed another branch.
   */
  async #parentWith(candidate: Candidate): Promise<string | undefined> {
    const { mark, branchOf, messages } = candidate;
    const tree = this.#storedTreeOf(candidate);
    if (tree !== undefined) return this.#branches.holderIn(tree, idsOf(messages));
    const parent = branchOf && (await this.#parentOf(mark, branchOf));
    if (!parent || this.#created.has(parent.conversationId)) return undefined;
    const stored = await this.#options.known.messagesOf(parent.conversationId);
    return stored.some(({ id }) => id === messages[0]?.id) ? parent.conversationId : undefined;
  }

  async #addToParent(parentId: string, given: Candidate): Promise<void> {
    const { outcome } = this.#options;
    const candidate = (await refinementOf(given, parentId, this.#options.known))(given);
    const { messages, branchOf } = candidate;
    const previous = branchOf && { id: branchOf.messageId };
    const content = { messages, previous, isChanged: false };
    const done = await this.#branches.add(parentId, candidate, content);
    const { added, created, isEdited, others } = done;
    if (created > 0 && done.hasOwnIds) outcome.branched.push(parentId);
    // It is not known whether the text was changed here or in the source.
    if (others > 0) addLeftOut(outcome, 'messages that have another text here', others);
    if (created > 0) outcome.added += created;
    else outcome[added > 0 || isEdited ? 'updated' : 'unchanged'] += 1;
    outcome.messages += added;
  }

  async #create(candidate: Candidate): Promise<void> {
    const { mark, fields, messages, branchOf } = candidate;
    const { store, known, requireHeld: beforeWrite } = this.#options;
    const { clientId, ...others } = fields;
    const isFree = clientId !== undefined && !known.isKeyTaken(clientId);
    const tree = this.#storedTreeOf(candidate);
    const parent = branchOf && (await this.#parentOf(mark, branchOf, tree));
    const placed = {
      ...others,
      ...(isFree && { clientId }),
      ...(parent && { branchOf: parent }),
    };
    let conversationId = mark.id;
    if (CONVERSATION_ID.test(mark.id))
      await addUnder(mark.id, { messages, ...placed }, this.#options);
    else conversationId = await store.batches.add({ fields: placed, messages, beforeWrite });
    if (isFree) known.takeKey(clientId);
    known.add(conversationId);
    known.setCurrent(conversationId);
    this.#created.add(conversationId);
  }

  /**
   * Returns the conversation from which this one was branched. Waits until it is imported. A damaged export
   * may name a conversation as a branch of itself, also through others: then there is no parent.
   */
  async #parentOf(
    own: SourceId,
    branchOf: { id: string; messageId: string },
    tree?: SourceId | undefined,
  ) {
    const parent = { kind: own.kind, id: branchOf.id };
    for (let at: SourceId | undefined = parent; at !== undefined; at = this.#waitsFor.get(at)) {
      if (at.id === own.id) return undefined;
    }
    this.#waitsFor.set(own, parent);
    await this.#started.get(parent)?.catch(() => undefined); // its own import reports the error
    const conversationId =
      (tree && (await this.#branches.holderIn(tree, new Set([branchOf.messageId])))) ??
      this.#options.known.get(parent)?.conversationId;
    return conversationId && { conversationId, messageId: branchOf.messageId };
  }

  /** The candidate under the id with which the conversation was first imported. */
  #following(candidate: Candidate, { conversationId, mark: before }: KnownConversation): Candidate {
    const isInImport = this.#options.known.isCurrent(conversationId);
    const replaced = isInImport ? replacedWith(before) : before.replaced;
    const mark = { ...candidate.mark, id: before.id, ...(replaced && { replaced }) };
    const metadata = { ...candidate.fields.metadata, source: mark };
    return { ...candidate, mark, fields: { ...candidate.fields, metadata } };
  }

  async #update({ conversationId, mark }: KnownConversation, given: Candidate): Promise<void> {
    const { outcome, store, known, dryRun, activity } = this.#options;
    const stored = await store.load(conversationId);
    const { candidate: whole, leavesMore } = candidateWithActivity(given, stored, mark, activity);
    const refined = await refinementOf(whole, conversationId, known);
    const candidate = refined(whole);
    const keepsPath = await this.#keepsPath(stored, candidate, leavesMore);
    const plan = reconcile(stored, mark, candidate, keepsPath);
    if (plan === undefined) {
      if (!isChanged(mark, candidate.mark)) known.setCurrent(conversationId);
      outcome.unchanged += 1;
      return;
    }
    const branched =
      (await this.#addBranch(conversationId, candidate, plan)) ??
      (await this.#branches.keepTextless(stored, candidate, plan.revision));
    if (keepsPath) await this.#branches.followHead(conversationId, candidate);
    if (dryRun) {
      known.plan(given.mark, plannedOf(given));
      if (plan.revision.messages !== undefined) {
        known.planMessages(conversationId, plan.revision.messages);
      }
    } else {
      await store.revise(conversationId, (current) => {
        const own = markOfSource(current.metadata, mark) ?? mark;
        const { candidate: other } = candidateWithActivity(given, current, own, activity);
        const now = reconcile(current, own, refined(other), keepsPath);
        // The conversation changed meanwhile and needs a branch that was not made. The next import writes the
        // mark.
        const needsOther = now?.branch !== undefined && plan.branch === undefined;
        return needsOther ? undefined : now?.revision;
      });
      known.add(conversationId);
      known.setCurrent(conversationId);
    }
    if (branched !== undefined && branched.created > 0) outcome.added += branched.created;
    else outcome.updated += 1;
    const own = (plan.revision.messages ?? stored.messages).length - stored.messages.length;
    outcome.messages += (branched?.added ?? 0) + Math.max(0, own);
  }

  /**
   * Whether the conversation keeps its messages although the source shows others: another conversation has the
   * others, or branches of it; or the import would store less of the calls and thinking in its messages.
   */
  async #keepsPath(
    stored: Conversation,
    candidate: Candidate,
    leavesMore: boolean,
  ): Promise<boolean> {
    const { mark, treeId } = candidate;
    const tree = treeId === undefined ? undefined : { kind: mark.kind, id: treeId };
    const isAlone = tree === undefined || this.#options.known.ofTree(tree).length < 2;
    const isOther = isOtherPath(stored, candidate);
    const isAllShown = isAlone && !isOther;
    const isInSource = stored.messages.every(({ id }) => candidate.isInSource(id));
    if (leavesMore && isInSource && !isAllShown) return true;
    // The links of the other branches name messages of this path.
    if (!isAlone && isOther) return true;
    const own = idsOf(stored.messages);
    const missing = idsOf(candidate.messages.filter(({ id }) => !own.has(id)));
    if (missing.size === 0) return false;
    return isAlone
      ? this.#branches.hasAny(stored.conversationId, candidate, missing)
      : (await this.#branches.holderIn(tree, missing)) !== undefined;
  }

  /** The branch is written before the mark that says it is done, so that an import after a crash repeats it. */
  async #addBranch(conversationId: string, candidate: Candidate, { branch }: Reconciled) {
    if (branch === undefined) return undefined;
    const done = await this.#branches.add(conversationId, candidate, branch);
    // At the end of the conversation itself, messages that follow its last message are no branch.
    const isBranch = done.added > 0 && done.extended !== conversationId;
    if (isBranch) this.#options.outcome.branched.push(conversationId);
    return done;
  }
}

const idsOf = (messages: readonly { readonly id: string }[]): ReadonlySet<string> =>
  new Set(messages.map(({ id }) => id));
