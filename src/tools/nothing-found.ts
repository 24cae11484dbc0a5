/**
 * Why a search found nothing, in a sentence: words nobody used, filters that kept everything out.
 * No tool of its own.
 */
import type { MessageResults } from '../search/message-search.js';

interface Nothing extends Pick<MessageResults, 'unknownWords' | 'indexing'> {
  readonly withoutFilter: Readonly<Record<string, number>>;
}

/** `names`: what the tool calls its filters, where that differs; `what`: what it searches. */
export function explainNothing(
  found: Nothing,
  names: Record<string, string> = {},
  what = 'message',
): string {
  const { unknownWords, withoutFilter, indexing } = found;
  const filters = Object.entries(withoutFilter)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${total} match without ${names[name] ?? name}`);
  const parts = [
    ...(unknownWords.length > 0 ? [`No ${what} has: ${unknownWords.join(', ')}.`] : []),
    ...(filters.length > 0 ? [`${filters.join('; ')}.`] : []),
    ...(indexing ? ['The index is still being built; ask again in a moment.'] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : `Each word occurs, but no ${what} matches the query.`;
}
