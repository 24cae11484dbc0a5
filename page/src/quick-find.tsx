/** The dialog of quick find (Ctrl K): finds conversations, notes, insights and subjects by name. */

import { useEffect, useState } from 'preact/hooks';
import { Failure } from './components.jsx';
import { Dialog } from './dialog.jsx';
import { address } from './navigation/address.js';
import { hrefOf } from './navigation/route.js';
import { call, type Output } from './server/api.js';
import { useLoaded } from './server/use-loaded.js';
import { useSettled } from './server/use-settled.js';

type Hit = Output<'quick_find'>['hits'][number];

function addressOf({ kind, id }: Pick<Hit, 'kind' | 'id'>): string {
  if (kind === 'conversation') return hrefOf('conversation', id);
  if (kind === 'note') return hrefOf('notes', id);
  if (kind === 'heading') return hrefOf('notes', id.replace(/:\d+$/, ''));
  if (kind === 'insight') return hrefOf('insights', '', { id });
  return hrefOf('knowledge', id);
}

export function QuickFind({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const asked = useSettled(query.trim(), 80);
  const { data, error } = useLoaded(asked, async (signal) =>
    asked === ''
      ? undefined
      : { asked, ...(await call('quick_find', { query: asked, limit: 12 }, signal)) },
  );
  // Enter before the hits of the typed words are shown waits for them, and does not open an earlier hit.
  const [entered, setEntered] = useState('');
  const isCurrent = data?.asked === query.trim();
  useEffect(() => {
    if (entered !== '' && entered === query && isCurrent && hits[0]) open(hits[0]);
  }, [entered, query, isCurrent]);
  const hits = error ? [] : (data?.hits ?? []);
  const open = (hit: Hit) => {
    address.go(addressOf(hit));
    onClose();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') setAt(Math.max(0, Math.min(at + 1, hits.length - 1)));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key !== 'Enter') return;
    else if (!isCurrent) setEntered(query);
    else if (hits[at]) open(hits[at]);
    event.preventDefault();
  };
  return (
    <Dialog label="Find" onClose={onClose}>
      <input
        class="find"
        type="text"
        role="combobox"
        aria-label="Find conversations, notes, insights and subjects"
        aria-expanded={hits.length > 0}
        aria-controls="found"
        aria-activedescendant={hits.length > 0 ? `found-${at}` : undefined}
        placeholder="A title, a note, a subject…"
        autofocus
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id="found" role="listbox" aria-label="Found" class="found">
        {hits.map((hit, index) => (
          <button
            type="button"
            role="option"
            id={`found-${index}`}
            key={`${hit.kind}:${hit.id}`}
            aria-selected={index === at}
            tabIndex={-1}
            onClick={() => open(hit)}
          >
            <span class="kind">{hit.kind}</span> <bdi>{hit.title || hit.id}</bdi>
          </button>
        ))}
      </div>
      {error && <Failure error={error} />}
      {asked !== '' && !error && data?.hits.length === 0 && (
        <p role="status">Nothing with this name was found. {data.suggestions.join(', ')}</p>
      )}
    </Dialog>
  );
}
