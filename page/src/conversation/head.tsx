/** The head of a conversation: title, tags, branches, and the buttons to change or delete it. */

import { useRef, useState } from 'preact/hooks';
import { CopyButton, counted, Time, titleOf } from '../components.jsx';
import { useDraft } from '../draft.js';
import { isPressed, useFocusBack, useFocusWhenShown, useWhenLoaded } from '../hooks.js';
import { address } from '../navigation/address.js';
import { hrefOf, parseRoute } from '../navigation/route.js';
import { notify, notifyError } from '../notices.jsx';
import { call, isReadOnly, type Output } from '../server/api.js';

export type HeadFacts = Output<'get_conversation'>;

interface HeadChange {
  readonly title?: string | null;
  readonly tags?: string[];
  readonly pinned?: boolean;
}

interface HeadTexts {
  readonly title: string;
  readonly tags: string;
}

interface HeadDraft extends HeadTexts {
  /** The texts that the user began to edit. */
  readonly before: HeadTexts;
}

interface HeadProps {
  readonly head: HeadFacts;
  readonly isLoading: boolean;
  onChanged(): void;
}

export function Head({ head, isLoading, onChanged }: HeadProps) {
  const [draft, setDraft] = useDraft<HeadDraft>(`head ${head.conversationId}`);
  const isEditing = draft !== undefined;
  const edit = useWhenLoaded(isLoading, () => {
    const before = { title: head.title ?? '', tags: (head.tags ?? []).join(', ') };
    setDraft({ ...before, before });
  });
  const editButton = useFocusBack(isEditing);
  /** Returns true if the change is stored. */
  const change = async (fields: HeadChange) => {
    const input = { conversationId: head.conversationId, ...fields };
    const isStored = await call('update_conversation', input).then(() => true, report);
    onChanged();
    return isStored;
  };
  // A second click must not replace the notice, which offers the undo.
  const isDeleted = useRef(false);
  const remove = async () => {
    if (isDeleted.current) return;
    isDeleted.current = true;
    const { name } = parseRoute(address.current()); // the id, or the key
    const { trashName } = await call('delete_conversation', {
      conversationId: head.conversationId,
    }).catch((error: unknown) => {
      isDeleted.current = false;
      throw error;
    });
    setDraft(undefined);
    // The user may have opened another view meanwhile.
    if (parseRoute(address.current()).name === name) address.go(hrefOf(''));
    notify({
      text: 'The conversation is in the trash.',
      undo: () => void restore(trashName ?? head.conversationId).catch(report),
    });
  };
  return (
    <header class="head">
      {draft ? (
        <Edit head={head} draft={draft} onDraft={setDraft} onSave={change} />
      ) : (
        <h1 dir="auto">{titleOf(head)}</h1>
      )}
      <p class="facts">
        {counted(head.total, 'message')} · begun <Time at={head.createdAt} />
        {head.module && (
          <>
            {' · '}
            <bdi>{head.module}</bdi>
          </>
        )}
        {(head.tags ?? []).map((tag) => (
          <Tag key={tag} tag={tag} />
        ))}
      </p>
      <Branches head={head} />
      <Resume head={head} />
      <p class="actions">
        {!isReadOnly() && (
          <>
            <button type="button" ref={editButton} onClick={edit}>
              Edit
            </button>
            <button
              type="button"
              aria-pressed={head.pinned ?? false}
              onClick={() => void change({ pinned: !head.pinned })}
            >
              {head.pinned ? '★ Pinned' : '☆ Pin'}
            </button>
          </>
        )}
        <CopyButton label="Copy id" text={head.conversationId} />
        <CopyButton label="Copy path" text={head.conversationPath} />
        {!isReadOnly() && (
          <>
            <FileLink id={head.conversationId} />
            <button type="button" class="danger" onClick={() => void remove().catch(report)}>
              Delete
            </button>
          </>
        )}
      </p>
    </header>
  );
}

/** Opens the file on the disk as plain text. */
export function FileLink({ id }: { readonly id: string }) {
  const href = `/api/conversations/${id}/conversation.json`;
  return (
    <a class="button" href={href} target="_blank" rel="noopener">
      Open file
    </a>
  );
}

