/** Extracts what the user of Cursor's command line typed. */

import type { TurnBuilder } from '../../reading/messages/turns.js';
import { extractElements } from '../../reading/text/tagged-text.js';

/** The typed text is in `<user_query>` elements; Cursor adds the text around them. */
export function typedText(turns: TurnBuilder, text: string): string {
  const { inside, rest } = extractElements(text, 'user_query');
  const queries = inside.map((query) => query.trim());
  if (queries.length === 0) return text;
  if (rest.trim() !== '') turns.countLeftOut('injected context');
  return queries.join('\n\n');
}
