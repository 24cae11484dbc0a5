/**
 * Bringing facts in: lines of a Daybook export, or memory.jsonl of server-memory. All facts that can
 * be stored come in or, where they are more than the limit allows, none; what cannot be stored is
 * named with its line. They come in by parts, so that others have their turn and a cancelled import
 * ends; bringing the same in again goes on, and changes nothing that is there.
 */

import { type Clock, systemClock } from '../base/clock.js';
import { AppError, isAppError, passes } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { TimeSlice } from '../base/time-slice.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { checkTriple, type NewTriple } from '../stores/knowledge-graph/model/triple.js';
import type { MemoryBank, NoteInfo } from '../stores/memory-bank/memory-bank.js';
import { encodeNote } from '../stores/memory-bank/note-text.js';
import { readExportFile } from './export-folder.js';
import type { LongObservations } from './graph-formats.js';
import { factOf } from './graph-lines.js';
import { itemsOf, type MemoryItem, memoryLineOf, noteTriple } from './server-memory.js';

/** Stored in a few milliseconds. */
const FACTS_AT_ONCE = 1_000;

export interface GraphImportRequest {
  readonly text: string;
  readonly longObservations: LongObservations;
  /** Only says what would be done. */
  readonly dryRun?: boolean | undefined;
  /** Aborted: what came in stays, and the error says how much. */
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
}

export interface Refused {
  /** From 1. */
  readonly line: number;
  readonly code: string;
  readonly reason: string;
}

export interface GraphImportResult {
  /** What the lines were. */
  readonly format: 'jsonl' | 'memory';
  /** Facts in the text that can be stored. */
  readonly facts: number;
  /** Those of them that were not there. */
  readonly added: number;
  /** Notes that were written for long observations, or would be. */
  readonly notes: readonly string[];
  readonly refused: readonly Refused[];
}

export interface GraphImportOptions {
  readonly kg: KnowledgeGraph;
  readonly memoryBank: MemoryBank;
  /** Of exports. Absolute. */
  readonly folder: string;
  readonly clock?: Clock;
}

interface Note {
  readonly path: string;
  readonly text: string;
}

interface Fact {
  readonly triple: NewTriple;
  /** What it points at, to be written first. */
  readonly note?: Note;
}

interface Gathered {
  readonly format: GraphImportResult['format'];
  readonly facts: Fact[];
  readonly refused: Refused[];
}

/** How far an import has come. */
interface Stored {
  facts: number;
  added: number;
  readonly notes: NoteInfo[];
}

export class GraphImport {
  readonly #options: GraphImportOptions;

  constructor(options: GraphImportOptions) {
    this.#options = options;
  }

  /** The text of a file in the folder of exports. PATH_ESCAPE, TOO_LARGE, VALIDATION_ERROR. */
  readFile(name: string): Promise<string> {
    return readExportFile(this.#options.folder, name);
  }

  /**
   * Durable as the graph's `add` is. E_KG_FULL (no fact came in), VALIDATION_ERROR (no such text),
   * LOCKED, CANCELLED, E_MB_FULL. Facts that came in before an error stay, and it says how many; a note
   * whose fact did not come in does not.
   */
  async import(request: GraphImportRequest): Promise<GraphImportResult> {
    const stored: Stored = { facts: 0, added: 0, notes: [] };
    let facts: readonly Fact[] = [];
    try {
      const gathered = await gather(request);
      facts = gathered.format === 'jsonl' ? gathered.facts : this.#inOrder(gathered.facts);
      const { format, refused } = gathered;
      const result = { format, facts: facts.length, refused };
      if (request.dryRun) return { ...result, ...(await this.#foresee(facts)) };
      await this.#store(facts, request, stored);
      const notes = stored.notes.map(({ path }) => path);
      return { ...result, added: stored.added, notes };
    } catch (error) {
      const storedNotes = new Set(facts.slice(0, stored.facts).map(({ note }) => note?.path));
      for (const note of stored.notes) if (!storedNotes.has(note.path)) await this.#takeBack(note);
      throw stopped(error, request.signal, stored, facts.length);
    }
  }

  async #foresee(facts: readonly Fact[]): Promise<Pick<GraphImportResult, 'added' | 'notes'>> {
    const { kg, memoryBank } = this.#options;
    const notes: string[] = [];
    for (const path of new Set(facts.flatMap(({ note }) => note?.path ?? []))) {
      const found = await memoryBank.read(path).catch((error: unknown) => {
        if (!isAppError(error, 'E_MB_FILE_NOT_FOUND')) throw error;
      });
      if (found === undefined) notes.push(path);
    }
    return { added: await kg.countNew(facts.map(({ triple }) => triple)), notes };
  }

  async #store(facts: readonly Fact[], request: GraphImportRequest, stored: Stored): Promise<void> {
    const { text, signal, onProgress } = request;
    const notes = facts.flatMap(({ note }) => note ?? []);
    const steps = notes.length + facts.length;
    const report = (done: number) =>
      onProgress?.(text.length * (1 + done / steps), 2 * text.length);
    for (const [index, note] of notes.entries()) {
      signal?.throwIfAborted();
      const info = await this.#writeNote(note);
      if (info !== undefined) stored.notes.push(info);
      report(index + 1);
    }
    const triples = facts.map(({ triple }) => triple);
    for (let start = 0; start < triples.length; start += FACTS_AT_ONCE) {
      signal?.throwIfAborted();
      const some = triples.slice(start, start + FACTS_AT_ONCE);
      // Either all fit or none comes in.
      const room = start === 0 ? triples : some;
      const { triples: added } = await this.#options.kg.add(some, { room });
      stored.facts += some.length;
      stored.added += added.filter((triple) => triple.added).length;
      report(notes.length + stored.facts);
    }
  }

  /** The new note; `undefined` if it exists already, because a person may have changed it. */
  async #writeNote({ path, text }: Note): Promise<NoteInfo | undefined> {
    try {
      return await this.#options.memoryBank.add(path, text);
    } catch (error) {
      if (isAppError(error, 'ALREADY_EXISTS')) return undefined;
      throw error;
    }
  }

