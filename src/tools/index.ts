/**
 * The list of every tool, in the order in which clients see them.
 * A tool that is not in this list does not exist; a test compares it with the files.
 */
import { getConversation } from './conversations/get-conversation.js';
import { saveMessage } from './conversations/save-message.js';
import { storeInfo } from './conversations/store-info.js';
import type { Tool } from './define-tool.js';

export { TOOLSETS } from './define-tool.js';

export const tools: readonly Tool[] = [saveMessage, getConversation, storeInfo];
