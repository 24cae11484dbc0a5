/**
 * Texts that the user typed and that are not saved yet: notes, questions, titles and tags. They stay when the user looks at another
 * view of the page.
 */
import { useEffect, useState } from 'preact/hooks';

/** By name of what is edited. */
const drafts = new Map<string, unknown>();

/** The browser asks before it closes or reloads the page. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if (drafts.size > 0) event.preventDefault();
}

/** Returns the draft with this name, and the function that replaces or removes it. A name belongs to one type. */
export function useDraft<Draft>(
  name: string,
): readonly [Draft | undefined, (draft: Draft | undefined) => void] {
  const [draft, show] = useState(drafts.get(name) as Draft | undefined);
  useEffect(() => addEventListener('beforeunload', askBeforeLeaving), []);
  const set = (next: Draft | undefined) => {
    if (next === undefined) drafts.delete(name);
    else drafts.set(name, next);
    show(next);
  };
  return [draft, set];
}
