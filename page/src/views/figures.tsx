/** The view of figures: calendar, hours of the week, sums by month, module and model, cost, and topics. */
import { useState } from 'preact/hooks';
import { Bars, inMonth, ofModule, ofRole } from '../analytics/bars.jsx';
import { StoreFigures } from '../analytics/store.jsx';
import { OpenQuestions, Topics, TopicsOverTime } from '../analytics/topics.jsx';
import { call, type Output, type Progress } from '../api.js';
import {
  counted,
  Empty,
  Failure,
  FigureRow,
  type NamedFigures,
  shownNumber,
} from '../components.jsx';
import { useChanges } from '../hooks.js';
import { hrefOf, type Route } from '../route.js';
import { useLoaded } from '../use-loaded.js';

type Figures = Output<'get_analytics'>;
type Named = NonNullable<Figures['modules']>;

const DAY_MS = 86_400_000;
const WEEKS = 53;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const LEVELS = 4;
/** The parts of the first call. Topics have a separate call, because they need the search index. */
const FIRST_PARTS = ['periods', 'modules', 'roles', 'models', 'conversations', 'week'] as const;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Swedish dates have the form of ISO 8601. */
const isoDay = (time: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC' }).format(time);

export function FiguresView({ route }: { readonly route: Route }) {
  const { days: span, messages: which } = conditionsOf(route.params);
  const [counting, setCounting] = useState<Progress>();
  const key = JSON.stringify([span, which]);
  const { data, error, reload } = useLoaded(key, async (signal) => {
    const common = { ...which, timeZone, maxTokens: 25_000 };
    const from = isoDay(Date.now() - WEEKS * 7 * DAY_MS);
    const [all, days] = await Promise.all([
      call('get_analytics', { ...common, ...span, include: [...FIRST_PARTS] }, signal, setCounting),
      call('get_analytics', { ...common, from, period: 'day', include: ['periods'] }, signal),
    ]);
    return { all, days: days.periods ?? [] };
  });
  useChanges('conversation', reload);
  if (error && !data) return <Failure error={error} />;
  if (!data) {
    return (
      <>
        <h1>Figures</h1>
        <Counting report={counting} />
      </>
    );
  }
  const { all, days } = data;
  const given = { ...span, ...which };
  if (all.totals.messages === 0) return <NoFigures given={given} />;
  return (
    <div class="figures">
      <h1>Figures</h1>
      <Conditions given={given} />
      <Totals figures={all} />
      <section>
        <h2>Messages a day</h2>
        <Calendar days={days} />
      </section>
      <section>
        <h2>Hours of the week</h2>
        <Week week={all.week ?? []} />
      </section>
      <div class="columns">
        <Bars title="By month" rows={(all.periods ?? []).slice(-24)} only={inMonth} given={given} />
        <Bars title="By module" rows={all.modules ?? []} only={ofModule} given={given} />
        <Bars title="By model" rows={all.models ?? []} given={given} />
        <Bars title="By role" rows={all.roles ?? []} only={ofRole} given={given} />
      </div>
      <Longest figures={all} />
      <Topics given={{ ...span, ...which, timeZone }} />
      <TopicsOverTime periods={all.periods ?? []} timeZone={timeZone} />
      <OpenQuestions />
      <StoreFigures longest={all.conversations ?? []} />
    </div>
  );
}

/** Shows the progress, because the first call reads all conversations. */
function Counting({ report }: { readonly report: Progress | undefined }) {
  const { progress, total = 0, message = '' } = report ?? { progress: 0 };
  return (
    <div class="loading" role="status">
      Counting…
      {total > 0 && (
        <p>
          <progress max={total} value={progress} aria-label="Counted" />{' '}
          {`${shownNumber(Math.floor(progress))} of ${shownNumber(Math.ceil(total))} ${message}`}
        </p>
      )}
    </div>
  );
}

function NoFigures({ given }: { readonly given: Readonly<Record<string, string>> }) {
  const isLimited = Object.keys(given).length > 0;
  return (
    <Empty
      view="Figures"
      title={isLimited ? 'No message matches these filters' : 'There are no figures yet'}
    >
      <Conditions given={given} />
      {!isLimited && (
        <p>
          Figures appear with the first conversation. <a href={hrefOf('')}>Connect an assistant</a>,
          or <a href={hrefOf('import')}>import an export</a>.
        </p>
      )}
    </Empty>
  );
}

interface Conditions {
  readonly days: { readonly from?: string; readonly to?: string };
  readonly messages: Pick<
    NonNullable<Parameters<typeof call<'get_analytics'>>[1]>,
    'module' | 'role'
  >;
}

/** The filters in the address; they are also inputs of `get_analytics`. */
function conditionsOf(params: URLSearchParams): Conditions {
  const given = (names: readonly string[]) =>
    Object.fromEntries([...params].filter(([name, value]) => names.includes(name) && value !== ''));
  return { days: given(['from', 'to']), messages: given(['module', 'role']) };
}

function Conditions({ given }: { readonly given: Readonly<Record<string, string>> }) {
  const conditions = Object.entries(given);
  if (conditions.length === 0) return null;
  return (
    <p>
      Only <bdi>{conditions.map(([name, value]) => `${name} ${value}`).join(', ')}</bdi>.{' '}
      <a href={hrefOf('figures')}>All figures</a>
    </p>
  );
}

function Totals({ figures: { totals, pace } }: { readonly figures: Figures }) {
  const cost = totals.costs.map(({ currency, total }) => `${total.toFixed(2)} ${currency}`);
  const facts: NamedFigures = [
    ['conversations', shownNumber(totals.conversations)],
    ['messages', shownNumber(totals.messages)],
    ['words', shownNumber(totals.words)],
    ['tokens (estimated)', shownNumber(totals.tokens)],
    ['cost', cost.join(' + ') || '–'],
    ['minutes a session', String(pace.medianMinutes)],
    ['seconds between messages', String(pace.medianPauseSeconds)],
  ];
  return <FigureRow figures={facts} />;
}

function Calendar({ days }: { readonly days: Named }) {
  const counts = new Map(days.map(({ name, messages }) => [name, messages]));
  const most = Math.max(1, ...counts.values());
  const today = Date.now();
  const weekday = (new Date(today).getDay() + 6) % 7;
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

function Week({ week }: { readonly week: readonly (readonly number[])[] }) {
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

function Longest({ figures: { conversations = [] } }: { readonly figures: Figures }) {
  return (
    <section>
      <h2>Longest conversations</h2>
      <ol>
        {conversations.map(({ conversationId, title, messages, minutes }) => (
          <li key={conversationId}>
            <a href={hrefOf('conversation', conversationId)}>
              <bdi>{title ?? conversationId}</bdi>
            </a>{' '}
            <span class="facts">
              {counted(messages, 'message')}, {counted(minutes, 'minute')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
