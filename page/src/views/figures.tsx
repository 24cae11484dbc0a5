/** The view of figures: calendar, hours of the week, sums by month, module and model, cost, and topics. */
import { useState } from 'preact/hooks';
import { useConversationChanges } from '../changes/use-changes.js';
import {
  counted,
  Empty,
  Failure,
  FigureRow,
  type NamedFigures,
  shownMoney,
  shownNumber,
  titleOf,
} from '../components.jsx';
import { Bars, inMonth, ofModule, ofRole } from '../figures/bars.jsx';
import { Calendar, calendarStart, HoursOfWeek } from '../figures/heat-maps.jsx';
import { StoreFigures } from '../figures/store-figures.jsx';
import { OpenQuestions, Topics, TopicsOverTime } from '../figures/topics.jsx';
import { hrefOf, type Route } from '../navigation/route.js';
import { call, type Input, type Output, type Progress } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

type Figures = Output<'get_analytics'>;

/** The parts of the first call. Topics have a separate call, because they need the search index. */
const FIRST_PARTS = ['periods', 'modules', 'roles', 'models', 'conversations', 'week'] as const;
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function FiguresView({ route }: { readonly route: Route }) {
  const { days: span, messages: which } = conditionsOf(route.params);
  const [counting, setCounting] = useState<Progress>();
  const key = JSON.stringify([span, which]);
  const { data, error, reload } = useLoaded(key, async (signal) => {
    const common = { ...which, timeZone, maxTokens: 25_000 };
    const from = calendarStart();
    const [all, days] = await Promise.all([
      call('get_analytics', { ...common, ...span, include: [...FIRST_PARTS] }, signal, setCounting),
      call('get_analytics', { ...common, from, period: 'day', include: ['periods'] }, signal),
    ]);
    return { all, days: days.periods ?? [] };
  });
  useConversationChanges(reload);
  const given = { ...span, ...which };
  if (!data) {
    return (
      <>
        <h1>Figures</h1>
        <Conditions given={given} />
        {error ? <Failure error={error} /> : <Counting report={counting} />}
      </>
    );
  }
  const { all, days } = data;
  if (all.totals.messages === 0) return <NoFigures given={given} />;
  return (
    <div class="figures">
      <h1>Figures</h1>
      <Conditions given={given} />
      {error && <Failure error={error} />}
      <Totals figures={all} />
      <section>
        <h2>Messages a day</h2>
        <Calendar days={days} />
      </section>
      <section>
        <h2>Hours of the week</h2>
        <HoursOfWeek week={all.week ?? []} />
      </section>
      <div class="columns">
        <Bars title="By month" rows={(all.periods ?? []).slice(-24)} only={inMonth} given={given} />
        <Bars title="By module" rows={all.modules ?? []} only={ofModule} given={given} />
        <Bars title="By model" rows={all.models ?? []} given={given} />
        <Bars title="By role" rows={all.roles ?? []} only={ofRole} given={given} />
      </div>
      <Longest figures={all} />
      <Topics given={{ ...span, ...which, timeZone }} />
      <TopicsOverTime periods={all.periods ?? []} given={{ ...which, timeZone }} />
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
  readonly messages: Pick<Input<'get_analytics'>, 'module' | 'role'>;
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
  const cost = totals.costs.map(({ currency, total }) => shownMoney(total, currency));
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

function Longest({ figures: { conversations = [] } }: { readonly figures: Figures }) {
  return (
    <section>
      <h2>Longest conversations</h2>
      <ol>
        {conversations.map(({ messages, minutes, ...named }) => (
          <li key={named.conversationId}>
            <a href={hrefOf('conversation', named.conversationId)}>
              <bdi>{titleOf(named)}</bdi>
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
