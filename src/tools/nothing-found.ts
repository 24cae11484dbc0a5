/**
 * Why a search found nothing, in a sentence: words nobody used, filters that kept everything out.
 * No tool of its own.
 */
import type { MessageResults } from '../search/message-search.js';

type Nothing = Pick<MessageResults, 'unknownWords' | 'withoutFilter' | 'indexing'>;

/** `names`: what the tool calls its filters, where that differs. */
export function explainNothing(found: Nothing, names: Record<string, string> = {}): string {
  const { unknownWords, withoutFilter, indexing } = found;
  const filters = Object.entries(withoutFilter)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${total} match without ${names[name] ?? name}`);
  const parts = [
    ...(unknownWords.length > 0 ? [`No message has: ${unknownWords.join(', ')}.`] : []),
    ...(filters.length > 0 ? [`${filters.join('; ')}.`] : []),
    ...(indexing ? ['The index is still being built; ask again in a moment.'] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : 'Each word occurs, but no message matches the query.';
}
