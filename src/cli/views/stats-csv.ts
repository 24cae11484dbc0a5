/** One table of `daybook stats` as CSV. */
import type { Table } from '../../analytics/report-table-names.js';
import { oneLine } from '../terminal/terminal-text.js';
import { type Answer, rowsOf } from './stats-lines.js';

const COLUMNS = ['conversations', 'messages', 'words', 'tokens', 'billedTokens'] as const;

/** RFC 4180 with a header line, and a column for each currency. A text that looks like a formula gets an apostrophe. */
export function csvOf(answer: Answer, table: Table): string {
  const rows = rowsOf(answer, table);
  const costs = rows.flatMap(({ sums }) => sums.costs);
  const currencies = [...new Set(costs.map(({ currency }) => currency))].sort();
  const header = ['name', ...COLUMNS, ...currencies.map((currency) => `cost (${currency})`)];
  const lines = rows.map(({ name, sums }) => [
    name,
    ...COLUMNS.map((column) => String(sums[column])),
    ...currencies.map((each) =>
      String(sums.costs.find(({ currency }) => currency === each)?.total ?? ''),
    ),
  ]);
  return [header, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\n');
}

function csvCell(text: string): string {
  const line = oneLine(text);
  const safe = /^[=+\-@]/.test(line) ? `'${line}` : line;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
