/** Insights, by the project that they are about. */
import { useState } from 'preact/hooks';
import { call } from '../api.js';
import { useLoaded } from '../hooks.js';
import { Markdown } from '../markdown.jsx';
import { Empty, Failure, Time } from '../parts.jsx';

export function Insights() {
  const contexts = useLoaded('contexts', (signal) => call('list_insight_contexts', {}, signal));
  const [chosen, setChosen] = useState('');
  const first = contexts.data?.contexts[0]?.context ?? '';
  const context = chosen || first;
  const list = useLoaded(context, async (signal) =>
    context === ''
      ? undefined
      : call('list_insights', { context, limit: 100, maxTokens: 25_000 }, signal),
  );
  const failed = contexts.error ?? list.error;
  if (failed) return <Failure error={failed} />;
  if (!contexts.data) return <p class="loading">Loading…</p>;
  if (first === '') {
    return (
      <Empty view="Insights" title="There are no insights yet">
        <pre tabIndex={0}>daybook insight save "Clay soil needs sand"</pre>
      </Empty>
    );
  }
  return (
    <div class="insights">
      <div class="tools">
        <h1>Insights</h1>
        <label>
          Project{' '}
          <select value={context} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {contexts.data.contexts.map((each) => (
              <option key={each.context} value={each.context}>
                {each.context} ({each.insights})
              </option>
            ))}
          </select>
        </label>
      </div>
      <ol class="cards">
        {(list.data?.results ?? []).map(({ id, content, tags = [], updated_at: at }) => (
          <li key={id} class="card">
            <Markdown text={content} />
            <p class="facts">
              <Time at={new Date(at).toISOString()} />
              {tags.map((tag) => (
                <bdi class="tag" key={tag}>
                  {tag}
                </bdi>
              ))}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
