/** The search view: searches while the user types, with filters and the reason of each hit. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CHANGE_KINDS } from '../changes/change.js';
import { useChanges } from '../changes/use-changes.js';
import { Empty, Failure, Time } from '../components.jsx';
import { focusNext, useFocusWhenShown, useKeys, useListKeys } from '../hooks.js';
import { address } from '../navigation/address.js';
import { focusOpened, keepPlace, takeKeptPlace } from '../navigation/kept-place.js';
import { hrefOf, type Route } from '../navigation/route.js';
import { Fields } from '../search/fields.jsx';
import { Marked } from '../search/marked.jsx';
import {
  type Asked,
  effectiveFields,
  FIELDS,
  FILTERS,
  type Found,
  type Hit,
  runSearch,
} from '../search/run-search.js';
import { useLoaded } from '../server/use-loaded.js';
import { useSettled } from '../server/use-settled.js';

/** Number of hits at first, and of more hits with each click on More. */
const STEP = 30;
/** The maximum limit of the search tools. */
const MAX_HITS = 100;

export function Search({ route }: { readonly route: Route }) {
  const [asked, setAsked] = useState(() => askedBy(route));
  const settled = useSettled(JSON.stringify(asked));
  const [kept] = useState(takeKeptPlace);
  const [more, setMore] = useState({ of: settled, limit: kept.limit || STEP });
  const limit = more.of === settled ? more.limit : STEP;
  // The address can change while the view is open, for example with a bookmark or the back button.
  useEffect(() => setAsked(askedBy(route)), [route]);
  useEffect(() => {
    // The address has the query, so that it can be bookmarked; typing adds no entries to the history.
    address.setParams(hrefOf('search', '', effectiveFields(JSON.parse(settled))));
  }, [settled]);
  const { data, error, isLoading, reload } = useLoaded(`${limit} ${settled}`, async (signal) => {
    const found = await runSearch(JSON.parse(settled), limit, signal);
    return found && { ...found, of: settled };
  });
  for (const kind of CHANGE_KINDS) useChanges(kind, reload);
  const count = data?.hits.length ?? 0;
  const hasMore = data !== undefined && count >= limit && count < Math.min(data.total, MAX_HITS);
  const field = useFocusWhenShown<HTMLInputElement>();
  const isFound = data !== undefined;
  useLayoutEffect(() => {
    if (!isFound || kept.href === '') return;
    scrollTo(0, kept.top);
    if (JSON.stringify(asked) === settled) focusOpened(kept); // otherwise the user types
  }, [isFound, kept]);
  const rememberNew = useFirstNewHit(count);
  const goToFirst = useFirstHit(JSON.stringify(asked), data?.of, field);
  useKeys({ '/': () => field.current?.focus() });
  useListKeys('.hit');
  return (
    <div class="search">
      <h1 class="visually-hidden">Search</h1>
      <Fields
        asked={asked}
        field={field}
        set={(name, value) => setAsked((before) => ({ ...before, [name]: value }))}
        onEnter={goToFirst}
      />
      {error && <Failure error={error} />}
      {data && !error && (
        <Results
          found={data}
          isLoading={isLoading}
          onOpen={(href) => keepPlace({ top: scrollY, limit, href })}
        />
      )}
      {data?.total === 0 && !error && !isLoading && <NothingFound asked={asked} />}
      {hasMore && (
        <button
          type="button"
          onClick={() => {
            rememberNew();
            setMore({ of: settled, limit: Math.min(limit + STEP, MAX_HITS) });
          }}
        >
          More
        </button>
      )}
      {data && count > 0 && count < data.total && !hasMore && (
        <p>These are the {count} best results. For others, add a word or a filter.</p>
      )}
      {!data &&
        !error &&
        (asked.q.trim() === '' ? <Explanation /> : <p class="loading">Searching…</p>)}
    </div>
  );
}

/**
 * Returns the function that moves from the field to the first hit. Before the hits of what is typed are shown, it
 * waits for them, and does not go to a hit of an earlier search.
 */
