/**
 * The API of the views: calls of tools by name, over the connection that is set at the start. The types come
 * from the tools.
 */
import type { z } from 'zod';
import type { listInsightContexts } from '../../../src/tools/admin/list-insight-contexts.js';
import type { listTrash } from '../../../src/tools/admin/list-trash.js';
import type { quickFind } from '../../../src/tools/admin/quick-find.js';
import type { restoreConversation } from '../../../src/tools/admin/restore-conversation.js';
import type { verifyStore } from '../../../src/tools/admin/verify-store.js';
import type { getAnalytics } from '../../../src/tools/context/get-analytics.js';
import type { getContextSummary } from '../../../src/tools/context/get-context-summary.js';
import type { searchMemory } from '../../../src/tools/context/search-memory.js';
import type { deleteConversation } from '../../../src/tools/conversations/delete-conversation.js';
import type { getConversation } from '../../../src/tools/conversations/get-conversation.js';
import type { getConversations } from '../../../src/tools/conversations/get-conversations.js';
import type { importConversations } from '../../../src/tools/conversations/import-conversations.js';
import type { searchMessages } from '../../../src/tools/conversations/search-messages.js';
import type { storeInfo } from '../../../src/tools/conversations/store-info.js';
import type { updateConversation } from '../../../src/tools/conversations/update-conversation.js';
import type { deleteInsight } from '../../../src/tools/insights/delete-insight.js';
import type { getInsight } from '../../../src/tools/insights/get-insight.js';
import type { listInsights } from '../../../src/tools/insights/list-insights.js';
import type { kgNeighbors } from '../../../src/tools/kg/kg-neighbors.js';
import type { kgQuery } from '../../../src/tools/kg/kg-query.js';
import type { kgStats } from '../../../src/tools/kg/kg-stats.js';
import type { mbDelete } from '../../../src/tools/memory-bank/mb-delete.js';
import type { mbEdit } from '../../../src/tools/memory-bank/mb-edit.js';
import type { mbHistory } from '../../../src/tools/memory-bank/mb-history.js';
import type { mbList } from '../../../src/tools/memory-bank/mb-list.js';
import type { mbRead } from '../../../src/tools/memory-bank/mb-read.js';
import type { getConversationHistory } from '../../../src/tools/perplexity/get-conversation-history.js';
import type { perplexityDeepResearchFollowup } from '../../../src/tools/perplexity/perplexity-deep-research-followup.js';
import type { perplexitySearchFollowup } from '../../../src/tools/perplexity/perplexity-search-followup.js';
import type { sessionStart } from '../../../src/tools/threads/session-start.js';
import type { Change } from '../changes/change.js';
import { ofWrongField, withFieldNames, withoutToolNames } from '../reader-text.js';

interface Tools {
  get_analytics: typeof getAnalytics;
  list_insight_contexts: typeof listInsightContexts;
  list_trash: typeof listTrash;
  quick_find: typeof quickFind;
  restore_conversation: typeof restoreConversation;
  delete_conversation: typeof deleteConversation;
  delete_insight: typeof deleteInsight;
  get_conversation: typeof getConversation;
  get_conversations: typeof getConversations;
  search_memory: typeof searchMemory;
  search_messages: typeof searchMessages;
  get_insight: typeof getInsight;
  import_conversations: typeof importConversations;
  store_info: typeof storeInfo;
  verify_store: typeof verifyStore;
  session_start: typeof sessionStart;
  update_conversation: typeof updateConversation;
  list_insights: typeof listInsights;
  kg_neighbors: typeof kgNeighbors;
  kg_query: typeof kgQuery;
  kg_stats: typeof kgStats;
  mb_delete: typeof mbDelete;
  mb_edit: typeof mbEdit;
  mb_history: typeof mbHistory;
  mb_list: typeof mbList;
  mb_read: typeof mbRead;
  get_conversation_history: typeof getConversationHistory;
  get_context_summary: typeof getContextSummary;
  perplexity_search_followup: typeof perplexitySearchFollowup;
  perplexity_deep_research_followup: typeof perplexityDeepResearchFollowup;
}

type Name = keyof Tools;
export type Input<N extends Name> = z.input<Tools[N]['input']>;
/** `durable: false`: the store cannot be written, and the data are only in the memory of the server. */
export type Output<N extends Name> = z.output<Tools[N]['output']> & { readonly durable?: false };

/** An AppError of the server, or an error of the connection. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint = '') {
    super(withFieldNames(code === 'VALIDATION_ERROR' ? ofWrongField(message) : message));
    this.code = code;
    this.hint = withoutToolNames(hint);
  }
}

/** A progress report of a running call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A connection to the tools of a server. */
export interface Connection {
  /** True if the views may not change data: they offer no editing, deleting or asking. */
  readonly isReadOnly: boolean;
  /** Returns the output of a tool. Throws CallError, or AbortError if the signal is aborted. */
  call(
    name: string,
    input: object,
    signal?: AbortSignal,
    onProgress?: (report: Progress) => void,
  ): Promise<unknown>;
  /** Reports changes of files from now on. It is called once. */
  follow(report: (change: Change) => void): void;
}

let connection: Connection | undefined;

/** Must be called before the first view is rendered. */
export function connect(made: Connection): void {
  connection = made;
}

function connected(): Connection {
  if (connection === undefined) throw new Error('No connection was made.');
  return connection;
}

export const isReadOnly = (): boolean => connected().isReadOnly;

/** Reports changes of files from now on. It must be called only once. */
export const follow = (report: (change: Change) => void): void => connected().follow(report);

let reportStore: (isAway: boolean) => void = () => undefined;

/** Calls `report` after each call: true if the store cannot be written or read. It must be called only once. */
export function followStore(report: (isAway: boolean) => void): void {
  reportStore = report;
}

/** Returns the output of a tool. Throws CallError, or AbortError if the signal is aborted. */
export async function call<N extends Name>(
  name: N,
  input: Input<N>,
  signal?: AbortSignal,
  onProgress?: (report: Progress) => void,
): Promise<Output<N>> {
  try {
    const output = (await connected().call(name, input, signal, onProgress)) as Output<N>;
    reportStore(output.durable === false);
    return output;
  } catch (error) {
    if (error instanceof CallError && error.code === 'STORAGE_UNAVAILABLE') reportStore(true);
    throw error;
  }
}
