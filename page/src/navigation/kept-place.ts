/** The place in a list, kept with the present entry of the browser's history, so that Back finds it. */

interface Place {
  /** Pixels above the visible part. */
  readonly top: number;
  /** How many entries the list may show; 0 if the list decides. */
  readonly limit: number;
}

export function keepPlace(top: number, limit = 0): void {
  history.replaceState({ top, limit } satisfies Place, '');
}

/** The kept place, which is then forgotten; the start of the list if none is kept. */
export function takeKeptPlace(): Place {
  const { top, limit } = (history.state ?? {}) as Partial<Record<keyof Place, unknown>>;
  if (typeof top !== 'number' || typeof limit !== 'number') return { top: 0, limit: 0 };
  history.replaceState(null, '');
  return { top, limit };
}