  async #takeBack({ path, hash }: NoteInfo): Promise<void> {
    const { memoryBank } = this.#options;
    // A note that was changed meanwhile is kept, and the first error is the one to report.
    await memoryBank.delete(path, { expectedHash: hash, permanent: true }).catch(() => undefined);
  }

  /** That file has no times, but it has an order: the facts are given the last milliseconds, one each. */
  #inOrder(facts: readonly Fact[]): Fact[] {
    const { clock = systemClock } = this.#options;
    const first = clock.now() - facts.length;
    return facts.map(({ triple, ...fact }, index) => {
      return { ...fact, triple: { ...triple, ts: first + index } };
    });
  }
}

/** Everything in the text that can be stored; writes nothing. */
async function gather(request: GraphImportRequest): Promise<Gathered> {
  const { text, longObservations, signal, onProgress } = request;
  const slice = new TimeSlice({ signal });
  const format = formatOf(text);
  const gathered: Gathered = { format, facts: [], refused: [] };
  const { facts, refused } = gathered;
  for (const { number, value, end } of linesOf(text)) {
    refusing(refused, number, () => {
      if (format === 'jsonl') facts.push(checked(factOf(parsed(value))));
      else gatherItems(itemsOf(memoryLineOf(parsed(value))), number, longObservations, gathered);
    });
    if (!slice.isSpent()) continue;
    onProgress?.(end, 2 * text.length);
    await slice.yield();
  }
  return gathered;
}

function gatherItems(
  items: readonly MemoryItem[],
  line: number,
  longObservations: GraphImportRequest['longObservations'],
  { facts, refused }: Gathered,
): void {
  for (const item of items) {
    refusing(refused, line, () => {
      if (item.kind === 'fact') facts.push(checked(item.triple));
      else if (item.kind === 'refused') throw new AppError('E_KG_INVALID_TRIPLE', item.reason);
      else if (longObservations === 'refuse') throw tooLong(item.text);
      else {
        const note = { path: notePathOf(item.entity, item.text), text: `${item.text}\n` };
        encodeNote(note.text, note.path);
        facts.push({ ...checked(noteTriple(item.entity, note.path)), note });
      }
    });
  }
}

/** The error of an import that stopped before its end. */
function stopped(
  error: unknown,
  signal: AbortSignal | undefined,
  { facts, added }: Stored,
  total: number,
): unknown {
  const isCancelled = signal?.aborted === true && error === signal.reason;
  if (!isCancelled && (facts === 0 || !isAppError(error))) return error;
  const { code, message, details }: Pick<AppError, 'code' | 'message' | 'details'> = isAppError(
    error,
  )
    ? error
    : { code: 'CANCELLED', message: 'The import was cancelled.', details: {} };
  const came =
    facts === 0 ? 'No fact was imported.' : `${facts} of ${total} facts were imported before.`;
  return new AppError(code, `${message} ${came}`, {
    hint: 'To import the other facts, import the same text again. Facts that are already stored are not changed.',
    details: { ...details, facts: total, stored: facts, added },
    cause: error,
  });
}

/** The same for the same observation, so that it is written once. */
function notePathOf(entity: string, text: string): string {
  const words = entity
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const name = words.slice(0, 40) || 'entity';
  return `observations/${name}-${sha256Hex(JSON.stringify([entity, text])).slice(0, 16)}.md`;
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly value: string;
  /** Where it ends in the text. */
  readonly end: number;
}

/** One at a time, because a text may have millions. */
function* linesOf(text: string): Generator<Line> {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (let number = 1; start < text.length; number += 1) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    const value = text.slice(start, end).trim();
    if (value !== '') yield { number, value, end };
    start = end + 1;
  }
}

/** By the first line that is one of either. VALIDATION_ERROR where none is. */
function formatOf(text: string): 'jsonl' | 'memory' {
  for (const { value } of linesOf(text)) {
    if (isA(memoryLineOf, value)) return 'memory';
    if (isA(factOf, value)) return 'jsonl';
  }
  throw new AppError(
    'VALIDATION_ERROR',
    'No line of the text is a line of kg_export or of memory.jsonl.',
    {
      hint: 'Each line must be {"subject":…,"predicate":…,"object":…}, or an entity or a relation of the MCP memory server.',
    },
  );
}

const isA = (read: (value: unknown) => unknown, text: string): boolean =>
  passes(() => read(parsed(text)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The line is not JSON.', { cause });
  }
}

function checked(triple: NewTriple): Fact {
  checkTriple(triple);
  return { triple };
}

/** What the caller's text is to blame for is noted. */
function refusing(refused: Refused[], line: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    const isTheirs = isAppError(error) && BLAMED.has(error.code);
    if (!isTheirs) throw error;
    refused.push({ line, code: error.code, reason: error.message });
  }
}

const BLAMED = new Set(['VALIDATION_ERROR', 'E_KG_INVALID_TRIPLE', 'TOO_LARGE']);

function tooLong(text: string): AppError {
  const count = [...text].length;
  return new AppError(
    'E_KG_INVALID_TRIPLE',
    `An observation has ${count} characters (at most 200 can be stored), or it is not valid text.`,
  );
}
