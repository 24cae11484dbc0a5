/** Distinctive words, in total and of each of the last months, and open questions. */

import { useConversationChanges } from '../changes/use-changes.js';
import { counted, Failure } from '../components.jsx';
import { hrefOf } from '../navigation/route.js';
import { call, type Input, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';
import { inMonth } from './bars.jsx';

const MONTHS = 6;
const WORDS = 6;

/** `given`: the filters of days and messages. */
export function Topics({ given }: { readonly given: Input<'get_analytics'> }) {
  const { data, error, reload } = useLoaded(JSON.stringify(given), (signal) =>
    call('get_analytics', { ...given, include: ['topics'] }, signal),
  );
  useConversationChanges(reload);
  return (
    <section>
      <h2>Topics</h2>
      {error && <Failure error={error} />}
      {!data && !error && <p class="loading">Reading…</p>}
      <p class="topics">
        {(data?.topics ?? []).map(({ word, messages }) => (
          <a
            key={word}
            href={hrefOf('search', '', { q: word })}
            title={counted(messages, 'message')}
          >
            <bdi>{word}</bdi>
          </a>
        ))}
      </p>
    </section>
  );
}

/** `periods`: months such as 2025-01, the oldest first. `given`: the filters of messages. */
export function TopicsOverTime(props: {
  readonly periods: readonly { readonly name: string }[];
  readonly given: Input<'get_analytics'>;
}) {
  const { given } = props;
  const months = props.periods
    .map(({ name }) => name)
    .filter((name) => /^\d{4}-\d{2}$/.test(name))
    .slice(-MONTHS);
  const { data, error, reload } = useLoaded(JSON.stringify([months, given]), (signal) =>
    topicsOf(months, given, signal),
  );
  useConversationChanges(reload);
  if (months.length === 0) return null;
  return (
    <section>
      <h2>Topics by month</h2>
      {error && <Failure error={error} />}
      {!data && !error && <p class="loading">Reading…</p>}
      <table class="topics-by-month">
        <tbody>
          {(data ?? []).map(({ month, topics }) => (
            <tr key={month}>
              <th scope="row">{month}</th>
              <td>
                {topics.map(({ word, messages }) => (
                  <a
                    key={word}
                    href={hrefOf('search', '', { q: word, ...inMonth(month) })}
                    title={counted(messages, 'message')}
                  >
                    <bdi>{word}</bdi>
                  </a>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

async function topicsOf(
  months: readonly string[],
  given: Input<'get_analytics'>,
  signal: AbortSignal,
) {
  const found: { month: string; topics: NonNullable<Output<'get_analytics'>['topics']> }[] = [];
  for (const month of months.toReversed()) {
    const input = { ...given, ...inMonth(month), include: ['topics' as const], limit: WORDS };
    const { topics = [] } = await call('get_analytics', input, signal);
    found.push({ month, topics });
  }
  return found;
}

/** The open questions of `session_start`. They are candidates: some of them may be answered. */
export function OpenQuestions() {
  const { data, error, reload } = useLoaded('questions', (signal) =>
    call('session_start', {}, signal),
  );
  useConversationChanges(reload);
  const questions = data?.openQuestions ?? [];
  return (
    <section>
      <h2>Open questions</h2>
      {error && <Failure error={error} />}
      {!data && !error && <p class="loading">Reading…</p>}
      {data && questions.length === 0 && <p>No question of the last session was left open.</p>}
      <ul class="open-questions">
        {questions.map(({ messageId, threadId, seq, text }) => (
          <li key={`${messageId} ${text}`}>
            <a href={hrefOf('conversation', threadId, { seq: String(seq) })}>
              <bdi>{text}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
