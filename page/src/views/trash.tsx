/** The view of the trash, to restore deleted items or remove them permanently, and of the health of the store. */

import { useRef, useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import {
  counted,
  Failure,
  FigureRow,
  type NamedFigures,
  shownNumber,
  Time,
  titleOf,
} from '../components.jsx';
import { Dialog } from '../dialog.jsx';
import { focusView, useListKeys } from '../hooks.js';
import { address } from '../navigation/address.js';
import { hrefOf, parseRoute } from '../navigation/route.js';
import { notify, notifyError } from '../notices.jsx';
import { CallError, call, type Output } from '../server/api.js';
import { type Loaded, useLoaded } from '../server/use-loaded.js';

type Trash = Output<'list_trash'>;
type Kind = 'conversation' | Trash['others'][number]['kind'];

export function TrashView() {
  const trash = useLoaded('trash', (signal) => call('list_trash', { limit: 100 }, signal));
  const info = useLoaded('info', (signal) => call('store_info', {}, signal));
  for (const kind of ['conversation', 'note', 'insight']) {
    useChanges(kind, () => {
      trash.reload();
      info.reload();
    });
  }
  const restoring = useRef(new Set<string>());
  const [removed, setRemoved] = useState<Item>();
  useListKeys('.trash .card .restore');
  const restore = async (name: string, kind: Kind) => {
    if (restoring.current.has(name)) return;
    restoring.current.add(name);
    try {
      const { conversationId, path = '' } = await call('restore_conversation', { name, kind });
      notify({ text: `The ${kind} is back.` });
      // The user may have opened another view meanwhile.
      if (parseRoute(address.current()).view === 'trash') {
        if (conversationId !== undefined) address.go(hrefOf('conversation', conversationId));
        if (kind === 'note') address.go(hrefOf('notes', path));
        focusView();
      }
    } catch (error) {
      notifyError(error, 'It was not restored.');
    }
    restoring.current.delete(name);
    trash.reload();
  };
  const { conversations = [], others = [] } = trash.data ?? {};
  const inTrash = (trash.data?.total ?? 0) + (trash.data?.othersTotal ?? 0);
  const shown = conversations.length + others.length;
  const isEmpty = trash.data !== undefined && shown === 0;
  const hasAnswer = trash.data !== undefined || trash.error !== undefined;
  return (
    <div class="trash">
      <h1>Trash and health</h1>
      {!hasAnswer && <p class="loading">Loading…</p>}
      {trash.error && <Failure error={trash.error} />}
      {isEmpty && <p>The trash is empty.</p>}
      {shown < inTrash && (
        <p>
          The {shownNumber(shown)} items that were deleted last, of {shownNumber(inTrash)}.{' '}
          <code>daybook trash</code> lists all.
        </p>
      )}
      <Trashed
        heading="Deleted conversations"
        items={conversations.map(({ conversationId, title, ...item }) => ({
          kind: 'conversation' as const,
          title: titleOf({ conversationId, title }),
          ...item,
        }))}
        onRestore={restore}
        onRemove={setRemoved}
      />
      <Trashed
        heading="Deleted notes and insights"
        items={others}
        onRestore={restore}
        onRemove={setRemoved}
      />
      {removed && (
        <Removal
          item={removed}
          onClose={() => setRemoved(undefined)}
          onRemoved={() => trash.reload()}
        />
      )}
      {/* These are shown after the trash is loaded, and the longest is last, so that nothing moves. */}
      {hasAnswer && <Check />}
      {hasAnswer && <Health info={info} />}
    </div>
  );
}

interface Item {
  readonly kind: Kind;
  readonly name: string;
  readonly title?: string;
  readonly deletedAt?: string;
}

function Trashed(props: {
  readonly heading: string;
  readonly items: readonly Item[];
  onRestore(name: string, kind: Kind): Promise<void>;
  onRemove(item: Item): void;
}) {
  const { heading, items, onRestore, onRemove } = props;
  if (items.length === 0) return null;
  return (
    <section>
      <h2>{heading}</h2>
      <ul class="cards">
        {items.map(({ kind, name, title = name, deletedAt }) => (
          <li key={`${kind} ${name}`} class="card">
            <bdi class="title">{title}</bdi>{' '}
            <span class="facts">
              {kind}
              {deletedAt && (
                <>
                  , deleted <Time at={deletedAt} />
                </>
              )}
            </span>{' '}
            <button
              type="button"
              class="restore"
              aria-label={`Restore ${title}`}
              onClick={() => void onRestore(name, kind)}
            >
              Restore
            </button>{' '}
            {deletedAt && (
              <button
                type="button"
                aria-label={`Remove ${title} permanently`}
                onClick={() => onRemove({ kind, name, title })}
              >
                Remove…
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Asks first. The name in the trash has the time of the deletion, so it names no existing item. A person who moves
 * a file to the trash gives it no such name; `daybook trash empty` removes this file.
 */
function Removal(props: { readonly item: Item; onClose(): void; onRemoved(): void }) {
  const { item, onClose, onRemoved } = props;
  const { kind, name, title } = item;
  const remove = async () => {
    onClose();
    try {
      await REMOVE[kind](name);
      notify({ text: `The ${kind} was removed permanently.` });
      focusView(); // its button will be gone
    } catch (error) {
      notifyError(error, 'It was not removed.');
    }
    onRemoved();
  };
  return (
    <Dialog label="Remove permanently" onClose={onClose}>
      <p>
        Remove the {kind} <bdi>{title}</bdi> permanently? This cannot be undone.
      </p>
      <p class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>{' '}
        <button type="button" onClick={() => void remove()}>
          Remove permanently
        </button>
      </p>
    </Dialog>
  );
}

const permanent = true;
const REMOVE: Readonly<Record<Kind, (name: string) => Promise<unknown>>> = {
  conversation: (conversationId) => call('delete_conversation', { conversationId, permanent }),
  note: (path) => call('mb_delete', { path, permanent }),
  insight: (id) => call('delete_insight', { id, permanent }),
};

function Health({ info: { data, error } }: { readonly info: Loaded<Output<'store_info'>> }) {
  return (
    <section>
      <h2>Health</h2>
      {error && <Failure error={error} />}
      {!data && !error && <p class="loading">Counting…</p>}
      {data && <Facts facts={data} />}
    </section>
  );
}

function Facts({ facts }: { readonly facts: Output<'store_info'> }) {
  const damaged = [
    ...facts.damaged.map(({ conversationId, message }) => ({
      name: <a href={hrefOf('conversation', conversationId)}>{conversationId}</a>,
      message,
    })),
    ...facts.insights.damaged.map(({ file, message }) => ({ name: file, message })),
  ];
  const totals: NamedFigures = [
    ['conversations', shownNumber(facts.conversations)],
    ['messages', shownNumber(facts.messages)],
    ['insights', shownNumber(facts.insights.count)],
    ['searchable', shownNumber(facts.index.messages)],
  ];
  return (
    <>
      <FigureRow figures={totals} />
      <p>
        The files are in <code>{facts.root}</code>.
      </p>
      {damaged.length === 0 ? (
        <p>All conversations and insights can be read.</p>
      ) : (
        <ul>
          {damaged.map(({ name, message }) => (
            <li key={message}>
              <bdi>{name}</bdi>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Findings = Output<'verify_store'>;

/** The check reads all files, so it starts only when the user clicks the button. */
function Check() {
  const [found, setFound] = useState<Findings>();
  const [error, setError] = useState<CallError>();
  const [isChecking, setChecking] = useState(false);
  const check = async () => {
    setChecking(true);
    setError(undefined);
    try {
      setFound(await call('verify_store', {}));
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    }
    setChecking(false);
  };
  return (
    <section aria-label="Check of the store">
      <h2>Check the store</h2>
      <p>The check reads all files, as daybook doctor does, and changes nothing.</p>
      <button type="button" disabled={isChecking} onClick={() => void check()}>
        {isChecking ? 'Checking…' : 'Check now'}
      </button>
      {error && <Failure error={error} />}
      <p role="status">{found && sentence(found)}</p>
      <ul class="cards">
        {(found?.findings ?? []).map(({ severity, path, message, hint, repairable }) => (
          <li key={`${path} ${message}`} class="card">
            <strong>{severity}</strong> <bdi class="facts">{path}</bdi>
            <br />
            {message} {hint}
            {repairable && ' This can be repaired: run daybook doctor --repair.'}
          </li>
        ))}
      </ul>
    </section>
  );
}

function sentence({ isHealthy, findings, findingsTotal, steps }: Findings): string {
  const checked = steps.reduce((sum, step) => sum + step.checked, 0);
  const state = isHealthy ? 'There are no problems.' : 'There are problems.';
  const part =
    findings.length < findingsTotal
      ? ` The first ${findings.length} are listed. daybook doctor --json lists all.`
      : '';
  return `${state} ${shownNumber(checked)} files and entries were checked, with ${counted(findingsTotal, 'finding')}.${part}`;
}
