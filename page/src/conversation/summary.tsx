/** The summary of a conversation: the stored one, or an extract of its sentences. No model is used. */
import { useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { Failure } from '../components.jsx';
import { Markdown } from '../markdown.jsx';
import { call } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

const LEVELS = ['brief', 'standard', 'detailed'] as const;

/** The summary is loaded when the block is opened. */
export function Summary({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="summary" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Summary</summary>
      {isOpen && <Text id={id} />}
    </details>
  );
}

function Text({ id }: { readonly id: string }) {
  const [level, setLevel] = useState<(typeof LEVELS)[number]>('brief');
  const { data, error, reload } = useLoaded(JSON.stringify([id, level]), (signal) =>
    call('get_context_summary', { conversationIds: [id], level, maxTokens: 25_000 }, signal),
  );
  useChanges('conversation', reload, id);
  const [found] = data?.conversations ?? [];
  return (
    <>
      <label>
        Length{' '}
        <select
          value={level}
          onChange={({ currentTarget }) => setLevel(LEVELS[currentTarget.selectedIndex] ?? 'brief')}
        >
          {LEVELS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {error && <Failure error={error} />}
      {found?.isStale && (
        <p class="facts">The conversation has newer messages than this summary.</p>
      )}
      {found ? <Markdown text={found.text} /> : data && <p>There is nothing to summarise.</p>}
    </>
  );
}
