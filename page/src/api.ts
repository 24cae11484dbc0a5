/**
 * The page's only way to the server: tools by name, and the stream of changes. The types are those of
 * the tools themselves.
 */
import type { z } from 'zod';
import type { getAnalytics } from '../../src/tools/admin/get-analytics.js';
import type { listInsightContexts } from '../../src/tools/admin/list-insight-contexts.js';
import type { listTrash } from '../../src/tools/admin/list-trash.js';
import type { quickFind } from '../../src/tools/admin/quick-find.js';
import type { restoreConversation } from '../../src/tools/admin/restore-conversation.js';
import type { verifyStore } from '../../src/tools/admin/verify-store.js';
import type { getContextSummary } from '../../src/tools/context/get-context-summary.js';
import type { deleteConversation } from '../../src/tools/conversations/delete-conversation.js';
import type { getConversation } from '../../src/tools/conversations/get-conversation.js';
import type { getConversations } from '../../src/tools/conversations/get-conversations.js';
import type { importConversations } from '../../src/tools/conversations/import-conversations.js';
import type { searchMessages } from '../../src/tools/conversations/search-messages.js';
import type { storeInfo } from '../../src/tools/conversations/store-info.js';
import type { updateConversation } from '../../src/tools/conversations/update-conversation.js';
import type { listInsights } from '../../src/tools/insights/list-insights.js';
import type { kgNeighbors } from '../../src/tools/kg/kg-neighbors.js';
import type { kgQuery } from '../../src/tools/kg/kg-query.js';
import type { kgStats } from '../../src/tools/kg/kg-stats.js';
import type { mbEdit } from '../../src/tools/memory-bank/mb-edit.js';
import type { mbList } from '../../src/tools/memory-bank/mb-list.js';
import type { mbRead } from '../../src/tools/memory-bank/mb-read.js';
import type { getConversationHistory } from '../../src/tools/perplexity/get-conversation-history.js';
import type { perplexityDeepResearchFollowup } from '../../src/tools/perplexity/perplexity-deep-research-followup.js';
import type { perplexitySearchFollowup } from '../../src/tools/perplexity/perplexity-search-followup.js';
import type { sessionStart } from '../../src/tools/threads/session-start.js';

interface Tools {
  get_analytics: typeof getAnalytics;
  list_insight_contexts: typeof listInsightContexts;
  list_trash: typeof listTrash;
  quick_find: typeof quickFind;
  restore_conversation: typeof restoreConversation;
  delete_conversation: typeof deleteConversation;
  get_conversation: typeof getConversation;
  get_conversations: typeof getConversations;
  search_messages: typeof searchMessages;
  import_conversations: typeof importConversations;
  store_info: typeof storeInfo;
  verify_store: typeof verifyStore;
  session_start: typeof sessionStart;
  update_conversation: typeof updateConversation;
  list_insights: typeof listInsights;
  kg_neighbors: typeof kgNeighbors;
  kg_query: typeof kgQuery;
  kg_stats: typeof kgStats;
  mb_edit: typeof mbEdit;
  mb_list: typeof mbList;
  mb_read: typeof mbRead;
  get_conversation_history: typeof getConversationHistory;
  get_context_summary: typeof getContextSummary;
  perplexity_search_followup: typeof perplexitySearchFollowup;
  perplexity_deep_research_followup: typeof perplexityDeepResearchFollowup;
}

type Name = keyof Tools;
export type Output<N extends Name> = z.output<Tools[N]['output']>;

/** The facts of an AppError, or what became of the connection. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint = '') {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const isFile = body instanceof File;
  try {
    return await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' },
      body: isFile ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new CallError('OFFLINE', 'The server does not answer.', 'Start it with daybook open.');
  }
}

/** The structured answer of a tool. CallError; AbortError when the signal is aborted. */
export async function call<N extends Name>(
  name: N,
  input: z.input<Tools[N]['input']>,
  signal?: AbortSignal,
): Promise<Output<N>> {
  const response = await post(`/api/tools/${name}`, input, signal);
  const body = await response.json();
  if (response.ok) return body as Output<N>;
  const { code = 'HTTP', message = response.statusText, hint = '' } = body.error ?? {};
  throw new CallError(response.status === 401 ? 'SIGNED_OUT' : String(code), message, hint);
}

/** Hands a file over for `import_conversations`, which takes the path. CallError. */
export async function upload(file: File): Promise<{ path: string }> {
  const response = await post(`/api/uploads?name=${encodeURIComponent(file.name)}`, file);
  const body = await response.json();
  if (response.ok) return body;
  throw new CallError('HTTP', body.error?.message ?? response.statusText);
}

/** The server needs it no longer. */
export async function dropUpload(path: string): Promise<void> {
  await post('/api/uploads/remove', { path });
}

/** Whether the browser may use the page; a link or a token makes it so. */
export async function isSignedIn(): Promise<boolean> {
  return (await fetch('/api/session')).ok;
}

export async function signIn(given: { link: string } | { token: string }): Promise<boolean> {
  return (await post('/api/session', given)).ok;
}

export interface Change {
  readonly kind: string;
  /** `*` stands for many. */
  readonly keys: readonly string[];
}

type Listener = (change: Change) => void;
const listeners = new Set<Listener>();
let isFollowing = false;

/** Called with every change on disk; everything counts as changed after a lost connection. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  if (!isFollowing) openEvents();
  return () => void listeners.delete(listener);
}

function openEvents(): void {
  isFollowing = true;
  const source = new EventSource('/api/events');
  let wasLost = false;
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  source.addEventListener('changed', ({ data }) => tell(JSON.parse(data)));
  source.addEventListener('open', () => {
    document.documentElement.dataset['live'] = 'yes';
    if (wasLost) for (const kind of ['conversation', 'note', 'graph']) tell({ kind, keys: ['*'] });
    wasLost = false;
  });
  source.addEventListener('error', () => {
    document.documentElement.dataset['live'] = 'no';
    wasLost = true;
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      openEvents();
      for (const kind of ['conversation', 'note', 'graph']) tell({ kind, keys: ['*'] });
    }, 1000);
  });
}
