/** A change of files in the store, as the server reports it. */

export interface Change {
  readonly kind: string;
  /** Ids of what changed; `*` means that everything of this kind can have changed. */
  readonly keys: readonly string[];
}

export const CHANGE_KINDS = ['conversation', 'note', 'graph', 'insight'] as const;

/** Changes that make all views load again. */
export const ALL_CHANGES: readonly Change[] = CHANGE_KINDS.map((kind) => ({ kind, keys: ['*'] }));
