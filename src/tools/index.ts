/**
 * The list of every tool, in the order in which clients see them.
 * A tool that is not in this list does not exist; a test compares it with the files.
 */
import { backup } from './admin/backup.js';
import { getState } from './context/get-state.js';
import { setState } from './context/set-state.js';
import { branchConversation } from './conversations/branch-conversation.js';
import { deleteConversation } from './conversations/delete-conversation.js';
import { exportConversations } from './conversations/export-conversations.js';
import { getConversation } from './conversations/get-conversation.js';
import { getConversations } from './conversations/get-conversations.js';
import { mergeConversations } from './conversations/merge-conversations.js';
import { saveMessage } from './conversations/save-message.js';
import { searchMessages } from './conversations/search-messages.js';
import { storeInfo } from './conversations/store-info.js';
import { updateConversation } from './conversations/update-conversation.js';
import type { Tool } from './define-tool.js';
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
  updateConversation,
  branchConversation,
  mergeConversations,
  deleteConversation,
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
  backup,
  storeInfo,
];
