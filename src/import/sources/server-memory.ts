/**
 * The knowledge graph of the official MCP memory server: `memory.jsonl` (also with the field names of its
 * forks), or the whole graph as one document. Facts that `daybook kg export` wrote have the same format.
 */

import { jsonTextsIn, parsedJson } from '../../base/json.js';
import { isRecord, listIn, objectsIn, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { firstElement, hasLine, textOf, unreadable } from '../reading/documents/documents.js';
import type { ImportItem, Source } from '../source-interface.js';

export const serverMemory: Source = {
  kind: 'server-memory',
  title: 'knowledge graph of Daybook or the MCP memory server',
  async detect({ form, files }) {
    const [file] = form === 'file' ? files : [];
    if (file === undefined) return false;
    const isOfGraph = (line: JsonObject) => isEntity(line) || isRelation(line) || isFact(line);
    return (await hasLine(file, isOfGraph)) || isGraph(await firstElement(file));
  },
  async *read({ files }, { signal }) {
    for (const file of files) {
      signal?.throwIfAborted();
      yield await graphOf(file);
    }
  },
};

const isEntity = ({ type, name }: JsonObject) => type === 'entity' && typeof name === 'string';
const isRelation = (line: JsonObject) => line['type'] === 'relation' && fromOf(line) !== undefined;
const isFact = ({ subject, predicate, object }: JsonObject) =>
  [subject, predicate, object].every((part) => typeof part === 'string');
const isGraph = (value: unknown): value is JsonObject =>
  isRecord(value) && Array.isArray(value['entities']) && Array.isArray(value['relations']);

async function graphOf(file: InputFile): Promise<ImportItem> {
  const text = await textOf(file);
  if (text === undefined) return unreadable(file.name, 'the document');
  const graph = parsedJson(text);
  const lines = isGraph(graph)
    ? [
        ...objectsIn(graph['entities']).map((entity) => lineOf({ ...entity, type: 'entity' })),
        ...objectsIn(graph['relations']).map((relation) =>
          lineOf({ ...relation, type: 'relation' }),
        ),
      ]
    : text.split('\n').map((line) => jsonTextsIn(line).map(lineOfText).join(''));
  return { type: 'graph', path: file.name, lines: lines.join('\n') };
}

function lineOfText(text: string): string {
  const value = parsedJson(text);
  return isRecord(value) ? lineOf(value) : text;
}

/** The line with the field names of the server. Other fields stay, so that the report names them. */
function lineOf(value: JsonObject): string {
  if (isEntity(value)) {
    const { entityType, entity_type, observations, ...others } = value;
    const type = entityType ?? entity_type ?? '';
    return JSON.stringify({ ...others, entityType: type, observations: listIn(observations) });
  }
  if (!isRelation(value)) return JSON.stringify(value);
  const { from, from_id, to, to_id, relationType, relation_type, ...others } = value;
  return JSON.stringify({
    ...others,
    from: fromOf({ from, from_id }),
    to: to ?? to_id,
    relationType: relationType ?? relation_type,
  });
}

const fromOf = ({ from, from_id }: JsonObject) => textIn(from) ?? textIn(from_id);
