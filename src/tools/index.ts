/** The list of all tools, in the order of `tools/list`. A test compares it with the tool files. */
import { backup } from './admin/backup.js';
import { listInsightContexts } from './admin/list-insight-contexts.js';
import { listTrash } from './admin/list-trash.js';
import { pruneConversations } from './admin/prune-conversations.js';
import { quickFind } from './admin/quick-find.js';
import { restoreConversation } from './admin/restore-conversation.js';
import { setRetentionPolicy } from './admin/set-retention-policy.js';
import { verifyStore } from './admin/verify-store.js';
import { configureLlmProvider } from './context/configure-llm-provider.js';
import { getAnalytics } from './context/get-analytics.js';
import { getContextSummary } from './context/get-context-summary.js';
import { getProgressiveDetail } from './context/get-progressive-detail.js';
import { getRelevantSnippets } from './context/get-relevant-snippets.js';
import { getState } from './context/get-state.js';
import { searchMemory } from './context/search-memory.js';
import { setState } from './context/set-state.js';
import { branchConversation } from './conversations/branch-conversation.js';
import { deleteConversation } from './conversations/delete-conversation.js';
import { deleteMessage } from './conversations/delete-message.js';
import { exportConversations } from './conversations/export-conversations.js';
import { getConversation } from './conversations/get-conversation.js';
import { getConversations } from './conversations/get-conversations.js';
import { importConversations } from './conversations/import-conversations.js';
import { mergeConversations } from './conversations/merge-conversations.js';
import { saveMessage } from './conversations/save-message.js';
import { searchMessages } from './conversations/search-messages.js';
import { storeInfo } from './conversations/store-info.js';
import { updateConversation } from './conversations/update-conversation.js';
import { updateMessage } from './conversations/update-message.js';
import type { Tool } from './define-tool.js';
import { deleteInsight } from './insights/delete-insight.js';
import { getInsight } from './insights/get-insight.js';
import { listInsights } from './insights/list-insights.js';
import { saveInsight } from './insights/save-insight.js';
import { searchInsights } from './insights/search-insights.js';
import { updateInsight } from './insights/update-insight.js';
import { kgAdd } from './kg/kg-add.js';
import { kgDelete } from './kg/kg-delete.js';
import { kgExport } from './kg/kg-export.js';
import { kgImport } from './kg/kg-import.js';
import { kgNeighbors } from './kg/kg-neighbors.js';
import { kgQuery } from './kg/kg-query.js';
import { kgSave } from './kg/kg-save.js';
import { kgStats } from './kg/kg-stats.js';
import { kgSubjects } from './kg/kg-subjects.js';
import { mbAdd } from './memory-bank/mb-add.js';
import { mbDelete } from './memory-bank/mb-delete.js';
import { mbEdit } from './memory-bank/mb-edit.js';
import { mbHistory } from './memory-bank/mb-history.js';
import { mbList } from './memory-bank/mb-list.js';
import { mbRead } from './memory-bank/mb-read.js';
import { mbReindex } from './memory-bank/mb-reindex.js';
import { mbSearch } from './memory-bank/mb-search.js';
import { getConversationHistory } from './perplexity/get-conversation-history.js';
import { perplexityDeepResearch } from './perplexity/perplexity-deep-research.js';
import { perplexityDeepResearchFollowup } from './perplexity/perplexity-deep-research-followup.js';
import { perplexitySearch } from './perplexity/perplexity-search.js';
import { perplexitySearchFollowup } from './perplexity/perplexity-search-followup.js';
import { historyMessagesRecent } from './threads/history-messages-recent.js';
import { historyThreadsAppendMessage } from './threads/history-threads-append-message.js';
import { historyThreadsCreate } from './threads/history-threads-create.js';
import { historyThreadsGet } from './threads/history-threads-get.js';
import { historyThreadsList } from './threads/history-threads-list.js';
import { historyThreadsSearch } from './threads/history-threads-search.js';
import { sessionStart } from './threads/session-start.js';

export { TOOLSETS } from './define-tool.js';

export const tools: readonly Tool[] = [
  saveMessage,
  getConversation,
  getConversations,
  searchMessages,
  exportConversations,
  importConversations,
  updateConversation,
  updateMessage,
  deleteMessage,
  branchConversation,
  mergeConversations,
  deleteConversation,
  getContextSummary,
  getRelevantSnippets,
  searchMemory,
  getProgressiveDetail,
  configureLlmProvider,
  getState,
  setState,
  perplexitySearch,
  perplexityDeepResearch,
  perplexitySearchFollowup,
  perplexityDeepResearchFollowup,
  getConversationHistory,
  historyThreadsCreate,
  historyThreadsList,
  historyThreadsGet,
  historyThreadsSearch,
  historyThreadsAppendMessage,
  historyMessagesRecent,
  sessionStart,
  mbList,
  mbRead,
  mbHistory,
  mbSearch,
  mbAdd,
  mbEdit,
  mbDelete,
  mbReindex,
  kgAdd,
  kgQuery,
  kgDelete,
  kgNeighbors,
  kgSubjects,
  kgStats,
  kgSave,
  kgExport,
  kgImport,
  saveInsight,
  searchInsights,
  listInsights,
  getInsight,
  updateInsight,
  deleteInsight,
  backup,
  verifyStore,
  getAnalytics,
  quickFind,
  listInsightContexts,
  listTrash,
  restoreConversation,
  setRetentionPolicy,
  pruneConversations,
  storeInfo,
];
