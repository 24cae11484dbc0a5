/** The view of notes: the list, and one note. Changes by other programs are not overwritten. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { counted, Empty, Failure, Time } from '../components.jsx';
import { useDraft } from '../draft.js';
import { useFocusBack, useFocusWhenShown, useListKeys, useWhenLoaded } from '../hooks.js';
import { Markdown } from '../markdown.jsx';
import { hrefOf, type Route } from '../navigation/route.js';
import { History } from '../notes/history.jsx';
import { notify, notifyError } from '../notices.jsx';
import { allPages } from '../server/all-pages.js';
import { type CallError, call, type Output } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

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
  if (error && !data) return <Failure view="Notes" error={error} />;
  if (!data) return <p class="loading">Loading…</p>;
  if (data.length === 0 && route.name === '') {
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

interface Draft {
  readonly text: string;
  /** Hash of the text that the user began to edit. */
  readonly hash: string;
}

function NotShown({ error, isGone }: { readonly error: CallError; readonly isGone: boolean }) {
  return (
    <div>
      <Failure error={error} />
      {isGone && (
        <p>
          Perhaps it was renamed, or it is in the <a href={hrefOf('trash')}>trash</a>.
        </p>
      )}
    </div>
  );
}

function Note({ path }: { readonly path: string }) {
  const { data, error, isLoading, reload } = useLoaded(path, (signal) => readNote(path, signal));
  const [draft, setDraft] = useDraft<Draft>(`note ${path}`);
  const [isSaving, setSaving] = useState(false);
  const isEditing = draft !== undefined;
  const editButton = useFocusBack(isEditing);
  const field = useFocusWhenShown<HTMLTextAreaElement>(isEditing);
  useChanges('note', reload, path);
  const isGone = error?.code === 'E_MB_FILE_NOT_FOUND';
  const edit = useWhenLoaded(isLoading, () => {
    if (data && !isGone) setDraft({ text: data.content, hash: data.hash });
  });
  if (error && !isEditing && (isGone || !data)) return <NotShown error={error} isGone={isGone} />;
  if (!data && !error) return <p class="loading">Loading…</p>;
  // While the note is saved, the change is its own.
  const isBehind = isEditing && !isSaving && data !== undefined && draft.hash !== data.hash;
  const save = async () => {
    if (draft === undefined || isSaving) return;
    setSaving(true);
    try {
      const { durable } = await call('mb_edit', { path, hash: draft.hash, content: draft.text });
      setDraft(undefined);
      notify({ text: durable === false ? WAITS : 'The note is saved.' });
    } catch (thrown) {
      notifyError(thrown, 'Not saved.');
    }
    setSaving(false);
    reload();
  };
  return (
    <article class="note">
      <header class="head">
        <h2>
          <bdi>{path}</bdi>
        </h2>
        {data && (
          <p class="facts">
            changed <Time at={data.modifiedAt} /> · {counted(data.sizeBytes, 'byte')}
          </p>
        )}
        <p class="actions">
          {draft === undefined ? (
            <button type="button" ref={editButton} onClick={edit}>
              Edit
            </button>
          ) : (
            <>
              <button type="button" disabled={isBehind || isGone} onClick={() => void save()}>
                {isSaving ? 'Saving…' : 'Save'}
              </button>
              <button
                type="button"
                onClick={() => {
                  setDraft(undefined);
                  if (draft.text !== data?.content)
                    notify({ text: 'Your text is discarded.', undo: () => setDraft(draft) });
                }}
              >
                Discard
              </button>
            </>
          )}
        </p>
      </header>
      {error && !isGone && <Failure error={error} />}
      {isGone && (
        <p role="alert" class="failure">
          The note was deleted or renamed, so your text cannot be saved. Copy your text before you
          choose Discard.
        </p>
      )}
      {isBehind && !isGone && (
        <p role="alert" class="failure">
          Another program changed the file, so your text cannot be saved. Copy your text, choose
          Discard, and edit the note again.
        </p>
      )}
      {draft === undefined ? (
        <Markdown text={data?.content ?? ''} />
      ) : (
        <div class="editor">
          <textarea
            ref={field}
            aria-label="Text of the note"
            readOnly={isSaving}
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

const WAITS = 'The note is not stored yet: it waits in the memory of the server.';
