/** Where a command differs from its tool: its arguments, its output, inputs only for people. */
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { z } from 'zod';
import { deletedNotes } from '../../app/purge-deleted.js';
import type { App } from '../../app.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { readExportFile } from '../../exchange/export-folder.js';
import {
  type GraphExport,
  type GraphExportRequest,
  newGraphCounts,
} from '../../exchange/graph/graph-export.js';
import { readStamp } from '../../files/read/stamp.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { kgExport } from '../../tools/kg/kg-export.js';
import { findExisting } from '../arguments/find-conversation.js';
import { findInsight, findInsightOrDeleted } from '../arguments/find-insight.js';
import { reportMissingNotes } from '../notices/missing-notes.js';
import { cut } from '../terminal/columns.js';
import { daybookLine } from '../terminal/command-line.js';
import { textOfStdin } from '../terminal/stdin.js';
import { oneLine } from '../terminal/terminal-text.js';
import { conversationTable, savedLine } from '../views/conversation-lines.js';
import * as facts from '../views/fact-lines.js';
import * as insights from '../views/insight-lines.js';
import * as notes from '../views/note-lines.js';
import type { Answer } from '../views/view.js';
import type { Input, ToolCommand } from './tool-command.js';

type Custom = Omit<ToolCommand, 'tool' | 'flags' | 'examples' | 'description' | 'about'>;

const TRIPLE = ['subject', 'predicate', 'object'];

/** By command, such as `kg add`. */
export const CUSTOM: Readonly<Record<string, Custom>> = {
  list: { words: ['query'], print: conversationTable, listsConversations: true },
  save: { prepare: existingConversation, print: savedLine },
  'insight save': { print: insights.savedInsight },
  'insight search': { print: insights.insightBlocks },
  'insight list': { print: insights.insightBlocks },
  'insight get': { complete: withInsightId, print: insights.wholeInsight },
  'insight update': { complete: withInsightId, print: insights.wholeInsight },
  'insight delete': {
    complete: withInsightOrDeleted,
    prepare: requireInsight,
    question: beforeInsightRemoval,
    print: insights.deletedInsight,
  },
  'kg add': { words: TRIPLE, prepare: requireThreeWords, print: facts.addedLines },
  'kg delete': { words: TRIPLE, prepare: requireThreeWords, print: facts.deletedLines },
  'kg query': { words: TRIPLE, print: facts.factLines },
  'kg neighbors': { print: facts.factLines },
  'kg subjects': { print: facts.subjectLines },
  'kg stats': { print: facts.graphSizes },
  'kg save': { print: facts.savedGraphLine },
  'kg export': {
    isReading: ({ file }) => file === undefined,
    stream: wholeGraph,
    print: exportedGraph,
  },
  'kg import': { words: ['file'], prepare: readHere, print: facts.importedLines },
  'mb list': { print: notes.noteTable },
  'mb read': { print: ({ content }) => notes.wholeText(content) },
  'mb history': { print: notes.noteCommits },
  'mb search': { print: notes.noteHits },
  'mb add': { print: notes.writtenNote },
  'mb edit': { prepare: requireHash, print: notes.editedNote },
  'mb delete': { question: beforeNoteRemoval, print: notes.deletedNote },
  'mb reindex': { print: notes.reindexedLine },
};

/** A person can also give the title or `last`; a name without a conversation is a new key. */
async function existingConversation(
  { conversationId: name, ...input }: Input,
  { conversations }: App,
): Promise<Input> {
  if (name === undefined) return input;
  const id = await findExisting(conversations, String(name));
  return { ...input, conversationId: id ?? name };
}

/** Replaces the unique beginning of an id in the first argument by the whole id. */
async function withInsightId(
  [name, ...others]: readonly unknown[],
  { insights: store }: App,
): Promise<readonly unknown[]> {
  return [await findInsight(store, String(name)), ...others];
}

async function withInsightOrDeleted(
  [name, ...others]: readonly unknown[],
  { insights: store }: App,
): Promise<readonly unknown[]> {
  return [await findInsightOrDeleted(store, String(name)), ...others];
}

/** Only a permanent removal takes an insight that is in the trash. */
async function requireInsight(input: Input, { insights: store }: App): Promise<Input> {
  if (input['permanent'] !== true) await findInsight(store, String(input['id']));
  return input;
}

const PREVIEW_COLUMNS = 60;
const IN_TRASH = 'which is in the trash,';

