/**
 * A memory bank with its knowledge graph: Markdown files, a snapshot (a JSON array of triples), and a log
 * with one triple a line; also the memory bank of a Daybook store with its insights. The graph of such a store is
 * read by `reading/documents/own-graph.ts`.
 */
import { join, posix } from 'node:path';
import { parsedJson } from '../../base/json.js';
import { isRecord, objectIn, textIn } from '../../base/json-fields.js';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { elementsOf, objectLines, textOf, unreadable } from '../reading/documents/documents.js';
import { isOwnGraphFile, OwnGraph } from '../reading/documents/own-graph.js';
import { encryptedFiles, isEncryptedFile } from '../reading/documents/own-store-files.js';
import { msIn } from '../reading/text/times.js';
import type {
  ImportedTriple,
  ImportItem,
  ImportProblem,
  RecordLocation,
  Source,
} from '../source-interface.js';

const SNAPSHOT = /(^|\/)kg_(triples[._])?snapshot\.json$/;
const LOG = /(^|\/)kg_(triples\.(wal|log)|triples|wal\.log|wal)$/;
const NOTE = /\.md$/i;
/** The memory bank of a store of Daybook, whose root is the input or a folder in it, if it has no graph. */
const OF_STORE = /(^|\/)memory-bank\/(\.gitattributes|insights\/[\da-f]{8}-[\da-f-]{27}\.json)$/;
const INSIGHT = /(?:^|\/)insights\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.json$/i;

/**
 * Whether the file is in the memory bank of a store, whose root is the input or a folder in it. A backup can have the
 * graph in a folder of its own. The root itself can have the name memory-bank.
 */
export const isInMemoryBank = ({ name }: InputFile): boolean =>
  !/(?:^|\/)\d{8}-\d{13}\//.test(name) &&
  /(?:^|\/)(memory-bank\/(?!(?:.*\/)?\.)|knowledge-graph\/kg_)/.test(name);

export const memoryBank: Source = {
  kind: 'memory-bank',
  title: 'memory bank and knowledge graph',
  async detect({ form, path, files }) {
    if (files.some(({ name }) => [SNAPSHOT, LOG, OF_STORE].some((each) => each.test(name))))
      return true;
    const isNamed = /^memory[-_]bank$/i.test(posix.basename(path.replaceAll('\\', '/')));
    return form !== 'file' && isNamed && files.some(({ name }) => NOTE.test(name));
  },
  async *read(input) {
    /** By folder: the graphs that Daybook wrote. */
    const graphs = new Map<string, OwnGraph>();
    const encrypted: InputFile[] = [];
    for (const file of input.files) {
      const isLog = LOG.test(file.name);
      const isGraph = isLog || SNAPSHOT.test(file.name);
      const isOther = NOTE.test(file.name) || INSIGHT.test(file.name);
      if ((isGraph || isOther) && (await isEncryptedFile(file, isGraph))) {
        encrypted.push(file);
        continue;
      }
      if (isGraph && (await isOwnGraphFile(file, isLog))) {
        const folder = posix.dirname(file.name);
        const graph = graphs.get(folder) ?? new OwnGraph();
        graphs.set(folder, graph);
        yield* graph.read(file, isLog);
      } else if (isLog) yield* logFacts(file);
      else if (isGraph) yield* snapshotFacts(file);
      else if (NOTE.test(file.name)) yield await noteOf(file, input);
      else if (INSIGHT.test(file.name)) yield await insightOf(file);
    }
    for (const [folder, graph] of graphs) yield* graph.facts(folder);
    yield* encryptedFiles(encrypted);
  },
};

async function* snapshotFacts(file: InputFile): AsyncGenerator<ImportItem> {
  for await (const { value, record, path } of elementsOf(file)) {
    const fact = factOf(objectIn(value), { path, record });
    if (fact !== undefined) yield fact;
    else if (!isRecord(value)) yield unreadable(path, record);
  }
}

async function* logFacts(file: InputFile): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  for await (const { value, record } of objectLines(file, (each) => problems.push(each))) {
    const isGone = value['op'] === 'delete' || value['op'] === 'close';
    const fact = factOf({ ...value, ...objectIn(value['triple']) }, { path: file.name, record });
    if (fact !== undefined && !isGone) yield fact;
  }
  yield* problems;
}

function factOf(fields: JsonObject, location: RecordLocation): ImportedTriple | undefined {
  const subject = textIn(fields['subject']) ?? textIn(fields['s']);
  const predicate = textIn(fields['predicate']) ?? textIn(fields['p']);
  const object = textIn(fields['object']) ?? textIn(fields['o']);
  if (subject === undefined || predicate === undefined || object === undefined) return undefined;
  const ts = msIn(fields['ts'] ?? fields['at']);
  return { type: 'triple', ...location, subject, predicate, object, ts };
}

/** The note keeps its path. */
async function noteOf(file: InputFile, { path, form }: Input): Promise<ImportItem> {
  const content = await textOf(file);
  if (content === undefined) return unreadable(file.name, 'the document');
  const [, bank = '', inBank] = /^((?:.*?\/)?memory[-_]bank)\/(.+)$/i.exec(file.name) ?? [];
  const note = inBank ?? (form === 'file' ? posix.basename(file.name) : file.name);
  const origin = form === 'folder' ? join(path, bank) : undefined;
  const fileTimeMs = file.modifiedAtMs;
  return { type: 'note', path: file.name, note, content, origin, fileTimeMs };
}

/** The insight keeps its id, which is the name of its file. */
async function insightOf(file: InputFile): Promise<ImportItem> {
  const value = parsedJson(await textOf(file));
  if (!isRecord(value)) return unreadable(file.name, 'the document');
  const id = INSIGHT.exec(file.name)?.[1];
  const fileTimeMs = file.modifiedAtMs;
  return { type: 'insight', path: file.name, value: { ...value, id }, fileTimeMs };
}
