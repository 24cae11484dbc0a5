/**
 * Reads the knowledge graph of a Daybook store: the facts that result from all operations of its snapshot and
 * log (docs/FORMAT.md). A deleted fact is not one of them, and an ended fact has its end.
 */
import { isAppError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import { LineScanner } from '../../../stores/knowledge-graph/log/line-scanner.js';
import { FORMAT } from '../../../stores/knowledge-graph/log/operation-line.js';
import { TripleTable, tripleOf } from '../../../stores/knowledge-graph/table/triple-table.js';
import type { ImportedTriple, ImportProblem } from '../../source-interface.js';
import { firstElement, firstLine, linesOf, unreadable } from './documents.js';

/** A line of an encrypted store begins with this. Its key is not known here. */
const SEALED = '~';

/** Whether Daybook wrote the snapshot or the log. */
export async function isOwnGraphFile(file: InputFile, isLog: boolean): Promise<boolean> {
  const first = isLog ? await firstLine(file) : await firstElement(file);
  return isRecord(first) && first['format'] === FORMAT;
}

export class OwnGraph {
  readonly #table = new TripleTable();

  /** Reads a snapshot or a log, in any order. Yields what cannot be read. */
  async *read(file: InputFile, isLog: boolean): AsyncGenerator<ImportProblem> {
    const scanner = new LineScanner(this.#table, file.name);
    try {
      for await (const { number, text, isLast, isTooLong } of linesOf(file)) {
        const damaged = scanner.damaged.length;
        const isReadable = text !== undefined && !text.startsWith(SEALED);
        const bytes = Buffer.from(text ?? '');
        if (isReadable) scanner.scan(bytes, 0, bytes.length, isLog && isLast);
        if (isReadable && scanner.damaged.length === damaged) continue;
        yield unreadable(file.name, `line ${number}`, isTooLong ? 'TOO_LARGE' : 'CORRUPT');
      }
    } catch (error) {
      if (!isAppError(error, 'FORMAT_TOO_NEW')) throw error;
      const { code, message } = error;
      yield { type: 'problem', path: file.name, record: 'the file', code, message };
    }
  }

  /** The facts of all files that were read. */
  *facts(path: string): Generator<ImportedTriple> {
    for (let row = 0; row < this.#table.rowEnd; row += 1) {
      if (!this.#table.isUsed(row)) continue;
      const fact = tripleOf(this.#table, row);
      const record = `${fact.subject} / ${fact.predicate} / ${fact.object}`;
      yield { type: 'triple', path, record, ...fact };
    }
  }
}
