/**
 * The citations of ChatGPT: in the text of an export they are marks. Each is replaced by what the web page shows
 * in its place.
 */
import { parsedJson } from '../../../base/json.js';
import { listIn, objectsIn, textIn } from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';

/** A mark is between two private-use characters. */
const CITATION = /\ue200[^\ue200\ue201]*\ue201/g;

/** `metadata`: of the message with this text. */
export function withShownCitations(text: string, metadata: JsonObject): string {
  const shown = shownCitations(metadata);
  return text.replace(CITATION, (mark) => shown.get(mark) || wordsIn(mark));
}

/** The words in a mark of the name of a thing, or of a link, for which the export has no reference. */
function wordsIn(mark: string): string {
  const [kind, first, second] = mark.slice(1, -1).split('\ue202');
  if (kind === 'entity') return textIn(listIn(parsedJson(first))[1]) ?? '';
  if (kind !== 'url' || first === undefined) return '';
  return second?.startsWith('http') ? `[${first}](${second})` : first;
}

/** By citation mark: what the web page shows in its place, a linked word or the sources. */
function shownCitations(metadata: JsonObject): ReadonlyMap<string, string> {
  const references = objectsIn(metadata['content_references']);
  return new Map(
    references.map((reference) => [
      textIn(reference['matched_text']) ?? '',
      textIn(reference['alt']) ?? linksOf(objectsIn(reference['items'])),
    ]),
  );
}

/** The links in parentheses; empty if no item has an address. */
export function linksOf(items: readonly JsonObject[]): string {
  const links = items.flatMap(({ title, url }) => {
    const address = textIn(url);
    return address === undefined ? [] : [`[${textIn(title) ?? address}](${address})`];
  });
  return links.length === 0 ? '' : `(${links.join(', ')})`;
}