/** The question shows how the insight begins, because an id says little to a person. */
async function beforeInsightRemoval({ id, permanent }: Input, { insights: store }: App) {
  if (permanent !== true) return undefined;
  const found = (await store.all()).find(({ insight }) => insight.id === id);
  const deleted =
    found === undefined &&
    (await store.trashed()).find(({ original, name }) => id === original || id === name);
  const content = found?.insight.content ?? (deleted ? deleted.content : undefined);
  const shown = content === undefined ? '' : `, ${cut(oneLine(content), PREVIEW_COLUMNS)},`;
  return `Remove the insight ${id}${shown} ${deleted ? `${IN_TRASH} ` : ''}permanently?`;
}

async function beforeNoteRemoval({ path, permanent, hash }: Input, app: App) {
  if (permanent !== true) return undefined;
  const isDeleted = hash === undefined && (await deletedNotes(app, String(path))).length > 0;
  return `Remove the note ${oneLine(String(path))}${isDeleted ? `, ${IN_TRASH}` : ''} permanently?`;
}

/** Throws VALIDATION_ERROR unless there are three arguments: `kg add Ada lives in London` needs quotes. */
async function requireThreeWords(input: Input, _app: App, command: Command): Promise<Input> {
  const words = command.args;
  const isByOptions = words.length === 0 && isGivenByOptions(input);
  if (words.length === TRIPLE.length || isByOptions) return input;
  const few = words.length === 0 ? 'none is' : countOf(words.length, 'is', 'are');
  const quoted = `"${words[0]}" "${words.slice(1, -1).join(' ')}" "${words.at(-1)}"`;
  const [found, hint] =
    words.length < TRIPLE.length
      ? [few, `For example: daybook kg ${command.name()} Ada "lives in" London`]
      : [
          `${words.length} words are`,
          `Put a part that has several words in quotes, for example: ${quoted}`,
        ];
  const message = `A fact has three parts (subject, predicate, object), but ${found} given.`;
  throw new AppError('VALIDATION_ERROR', message, { hint });
}

const isGivenByOptions = (input: Input) =>
  [...TRIPLE, 'triples'].some((name) => input[name] !== undefined);

/** Streams the whole graph without pages, as `export` and `insight export` do. */
function wholeGraph(given: Input, { graphExport }: App, signal: AbortSignal) {
  const { format, file, offset, maxTokens: _, ...filter } = kgExport.input.parse(given);
  if (file !== undefined || offset > 0) return undefined;
  return reportedStream(graphExport, { format, filter, signal });
}

async function* reportedStream(graphExport: GraphExport, request: GraphExportRequest) {
  const counts = newGraphCounts();
  yield* graphExport.stream(request, counts);
  reportMissingNotes(counts.missingNotes);
}

function exportedGraph(answer: Answer): string {
  const { text, path, missingNotes = [] } = answer as z.output<typeof kgExport.output>;
  reportMissingNotes(missingNotes);
  return notes.wholeText(text ?? path);
}

/** A person can also give a file relative to the working folder; an assistant only in the exports folder. */
async function readHere({ file, ...input }: Input, { graphImport }: App): Promise<Input> {
  if (file === undefined && input['text'] === undefined) {
    throw new AppError('VALIDATION_ERROR', 'No file is given.', {
      hint: 'For example: daybook kg import facts.jsonl',
      details: { field: 'file' },
    });
  }
  if (file === undefined) return input;
  if (input['text'] !== undefined) {
    throw new AppError('VALIDATION_ERROR', 'Give either a file or --text.', {
      hint: 'Nothing was imported.',
      details: { field: 'text' },
    });
  }
  if (file === '-') return { ...input, text: await textOfStdin() };
  const path = resolve(String(file));
  const real = resolveRealPath(path); // A file that a person names may be a link.
  if ((await readStamp(real)) !== undefined) {
    return { ...input, text: await readExportFile(dirname(real), basename(real)) };
  }
  const exports = graphImport.folder;
  if ((await readStamp(resolve(exports, String(file)))) !== undefined) return { ...input, file };
  throw new AppError('VALIDATION_ERROR', `There is no file ${path}.`, {
    hint: `Nothing was imported. Check the path. A file in ${exports} is also found by its name.`,
    details: { field: 'file' },
  });
}

/** `mb read` prints only the text of a note, so the error says which command shows the hash. */
async function requireHash(input: Input, _app: App, command: Command): Promise<Input> {
  if (input['content'] === undefined || input['hash'] !== undefined) return input;
  throw new AppError('VALIDATION_ERROR', 'To replace the whole text, --hash is required.', {
    hint: `Nothing was changed. To see the hash, run: ${daybookLine(command.optsWithGlobals(), 'mb', 'read', String(input['path']), '--json')}`,
    details: { field: 'hash' },
  });
}
