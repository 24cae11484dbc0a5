/**
 * Exports the knowledge graph as text: in pages of limited size, or as a new file in the exports folder.
 */
import { AppError, undefinedIfUnreadable } from '../../base/errors.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { writeNewFile } from '../../files/atomic/new-file-stream.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { Triple } from '../../stores/knowledge-graph/model/triple.js';
import type { TripleFilter } from '../../stores/knowledge-graph/table/graph-query.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import type { TextBudget } from '../export.js';
import { exportPath } from '../export-folder.js';
import type { GraphFormat } from './graph-format-names.js';
import { factLine } from './graph-jsonl.js';
import { MermaidLines } from './graph-mermaid.js';
import { memoryLinesOf } from './memory-jsonl.js';

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
  /** Absolute path of the exports folder. */
  readonly folder: string;
}

export interface GraphText {
  readonly text: string;
  readonly lines: number;
  /** The `offset` of the next page; absent on the last page. */
  readonly nextOffset?: number;
  readonly missingNotes: readonly string[];
}

export interface GraphFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly lines: number;
  readonly missingNotes: readonly string[];
}

export interface GraphExportCounts {
  lines: number;
  /** Paths of notes that cannot be read, so that their long observations are not in the export. */
  readonly missingNotes: string[];
}

export const newGraphCounts = (): GraphExportCounts => ({ lines: 0, missingNotes: [] });

export class GraphExport {
  readonly #options: GraphExportOptions;

  constructor(options: GraphExportOptions) {
    this.#options = options;
  }

  /** As many lines from `offset` as fit into `budget`. Throws TOO_LARGE if one line alone does not fit. */
  async toText(
    request: GraphExportRequest,
    offset: number,
    budget: TextBudget,
  ): Promise<GraphText> {
    let text = openingOf(request.format);
    let left = budget.max - budget.measure(text);
    let at = 0;
    const missingNotes: string[] = [];
    for await (const line of this.#lines(request, missingNotes)) {
      at += 1;
      if (at <= offset) continue;
      left -= budget.measure(line);
      if (left < 0 && at - 1 > offset)
        return { text, lines: at - 1 - offset, nextOffset: at - 1, missingNotes };
      if (left < 0) throw tooLong(line);
      text += line;
    }
    return { text, lines: Math.max(0, at - offset), missingNotes };
  }

  /**
   * Durable when it resolves. Throws ALREADY_EXISTS, PATH_ESCAPE or STORAGE_FULL, and then leaves no file.
   */
  async toFile(name: string, request: GraphExportRequest): Promise<GraphFile> {
    const { folder, fsync } = this.#options;
    const path = await exportPath(folder, name, this.#options);
    const counts = newGraphCounts();
    const sizeBytes = await writeNewFile(path, this.stream(request, counts), {
      fsync,
      signal: request.signal,
    });
    return { path, sizeBytes, ...counts };
  }

  /** The whole export in pieces; `counts` is complete when the stream has ended. */
  async *stream(request: GraphExportRequest, counts = newGraphCounts()): AsyncGenerator<string> {
    yield openingOf(request.format);
    for await (const line of this.#lines(request, counts.missingNotes)) {
      counts.lines += 1;
      yield line;
    }
  }

  async *#lines(request: GraphExportRequest, missingNotes: string[]): AsyncGenerator<string> {
    const { format } = request;
    const facts = this.#facts(request);
    if (format === 'memory') {
      const lines = await memoryLinesOf(facts, async (path) => {
        const text = await this.#noteText(path);
        if (text === undefined) missingNotes.push(path);
        return text;
      });
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

  /** The text of a long observation. `GraphImport` added the newline at the end, so it is removed. */
  async #noteText(path: string): Promise<string | undefined> {
    const note = await undefinedIfUnreadable(this.#options.memoryBank.read(path));
    return note?.content.replace(/\n$/, '');
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
