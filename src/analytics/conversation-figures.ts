/** The figures of one conversation: one entry for each message, and its most frequent words. */
import type { WordCount } from '../context/frequent-words.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import type { MessageFigures } from './message-figures.js';

export interface ConversationFigures {
  readonly head: ConversationHead;
  /** In the order of the file. */
  readonly messages: readonly MessageFigures[];
}

/** The most frequent words of a conversation, counted when a report asked for topics. */
export interface FrequentWords {
  readonly words: readonly WordCount[];
  /** Number of messages in the conversation when the words were counted. */
  readonly messages: number;
  /** True if the words were counted in only some of the messages. */
  readonly isEstimated: boolean;
}

export interface CountedConversation extends ConversationFigures {
  readonly words?: FrequentWords;
}
