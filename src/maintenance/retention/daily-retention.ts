/** Applies the retention policy once a day while a server runs. Without a policy nothing happens. */
import { type DailyJob, type DailyJobOptions, startDailyJob } from '../daily-job.js';
import { isOfDate, type Retention } from './retention.js';

export interface DailyRetentionOptions extends Omit<DailyJobOptions, 'what' | 'state' | 'run'> {
  readonly retention: Pick<Retention, 'policy' | 'lastRun' | 'run'>;
}

/** Starts the daily retention. `close` cancels it between two conversations; the next server continues. */
export function startDailyRetention({ retention, ...options }: DailyRetentionOptions): DailyJob {
  return startDailyJob({
    ...options,
    what: 'daily retention',
    async state(date) {
      if ((await retention.policy.read()) === undefined) return 'off';
      return isOfDate(await retention.lastRun(), date) ? 'done' : 'due';
    },
    async run(signal) {
      const { conversations: _, ...account } = (await retention.run(signal)) ?? {};
      return account;
    },
  });
}
