/**
 * What an importer is: one file in `sources/` that reads one outside format. It recognises its files
 * and reads them item by item; it does not use Daybook's store. What it cannot read it says, and
 * goes on. Formats change without notice, so every field may be missing or of another kind.
 */
import type { Input, InputFile } from '../files/input/input-types.js';
import type { JsonObject, Role } from '../stores/conversations/document/schema.js';
import type { StoredSummary, SummaryLevel } from '../stores/summaries/summary-file.js';

/** How much of what machines did is kept beside the text (tool calls, their results, thinking). */
export const ACTIVITIES = ['none', 'short', 'all'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** Where in the input something is, for people: a file and a record, such as `line 12`. */
export interface RecordLocation {
  readonly path: string;
  readonly record?: string | undefined;
}

export interface ImportedMessage {
  /** Its id in the source. */
  readonly id?: string | undefined;
  readonly role: Role;
  /** What was said; what machines did is in `metadata`. */
  readonly content: string;
  /** ISO 8601. */
  readonly createdAt?: string | undefined;
  /** Id, in the source, of the message that this one answers. */
  readonly parentId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** Without what only the store knows. `messageCount`: as in `StoredSummary`; 0 where the source does not say it. */
export type ImportedSummary = Pick<
  StoredSummary,
  'text' | 'provider' | 'model' | 'messageCount' | 'qualityScore' | 'generatedAt'
>;

export interface ImportedConversation extends RecordLocation {
  readonly type: 'conversation';
  /** Names it in the source, for ever. */
  readonly id: string;
  /** The id also becomes the key that every tool takes. */
  readonly isKey?: boolean | undefined;
  readonly title?: string | undefined;
  /** The project that it belongs to. */
  readonly module?: string | undefined;
  /** Full path or name of that project, where `--project` looks as well. */
  readonly project?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly pinned?: boolean | undefined;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** The conversation of this source that it branched off, and the message after which it did. */
  readonly branchOf?: { readonly id: string; readonly messageId?: string | undefined } | undefined;
  readonly messages: readonly ImportedMessage[];
  /** They come in where none of their level is. */
  readonly summaries?: { readonly [level in SummaryLevel]?: ImportedSummary } | undefined;
  /** Ids of all messages that the source has of it, also those of its other branches. */
  readonly allIds?: ReadonlySet<string> | undefined;
  /** Names of files of the input that its messages name. */
  readonly attachments?: readonly string[] | undefined;
  /** Files that lie inside its messages, under the names by which these name them. */
  readonly inline?: readonly InputFile[] | undefined;
  /** The document of a store that it was exported from, where it is to come back as it was. */
  readonly whole?: JsonObject | undefined;
  /** Only what is left of it elsewhere: never in place of what is here. */
  readonly isRemnant?: boolean | undefined;
  /** When the file was last modified: the time of what has none. */
  readonly fileTimeMs: number;
  /** What was left out on purpose, counted by kind. */
  readonly leftOut?: Readonly<Record<string, number>> | undefined;
}

export interface ImportedNote extends RecordLocation {
  readonly type: 'note';
  /** In the memory bank. */
  readonly note: string;
  readonly content: string;
}

export interface ImportedInsight extends RecordLocation {
  readonly type: 'insight';
  /** As the file of an insight holds it (docs/FORMAT.md). */
  readonly value: JsonObject;
}

export interface ImportedTriple extends RecordLocation {
  readonly type: 'triple';
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Unix milliseconds. */
  readonly ts?: number | undefined;
}

/** Lines of a knowledge graph: `memory.jsonl`, or facts of an export. */
export interface ImportedGraph extends RecordLocation {
  readonly type: 'graph';
  readonly lines: string;
}

/** A part of `state.json`. What is set there already stays. */
export interface ImportedState extends RecordLocation {
  readonly type: 'state';
  /** The key of a conversation. */
  readonly activeConversation?: string | undefined;
  /** Number of messages. */
  readonly contextWindow?: number | undefined;
  /** Values under free keys. */
  readonly values?: JsonObject | undefined;
}

export interface ImportProblem extends RecordLocation {
  readonly type: 'problem';
  readonly code: string;
  readonly message: string;
  /** It is a whole conversation that cannot be read. */
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
  /** Files that need not be read: they are as they were at an import before (a watch). */
  readonly isKnown?: ((file: InputFile) => boolean) | undefined;
}

export interface Source {
  /** Stored as `metadata.source.kind`; never changed once released. */
  readonly kind: string;
  /** For people. */
  readonly title: string;
  /** Whether these files are of this source. Reads little; never throws for what a file holds. */
  detect(input: Input): Promise<boolean>;
  /** Throws only what reading files throws; everything else is a problem among the items. */
  read(input: Input, options: ReadOptions): AsyncIterable<ImportItem>;
}
