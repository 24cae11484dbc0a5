/** The output of `daybook stats` for people: bars. `stats-csv.ts` has the tables as CSV. */

import type { z } from 'zod';
import type { Table } from '../../analytics/report-table-names.js';
import { countOf } from '../../base/text/display-text.js';
import type { getAnalytics } from '../../tools/context/get-analytics.js';
import { cut, padEnd } from '../terminal/columns.js';
import { oneLine } from '../terminal/terminal-text.js';

export type Answer = z.output<typeof getAnalytics.output>;
type Sums = Answer['totals'];

const NAME_WIDTH = 24;
const NUMBER_WIDTH = 8;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** From no messages to the hour with the most messages. */
const SHADES = ['·', '░', '▒', '▓', '█'];
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Lines of at most `columns` characters. */
export function statsLines(answer: Answer, columns: number): string[] {
  const { totals, pace, timeZone, week, topics = [], omittedPeriods = 0 } = answer;
  if (totals.messages === 0) return ['No message was found.'];
  const sections: (readonly [string, readonly Row[]])[] = [
    ['over time', rowsOf(answer, 'periods')],
    ['modules', rowsOf(answer, 'modules')],
    ['roles', rowsOf(answer, 'roles')],
    ['models', rowsOf(answer, 'models')],
    ['longest conversations', rowsOf(answer, 'conversations')],
  ];
  const minutes = `median ${countOf(pace.medianMinutes, 'minute')}, longest ${countOf(pace.longestMinutes, 'minute')}`;
  return [
    `${countOf(totals.conversations, 'conversation')}, ${countOf(totals.messages, 'message')}, ${countOf(totals.words, 'word')}, about ${countOf(totals.tokens, 'token')}${costText(totals)}`,
    `${countOf(pace.sessions, 'session')}: ${minutes}; median pause between two messages: ${countOf(pace.medianPauseSeconds, 'second')}`,
    ...(omittedPeriods > 0
      ? [
          `${countOf(omittedPeriods, 'earlier period is', 'earlier periods are')} not shown: use --from`,
        ]
      : []),
    ...sections.flatMap(([title, rows]) =>
      rows.length === 0 ? [] : ['', title, ...barsOf(rows, columns)],
    ),
    ...(week ? ['', `hours of the week (${timeZone})`, ...weekLines(week)] : []),
    ...(topics.length > 0 ? ['', `topics: ${topics.map(({ word }) => word).join(', ')}`] : []),
  ];
}

interface Row {
  readonly name: string;
  readonly sums: Sums;
}

/** The rows of one table. */
export function rowsOf(answer: Answer, table: Table): Row[] {
  if (table === 'conversations') {
    return (answer.conversations ?? []).map(({ title, conversationId, ...sums }) => ({
      name: title ?? conversationId,
      sums,
    }));
  }
  return (answer[table] ?? []).map(({ name, ...sums }) => ({ name: name || 'no module', sums }));
}

function barsOf(rows: readonly Row[], columns: number): string[] {
  const most = Math.max(...rows.map(({ sums }) => sums.messages));
  const width = Math.max(5, Math.min(40, columns - NAME_WIDTH - NUMBER_WIDTH - 16));
  return rows.map(({ name, sums }) => {
    const shown = padEnd(cut(oneLine(name), NAME_WIDTH), NAME_WIDTH);
    const number = String(sums.messages).padStart(NUMBER_WIDTH);
    return `${shown} ${number} ${bar(sums.messages / most, width)}${costText(sums)}`;
  });
}

function bar(share: number, width: number): string {
  const eighths = Math.max(1, Math.round(share * width * 8));
  return '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? '');
}

function weekLines(week: readonly (readonly number[])[]): string[] {
  const most = Math.max(1, ...week.flat());
  const shade = (count: number) =>
    SHADES[count === 0 ? 0 : Math.ceil((count / most) * (SHADES.length - 1))] ?? '';
  const hours = [0, 6, 12, 18].map((hour) => String(hour).padEnd(6)).join('');
  return [
    `    ${hours}`.trimEnd(),
    ...week.map((row, n) => `${DAYS[n]} ${row.map(shade).join('')}`),
  ];
}

const costText = ({ costs }: Sums): string =>
  costs.map(({ currency, total }) => `, ${total} ${oneLine(currency)}`).join('');
