/**
 * Imports facts: lines of a Daybook export, or memory.jsonl of server-memory. All storable facts are
 * imported, or none if they exceed the limit of the graph; lines that cannot be stored are reported. Facts
 * are added in batches, so that other calls are not blocked and an import can be cancelled. To complete an
 * interrupted import, run it again; stored facts are not changed.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { type Clock, systemClock } from '../../base/clock.js';
import { AppError, errorWith, isAppError } from '../../base/errors.js';
import { objectIn } from '../../base/json-fields.js';
import { countOf, shortened } from '../../base/text/display-text.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { checkTriple, type NewTriple } from '../../stores/knowledge-graph/model/triple.js';
import type { MemoryBank, NoteInfo } from '../../stores/memory-bank/memory-bank.js';
import { encodeNote } from '../../stores/memory-bank/note-text.js';
import { readExportFile } from '../export-folder.js';
import { formatOf, parsed } from './graph-format.js';
import type { LongObservations } from './graph-format-names.js';
import { FACT_FIELDS, factOf, linesOf } from './graph-jsonl.js';
import {
  itemsOf,
  MEMORY_FIELDS,
  type MemoryItem,
  memoryLineOf,
  notePathOf,
  noteTriple,
} from './memory-jsonl.js';

/** One batch takes a few milliseconds. */
const FACTS_PER_BATCH = 1_000;
const MAX_UNKNOWN_FIELDS = 50;

export interface GraphImportRequest {
  readonly text: string;
  readonly longObservations: LongObservations;
  /** True: only computes the result, and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The facts and the notes that dry runs before would have added. Those of this one are added. */
  readonly planned?: PlannedFacts | undefined;
  /** After an abort, imported facts are kept, and the error has their number. */
  readonly signal?: AbortSignal | undefined;
  onProgress?(done: number, total: number): void;
}

export interface PlannedFacts {
  readonly facts: NewTriple[];
  /** Paths. */
  readonly notes: Set<string>;
}

export interface Refused {
  /** From 1. */
  readonly line: number;
  readonly code: string;
  readonly reason: string;
}

export interface UnknownField {
  readonly name: string;
  /** The number of imported lines that have it. */
  readonly lines: number;
}

export interface GraphImportResult {
  /** The detected format. */
  readonly format: 'jsonl' | 'memory';
  /** Number of facts in the text that can be stored. */
  readonly facts: number;
  /** Number of those that were not stored before. */
  readonly added: number;
  /** Paths of the notes for long observations that were (in a dry run: would be) written. */
  readonly notes: readonly string[];
  readonly refused: readonly Refused[];
  /** The kinds of secrets that were removed, one entry for each removal. */
  readonly masked: readonly string[];
  /** Fields that no fact has, and that were not imported (at most 50). */
  readonly unknownFields: UnknownField[];
}

export interface GraphImportOptions {
  readonly kg: KnowledgeGraph;
  readonly memoryBank: MemoryBank;
  /** Absolute path of the exports folder. */
  readonly folder: string;
  readonly clock?: Clock;
}

interface Note {
  readonly path: string;
  readonly text: string;
}

interface Fact {
  readonly triple: NewTriple;
  /** From 1. */
  readonly line: number;
  /** The note to which the fact refers. It is written first. */
  readonly note?: Note;
}

interface ParsedFacts {
  readonly format: GraphImportResult['format'];
  readonly facts: Fact[];
  readonly refused: Refused[];
  /** The number of lines with each unknown field, by name. */
  readonly unknownFields: Map<string, number>;
}

/** The part of an import that is done. */
interface Stored {
  facts: number;
  added: number;
  readonly notes: NoteInfo[];
  readonly masked: string[];
}

export class GraphImport {
  readonly #options: GraphImportOptions;

  constructor(options: GraphImportOptions) {
    this.#options = options;
  }

  /** Absolute path of the exports folder. */
  get folder(): string {
    return this.#options.folder;
  }

