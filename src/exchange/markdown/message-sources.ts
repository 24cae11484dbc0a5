/**
 * The pages that a message cites (`sources` of its metadata, docs/FORMAT.md), for readers: without them a
 * mark such as `[2]` in the text means nothing.
 */
import { listIn, objectIn, objectsIn } from '../../base/json-fields.js';

export interface CitedPage {
  /** Marks, title and date in one line, such as `[2] Tomatoes (2026-01-02)`; it can be empty. */
  readonly label: string;
  readonly url: string;
}

export function citedPages(metadata: unknown): CitedPage[] {
  const sources = objectsIn(objectIn(metadata)['sources']);
  return sources.flatMap(({ id, alsoMarked, title, date, url }) => {
    if (typeof url !== 'string') return [];
    const marks = [id, ...listIn(alsoMarked)].filter((mark) => typeof mark === 'number');
    const parts = [
      marks.map((mark) => `[${mark}]`).join(''),
      typeof title === 'string' && title !== url ? title : '',
      typeof date === 'string' ? `(${date})` : '',
    ];
    return [{ label: oneLine(parts.join(' ')), url: oneLine(url) }];
  });
}

export const pageLine = ({ label, url }: CitedPage): string =>
  label === '' ? url : `${label}: ${url}`;

export const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
