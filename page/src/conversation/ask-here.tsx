/** A form that asks Perplexity the next question of a conversation, and shows the cost. */
import { useRef, useState } from 'preact/hooks';
import { Failure } from '../components.jsx';
import { useDraft } from '../draft.js';
import { CallError, call, isReadOnly, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';
import type { HeadFacts } from './head.jsx';

type Answer = Output<'perplexity_search_followup'>;
const KINDS = ['perplexity_search_followup', 'perplexity_deep_research_followup'] as const;
type Costs = NonNullable<HeadFacts['costs']>;

/** Shows nothing without a key, or if data may not be changed. */
export function AskHere(props: { readonly head: HeadFacts; onAnswer(): void }) {
  return isReadOnly() ? null : <AskForm {...props} />;
}

function AskForm({ head, onAnswer }: { readonly head: HeadFacts; onAnswer(): void }) {
  const info = useLoaded('info', (signal) => call('store_info', {}, signal));
  const [query = '', setQuery] = useDraft<string>(`question ${head.conversationId}`);
  const latest = useRef(query);
  latest.current = query;
  const [kind, setKind] = useState<(typeof KINDS)[number]>(KINDS[0]);
  const [isAsking, setAsking] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<CallError>();
  if (!info.data?.settings.perplexity.configured) return null;
  const ask = async (event: Event) => {
    event.preventDefault();
    setAsking(true);
    setError(undefined);
    setAnswer(undefined);
    // A question that is sent leaves the field, so that it is not asked, and paid for, again from another view.
    setQuery(undefined);
    try {
      setAnswer(await call(kind, { conversationId: head.conversationId, query }));
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
      // The user may have typed the next question.
      if (latest.current === '') setQuery(query);
    }
    setAsking(false);
    onAnswer();
  };
  return (
    <form class="ask" aria-label="Ask Perplexity" onSubmit={(event) => void ask(event)}>
      <label>
        Ask Perplexity here
        <textarea
          required
          rows={3}
          maxLength={100_000}
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value || undefined)}
        />
      </label>
      <p class="facts cost-before">{costBefore(head.costs)}</p>
      <p class="actions">
        <label>
          Kind{' '}
          <select
            value={kind}
            onChange={({ currentTarget }) =>
              setKind(KINDS[currentTarget.selectedIndex] ?? KINDS[0])
            }
          >
            <option value={KINDS[0]}>quick search</option>
            <option value={KINDS[1]}>deep research</option>
          </select>
        </label>
        <button type="submit" disabled={isAsking || query.trim() === ''}>
          {isAsking ? 'Waiting for the answer…' : 'Ask'}
        </button>
      </p>
      {error && <Failure error={error} />}
      <p role="status" class="cost-after">
        {answer && costAfter(answer)}
      </p>
    </form>
  );
}

const money = (total: number, currency: string) => `${Number(total.toFixed(4))} ${currency}`;

function costBefore(costs: Costs = []): string {
  if (costs.length === 0) {
    return 'Your Perplexity key pays for each answer. No cost of this conversation is known yet.';
  }
  const sums = costs.map(({ currency, total }) => money(total, currency)).join(' and ');
  const means = costs.map(({ currency, total, answers }) => money(total / answers, currency));
  return `Your Perplexity key pays for each answer. Up to now this conversation has cost ${sums}. One answer has cost ${means.join(' and ')} on average.`;
}

function costAfter({ cost, status, saved, notSavedReason = '' }: Answer): string {
  if (status === 'in_progress') return 'The research is running. Its answer will appear here.';
  const price =
    cost === undefined
      ? 'The service did not report the cost of this answer.'
      : `This answer cost ${money(cost.total, cost.currency)}.`;
  return saved ? price : `${price} The answer was not saved. ${notSavedReason}`;
}
