/**
 * The interface of an importer. Each importer is one file in `sources/` that detects and reads one external
 * format, item by item, and does not use Daybook's store. It reports what it cannot read and continues.
 * Formats change without notice, so every field may be missing or have another type.
 */
import type { Input, InputFile } from '../files/input/input-types.js';
import type { JsonObject, Role } from '../stores/conversations/document/schema.js';
import type { StoredSummary, SummaryLevel } from '../stores/summaries/summary-file.js';

/** How much of tool calls, their results and thinking is stored: nothing, 300 characters of each, or all. */
export const ACTIVITIES = ['none', 'short', 'all'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** Location of a record in the input, for people: a file and a record such as `line 12`. */
export interface RecordLocation {
  readonly path: string;
  readonly record?: string | undefined;
}

export interface ImportedMessage {
  /** Id in the source. */
  readonly id?: string | undefined;
  readonly role: Role;
  /** The text of the message. Tool calls and thinking are in `metadata`. */
  readonly content: string;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
  /** Id, in the source, of the message that this one answers. */
  readonly parentId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/**
 * A summary without the fields that only the store can compute. `messageCount` as in `StoredSummary`; 0 if
 * the source does not have it.
 */
export type ImportedSummary = Pick<
  StoredSummary,
  'text' | 'provider' | 'model' | 'messageCount' | 'qualityScore' | 'generatedAt'
>;

export interface ImportedConversation extends RecordLocation {
  readonly type: 'conversation';
  /** Id in the source. It must be the same at every import. */
  readonly id: string;
  /** True if the id also becomes the key by which tools find the conversation. */
  readonly isKey?: boolean | undefined;
  readonly title?: string | undefined;
  /** Name of its project. */
  readonly module?: string | undefined;
  /** Full path or name of its project; `--project` compares this field too. */
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly pinned?: boolean | undefined;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** The conversation of this source from which it branches, and the message after which it branches. */
  readonly branchOf?: { readonly id: string; readonly messageId?: string | undefined } | undefined;
  readonly messages: readonly ImportedMessage[];
  /** The conversation of this source of which it begins with a copy, and the number of messages of the copy. */
  readonly copyOf?: { readonly id: string; readonly count: number; readonly isInInput: boolean };
  /** Each is imported only if the conversation has no summary of its level. */
  readonly summaries?: { readonly [level in SummaryLevel]?: ImportedSummary } | undefined;
  /** If it is one branch of a tree of messages: the id of the branch that the source shows, also for that one. */
  readonly treeId?: string | undefined;
  /** When the source changed this tree last; for other conversations `updatedAt` says it. */
  readonly treeUpdatedAt?: string | undefined;
  /** Ids of all messages that the source has of it, including those of other branches. */
  readonly allIds?: ReadonlySet<string> | undefined;
  /** Those of them that are in other branches than this one. */
  readonly otherIds?: ReadonlySet<string> | undefined;
  /** Names of the files of the input that its messages mention. */
  readonly attachments?: readonly string[] | undefined;
  /** Files that are embedded in its messages, under the names that the messages mention. */
  readonly inline?: readonly InputFile[] | undefined;
  /** The exported document of a store, if it is to be imported unchanged. */
  readonly whole?: JsonObject | undefined;
  /** True if the source has only a part of the conversation. It then never replaces a stored conversation. */
  readonly isRemnant?: boolean | undefined;
  /** Modification time of the file; used for a conversation without times. */
  readonly fileTimeMs: number;
  /** Number of records that were left out on purpose, by reason. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
}

/** The tag of what a subagent did for a conversation: it is no branch, although it links to the conversation. */
export const SUBAGENT_TAG = 'subagent';

export interface ImportedNote extends RecordLocation {
  readonly type: 'note';
  /** Path in the memory bank. If an earlier note of the same input has it, the note gets another one. */
  readonly note: string;
  /** The folder on this machine, or an id, that distinguishes it from notes of other inputs with the same path. */
  readonly origin?: string | undefined;
  readonly content: string;
  /** Modification time of its file. */
  readonly fileTimeMs?: number | undefined;
}

export interface ImportedInsight extends RecordLocation {
  readonly type: 'insight';
  /** The fields of an insight file (docs/FORMAT.md). */
  readonly value: JsonObject;
  /** Modification time of the file; used for an insight without times. */
  readonly fileTimeMs?: number | undefined;
}

export interface ImportedTriple extends RecordLocation {
  readonly type: 'triple';
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Unix milliseconds. */
  readonly ts?: number | undefined;
  /** When the fact ended, in Unix milliseconds. */
  readonly validTo?: number;
  readonly conversationId?: string;
  readonly messageId?: string;
}

/** Lines of a knowledge graph: `memory.jsonl`, or the facts of an export. */
export interface ImportedGraph extends RecordLocation {
  readonly type: 'graph';
  readonly lines: string;
}

/** A part of `state.json`. Values that are already set here are not changed. */
export interface ImportedState extends RecordLocation {
  readonly type: 'state';
  /** Key of a conversation. */
  readonly activeConversation?: string | undefined;
  /** Number of messages. */
  readonly contextWindow?: number | undefined;
  /** Values of free keys. */
  readonly values?: JsonObject | undefined;
}

export interface ImportProblem extends RecordLocation {
  readonly type: 'problem';
  readonly code: string;
  readonly message: string;
  /** True if a whole conversation cannot be read. */
  readonly isConversation?: boolean | undefined;
}

export type ImportItem =
  | ImportedConversation
  | ImportedNote
  | ImportedInsight
  | ImportedTriple
  | ImportedGraph
  | ImportedState
  | ImportProblem;

export interface ReadOptions {
  readonly activity: Activity;
  readonly signal?: AbortSignal | undefined;
  /** Whether a file is unchanged since an earlier import, so that it need not be read (used by a watch). */
  readonly isKnown?: ((file: InputFile) => boolean) | undefined;
}

export interface Source {
  /** Stored as `metadata.source.kind`; must never change once released. */
  readonly kind: string;
  /** Name of the source, for people. */
  readonly title: string;
  /** Whether the input has this format. Reads little, and never throws because of the content of a file. */
  detect(input: Input): Promise<boolean>;
  /** Throws only errors of reading files; every other error becomes an item of type `problem`. */
  read(input: Input, options: ReadOptions): AsyncIterable<ImportItem>;
}
