/** Search as you type, over everything that was said, with filters and the reason of each hit. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { address } from '../address.js';
import { call, type Output } from '../api.js';
import { hrefOf, type Route, useChanges, useKeys, useLoaded, useSettled } from '../hooks.js';
import { counted, Empty, Failure, MARK_END, MARK_START, Marked, Time } from '../parts.jsx';

type Hit = Output<'search_messages'>['results'][number];

const FIELDS = ['q', 'mode', 'role', 'module', 'from', 'to'] as const;
type Asked = Record<(typeof FIELDS)[number], string>;

/** Hits that are shown at first, and that come with each step. */
const STEP = 30;
/** `search_messages` returns no more at once. */
const MOST = 100;

export function Search({ route }: { readonly route: Route }) {
  const given = Object.fromEntries(
    FIELDS.map((field) => [field, route.params.get(field) ?? '']),
  ) as Asked;
  const [asked, setAsked] = useState(given);
  const settled = useSettled(JSON.stringify(asked));
  const [more, setMore] = useState({ of: settled, limit: STEP });
  const limit = more.of === settled ? more.limit : STEP;
  useEffect(() => {
    // The address can be bookmarked; typing does not fill the history.
    address.note(hrefOf('search', '', JSON.parse(settled)));
  }, [settled]);
  const { data, error, isLoading, reload } = useLoaded(`${limit} ${settled}`, (signal) =>
    ask(JSON.parse(settled), limit, signal),
  );
  useChanges('conversation', reload);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useKeys({ '/': () => field.current?.focus(), j: () => step(1), k: () => step(-1) });
  const set = (name: keyof Asked) => (event: { currentTarget: { value: string } }) =>
    setAsked({ ...asked, [name]: event.currentTarget.value });
  return (
    <div class="search">
      <h1 class="visually-hidden">Search</h1>
      <div class="fields">
        <input
          ref={field}
          type="search"
          class="query"
          aria-label="Search what was said"
          placeholder={'Words, "a phrase", prefix*, NEAR(a b), a NOT b'}
          value={asked.q}
          onInput={set('q')}
          onKeyDown={({ key }) => key === 'Enter' && step(1)}
        />
        <label>
          Mode{' '}
          <select value={asked.mode} onChange={set('mode')}>
            <option value="">automatic</option>
            <option value="keyword">words</option>
            <option value="semantic">meaning</option>
            <option value="hybrid">both</option>
          </select>
        </label>
        <label>
          Role{' '}
          <select value={asked.role} onChange={set('role')}>
            <option value="">any</option>
            <option>user</option>
            <option>assistant</option>
            <option>system</option>
          </select>
        </label>
        <label>
          Module <input size={10} value={asked.module} onInput={set('module')} />
        </label>
        <label>
          From <input type="date" value={asked.from} onInput={set('from')} />
        </label>
        <label>
          To <input type="date" value={asked.to} onInput={set('to')} />
        </label>
      </div>
      {error && <Failure error={error} />}
      {data && <Found data={data} isLoading={isLoading} />}
      {data && data.results.length < Math.min(data.total, MOST) && (
        <button
          type="button"
          onClick={() => setMore({ of: settled, limit: Math.min(limit + STEP, MOST) })}
        >
          More
        </button>
      )}
      {!data && !error && asked.q === '' && (
        <Empty title="Search what was said">
          <p>
            Plain words also find other forms and answers. Operators give the answers of SQLite
            FTS5: quotes for a phrase, a star for beginnings, AND, OR, NOT, NEAR.
          </p>
        </Empty>
      )}
    </div>
  );
}

async function ask({ q, mode, role, module, from, to }: Asked, limit: number, signal: AbortSignal) {
  if (q.trim() === '') return undefined;
  const input = {
    ...{
      query: q,
      limit,
      explain: true,
      highlightStart: MARK_START,
      highlightEnd: MARK_END,
    },
    ...(mode !== '' && { mode }),
    ...(role !== '' && { role }),
    ...(module !== '' && { module }),
    ...(from !== '' && { startDate: from }),
    ...(to !== '' && { endDate: to }),
  };
  return call('search_messages', input as Parameters<typeof call<'search_messages'>>[1], signal);
}

function Found(props: { readonly data: Output<'search_messages'>; readonly isLoading: boolean }) {
  const { total, results, relaxed, explanation } = props.data;
  return (
    <>
      <p role="status" class={props.isLoading ? 'stale' : ''}>
        {counted(total, 'message')}
        {relaxed ? '; none has all of the words' : ''}. {total === 0 && explanation}
      </p>
      <ol class="hits">
        {results.map((hit) => (
          <HitView key={`${hit.conversationId}:${hit.seq}`} hit={hit} />
        ))}
      </ol>
    </>
  );
}

function HitView({ hit }: { readonly hit: Hit }) {
  const { conversationId, seq, role, createdAt, title, snippet, why } = hit;
  const reason = Object.entries(why ?? {})
    .map(([name, found]) => `${name}: ${[found].flat().join(', ')}`)
    .join('; ');
  return (
    <li>
      <a class="hit" href={hrefOf('conversation', conversationId, { seq: String(seq) })}>
        <bdi class="title">{title ?? conversationId}</bdi>{' '}
        <span class="facts">
          {role} #{seq} · <Time at={createdAt} />
        </span>
        <span class="snippet">
          <Marked text={snippet} />
        </span>
        {reason !== '' && <span class="facts">{reason}</span>}
      </a>
    </li>
  );
}

function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('.hit')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}