  /** The text of a file in the exports folder. Throws PATH_ESCAPE, TOO_LARGE or VALIDATION_ERROR. */
  readFile(name: string): Promise<string> {
    return readExportFile(this.#options.folder, name);
  }

  /**
   * As durable as the graph's `add`. Throws E_KG_FULL (no fact was imported), VALIDATION_ERROR (unknown
   * format), LOCKED, CANCELLED or E_MB_FULL. Facts that were imported before an error are kept, and the
   * error has their number; a new note is kept only if its fact was imported.
   */
  async import(request: GraphImportRequest): Promise<GraphImportResult> {
    const stored: Stored = { facts: 0, added: 0, notes: [], masked: [] };
    let facts: readonly Fact[] = [];
    try {
      const parsedFacts = await parseFacts(request);
      const { format, refused } = parsedFacts;
      const storable = await this.#storable(parsedFacts, request.signal);
      facts = format === 'jsonl' ? storable : this.#withTimes(storable);
      const unknownFields = [...parsedFacts.unknownFields].map(([name, lines]) => ({
        name,
        lines,
      }));
      const { masked } = stored;
      const result = { format, facts: facts.length, refused, masked, unknownFields };
      if (request.dryRun) return { ...result, ...(await this.#predict(facts, request.planned)) };
      await this.#store(facts, request, stored);
      const notes = stored.notes.map(({ path }) => path);
      return { ...result, added: stored.added, notes };
    } catch (error) {
      const storedNotes = new Set(facts.slice(0, stored.facts).map(({ note }) => note?.path));
      for (const note of stored.notes)
        if (!storedNotes.has(note.path)) await this.#removeNote(note);
      throw interrupted(error, request.signal, stored, facts.length);
    }
  }

  /** Without the facts that only a mark in place of a private part makes too long. They are refused too. */
  async #storable({ facts, refused }: ParsedFacts, signal: AbortSignal | undefined) {
    const slice = new TimeSlice({ signal });
    const storable: Fact[] = [];
    for (const fact of facts) {
      const error = await this.#options.kg.problemWhenMasked(fact.triple);
      if (error === undefined) storable.push(fact);
      else refused.push({ line: fact.line, code: error.code, reason: error.message });
      if (slice.isSpent()) await slice.yield();
    }
    refused.sort((a, b) => a.line - b.line);
    return storable;
  }

  async #predict(
    facts: readonly Fact[],
    planned: PlannedFacts = { facts: [], notes: new Set() },
  ): Promise<Pick<GraphImportResult, 'added' | 'notes'>> {
    const { kg } = this.#options;
    const notes: string[] = [];
    const isKept = this.#keptNotes();
    for (const { note, triple } of facts) {
      if (note === undefined || planned.notes.has(note.path)) continue;
      if (await isKept(note, triple)) continue;
      planned.notes.add(note.path);
      notes.push(note.path);
    }
    const before = await kg.countNew(planned.facts);
    for (const { triple } of facts) planned.facts.push(triple);
    return { added: (await kg.countNew(planned.facts)) - before, notes };
  }

  async #store(facts: readonly Fact[], request: GraphImportRequest, stored: Stored): Promise<void> {
    const { text, signal, onProgress } = request;
    const notes = facts.filter(({ note }) => note !== undefined);
    const steps = notes.length + facts.length;
    const report = (done: number) =>
      onProgress?.(text.length * (1 + done / steps), 2 * text.length);
    const isKept = this.#keptNotes();
    for (const [index, { note, triple }] of notes.entries()) {
      signal?.throwIfAborted();
      const isNew = note && !(await isKept(note, triple));
      const info = isNew && (await this.#writeNote(note));
      if (info) stored.notes.push(info);
      if (info) stored.masked.push(...(info.masked ?? []));
      report(index + 1);
    }
    const triples = facts.map(({ triple }) => triple);
    for (let start = 0; start < triples.length; start += FACTS_PER_BATCH) {
      signal?.throwIfAborted();
      const batch = triples.slice(start, start + FACTS_PER_BATCH);
      // The first batch checks that all facts fit, so that none is imported if they do not.
      const mustFit = start === 0 ? triples : batch;
      const { triples: added, masked } = await this.#options.kg.add(batch, {
        mustFit,
        isImport: true,
      });
      stored.masked.push(...masked);
      stored.facts += batch.length;
      stored.added += added.filter((triple) => triple.added).length;
      report(notes.length + stored.facts);
    }
  }

  /** The new note; `undefined` if it exists already and is kept, because a person may have changed it. */
  async #writeNote({ path, text }: Note) {
    try {
      return await this.#options.memoryBank.add(path, text);
    } catch (error) {
      if (isAppError(error, 'ALREADY_EXISTS')) return undefined;
      throw error;
    }
  }

  /** Whether there is a file at the path of the note, also one that cannot be read as a note. */
  async #isThere({ path }: Note): Promise<boolean> {
    try {
      await this.#options.memoryBank.read(path);
      return true;
    } catch (error) {
      if (isAppError(error, 'E_MB_FILE_NOT_FOUND')) return false;
      if (isAppError(error, 'E_MB_READ', 'TOO_LARGE')) return true;
      throw error;
    }
  }

  /**
   * Returns a function: whether a note is not written, because it exists, or because its fact is stored and the
   * note was renamed or deleted here. It lists the notes and the trash once, when it first needs them.
   */
  #keptNotes(): (note: Note, triple: NewTriple) => Promise<boolean> {
    const { kg, memoryBank } = this.#options;
    const read = async () => {
      await memoryBank.refresh();
      const hashes = new Set(memoryBank.known().map(({ hash }) => hash));
      return {
        hashes,
        trashed: new Set((await memoryBank.trashed()).map((each) => each.original)),
      };
    };
    let reading: ReturnType<typeof read> | undefined;
    return async (note, triple) => {
      if (await this.#isThere(note)) return true;
      if ((await kg.countNew([triple])) > 0) return false;
      reading ??= read();
      const { hashes, trashed } = await reading;
      if (trashed.has(note.path)) return true;
      return hashes.has(await memoryBank.hashOfNew(note.path, note.text));
    };
  }

  async #removeNote({ path, hash }: NoteInfo): Promise<void> {
    const { memoryBank } = this.#options;
    // A note that was changed in the meantime is kept. An error here must not hide the first error.
    await memoryBank.delete(path, { expectedHash: hash, permanent: true }).catch(() => undefined);
  }

  /** memory.jsonl has no times, but its order matters: each fact gets its own millisecond, up to now. */
  #withTimes(facts: readonly Fact[]): Fact[] {
    const { clock = systemClock } = this.#options;
    const first = clock.now() - facts.length;
    return facts.map(({ triple, ...fact }, index) => {
      return { ...fact, triple: { ...triple, ts: first + index } };
    });
  }
}

