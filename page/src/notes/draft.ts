/**
 * Texts of notes that are not saved yet. They stay when the user looks at another view of the page.
 * views/notes.tsx saves them with their hash, so that a change by another program is not overwritten.
 */
import { useEffect, useState } from 'preact/hooks';

export interface Draft {
  readonly text: string;
  /** Hash of the text that the user began to edit. */
  readonly hash: string;
}

const drafts = new Map<string, Draft>();

/** The browser asks before it closes or reloads the page. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  if (drafts.size > 0) event.preventDefault();
}

/** Returns the draft of the note, and the function that replaces or removes it. */
export function useDraft(
  path: string,
): readonly [Draft | undefined, (draft: Draft | undefined) => void] {
  const [draft, show] = useState(drafts.get(path));
  useEffect(() => addEventListener('beforeunload', askBeforeLeaving), []);
  const set = (next: Draft | undefined) => {
    if (next === undefined) drafts.delete(path);
    else drafts.set(path, next);
    show(next);
  };
  return [draft, set];
}
