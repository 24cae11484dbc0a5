/**
 * Bringing facts in: lines of a Daybook export, or memory.jsonl of server-memory. All facts that can
 * be stored come in at once or, where they are more than the limit allows, none; what cannot be stored
 * is named with its line. Bringing the same in again changes nothing.
 */
import { type Clock, systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { checkTriple, type NewTriple } from '../stores/knowledge-graph/triple.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph.js';
import type { MemoryBank } from '../stores/memory-bank.js';
import { readExportFile } from './export-folder.js';
import type { LongObservations } from './graph-formats.js';
import { factOf } from './graph-lines.js';
import { itemsOf, type MemoryItem, memoryLineOf, noteTriple } from './server-memory.js';

export interface GraphImportRequest {
  readonly text: string;
  readonly longObservations: LongObservations;
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
  /** Notes that were written for long observations. */
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

interface Gathered {
  readonly triples: NewTriple[];
  readonly notes: string[];
  readonly refused: Refused[];
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

  /** Durable as the graph's `add` is. E_KG_FULL (no fact came in), VALIDATION_ERROR (no such text), LOCKED. */
  async import({ text, longObservations }: GraphImportRequest): Promise<GraphImportResult> {
    const lines = linesOf(text);
    const format = formatOf(lines);
    const gathered: Gathered = { triples: [], notes: [], refused: [] };
    for (const { number, value } of lines) {
      await refusing(gathered.refused, number, async () => {
        if (format === 'jsonl') gathered.triples.push(checked(factOf(parsed(value))));
        else
          await this.#gather(
            itemsOf(memoryLineOf(parsed(value))),
            number,
            longObservations,
            gathered,
          );
      });
    }
    const { triples, notes, refused } = gathered;
    const facts = format === 'jsonl' ? triples : this.#inOrder(triples);
    const added = facts.length === 0 ? [] : (await this.#options.kg.add(facts)).triples;
    const count = added.filter((triple) => triple.added).length;
    return { format, facts: facts.length, added: count, notes, refused };
  }

  async #gather(
    items: readonly MemoryItem[],
    line: number,
    longObservations: GraphImportRequest['longObservations'],
    { triples, notes, refused }: Gathered,
  ): Promise<void> {
    for (const item of items) {
      await refusing(refused, line, async () => {
        if (item.kind === 'fact') triples.push(checked(item.triple));
        else if (item.kind === 'refused') throw new AppError('E_KG_INVALID_TRIPLE', item.reason);
        else if (longObservations === 'refuse') throw tooLong(item.text);
        else {
          const { path, isNew } = await this.#writeNote(item.entity, item.text);
          if (isNew) notes.push(path);
          triples.push(checked(noteTriple(item.entity, path)));
        }
      });
    }
  }

  /** A note that somebody changed since keeps the change. */
  async #writeNote(entity: string, text: string): Promise<{ path: string; isNew: boolean }> {
    const path = notePathOf(entity, text);
    try {
      await this.#options.memoryBank.add(path, `${text}\n`);
      return { path, isNew: true };
    } catch (error) {
      if (isAppError(error, 'ALREADY_EXISTS')) return { path, isNew: false };
      throw error;
    }
  }

  /** That file knows no times, but an order: the facts are given the last milliseconds, one each. */
  #inOrder(triples: readonly NewTriple[]): NewTriple[] {
    const { clock = systemClock } = this.#options;
    const first = clock.now() - triples.length;
    return triples.map((triple, index) => ({ ...triple, ts: first + index }));
  }
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
  readonly number: number;
  readonly value: string;
}

function linesOf(text: string): Line[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((value, index) => ({ number: index + 1, value: value.trim() }))
    .filter(({ value }) => value !== '');
}

/** By the first line that is one of either. VALIDATION_ERROR where none is. */
function formatOf(lines: readonly Line[]): 'jsonl' | 'memory' {
  for (const { value } of lines) {
    if (isA(memoryLineOf, value)) return 'memory';
    if (isA(factOf, value)) return 'jsonl';
  }
  throw new AppError(
    'VALIDATION_ERROR',
    'The text has no line of a kg_export or of memory.jsonl.',
    {
      hint: 'A line is {"subject":…,"predicate":…,"object":…}, or an entity or relation of server-memory.',
    },
  );
}

function isA(read: (value: unknown) => unknown, text: string): boolean {
  try {
    read(parsed(text));
    return true;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'It is not JSON.', { cause });
  }
}

function checked(triple: NewTriple): NewTriple {
  checkTriple(triple);
  return triple;
}

/** What the caller's text is to blame for is noted; what the store or the disk is, ends the import. */
async function refusing(
  refused: Refused[],
  line: number,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
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
    `An observation has ${count} characters or is no proper text; at most 200 are stored.`,
  );
}
