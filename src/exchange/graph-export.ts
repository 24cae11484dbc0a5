/**
 * The knowledge graph as text: in an answer of bounded size, line by line from an offset, or as a new
 * file in the folder of exports.
 */
import { AppError, isAppError } from '../base/errors.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import { writeNewFile } from '../files/atomic/new-file.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import type { Triple } from '../stores/knowledge-graph/model/triple.js';
import type { TripleFilter } from '../stores/knowledge-graph/table/graph-query.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import { exportPath } from './export-folder.js';
import type { GraphFormat } from './graph-formats.js';
import { factLine, MermaidLines } from './graph-lines.js';
import { memoryLinesOf } from './server-memory.js';

const PROGRESS_EVERY = 10_000;

export interface GraphExportRequest {
  readonly format: GraphFormat;
  readonly filter: Pick<TripleFilter, 'subject' | 'predicate' | 'text'>;
  readonly signal?: AbortSignal;
  onProgress?(facts: number): void;
}

export interface GraphExportOptions extends Durability {
  readonly kg: KnowledgeGraph;
  readonly memoryBank: MemoryBank;
  /** Of exports. Absolute. */
  readonly folder: string;
}

export interface GraphText {
  readonly text: string;
  readonly lines: number;
  /** Where the next page begins. */
  readonly nextOffset?: number;
}

export interface GraphFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly lines: number;
}

export class GraphExport {
  readonly #options: GraphExportOptions;

  constructor(options: GraphExportOptions) {
    this.#options = options;
  }

  /** Lines from `offset` on, as far as `room` reaches. TOO_LARGE where a single one is longer. */
  async toText(
    request: GraphExportRequest,
    offset: number,
    room: { readonly most: number; measure(text: string): number },
  ): Promise<GraphText> {
    let text = openingOf(request.format);
    let left = room.most - room.measure(text);
    let at = 0;
    for await (const line of this.#lines(request)) {
      at += 1;
      if (at <= offset) continue;
      left -= room.measure(line);
      if (left < 0 && at - 1 > offset) return { text, lines: at - 1 - offset, nextOffset: at - 1 };
      if (left < 0) throw tooLong(line);
      text += line;
    }
    return { text, lines: Math.max(0, at - offset) };
  }

  /** Durable when it resolves. ALREADY_EXISTS, PATH_ESCAPE, STORAGE_FULL: then there is no new file. */
  async toFile(name: string, request: GraphExportRequest): Promise<GraphFile> {
    const { folder, fsync } = this.#options;
    const path = await exportPath(folder, name, this.#options);
    const counts = { lines: 0 };
    const sizeBytes = await writeNewFile(path, this.stream(request, counts), {
      fsync,
      signal: request.signal,
    });
    return { path, sizeBytes, ...counts };
  }

  /** All of it, piece by piece; `counts` is right when it has ended. */
  async *stream(request: GraphExportRequest, counts = { lines: 0 }): AsyncGenerator<string> {
    yield openingOf(request.format);
    for await (const line of this.#lines(request)) {
      counts.lines += 1;
      yield line;
    }
  }

  async *#lines(request: GraphExportRequest): AsyncGenerator<string> {
    const { format } = request;
    const facts = this.#facts(request);
    if (format === 'memory') {
      const lines = await memoryLinesOf(facts, (path) => this.#noteText(path));
      yield* lines.map((line) => `${JSON.stringify(line)}\n`);
      return;
    }
    const mermaid = new MermaidLines();
    for await (const fact of facts) {
      yield `${format === 'jsonl' ? factLine(fact) : mermaid.line(fact)}\n`;
    }
  }

  async *#facts(request: GraphExportRequest): AsyncGenerator<Triple> {
    const { format, filter, signal, onProgress } = request;
    let count = 0;
    for await (const fact of this.#options.kg.all({
      ...filter,
      includeClosed: format === 'jsonl',
    })) {
      signal?.throwIfAborted();
      yield fact;
      count += 1;
      if (count % PROGRESS_EVERY === 0) onProgress?.(count);
    }
  }

  /** As `GraphImport` wrote it: the newline at its end is the note's. */
  async #noteText(path: string): Promise<string | undefined> {
    try {
      return (await this.#options.memoryBank.read(path)).content.replace(/\n$/, '');
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }
}

const openingOf = (format: GraphFormat) => (format === 'mermaid' ? 'graph LR\n' : '');

function tooLong(line: string): AppError {
  return new AppError(
    'TOO_LARGE',
    `One line has ${line.length} characters, which is more than the answer may have.`,
    {
      hint: 'Export to a file (`file`), or give a larger `maxTokens`.',
      details: { characters: line.length },
    },
  );
}
