/** Types of an import: what it needs, what it is asked for, and what it reports. run-import.ts runs it. */
import type { InputFile } from '../files/input/input-types.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ConversationDocuments } from '../stores/conversations/files/conversation-documents.js';
import type { Masker } from '../stores/conversations/writing/mask-queue.js';
import type { SummaryStore } from '../stores/summaries/summary-store.js';
import type { ArchivedSource } from './conversations/already-imported.js';
import type { ImportOutcome } from './import-outcome.js';
import type { ReadingProgress } from './input/observed-input.js';
import type { NonConversationStores } from './non-conversation-import.js';
import type { Choice } from './skip-reason.js';
import type { Activity, ReadOptions } from './source-interface.js';

export interface ImportStores extends NonConversationStores {
  readonly conversations: ConversationStore;
  readonly documents: ConversationDocuments;
  readonly summaries: Pick<SummaryStore, 'get' | 'put'>;
  /** Removes from messages what must not be stored. */
  readonly masker: Masker;
  /** Absolute path of `conversation-logs`. */
  readonly logsFolder: string;
  /** The conversations in archives, which are not imported again. */
  readonly archived?: () => Promise<readonly ArchivedSource[]>;
  /** Throws STORAGE_FULL if the store would exceed its limit with `moreBytes` more. */
  readonly requireRoom?: ((moreBytes: number) => Promise<void>) | undefined;
}

export interface ImportProgress {
  /** Conversations that were handled, also those that did not change. */
  readonly conversations: number;
  /** The large file that is being read, and how far; absent for small files. */
  readonly reading?: ReadingProgress;
}

export interface ImportRequest extends Choice {
  readonly paths: readonly string[];
  /**
   * The paths were found by Daybook, not given: a path without anything readable is left out, because a tool
   * may have no conversations yet.
   */
  readonly areFound?: boolean | undefined;
  /** The text of an export; it is read after the paths. */
  readonly text?: { readonly name: string | undefined; readonly content: string } | undefined;
  /** The kind of source. If it is absent, the format is detected. */
  readonly from?: string | undefined;
  readonly activity: Activity;
  /** Copies the files that messages name into the folders of their conversations. */
  readonly attachments?: boolean | undefined;
  /** Changes nothing, and reports what would be done. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly isKnown?: ReadOptions['isKnown'] | undefined;
  /** Called for each file of a folder that could not be read, so that `isKnown` is asked about it again. */
  readonly onUnreadable?: ((file: InputFile) => void) | undefined;
  onProgress?(progress: ImportProgress): void;
}

export interface ImportReport extends ImportOutcome {
  /** The kind that was detected for each path. */
  readonly sources: { readonly path: string; readonly kind: string; readonly title: string }[];
}
