/** The view of notes: the list, and one note. Changes by other programs are not overwritten. */
import { useEffect, useRef } from 'preact/hooks';
import { allPages } from '../all-pages.js';
import { CallError, call, type Output } from '../api.js';
import { useChanges } from '../changes/use-changes.js';
import { counted, Empty, Failure, Time } from '../components.jsx';
import { useFocusBack, useFocusWhenShown, useListKeys } from '../hooks.js';
import { Markdown } from '../markdown.jsx';
import { useDraft } from '../notes/draft.js';
import { History } from '../notes/history.jsx';
import { notify } from '../notices.jsx';
import { hrefOf, type Route } from '../route.js';
import { useLoaded } from '../use-loaded.js';

export function Notes({ route }: { readonly route: Route }) {
  const { data, error, reload } = useLoaded('notes', (signal) =>
    allPages(async (offset) => {
      const page = await call('mb_list', { limit: 1000, maxTokens: 25_000, offset }, signal);
      return { items: page.files, nextOffset: page.nextOffset };
    }),
  );
  useChanges('note', reload);
  useListKeys('.notes nav a');
  const list = useRef<HTMLElement>(null);
  const isListed = data !== undefined;
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [isListed, route.name]);
  if (error && !data) return <Failure error={error} />;
  if (!data) return <p class="loading">Loading…</p>;
  if (data.length === 0) {
    return (
      <Empty view="Notes" title="There are no notes yet">
        <p>Assistants write notes into the memory bank. To write one yourself:</p>
        <pre tabIndex={0}>daybook mb add ideas/garden.md "# The garden"</pre>
      </Empty>
    );
  }
  return (
    <div class="notes">
      <nav aria-label="Notes" ref={list}>
        <h1>Notes</h1>
        <ul>
          {data.map(({ path }) => (
            <li key={path}>
              <a
                href={hrefOf('notes', path)}
                aria-current={path === route.name ? 'page' : undefined}
              >
                <bdi>{path}</bdi>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {route.name === '' ? (
        <p class="empty">{counted(data.length, 'note')}. Choose one.</p>
      ) : (
        <Note key={route.name} path={route.name} />
      )}
    </div>
  );
}

async function readNote(path: string, signal: AbortSignal): Promise<Output<'mb_read'>> {
  let whole = await call('mb_read', { path, maxTokens: 25_000 }, signal);
  while (whole.hasMore) {
    const { nextLine: startLine = 1, nextColumn: startColumn = 1 } = whole;
    const next = await call('mb_read', { path, startLine, startColumn, maxTokens: 25_000 }, signal);
    if (next.hash !== whole.hash) return readNote(path, signal);
    const between = startColumn > 1 ? '' : '\n';
    whole = { ...next, content: `${whole.content}${between}${next.content}` };
  }
  return whole;
}

function Note({ path }: { readonly path: string }) {
  const { data, error, reload } = useLoaded(path, (signal) => readNote(path, signal));
  const [draft, setDraft] = useDraft(path);
  const isEditing = draft !== undefined;
  const editButton = useFocusBack(isEditing);
  const field = useFocusWhenShown<HTMLTextAreaElement>(isEditing);
  useChanges('note', reload, path);
  if (error && !data) return <Failure error={error} />;
  if (!data) return <p class="loading">Loading…</p>;
  const isBehind = draft !== undefined && draft.hash !== data.hash;
  const save = async () => {
    if (draft === undefined) return;
    try {
      await call('mb_edit', { path, hash: draft.hash, content: draft.text });
      setDraft(undefined);
      notify({ text: 'The note is saved.' });
    } catch (thrown) {
      notify({
        text: thrown instanceof CallError ? `${thrown.message} ${thrown.hint}` : 'Not saved.',
      });
    }
    reload();
  };
  return (
    <article class="note">
      <header class="head">
        <h2>
          <bdi>{path}</bdi>
        </h2>
        <p class="facts">
          changed <Time at={data.modifiedAt} /> · {data.sizeBytes} bytes
        </p>
        <p class="actions">
          {draft === undefined ? (
            <button
              type="button"
              ref={editButton}
              onClick={() => setDraft({ text: data.content, hash: data.hash })}
            >
              Edit
            </button>
          ) : (
            <>
              <button type="button" disabled={isBehind} onClick={() => void save()}>
                Save
              </button>
              <button
                type="button"
                onClick={() => {
                  setDraft(undefined);
                  if (draft.text !== data.content)
                    notify({ text: 'Your text is discarded.', undo: () => setDraft(draft) });
                }}
              >
                Discard
              </button>
            </>
          )}
        </p>
      </header>
      {isBehind && (
        <p role="alert" class="failure">
          Another program changed the file, so your text cannot be saved. Copy your text, choose
          Discard, and edit the note again.
        </p>
      )}
      {draft === undefined ? (
        <Markdown text={data.content} />
      ) : (
        <div class="editor">
          <textarea
            ref={field}
            aria-label="Text of the note"
            value={draft.text}
            onInput={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
          />
          <section aria-label="Preview">
            <Markdown text={draft.text} />
          </section>
        </div>
      )}
      <History path={path} />
    </article>
  );
}
