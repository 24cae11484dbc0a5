/** One conversation: its facts to change, and its messages in pages from the server. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, call, type Output } from '../api.js';
import { hrefOf, type Route, useChanges, useKeys, useLoaded } from '../hooks.js';
import { MessageView } from '../message.jsx';
import { Failure, notify, Time } from '../parts.jsx';

type StoredMessage = Output<'get_conversation_history'>['messages'][number];

const PAGE = 40;
/** Messages before the one that an address names, so that it has a context. */
const BEFORE = 4;

export function ConversationView({ route }: { readonly route: Route }) {
  const named = Number(route.params.get('seq')) || undefined;
  return <Loaded key={`${route.name}#${named}`} id={route.name} named={named} />;
}

function Loaded({ id, named }: { readonly id: string; readonly named: number | undefined }) {
  const head = useLoaded(id, (signal) =>
    call('get_conversation', { conversationId: id, includeMessages: false }, signal),
  );
  const pages = usePages(id, named ?? 1);
  useChanges(
    'conversation',
    () => {
      head.reload();
      pages.refresh();
    },
    id,
  );
  const end = useRef<HTMLDivElement>(null);
  const hasMessages = pages.messages.length > 0;
  const loadMore = useRef(pages.more);
  loadMore.current = pages.more;
  useEffect(() => {
    const watcher = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && loadMore.current(),
      { rootMargin: '600px' },
    );
    if (end.current) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    if (hasMessages && named) document.getElementById(`m${named}`)?.scrollIntoView();
  }, [named, hasMessages]);
  useKeys({ j: () => step(1), k: () => step(-1) });
  const failed = head.error ?? pages.error;
  return (
    <article class="conversation">
      {failed && <Failure error={failed} />}
      {head.data && <Head head={head.data} onChanged={head.reload} />}
      {pages.first > 1 && (
        <button type="button" onClick={pages.earlier}>
          Earlier messages
        </button>
      )}
      <ol class="messages">
        {pages.messages.map((message) => (
          <MessageView
            key={`${message.id}:${message.offset ?? 0}`}
            message={message}
            isNamed={message.seq === named}
          />
        ))}
      </ol>
      <div ref={end} class="end">
        {pages.hasMore ? 'Loading…' : ''}
      </div>
    </article>
  );
}

/** Focuses the message after or before the one that has the focus, or that is on the screen. */
function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('.message')];
  const focused = all.indexOf(document.activeElement as HTMLElement);
  const seen = all.findIndex((each) => each.getBoundingClientRect().bottom > 80);
  const next = all[focused >= 0 ? focused + by : Math.max(0, seen)];
  next?.focus();
  next?.scrollIntoView({ block: 'start' });
}

interface Pages {
  readonly messages: readonly StoredMessage[];
  readonly cursor: string | undefined;
  readonly error?: CallError;
}

function usePages(id: string, start: number) {
  const from = Math.max(1, start - BEFORE);
  const [pages, setPages] = useState<Pages>({ messages: [], cursor: `${from}:0` });
  const busy = useRef(false);
  const read = async (cursor: string, limit: number) => {
    const input = { conversationId: id, includeSystemPrompt: true, limit, cursor };
    return call('get_conversation_history', input);
  };
  const run = async (work: () => Promise<Pages>) => {
    if (busy.current) return;
    busy.current = true;
    try {
      const next = await work();
      setPages(next);
    } catch (error) {
      if (error instanceof CallError)
        setPages((before) => ({ ...before, cursor: undefined, error }));
    } finally {
      busy.current = false;
    }
  };
  const more = () =>
    void run(async () => {
      if (pages.cursor === undefined) return pages;
      const page = await read(pages.cursor, PAGE);
      return { messages: [...pages.messages, ...page.messages], cursor: page.nextCursor };
    });
  const first = pages.messages[0]?.seq ?? from;
  const earlier = () =>
    void run(async () => {
      const begin = Math.max(1, first - PAGE);
      const page = await read(`${begin}:0`, first - begin);
      const messages = page.messages.filter(({ seq }) => seq < first);
      return { ...pages, messages: [...messages, ...pages.messages] };
    });
  /** Reads again what is shown, after a change on disk. */
  const refresh = () =>
    void run(async () => {
      const shown: StoredMessage[] = [];
      const until = Math.max(pages.messages.length, PAGE);
      let cursor: string | undefined = `${first}:0`;
      while (cursor !== undefined && shown.length < until) {
        const page: Output<'get_conversation_history'> = await read(cursor, PAGE);
        shown.push(...page.messages);
        cursor = page.nextCursor;
      }
      return { messages: shown, cursor };
    });
  useEffect(more, []);
  const { messages, cursor, error } = pages;
  return { messages, error, hasMore: cursor !== undefined, first, more, earlier, refresh };
}