function useFirstHit(typed: string, shown: string | undefined, field: RefObject<HTMLElement>) {
  const isCurrent = shown === typed;
  const [entered, setEntered] = useState('');
  useEffect(() => {
    if (entered === '' || (entered === typed && !isCurrent)) return;
    setEntered(''); // also if the user typed something else meanwhile
    if (entered === typed && document.activeElement === field.current) focusNext('.hit', 1);
  }, [entered, typed, isCurrent]);
  return () => (isCurrent ? focusNext('.hit', 1) : setEntered(typed));
}

/** Returns the function to call before more hits are loaded. The first of them then has the focus. */
function useFirstNewHit(count: number): () => void {
  const before = useRef<number>();
  useLayoutEffect(() => {
    if (before.current === undefined || count <= before.current) return;
    const first = document.querySelectorAll<HTMLElement>('.hit')[before.current];
    before.current = undefined;
    const isTyping = document.activeElement?.tagName === 'INPUT'; // other words
    if (!isTyping) first?.focus({ preventScroll: true });
  }, [count]);
  return () => {
    before.current = count;
  };
}

const askedBy = ({ params }: Route) =>
  Object.fromEntries(FIELDS.map((field) => [field, params.get(field) ?? ''])) as Asked;

function Explanation() {
  return (
    <Empty title="Search what was said and written">
      <p>
        Plain words also find other forms of the words, and answers. Operators work as in SQLite
        FTS5:
      </p>
      <Syntax />
    </Empty>
  );
}

/** Links to wider searches with the same words. */
function NothingFound({ asked }: { readonly asked: Asked }) {
  const { q, kind, project } = asked;
  const isFiltered = FILTERS.some((name) => effectiveFields(asked)[name] !== '');
  return (
    <Empty title="What to try next">
      <ul>
        {isFiltered && (
          <li>
            <a href={hrefOf('search', '', { q, kind, project })}>Search without the filters</a>
          </li>
        )}
        {kind !== 'all' && (
          <li>
            <a href={hrefOf('search', '', { q, kind: 'all' })}>
              Search messages, notes, insights and facts
            </a>
          </li>
        )}
        <li>Use fewer words, or other words for the same thing.</li>
        <li>Use an operator:</li>
      </ul>
      <Syntax />
    </Empty>
  );
}

function Syntax() {
  return (
    <dl class="keys">
      {SYNTAX.map(([example, meaning]) => (
        <div key={example}>
          <dt>
            <a href={hrefOf('search', '', { q: example })}>
              <code>{example}</code>
            </a>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

const SYNTAX: readonly (readonly [example: string, meaning: string])[] = [
  ['"raised bed"', 'the words side by side'],
  ['garden*', 'words that begin with these letters'],
  ['frost OR slugs', 'one of them'],
  ['roses NOT winter', 'the first without the second'],
  ['NEAR(water roots, 5)', 'at most five words apart'],
  ['role : user', 'in one column: content, title, role, module or tags'],
];

function Results(props: {
  readonly found: Found;
  readonly isLoading: boolean;
  onOpen(href: string): void;
}) {
  const { found, isLoading, onOpen } = props;
  return (
    <>
      <p role="status" class={isLoading ? 'stale' : ''}>
        {found.summary}
      </p>
      <ol class="hits">
        {found.hits.map((hit) => (
          <HitView key={hit.key} hit={hit} onOpen={onOpen} />
        ))}
      </ol>
    </>
  );
}

function HitView({ hit, onOpen }: { readonly hit: Hit; onOpen(href: string): void }) {
  const { kind, href, title, role, seq, at, snippet, reason } = hit;
  return (
    <li>
      <a class="hit" href={href} onClick={() => onOpen(href)}>
        <bdi class="title">{title}</bdi>{' '}
        <span class="facts">
          {kind === 'messages' ? `${role} #${seq}` : kind.replace(/s$/, '')}
          {at && (
            <>
              {' · '}
              <Time at={at} />
            </>
          )}
        </span>
        <span class="snippet">
          <Marked text={snippet} />
        </span>
        {reason !== '' && <span class="facts">{reason}</span>}
      </a>
    </li>
  );
}
