/** Memories of mem0 and OpenMemory, as JSON. Each becomes an insight without a project. */

import { defined } from '../../base/json.js';
import { isRecord, listIn, objectIn, textIn, textsIn } from '../../base/json-fields.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { filesNamed, hasRecord, recordsOf, unreadable } from '../reading/documents/documents.js';
import { msIn } from '../reading/text/times.js';
import type {
  ImportedInsight,
  ImportProblem,
  RecordLocation,
  Source,
} from '../source-interface.js';

const JSON_FILE = /\.json$/i;

export const mem0: Source = {
  kind: 'mem0',
  title: 'memories of mem0',
  async detect(input) {
    for (const file of filesNamed(JSON_FILE, input).slice(0, 3)) {
      const hasMemory = (element: unknown) => [element, ...listsIn(element)].some(isMemory);
      if (await hasRecord(file, hasMemory)) return true;
    }
    return false;
  },
  async *read(input) {
    for (const file of filesNamed(JSON_FILE, input)) {
      const others: ImportProblem[] = [];
      let count = 0;
      for await (const { value, record, path } of recordsOf(file)) {
        const memories = [value, ...listsIn(value)].filter(isMemory);
        for (const memory of memories) {
          if (memory['state'] === 'deleted') continue;
          yield { ...insightOf(memory, { path, record }), fileTimeMs: file.modifiedAtMs };
        }
        count += memories.length;
        if (!isRecord(value)) yield unreadable(path, record);
        else if (memories.length === 0) others.push(unreadable(path, record));
      }
      // A file without any memory belongs to another program.
      if (count > 0) yield* others;
    }
  },
};

/** The fields that have the list of memories in API responses and exports. */
const listsIn = (value: unknown): readonly unknown[] =>
  ['results', 'memories', 'data'].flatMap((name) => [...listIn(objectIn(value)[name])]);

const textOfMemory = (fields: JsonObject) =>
  textIn(fields['memory']) ?? (hasApp(fields) ? textIn(fields['content']) : undefined);

/** OpenMemory has the text in `content`, which many formats have, so other fields are tested too. */
const hasApp = (fields: JsonObject) =>
  'state' in fields && ('app' in fields || 'app_id' in fields || 'categories' in fields);

const isMemory = (value: unknown): value is JsonObject =>
  isRecord(value) && textOfMemory(value) !== undefined;

function insightOf(fields: JsonObject, location: RecordLocation): ImportedInsight {
  const categories = textsIn(fields['categories']);
  const about = defined({ user: textIn(fields['user_id']), agent: textIn(fields['agent_id']) });
  const value = defined({
    id: textIn(fields['id']),
    content: textOfMemory(fields),
    context: 'global',
    tags: categories.length === 0 ? undefined : categories,
    metadata: { ...objectIn(fields['metadata']), ...about, source: { kind: 'mem0' } },
    created_at: msIn(fields['created_at']),
    updated_at: msIn(fields['updated_at']),
  });
  return { type: 'insight', ...location, value };
}