type HeadFacts = Output<'get_conversation'>;

function Head({ head, onChanged }: { readonly head: HeadFacts; onChanged(): void }) {
  const [isEditing, setEditing] = useState(false);
  const change = async (fields: { title?: string; tags?: string[]; pinned?: boolean }) => {
    await call('update_conversation', { conversationId: head.conversationId, ...fields }).catch(
      report,
    );
    onChanged();
  };
  const remove = async () => {
    const { trashName } = await call('delete_conversation', {
      conversationId: head.conversationId,
    });
    location.hash = hrefOf('');
    notify({
      text: 'The conversation is in the trash.',
      undo: () => void restore(trashName ?? head.conversationId),
    });
  };
  return (
    <header class="head">
      {isEditing ? (
        <Edit
          head={head}
          onDone={(fields) => {
            setEditing(false);
            if (fields) void change(fields);
          }}
        />
      ) : (
        <h1 dir="auto">{head.title ?? head.conversationId}</h1>
      )}
      <p class="facts">
        {head.total} messages · begun <Time at={head.createdAt} />
        {head.module && <bdi> · {head.module}</bdi>}
        {(head.tags ?? []).map((tag) => (
          <bdi class="tag" key={tag}>
            {tag}
          </bdi>
        ))}
        {head.branchOf && (
          <>
            {' · '}
            <a href={hrefOf('conversation', head.branchOf.conversationId)}>branch of another</a>
          </>
        )}
      </p>
      <p class="actions">
        <button type="button" onClick={() => setEditing(true)}>
          Edit
        </button>
        <button
          type="button"
          aria-pressed={head.pinned ?? false}
          onClick={() => void change({ pinned: !head.pinned })}
        >
          {head.pinned ? '★ Pinned' : '☆ Pin'}
        </button>
        <CopyButton label="Copy id" text={head.conversationId} />
        <CopyButton label="Copy path" text={head.conversationPath} />
        <button type="button" class="danger" onClick={() => void remove().catch(report)}>
          Delete
        </button>
      </p>
    </header>
  );
}

async function restore(name: string): Promise<void> {
  const { conversationId } = await call('restore_conversation', { name });
  location.hash = hrefOf('conversation', conversationId);
}

const report = (error: unknown) =>
  notify({ text: error instanceof CallError ? `${error.message} ${error.hint}` : String(error) });

function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  );
}

function Edit(props: {
  readonly head: HeadFacts;
  onDone(fields?: { title: string; tags: string[] }): void;
}) {
  const { head, onDone } = props;
  const [title, setTitle] = useState(head.title ?? '');
  const [tags, setTags] = useState((head.tags ?? []).join(', '));
  const send = (event: Event) => {
    event.preventDefault();
    const list = tags.split(',').map((tag) => tag.trim());
    onDone({ title, tags: list.filter((tag) => tag !== '') });
  };
  return (
    <form class="edit" onSubmit={send} onKeyDown={({ key }) => key === 'Escape' && onDone()}>
      <label>
        Title{' '}
        <input
          maxLength={1000}
          value={title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
      </label>
      <label>
        Tags, separated by commas{' '}
        <input value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
      </label>
      <button type="submit">Save</button>
      <button type="button" onClick={() => onDone()}>
        Cancel
      </button>
    </form>
  );
}
