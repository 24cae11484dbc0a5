/** One table of `daybook stats` as CSV. */
import type { Table } from '../../analytics/report-table-names.js';
import { oneLine } from '../terminal/terminal-text.js';
import { type Answer, rowsOf } from './stats-lines.js';

const COLUMNS = ['conversations', 'messages', 'words', 'tokens', 'billedTokens'] as const;

/** RFC 4180 with a header line. A text that looks like a formula gets an apostrophe. */
export function csvOf(answer: Answer, table: Table): string {
  const lines = rowsOf(answer, table).map(({ name, sums }) => {
    const costs = sums.costs.map(({ currency, total }) => `${total} ${currency}`).join(' + ');
    return [name, ...COLUMNS.map((column) => String(sums[column])), costs].map(csvCell).join(',');
  });
  return [['name', ...COLUMNS, 'cost'].join(','), ...lines].join('\n');
}

function csvCell(text: string): string {
  const safe = oneLine(/^[=+\-@]/.test(text) ? `'${text}` : text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