/** Collects everything in the text that can be stored; writes nothing. */
async function parseFacts(request: GraphImportRequest): Promise<ParsedFacts> {
  const { text, longObservations, signal, onProgress } = request;
  const slice = new TimeSlice({ signal });
  const format = formatOf(text);
  const parsedFacts: ParsedFacts = { format, facts: [], refused: [], unknownFields: new Map() };
  const { facts, refused, unknownFields } = parsedFacts;
  for (const { number, value, end } of linesOf(text)) {
    collectRefusal(refused, number, () => {
      const given = parsed(value);
      if (format === 'jsonl') {
        facts.push(checked(factOf(given), number));
        countUnknown(unknownFields, given, FACT_FIELDS);
      } else {
        const line = memoryLineOf(given);
        parseItems(itemsOf(line), number, longObservations, parsedFacts);
        countUnknown(unknownFields, given, MEMORY_FIELDS[line.type]);
      }
    });
    if (!slice.isSpent()) continue;
    onProgress?.(end, 2 * text.length);
    await slice.yield();
  }
  return parsedFacts;
}

function countUnknown(counts: Map<string, number>, line: unknown, known: readonly string[]): void {
  for (const field of Object.keys(objectIn(line))) {
    if (known.includes(field)) continue;
    const name = shortened(field);
    const count = counts.get(name);
    if (count !== undefined || counts.size < MAX_UNKNOWN_FIELDS) counts.set(name, (count ?? 0) + 1);
  }
}

function parseItems(
  items: readonly MemoryItem[],
  line: number,
  longObservations: GraphImportRequest['longObservations'],
  { facts, refused }: ParsedFacts,
): void {
  for (const item of items) {
    collectRefusal(refused, line, () => {
      if (item.kind === 'fact') facts.push(checked(item.triple, line));
      else if (item.kind === 'refused') throw new AppError('E_KG_INVALID_TRIPLE', item.reason);
      else if (longObservations === 'refuse') throw tooLong(item.text);
      else {
        const note = { path: notePathOf(item.entity, item.text), text: `${item.text}\n` };
        encodeNote(note.text, note.path);
        facts.push({ ...checked(noteTriple(item.entity, note.path), line), note });
      }
    });
  }
}

/** The error of an import that ended early: the same error, with the number of facts that were imported. */
function interrupted(
  error: unknown,
  signal: AbortSignal | undefined,
  { facts, added }: Stored,
  total: number,
): unknown {
  const isCancelled = signal?.aborted === true && error === signal.reason;
  if (!isCancelled && (facts === 0 || !isAppError(error))) return error;
  const reason = isAppError(error)
    ? error
    : new AppError('CANCELLED', 'The import was cancelled.', { cause: error });
  const progress =
    facts === 0
      ? 'No fact was imported.'
      : `${facts} of ${countOf(total, 'fact')} ${facts === 1 ? 'was' : 'were'} imported before.`;
  return errorWith(reason, {
    message: `${reason.message} ${progress}`,
    hint: 'To import the other facts, import the same text again. Facts that are already stored are not changed.',
    details: { ...reason.details, facts: total, stored: facts, added },
  });
}

function checked(triple: NewTriple, line: number): Fact {
  checkTriple(triple);
  return { triple, line };
}

/** Runs `work`. An error of the line itself is added to `refused`; other errors are thrown. */
function collectRefusal(refused: Refused[], line: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    const isOfTheLine = isAppError(error) && LINE_ERRORS.has(error.code);
    if (!isOfTheLine) throw error;
    refused.push({ line, code: error.code, reason: error.message });
  }
}

const LINE_ERRORS = new Set(['VALIDATION_ERROR', 'E_KG_INVALID_TRIPLE', 'TOO_LARGE']);

function tooLong(text: string): AppError {
  const count = [...text].length;
  return new AppError(
    'E_KG_INVALID_TRIPLE',
    `An observation has ${count} characters (at most 200 can be stored), or it is not valid text.`,
  );
}
