/** The place in a list, kept with the present entry of the browser's history, so that Back finds it. */

export interface Place {
  /** Pixels above the visible part. */
  readonly top: number;
  /** How many entries the list may show; 0 if the list decides. */
  readonly limit: number;
  /** The address of the entry that was opened. */
  readonly href: string;
}

export function keepPlace(place: Place): void {
  history.replaceState(place, '');
}

/** The kept place, which is then forgotten; the start of the list if none is kept. */
export function takeKeptPlace(): Place {
  const { top, limit, href } = (history.state ?? {}) as Partial<Record<keyof Place, unknown>>;
  if (typeof top !== 'number' || typeof limit !== 'number' || typeof href !== 'string')
    return { top: 0, limit: 0, href: '' };
  history.replaceState(null, '');
  return { top, limit, href };
}

/** Focuses the entry that was opened. Returns false if it is not in the document. */
export function focusOpened({ href }: Place): boolean {
  const entry = document.querySelector<HTMLElement>(`main a[href="${CSS.escape(href)}"]`);
  entry?.focus({ preventScroll: true });
  return entry !== null;
}
