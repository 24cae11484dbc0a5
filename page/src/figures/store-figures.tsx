/** The size of the store, unreadable files, and what is near a limit. */

import { useChanges, useConversationChanges } from '../changes/use-changes.js';
import { Failure, FigureRow, type NamedFigures, shownNumber, titleOf } from '../components.jsx';
import { hrefOf } from '../navigation/route.js';
import { call, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

type Info = Output<'store_info'>;
type Longest = NonNullable<Output<'get_analytics'>['conversations']>;

/** From this share of a limit on, a sentence is shown. */
const NEAR = 0.8;

export function StoreFigures({ longest }: { readonly longest: Longest }) {
  const { data, error, reload } = useLoaded('store', (signal) => call('store_info', {}, signal));
  const graph = useLoaded('graph', (signal) => call('kg_stats', {}, signal));
  useConversationChanges(reload);
  useChanges('graph', graph.reload);
  if (error) return <Failure error={error} />;
  if (!data) {
    return (
      <section class="store">
        <h2>The store</h2>
        <p class="loading">Measuring…</p>
      </section>
    );
  }
  const { size, damaged, insights, index } = data;
  const near = nearLimits(data, longest, graph.data);
  const unreadable = damaged.length + insights.damaged.length;
  const facts: NamedFigures = [
    ['in files', bytes(size.sizeBytes)],
    ['in the trash', bytes(size.trashBytes)],
    ['current facts', graph.data ? shownNumber(graph.data.open) : '–'],
    ['messages searchable', shownNumber(index.messages)],
    ['unreadable files', shownNumber(unreadable)],
  ];
  return (
    <section class="store">
      <h2>The store</h2>
      <FigureRow figures={facts} />
      <p>{unreadable === 0 ? 'All files of conversations and insights can be read.' : ''}</p>
      {unreadable > 0 && <a href={hrefOf('trash')}>Show the files that cannot be read</a>}
      {near.length === 0 ? (
        <p>Nothing is near a limit.</p>
      ) : (
        <ul class="near">
          {near.map(({ text, conversationId }) => (
            <li key={text}>
              {conversationId === undefined ? (
                text
              ) : (
                <a href={hrefOf('conversation', conversationId)}>
                  <bdi>{text}</bdi>
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface Near {
  readonly text: string;
  readonly conversationId?: string;
}

function nearLimits(
  { size, settings: { maxMessages } }: Info,
  longest: Longest,
  graph: Output<'kg_stats'> | undefined,
): Near[] {
  const { sizeBytes, limitBytes } = size;
  const isFull = limitBytes !== undefined && sizeBytes >= limitBytes * NEAR;
  const full = longest.filter(({ messages }) => maxMessages > 0 && messages >= maxMessages * NEAR);
  const facts = (graph?.open ?? 0) + (graph?.closed ?? 0);
  const isGraphFull = graph !== undefined && facts >= graph.limit * NEAR;
  return [
    ...(isGraphFull ? [{ text: `The graph has ${facts} of at most ${graph.limit} facts.` }] : []),
    ...(isFull
      ? [{ text: `The store has ${bytes(sizeBytes)} of at most ${bytes(limitBytes)}.` }]
      : []),
    ...full.map(({ conversationId, title, messages }) => ({
      text: `${titleOf({ conversationId, title })} has ${messages} of at most ${maxMessages} messages.`,
      conversationId,
    })),
  ];
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

function bytes(count: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** unit;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${UNITS[unit]}`;
}