/** A link to the conversations with this tag; plain text in a frame, which has no timeline. */
function Tag({ tag }: { readonly tag: string }) {
  const shown = <bdi>{tag}</bdi>;
  if (isReadOnly()) return <span class="tag">{shown}</span>;
  return (
    <a class="tag" href={hrefOf('', '', { filter: tag })}>
      {shown}
    </a>
  );
}

/** Links to the conversation from which this one was branched, and to its own branches. */
function Branches({ head: { branchOf, branches = [] } }: { readonly head: HeadFacts }) {
  if (branchOf === undefined && branches.length === 0) return null;
  return (
    <ul class="branches" aria-label="Branches">
      {branchOf && (
        <li>
          This is a branch of{' '}
          <a href={hrefOf('conversation', branchOf.conversationId)}>another conversation</a>.
        </li>
      )}
      {branches.map(({ conversationId, title }) => (
        <li key={conversationId}>
          Branch:{' '}
          <a href={hrefOf('conversation', conversationId)}>
            <bdi>{titleOf({ conversationId, title })}</bdi>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** How to continue an imported session in its own program. */
function Resume({ head: { resume } }: { readonly head: HeadFacts }) {
  if (resume === undefined) return null;
  const { program, command, folder } = resume;
  return (
    <p class="facts">
      To continue in {program}, run <code>{command}</code>
      {folder && (
        <>
          {' in '}
          <bdi>{folder}</bdi>
        </>
      )}{' '}
      <CopyButton label="Copy command" text={command} />
    </p>
  );
}

async function restore(name: string): Promise<void> {
  const { conversationId } = await call('restore_conversation', { name });
  address.go(hrefOf('conversation', conversationId ?? name));
}

function report(error: unknown): false {
  notifyError(error, String(error));
  return false;
}

/**
 * Saves only the fields that the user changed, so that others may change the rest meanwhile. The form stays with
 * its text until it is saved.
 */
function Edit(props: {
  readonly head: HeadFacts;
  readonly draft: HeadDraft;
  onDraft(draft: HeadDraft | undefined): void;
  onSave(fields: HeadChange): Promise<boolean>;
}) {
  const { head, draft, onDraft, onSave } = props;
  const { title, tags, before } = draft;
  const [isSaving, setSaving] = useState(false);
  const end = () => onDraft(undefined);
  const first = useFocusWhenShown<HTMLInputElement>();
  const send = async (event: Event) => {
    event.preventDefault();
    if (isSaving) return;
    const changed = {
      ...(title !== before.title && { title: title.trim() === '' ? null : title }),
      ...(tags !== before.tags && { tags: tagsOf(tags, head.tags) }),
    };
    setSaving(true);
    if (Object.keys(changed).length === 0 || (await onSave(changed))) end();
    setSaving(false);
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => void send(event)}
      onKeyDown={(event) => isPressed(event, 'Escape') && end()}
    >
      <label>
        Title{' '}
        <input
          ref={first}
          class="title-field"
          maxLength={1000}
          readOnly={isSaving}
          value={title}
          onInput={({ currentTarget }) => onDraft({ ...draft, title: currentTarget.value })}
        />
      </label>
      {/* Tags that the answer does not contain would be removed. */}
      {!head.isMetadataCut && (
        <label>
          Tags, separated by commas{' '}
          <input
            readOnly={isSaving}
            value={tags}
            onInput={({ currentTarget }) => onDraft({ ...draft, tags: currentTarget.value })}
          />
        </label>
      )}
      <button type="submit">Save</button>
      <button type="button" onClick={end}>
        Cancel
      </button>
    </form>
  );
}

/** The tags of the field. A stored tag with a comma that is still in the field stays one tag. */
function tagsOf(text: string, stored: readonly string[] = []): string[] {
  let rest = text;
  // The longest first, because one can be a part of another.
  const byLength = stored
    .filter((tag) => tag.includes(','))
    .toSorted((a, b) => b.length - a.length);
  const whole = byLength.filter((tag) => {
    const isThere = rest.includes(tag);
    rest = rest.replace(tag, '');
    return isThere;
  });
  const single = rest.split(',').map((tag) => tag.trim());
  return [...whole, ...single.filter((tag) => tag !== '')];
}
