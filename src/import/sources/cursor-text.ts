/** What a user of Cursor's command line typed, out of what the program made of it. */
import { elementsOut } from '../reading/elements.js';
import type { Turns } from '../reading/turns.js';

/** What the user typed is wrapped; around it stands what the program added. */
export function typedIn(turns: Turns, text: string): string {
  const { inside, rest } = elementsOut(text, 'user_query');
  const queries = inside.map((query) => query.trim());
  if (queries.length === 0) return text;
  if (rest.trim() !== '') turns.leaveOut('injected context');
  return queries.join('\n\n');
}
