/** Two heat maps of the number of messages: a calendar of the last year, and the hours of the week. */

import { counted } from '../components.jsx';
import { DAY_MS, isoDay } from '../days.js';
import type { Output } from '../server/api.js';

const WEEKS = 53;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const LEVELS = 4;

/** The day of the user, as its start in UTC: there all days have the same length. */
function startOfToday(): number {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

/** The first day for which the calendar needs numbers. */
export const calendarStart = (): string => isoDay(startOfToday() - WEEKS * 7 * DAY_MS);

export function Calendar({
  days,
}: {
  readonly days: NonNullable<Output<'get_analytics'>['modules']>;
}) {
  const counts = new Map(days.map(({ name, messages }) => [name, messages]));
  const most = Math.max(1, ...counts.values());
  const today = startOfToday();
  const weekday = (new Date(today).getUTCDay() + 6) % 7;
  const first = today - (weekday + (WEEKS - 1) * 7) * DAY_MS;
  const cells = Array.from({ length: (WEEKS - 1) * 7 + weekday + 1 }, (_, at) => {
    const day = isoDay(first + at * DAY_MS);
    return { at, day, count: counts.get(day) ?? 0 };
  });
  const busiest = [...counts].sort(([, a], [, b]) => b - a)[0];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Calendar of messages">
      <svg
        viewBox={`-30 -16 ${WEEKS * 14 + 30} 114`}
        class="calendar"
        role="img"
        aria-label={`Messages a day of the last year. The most: ${busiest?.[1] ?? 0} on ${busiest?.[0] ?? 'no day'}.`}
      >
        {monthsOf(cells).map(({ at, month }) => (
          <text key={at} x={Math.floor(at / 7) * 14} y="-5">
            {month}
          </text>
        ))}
        {[0, 2, 4].map((day) => (
          <text key={day} x="-30" y={day * 14 + 10}>
            {WEEKDAYS[day]}
          </text>
        ))}
        {cells.map(({ at, day, count }) => (
          <rect
            key={day}
            x={Math.floor(at / 7) * 14}
            y={(at % 7) * 14}
            width="12"
            height="12"
            rx="2"
            class={levelOf(count, most)}
          >
            <title>{`${day}: ${counted(count, 'message')}`}</title>
          </rect>
        ))}
      </svg>
    </div>
  );
}

const monthName = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' });

/** The weeks in which a month begins. */
const monthsOf = (cells: readonly { readonly at: number; readonly day: string }[]) =>
  cells
    .filter(({ day }) => day.endsWith('-01'))
    .map(({ at, day }) => ({ at, month: monthName.format(Date.parse(day)) }));

const levelOf = (count: number, most: number) =>
  `level${count === 0 ? 0 : Math.ceil((count / most) * LEVELS)}`;

export function HoursOfWeek({ week }: { readonly week: readonly (readonly number[])[] }) {
  const most = Math.max(1, ...week.flat());
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Hours of the week">
      <table class="week">
        <caption class="visually-hidden">Messages by weekday and hour</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Day</span>
            </th>
            {Array.from({ length: 24 }, (_, hour) => (
              <th key={hour} scope="col">
                {hour % 6 === 0 ? hour : <span class="visually-hidden">{hour}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.map((hours, day) => (
            <tr key={WEEKDAYS[day]}>
              <th scope="row">{WEEKDAYS[day]}</th>
              {hours.map((count, hour) => (
                <td
                  key={`${day}:${hour}`}
                  class={levelOf(count, most)}
                  title={counted(count, 'message')}
                >
                  <span class="visually-hidden">{count}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
