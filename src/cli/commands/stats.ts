/** `daybook stats`: prints the statistics of the tool `get_analytics` as bars, JSON or CSV. */
import type { z } from 'zod';
import type { Table } from '../../analytics/report-table-names.js';
import { getAnalytics } from '../../tools/context/get-analytics.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { reportFailure } from '../errors/failure.js';
import { reportOtherRoot } from '../notices/other-root.js';
import { reportLeftOut } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { columnsOf } from '../terminal/columns.js';
import { showText } from '../terminal/pager.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { terminalJson } from '../terminal/terminal-text.js';
import { zoneFor } from '../terminal/times.js';
import { checkedInput } from '../tools/tool-options.js';
import { csvOf } from '../views/stats-csv.js';
import { statsLines } from '../views/stats-lines.js';
import { withReadingApp } from '../with-app.js';

export interface StatsOptions {
  readonly from?: string;
  readonly to?: string;
  readonly module?: string;
  readonly role?: string;
  readonly period?: string;
  readonly limit?: string;
  readonly json?: boolean;
  readonly csv?: true | Table;
}

/** Prints to stdout. Exit status 1 if there is no message. */
export async function stats({ json, csv, ...options }: StatsOptions, flags: Flags): Promise<void> {
  const input = inputOf(options, flags, csv);
  await withReadingApp(flags, async (app, signal) => {
    app.search.start('once');
    const found = await withProgressBar((progress) =>
      getAnalytics.run(input, app, { signal, isRemote: false, progress }),
    );
    const answer = getAnalytics.output.parse(found);
    if (answer.totals.messages === 0) process.exitCode = NOTHING_FOUND;
    if (json) console.log(terminalJson(answer));
    else if (csv !== undefined) console.log(csvOf(answer, csv === true ? 'periods' : csv));
    else await showText(statsLines(answer, columnsOf(process.stdout)).join('\n'));
    await reportLeftOut('conversations', app, flags);
    if (answer.totals.messages === 0) await reportOtherRoot(configuration(flags));
  }).catch((error: unknown) => reportFailure(error, flags, { from: '--from', to: '--to' }));
}

type Input = z.output<typeof getAnalytics.input>;

/** Throws VALIDATION_ERROR with the name of the option. */
function inputOf(
  { limit, ...options }: Omit<StatsOptions, 'json' | 'csv'>,
  flags: Flags,
  csv: StatsOptions['csv'],
): Input {
  const given = {
    ...options,
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(csv !== undefined && limit === undefined && { limit: 100 }),
    ...(csv !== undefined && { include: [csv === true ? 'periods' : csv] }),
    timeZone: zoneFor(flags),
    maxTokens: 25_000,
  };
  return checkedInput(getAnalytics, given, (field) => `--${field}`);
}
