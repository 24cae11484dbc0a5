/** Recognises the format of a text with facts: JSON Lines of a Daybook export, or memory.jsonl of server-memory. */
import { AppError, passes } from '../../base/errors.js';
import { linesOf, partsOf } from './graph-jsonl.js';
import { memoryLineOf } from './memory-jsonl.js';

/** The format of the first line that has one. Throws VALIDATION_ERROR if no line has. */
export function formatOf(text: string): 'jsonl' | 'memory' {
  for (const { value } of linesOf(text)) {
    if (canBeRead(memoryLineOf, value)) return 'memory';
    if (canBeRead(partsOf, value)) return 'jsonl';
  }
  throw new AppError(
    'VALIDATION_ERROR',
    'No line of the text is a line of `kg_export` or of memory.jsonl.',
    {
      hint: 'Each line must be {"subject":…,"predicate":…,"object":…}, or an entity or a relation of the MCP memory server.',
    },
  );
}

const canBeRead = (read: (value: unknown) => unknown, text: string): boolean =>
  passes(() => read(parsed(text)));

/** VALIDATION_ERROR if the line is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', 'The line is not JSON.', { cause });
  }
}
