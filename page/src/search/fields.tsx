/** The form of a search: the query, the kind, and the filters of messages. */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { isPressed } from '../hooks.js';
import { call } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';
import { type Asked, FILTERS, hasInsights, isOfMessages } from './run-search.js';

/** Modules and tags are suggested from this number of recently changed conversations. */
const SUGGESTED_FROM = 100;

export interface FieldsProps {
  readonly asked: Asked;
  readonly field: RefObject<HTMLInputElement>;
  set(name: keyof Asked, value: string): void;
  onEnter(): void;
}

type Changed = { readonly currentTarget: { readonly value: string } };

export function Fields({ asked, field, set, onEnter }: FieldsProps) {
  const changed =
    (name: keyof Asked) =>
    ({ currentTarget }: Changed) =>
      set(name, currentTarget.value);
  return (
    <search class="fields">
      <input
        ref={field}
        type="search"
        class="query"
        aria-label="Search what was said and written"
        placeholder={'Words, "a phrase", prefix*, NEAR(a b), a NOT b'}
        value={asked.q}
        onInput={changed('q')}
        onKeyDown={(event) => isPressed(event, 'Enter') && onEnter()}
      />
      <label>
        In{' '}
        <select value={asked.kind} onChange={changed('kind')}>
          <option value="">messages</option>
          <option value="notes">notes</option>
          <option value="insights">insights</option>
          <option value="facts">facts</option>
          <option value="all">everything</option>
        </select>
      </label>
      {hasInsights(asked) && <Project asked={asked} set={set} />}
      {isOfMessages(asked) && <Filters asked={asked} changed={changed} />}
    </search>
  );
}

/** A narrow window shows the filters when the button is pressed. */
function Filters({
  asked,
  changed,
}: Pick<FieldsProps, 'asked'> & {
  changed(name: keyof Asked): (event: Changed) => void;
}) {
  const { data } = useLoaded('suggested', (signal) =>
    call('get_conversations', { limit: SUGGESTED_FROM, maxTokens: 25_000 }, signal),
  );
  const heads = data?.conversations ?? [];
  const inUse = FILTERS.filter((name) => asked[name] !== '').length;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="narrow-only"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{inUse > 0 && ` (${inUse})`}
      </button>
      <div class={isOpen ? 'filters open' : 'filters'}>
        <label>
          Mode{' '}
          <select value={asked.mode} onChange={changed('mode')}>
            <option value="">automatic</option>
            <option value="keyword">words</option>
            <option value="semantic">meaning</option>
            <option value="hybrid">both</option>
          </select>
        </label>
        <label>
          Role{' '}
          <select value={asked.role} onChange={changed('role')}>
            <option value="">any</option>
            <option>user</option>
            <option>assistant</option>
            <option>system</option>
          </select>
        </label>
        <label>
          Module <input size={10} list="modules" value={asked.module} onInput={changed('module')} />
        </label>
        <label>
          Tag <input size={10} list="tags" value={asked.tag} onInput={changed('tag')} />
        </label>
        <label>
          From <input type="date" value={asked.from} onInput={changed('from')} />
        </label>
        <label>
          To <input type="date" value={asked.to} onInput={changed('to')} />
        </label>
      </div>
      <Suggestions id="modules" values={heads.map(({ module }) => module)} />
      <Suggestions id="tags" values={heads.flatMap(({ tags }) => tags)} />
    </>
  );
}

function Suggestions(props: { id: string; values: readonly (string | undefined)[] }) {
  const values = [...new Set(props.values)].filter((value) => value !== undefined).sort();
  return (
    <datalist id={props.id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** The project of the searched insights. Default: the project with the most insights. */
function Project({ asked, set }: Pick<FieldsProps, 'asked' | 'set'>) {
  const { data } = useLoaded('projects', async (signal) => {
    const { contexts } = await call('list_insight_contexts', {}, signal);
    if (asked.project === '' && contexts[0]) set('project', contexts[0].context);
    return contexts;
  });
  if (data === undefined || data.length < 2) return null;
  return (
    <label>
      Project{' '}
      <select
        value={asked.project}
        onChange={({ currentTarget }) => set('project', currentTarget.value)}
      >
        {data.map(({ context }) => (
          <option key={context} value={context}>
            {context}
          </option>
        ))}
      </select>
    </label>
  );
}
