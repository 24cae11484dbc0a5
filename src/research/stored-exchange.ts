/**
 * The stored form of one exchange with Perplexity: question and answer are two messages of one append. The
 * answer's metadata has sources, model, usage, cost and the response id, by which a second copy of the
 * answer is detected.
 */
import { defined } from '../base/json.js';
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';
import type { AskKind, Backend } from '../providers/perplexity-types.js';
import type { NewMessage, PastMessage } from '../stores/conversations/document/apply-appends.js';
import type { Conversation } from '../stores/conversations/document/schema.js';

export interface ExchangeOrigin {
  readonly kind: AskKind;
  readonly backend: Backend;
  readonly notes: readonly string[];
  /** ISO 8601, if the answer comes much later than the question. */
  readonly askedAt?: string;
}

export function toStoredExchange(
  query: string,
  answer: PerplexityAnswer,
  origin: ExchangeOrigin,
): [PastMessage, NewMessage] {
  const { askedAt } = origin;
  const { usage, cost, relatedQuestions, incomplete } = answer;
  return [
    { role: 'user', content: query, ...(askedAt !== undefined && { createdAt: askedAt }) },
    {
      role: 'assistant',
      content: answer.text,
      metadata: {
        provider: 'perplexity',
        backend: origin.backend,
        kind: origin.kind,
        responseId: answer.responseId,
        model: answer.model,
        ...defined({ usage, cost }),
        sources: answer.searchResults,
        ...(relatedQuestions.length > 0 && { relatedQuestions }),
        ...(origin.notes.length > 0 && { notes: origin.notes }),
        ...defined({ incomplete }),
      },
    },
  ];
}

/**
 * Whether the answer of this run is already in the conversation. `askedAt`: the time of its question, for a
 * gateway, because it may give several answers the same id.
 */
export function hasResponse(
  { messages }: Conversation,
  responseId: string,
  askedAt?: string,
): boolean {
  return messages.some(
    ({ metadata }, at) =>
      metadata?.['provider'] === 'perplexity' &&
      metadata['responseId'] === responseId &&
      (askedAt === undefined || messages[at - 1]?.createdAt === askedAt),
  );
}
