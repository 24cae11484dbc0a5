/** What was deleted, to bring back; and how the store is. */
import { CallError, call, type Output } from '../api.js';
import { hrefOf, useChanges, useLoaded } from '../hooks.js';
import { Failure, notify, Time } from '../parts.jsx';

export function TrashView() {
  const trash = useLoaded('trash', (signal) => call('list_trash', { limit: 100 }, signal));
  const info = useLoaded('info', (signal) => call('store_info', {}, signal));
  useChanges('conversation', trash.reload);
  const restore = async (name: string) => {
    try {
      const { conversationId } = await call('restore_conversation', { name });
      notify({ text: 'The conversation is back.' });
      location.hash = hrefOf('conversation', conversationId);
    } catch (error) {
      notify({ text: error instanceof CallError ? error.message : 'It was not restored.' });
    }
    trash.reload();
  };
  const failed = trash.error ?? info.error;
  return (
    <div class="trash">
      <h1>Trash and health</h1>
      {failed && <Failure error={failed} />}
      <section>
        <h2>Deleted conversations</h2>
        {trash.data?.total === 0 && <p>The trash is empty.</p>}
        <ul class="cards">
          {(trash.data?.conversations ?? []).map(({ name, conversationId, title, deletedAt }) => (
            <li key={name} class="card">
              <bdi class="title">{title ?? conversationId}</bdi>{' '}
              <span class="facts">
                {deletedAt && (
                  <>
                    deleted <Time at={deletedAt} />
                  </>
                )}
              </span>{' '}
              <button type="button" onClick={() => void restore(name)}>
                Restore
              </button>
            </li>
          ))}
        </ul>
      </section>
      {info.data && <Health facts={info.data} />}
    </div>
  );
}

function Health({ facts }: { readonly facts: Output<'store_info'> }) {
  const damaged = [
    ...facts.damaged.map(({ conversationId, message }) => ({ name: conversationId, message })),
    ...facts.insights.damaged.map(({ file, message }) => ({ name: file, message })),
  ];
  return (
    <section>
      <h2>Health</h2>
      <dl class="totals">
        <div>
          <dt>conversations</dt>
          <dd>{facts.conversations}</dd>
        </div>
        <div>
          <dt>messages</dt>
          <dd>{facts.messages}</dd>
        </div>
        <div>
          <dt>insights</dt>
          <dd>{facts.insights.count}</dd>
        </div>
        <div>
          <dt>searchable</dt>
          <dd>{facts.index.messages}</dd>
        </div>
      </dl>
      <p>
        The files are in <code>{facts.root}</code>.
      </p>
      {damaged.length === 0 ? (
        <p>No file is damaged.</p>
      ) : (
        <ul>
          {damaged.map(({ name, message }) => (
            <li key={name}>
              <bdi>{name}</bdi>: {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
