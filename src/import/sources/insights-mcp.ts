/** insights-mcp: its SQLite file, or its rows as JSON or JSON Lines. Each row becomes an insight. */

import { defined, parsedJson } from '../../base/json.js';
import { isRecord, objectIn, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { sqliteSource, wholeBytes, wholeText } from '../reading/documents/databases.js';
import {
  elementsOf,
  hasElement,
  hasLine,
  objectLines,
  unreadable,
} from '../reading/documents/documents.js';
import { msIn } from '../reading/text/times.js';
import type {
  ImportedInsight,
  ImportProblem,
  RecordLocation,
  Source,
} from '../source-interface.js';

const COLUMNS = ['insights.id', 'insights.content', 'insights.context'];

const database = sqliteSource({
  kind: 'insights-mcp',
  title: 'insights of Daybook or insights-mcp',
  columns: COLUMNS,
  *items({ rows }, { name: path }) {
    const sql = `SELECT *, ${wholeBytes('content')} FROM insights ORDER BY created_at, rowid`;
    for (const row of rows(sql)) {
      const content = wholeText(row, 'content');
      yield insightOf({ ...row, content }, { path, record: `insight ${String(row['id'])}` });
    }
  },
});

export const insightsMcp: Source = {
  ...database,
  async detect(input) {
    if (await database.detect(input)) return true;
    const [file] = input.form === 'file' ? input.files : [];
    return file !== undefined && ((await hasLine(file, isRow)) || (await hasElement(file, isRow)));
  },
  async *read(input, options) {
    if (await database.detect(input)) yield* database.read(input, options);
    else for (const file of input.files) yield* rowsOf(file);
  },
};

const isRow = (value: unknown): boolean =>
  isRecord(value) && typeof value['content'] === 'string' && typeof value['context'] === 'string';

async function* rowsOf(file: InputFile): AsyncGenerator<ImportedInsight | ImportProblem> {
  const problems: ImportProblem[] = [];
  const path = file.name;
  if (await hasLine(file, isRow)) {
    for await (const { value, record } of objectLines(file, (each) => problems.push(each), {
      isExport: true,
    })) {
      yield insightOf(value, { path, record });
    }
    yield* problems;
    return;
  }
  for await (const { value, record } of elementsOf(file)) {
    yield isRecord(value) ? insightOf(value, { path, record }) : unreadable(path, record);
  }
}

/** A context that is absent or a relative path names no project that could be found again. */
function insightOf(row: JsonObject, location: RecordLocation): ImportedInsight {
  const given = row['metadata'];
  const metadata = typeof given === 'string' ? objectIn(parsedJson(given)) : objectIn(given);
  const context = textIn(row['context']) ?? 'global';
  const value = defined({
    id: row['id'],
    content: row['content'],
    context,
    tags: Array.isArray(row['tags']) ? row['tags'] : undefined,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    created_at: msIn(row['created_at']),
    updated_at: msIn(row['updated_at']),
  });
  return { type: 'insight', ...location, value };
}
