/**
 * The view of the knowledge graph: all facts, the facts that match the filters of the address, or the facts
 * around a node. They can be filtered by words, predicate and day.
 */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { counted, Empty, Failure, Time } from '../components.jsx';
import { DAY_MS, isoDay } from '../days.js';
import { GraphCanvas } from '../graph/graph-canvas.jsx';
import { useListKeys } from '../hooks.js';
import { address } from '../navigation/address.js';
import { hrefOf, type Route } from '../navigation/route.js';
import { call, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';
import { useSettled } from '../server/use-settled.js';

type Fact = Output<'kg_query'>['triples'][number];
const NO_FACTS: readonly Fact[] = [];

const PAGE_SIZE = 1000;
/** More than the default limit of the store, which is 5000 facts. */
const MAX_FACTS = 6000;
const MAX_DEPTH = 6;
/** Rows of the table. */
const MAX_ROWS = 100;

export function Knowledge({ route }: { readonly route: Route }) {
  const node = route.name;
  const { ofAddress, given, words, setWords } = useConditions(route);
  const [predicate, setPredicate] = useState(route.params.get('predicate') ?? '');
  const [asOf, setAsOf] = useState(route.params.get('asOf')?.slice(0, 10) ?? '');
  const [depth, setDepth] = useState(depthOf(route.params.get('depth')));
  const settledDay = useSettled(asOf);
  // The neighbours of a node depend on the day. Without a node all facts, also ended, are loaded once.
  const isWhole = node === '';
  // The server refuses a day that does not exist.
  const isDay = !Number.isNaN(Date.parse(settledDay || '1970-01-01'));
  const asked: Asked = { node, given, predicate, asOf: isWhole && isDay ? '' : settledDay, depth };
  const request = JSON.stringify(asked);
  const { data, error, reload } = useLoaded(request, (signal) => readFacts(asked, signal));
  const stats = useLoaded('stats', (signal) => call('kg_stats', {}, signal));
  useChanges('graph', () => {
    reload();
    stats.reload();
  });
  useListKeys('.facts-table td:first-child a');
  const facts = data ?? NO_FACTS;
  const hasEnded = given.some(([name]) => name === 'includeClosed');
  const shown = useMemo(
    () => (isWhole ? factsOn(facts, asOf, hasEnded) : facts),
    [facts, asOf, isWhole, hasEnded],
  );
  // Drawing the table for each day that the slider passes would make the slider slow.
  const listed = useSettled(shown);
  const table = useMemo(() => <Facts facts={listed} />, [listed]);
  if (stats.data && stats.data.open + stats.data.closed === 0) {
    return (
      <Empty view="Knowledge" title="There are no facts yet">
        <p>Write "remember that …" to an assistant, or add a fact:</p>
        <pre tabIndex={0}>daybook kg add Ada "lives in" London</pre>
      </Empty>
    );
  }
  // The list has only the predicates that are used most.
  const offered = stats.data?.predicates ?? [];
  const isOffered = predicate === '' || offered.some((each) => each.predicate === predicate);
  const title = <h1>{titleOf(node, ofAddress)}</h1>;
  // Shown together, because a part that is shown later would move the other parts.
  if ((data ?? error) === undefined || (stats.data === undefined && stats.error === undefined)) {
    return (
      <div class="knowledge">
        {title}
        <p class="loading">Loading…</p>
      </div>
    );
  }
  return (
    <div class="knowledge">
      <div class="tools">
        {title}
        {(node !== '' || ofAddress.length > 0) && <a href={hrefOf('knowledge')}>All facts</a>}
        {node === '' && <Words words={words} onWords={setWords} />}
        <label>
          Predicate{' '}
          <select
            value={predicate}
            onChange={({ currentTarget }) => setPredicate(currentTarget.value)}
          >
            <option value="">any</option>
            {!isOffered && <option value={predicate}>{predicate}</option>}
            {offered.map((each) => (
              <option key={each.predicate} value={each.predicate}>
                {each.predicate} ({each.facts})
              </option>
            ))}
          </select>
        </label>
        {node !== '' && (
          <label>
            Steps{' '}
            <input
              type="number"
              min={1}
              max={MAX_DEPTH}
              value={depth}
              onInput={({ currentTarget }) => setDepth(depthOf(currentTarget.value))}
            />
          </label>
        )}
        <AsOf facts={facts} day={asOf} onDay={setAsOf} />
        <span role="status">
          {data && counted(listed.length, 'fact')}
          {facts.length >= MAX_FACTS && '; there are more: to find others, type words'}
        </span>
      </div>
      {error && <Failure error={error} />}
      {data?.length === 0 && <Empty title="No fact matches" />}
      {facts.length > 0 && (
        <GraphCanvas facts={facts} shown={shown} chosen={node} request={request} onChoose={open} />
      )}
      {listed.length > 0 && table}
    </div>
  );
}

/** The server accepts only these numbers of steps. */
const depthOf = (text: string | null) =>
  Math.min(MAX_DEPTH, Math.max(1, Math.trunc(Number(text)) || 1));

const open = (name: string) => {
  address.go(hrefOf('knowledge', name));
};

/** Filters that are only in the address; they are also inputs of `kg_query`. */
const TEXTS = ['subject', 'object', 'text', 'since', 'until'] as const;
const FLAGS = ['prefix', 'includeClosed'] as const;
type Condition =
  | readonly [name: (typeof TEXTS)[number], value: string]
  | readonly [name: (typeof FLAGS)[number], value: boolean];

/** The filters of the address. Typed words replace the words of the address. */
function useConditions(route: Route) {
  const ofAddress = conditionsOf(route.params);
  const [words, setWords] = useState(wordsOf(route));
  useEffect(() => setWords(wordsOf(route)), [route]);
  const settled = useSettled(words.trim());
  const others = ofAddress.filter(([name]) => name !== 'text');
  const given: readonly Condition[] = settled === '' ? others : [...others, ['text', settled]];
  return { ofAddress, given, words, setWords };
}

const wordsOf = ({ params }: Route) => params.get('text') ?? '';

function conditionsOf(params: URLSearchParams): readonly Condition[] {
  const texts = TEXTS.map((name) => [name, params.get(name) ?? ''] as const);
  const flags = FLAGS.map((name) => [name, params.get(name) === 'true'] as const);
  return [...texts, ...flags].filter(([, value]) => value !== '' && value !== false);
}

function titleOf(node: string, given: readonly Condition[]) {
  if (node !== '') return <bdi>{node}</bdi>;
  const texts = given.filter(([, value]) => value !== true);
  if (texts.length === 0) return 'Knowledge';
  return <bdi>{texts.map(([name, value]) => `${name} ${value}`).join(', ')}</bdi>;
}

interface Asked {
  readonly node: string;
  readonly given: readonly Condition[];
  readonly predicate: string;
  readonly asOf: string;
  readonly depth: number;
}

async function readFacts({ node, given, predicate, asOf, depth }: Asked, signal: AbortSignal) {
  const conditions = Object.fromEntries(given);
  const filter = {
    ...(predicate !== '' && { predicate }),
    ...(asOf !== '' && { asOf }),
    limit: PAGE_SIZE,
    maxTokens: 25_000,
  };
  const facts: Fact[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined && facts.length < MAX_FACTS) {
    const page: Output<'kg_query'> =
      node === ''
        ? await call('kg_query', { ...conditions, ...filter, includeClosed: true, offset }, signal)
        : await call('kg_neighbors', { ...filter, node, depth, offset }, signal);
    facts.push(...page.triples);
    offset = page.nextOffset;
  }
  return facts;
}

function Words({ words, onWords }: { readonly words: string; onWords(words: string): void }) {
  return (
    <label>
      Words{' '}
      <input
        type="search"
        size={14}
        value={words}
        onInput={({ currentTarget }) => onWords(currentTarget.value)}
      />
    </label>
  );
}

/** The slider begins this many years ago, or at the oldest fact. */
const YEARS = 3;

/** The facts that `kg_query` returns with `asOf` of this day; an empty `day` means now. */
function factsOn(facts: readonly Fact[], day: string, hasEnded: boolean): readonly Fact[] {
  if (day === '' && hasEnded) return facts;
  const time = day === '' ? Date.now() : Date.parse(day) + DAY_MS - 1;
  return facts.filter(({ ts, validTo }) => {
    if (validTo === undefined && day === '') return true;
    return Date.parse(ts) <= time && (validTo === undefined || Date.parse(validTo) > time);
  });
}

interface AsOfProps {
  readonly facts: readonly Fact[];
  readonly day: string;
  onDay(day: string): void;
}

/** A slider for a day in the past; its right end means now. */
function AsOf({ facts, day, onDay }: AsOfProps) {
  const today = useMemo(() => Math.floor(Date.now() / DAY_MS), []);
  const first = useRef(today - YEARS * 366);
  // The facts of another day may be younger. The range does not become smaller while the slider is moved.
  for (const { ts } of facts)
    first.current = Math.min(first.current, Math.floor(Date.parse(ts) / DAY_MS));
  const last = today - first.current;
  const at = day === '' ? last : last - (today - Date.parse(day) / DAY_MS);
  const set = (value: number) =>
    onDay(value >= last ? '' : isoDay((today - last + value) * DAY_MS));
  return (
    <label class="as-of">
      As of <output>{day === '' ? 'now' : day}</output>{' '}
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-valuetext={day === '' ? 'now' : day}
        onInput={({ currentTarget }) => set(Number(currentTarget.value))}
      />
    </label>
  );
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Facts">
      <table class="facts-table">
        <thead>
          <tr>
            <th scope="col">Subject</th>
            <th scope="col">Predicate</th>
            <th scope="col">Object</th>
            <th scope="col">Since</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {facts.slice(0, MAX_ROWS).map(({ subject, predicate, object, ts, validTo, ...said }) => (
            <tr key={JSON.stringify([subject, predicate, object, ts])}>
              <td>
                <a href={hrefOf('knowledge', subject)}>
                  <bdi>{subject}</bdi>
                </a>
              </td>
              <td>
                <bdi>{predicate}</bdi>
              </td>
              <td>
                <a href={hrefOf('knowledge', object)}>
                  <bdi>{object}</bdi>
                </a>
              </td>
              <td>
                <Time at={ts} isDay />
                {validTo && (
                  <>
                    {' to '}
                    <Time at={validTo} isDay />
                  </>
                )}
              </td>
              <td>
                {said.conversationId && (
                  <a href={hrefOf('conversation', said.conversationId)}>conversation</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {facts.length > MAX_ROWS && <p class="facts">The first {MAX_ROWS} are listed.</p>}
    </div>
  );
}
