/** The timeline: conversations by day, most recently changed first. Changes of files appear at once. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { counted, Empty, Failure, Time, titleOf } from '../components.jsx';
import { Connect } from '../first-run/connect.jsx';
import { address } from '../navigation/address.js';
import { hrefOf, type Route } from '../navigation/route.js';
import { type CallError, call, type Output } from '../server/api.js';
import { useSettled } from '../server/use-settled.js';
import { VirtualList } from '../virtual-list.jsx';

type Head = Output<'get_conversations'>['conversations'][number];
interface Pages {
  /** The filter of this list. */
  readonly asked: string;
  readonly heads: readonly Head[];
  readonly total: number;
  readonly cursor?: string;
  readonly approximate?: boolean;
}

const PAGE_SIZE = 100;

export function Timeline({ route }: { readonly route: Route }) {
  const given = route.params.get('filter') ?? '';
  const [query, setQuery] = useState(given);
  const asked = useSettled(query.trim());
  // The address can change while the view is open, for example with a bookmark or the back button.
  useEffect(() => setQuery(given), [route, given]);
  useEffect(() => address.setParams(hrefOf('', '', { filter: asked })), [asked]);
  const { pages, error, more } = usePages(asked);
  if (error !== undefined && pages === undefined) return <Failure view="Timeline" error={error} />;
  if (pages === undefined) return <p class="loading">Loading…</p>;
  if (pages.total === 0 && pages.asked === '') return <FirstRun />;
  return (
    <div class="timeline">
      <div class="tools">
        <h1>Timeline</h1>
        <label>
          <span class="visually-hidden">Filter by title and tags</span>
          <input
            type="search"
            placeholder="Filter by title and tags"
            value={query}
            onInput={({ currentTarget }) => setQuery(currentTarget.value)}
          />
        </label>
        <a href={hrefOf('import')}>Import</a>
        <span role="status" class={error || pages.asked === query.trim() ? '' : 'stale'}>
          {counted(pages.total, 'conversation')}
          {pages.approximate ? ' with similar names' : ''}
        </span>
      </div>
      {error !== undefined && <Failure error={error} />}
      <VirtualList
        key={asked}
        label="Conversations"
        total={pages.total}
        items={pages.heads}
        keyOf={({ conversationId }) => conversationId}
        hrefOf={({ conversationId }) => hrefOf('conversation', conversationId)}
        row={(head, before) => <Row head={head} before={before} />}
        onMissing={more}
      />
      {pages.total === 0 && (
        <Empty title="No title and no tag has these words">
          <a href={hrefOf('search', '', { q: pages.asked })}>Search what was said</a>
        </Empty>
      )}
    </div>
  );
}

/** `more` loads the next page. All that was loaded is loaded again when a conversation changes. */
function usePages(asked: string) {
  const [pages, setPages] = useState<Pages>();
  const [error, setError] = useState<CallError>();
  const [round, setRound] = useState(0);
  const isLoading = useRef(false);
  const latest = useRef(pages);
  latest.current = pages;
  const ask = useCallback(
    (cursor?: string) =>
      call('get_conversations', {
        limit: PAGE_SIZE,
        maxTokens: 25_000,
        ...(asked !== '' && { query: asked }),
        ...(cursor !== undefined && { cursor }),
      }),
    [asked],
  );
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      // Until as many rows are loaded as before, the old rows stay, so that the rows on the screen do not vanish.
      const { asked: before, heads = [] } = latest.current ?? {};
      const wanted = before === asked ? heads.length : 0;
      let found = toPages(asked, await ask(), []);
      while (!isGone && found.cursor !== undefined && found.heads.length < wanted)
        found = toPages(asked, await ask(found.cursor), found.heads);
      return found;
    };
    isLoading.current = true;
    load()
      .then(
        (found) => {
          if (isGone) return;
          setError(undefined);
          setPages(found);
        },
        (thrown) => !isGone && setError(thrown),
      )
      .finally(() => {
        if (!isGone) isLoading.current = false;
      });
    return () => {
      isGone = true;
    };
  }, [ask, round]);
  useChanges('conversation', () => setRound((before) => before + 1));
  const more = useCallback(() => {
    if (isLoading.current || pages?.cursor === undefined) return;
    isLoading.current = true;
    ask(pages.cursor)
      .then((found) => {
        setError(undefined);
        // If the list was loaded again in the meantime, this page is ignored.
        setPages((now) => (now === pages ? toPages(asked, found, pages.heads) : now));
      }, setError)
      .finally(() => {
        isLoading.current = false;
      });
  }, [ask, pages]);
  return { pages, error, more };
}

function toPages(
  asked: string,
  found: Output<'get_conversations'>,
  before: readonly Head[],
): Pages {
  const { total, nextCursor, approximate, conversations } = found;
  return {
    asked,
    heads: [...before, ...conversations],
    total,
    ...(nextCursor !== undefined && { cursor: nextCursor }),
    ...(approximate !== undefined && { approximate }),
  };
}

function Row({ head, before }: { readonly head: Head; readonly before: Head | undefined }) {
  const day = dayOf(head);
  const isNewDay = before === undefined || dayOf(before) !== day;
  return (
    <>
      <span class="day">{isNewDay && <Time at={head.updatedAt} isDay />}</span>
      <span class="what">
        <bdi class="title">
          {head.pinned && <span title="Pinned">★ </span>}
          {titleOf(head)}
        </bdi>
        <span class="facts">
          {counted(head.messageCount, 'message')}
          {head.module && (
            <>
              {' · '}
              <bdi>{head.module}</bdi>
            </>
          )}
          {(head.tags ?? []).slice(0, 4).map((tag) => (
            <bdi class="tag" key={tag}>
              {tag}
            </bdi>
          ))}
        </span>
      </span>
    </>
  );
}

const dayOf = ({ updatedAt }: Head) => new Date(updatedAt).toDateString();

function FirstRun() {
  return (
    <>
      <h1 class="visually-hidden">Timeline</h1>
      <Empty title="Nothing is stored here yet">
        <p>What assistants save appears here at once.</p>
        <Connect />
        <p>
          To import conversations of ChatGPT, Claude or another program, drop the export onto this
          page.
        </p>
        <p>
          <a href={hrefOf('import')}>Import an export</a>
        </p>
        <p>To see a store with invented conversations first:</p>
        <pre tabIndex={0}>daybook demo ~/daybook-demo</pre>
      </Empty>
    </>
  );
}
