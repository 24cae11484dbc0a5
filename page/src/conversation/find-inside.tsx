/** Finds words in one conversation. The server searches; the buttons go to the next or previous match. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { counted, Failure, shownNumber } from '../components.jsx';
import { isPressed, useKeys } from '../hooks.js';
import { call, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';
import { useSettled } from '../server/use-settled.js';

const MAX_MATCHES = 1000;
const PAGE_SIZE = 100;

interface Found {
  /** Positions of the messages that match best, in the order of the conversation. */
  readonly seqs: readonly number[];
  readonly total: number;
}

export function FindInside(props: {
  readonly id: string;
  readonly at: number | undefined;
  onGo(seq: number): void;
  onWords(words: readonly string[]): void;
}) {
  const { id, at, onGo, onWords } = props;
  const [query, setQuery] = useState('');
  const asked = useSettled(query.trim());
  const box = useRef<HTMLInputElement>(null);
  const { data, error, isLoading, reload } = useLoaded(JSON.stringify([id, asked]), (signal) =>
    asked === '' ? Promise.resolve({ seqs: [], total: 0 }) : matchesOf(id, asked, signal),
  );
  useChanges('conversation', reload, id);
  const { seqs = [], total = 0 } = data ?? {};
  useEffect(() => onWords(asked.toLowerCase().split(/\s+/u).filter(Boolean)), [asked]);
  useKeys({
    s: (event) => {
      event.preventDefault();
      box.current?.focus();
    },
  });
  const go = (step: 1 | -1) => {
    const here = at ?? 0;
    const next =
      step === 1
        ? (seqs.find((seq) => seq > here) ?? seqs[0])
        : (seqs.findLast((seq) => seq < here) ?? seqs.at(-1));
    if (next !== undefined) onGo(next);
  };
  const press = (event: KeyboardEvent) => {
    if (isPressed(event, 'Escape')) setQuery('');
    if (!isPressed(event, 'Enter')) return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  };
  const place = seqs.indexOf(at ?? 0) + 1;
  const isNone = seqs.length === 0;
  return (
    <search class="find-inside">
      <label>
        <span class="visually-hidden">Find in this conversation</span>
        <input
          ref={box}
          type="search"
          placeholder="Find in this conversation"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={press}
        />
      </label>
      <button type="button" disabled={isNone} onClick={() => go(-1)}>
        Previous
      </button>
      <button type="button" disabled={isNone} onClick={() => go(1)}>
        Next
      </button>
      <span role="status">
        {asked === '' || isLoading ? '' : sentence(place, seqs.length, total)}
      </span>
      {error && <Failure error={error} />}
    </search>
  );
}

function sentence(place: number, listed: number, total: number): string {
  if (total === 0) return 'No message has these words.';
  const found = counted(total, 'message');
  const isPart = listed < total;
  const best = `the ${shownNumber(listed)} best`;
  if (place === 0) return isPart ? `${found}. The buttons go only to ${best}.` : found;
  return `${shownNumber(place)} of ${isPart ? `${best} of ` : ''}${found}`;
}

async function matchesOf(id: string, query: string, signal: AbortSignal): Promise<Found> {
  const seqs: number[] = [];
  let total = 0;
  let offset: number | undefined = 0;
  while (offset !== undefined && offset < MAX_MATCHES) {
    const page: Output<'search_messages'> = await call(
      'search_messages',
      {
        query,
        conversationId: id,
        matchType: 'prefix' as const,
        limit: PAGE_SIZE,
        offset,
        snippetTokens: 1,
      },
      signal,
    );
    // Messages with only some of the words are not shown as matches.
    if (page.relaxed) return { seqs: [], total: 0 };
    seqs.push(...page.results.map(({ seq }) => seq));
    total = page.total;
    offset = page.nextOffset;
  }
  return { seqs: seqs.sort((a, b) => a - b), total };
}
