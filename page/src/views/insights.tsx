/** The view of insights of one project. */
import { useEffect, useRef } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { Empty, Failure, Time } from '../components.jsx';
import { useListKeys } from '../hooks.js';
import { Markdown } from '../markdown.jsx';
import { address } from '../navigation/address.js';
import { hrefOf, type Route } from '../navigation/route.js';
import { allPages } from '../server/all-pages.js';
import { call } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

/** All insights of a project, each with its whole text. */
function insightsOf(context: string, signal: AbortSignal) {
  return allPages(async (offset) => {
    const input = { context, limit: 100, maxTokens: 25_000, offset };
    const { results, nextOffset } = await call('list_insights', input, signal);
    const items = results.map(async ({ isCut, ...listed }) => {
      if (!isCut) return listed;
      return (await call('get_insight', { id: listed.id }, signal)).insight ?? listed;
    });
    return { items: await Promise.all(items), nextOffset };
  });
}

export function Insights({ route }: { readonly route: Route }) {
  const id = route.params.get('id') ?? '';
  const chosen = route.params.get('project') ?? '';
  const contexts = useLoaded('contexts', (signal) => call('list_insight_contexts', {}, signal));
  const named = useLoaded(`named ${id}`, async (signal) => ({
    id,
    context: id === '' ? undefined : (await call('get_insight', { id }, signal)).insight?.context,
  }));
  const first = contexts.data?.contexts[0]?.context ?? '';
  // While the named insight is read again after a change, the list stays.
  const isNamedKnown = id === '' || named.data?.id === id || named.error !== undefined;
  const context = isNamedKnown ? chosen || named.data?.context || first : '';
  const list = useLoaded(context, async (signal) =>
    context === '' ? undefined : insightsOf(context, signal),
  );
  useChanges('insight', () => {
    contexts.reload();
    named.reload();
    list.reload();
  });
  useListKeys('.insights .card');
  const card = useRef<HTMLLIElement>(null);
  const isShown = contexts.data !== undefined && list.data?.some((each) => each.id === id) === true;
  useEffect(() => {
    if (!isShown) return;
    card.current?.scrollIntoView({ block: 'center' });
    card.current?.focus();
  }, [isShown, id]);
  if (contexts.error) return <Failure view="Insights" error={contexts.error} />;
  if (!contexts.data) return <p class="loading">Loading…</p>;
  if (first === '') {
    return (
      <Empty view="Insights" title="There are no insights yet">
        <p>Assistants save what they learned about a project. To save one yourself:</p>
        <pre tabIndex={0}>daybook insight save "Clay soil needs sand"</pre>
      </Empty>
    );
  }
  const isOffered = contexts.data.contexts.some((each) => each.context === context);
  return (
    <div class="insights">
      <div class="tools">
        <h1>Insights</h1>
        <label>
          Project{' '}
          <select
            value={context}
            onChange={({ currentTarget: { value: project } }) =>
              address.go(hrefOf('insights', '', { project }))
            }
          >
            {!isOffered && context !== '' && <option value={context}>{context} (0)</option>}
            {contexts.data.contexts.map((each) => (
              <option key={each.context} value={each.context}>
                {each.context} ({each.insights})
              </option>
            ))}
          </select>
        </label>
      </div>
      {named.error && <Failure error={named.error} />}
      {list.error && <Failure error={list.error} />}
      {id !== '' && named.data?.id === id && named.data.context === undefined && (
        <p role="alert" class="failure">
          The insight {id} is not here. Perhaps it has expired, or it is in the{' '}
          <a href={hrefOf('trash')}>trash</a>.
        </p>
      )}
      {list.data?.length === 0 && !list.isLoading && (
        <p role="status">The project {context} has no insights, or all of them have expired.</p>
      )}
      <ol class="cards">
        {(list.data ?? []).map(({ id: each, content, tags = [], updated_at: at }) => (
          <li
            key={each}
            class={each === id ? 'card named' : 'card'}
            ref={each === id ? card : null}
            tabIndex={-1}
          >
            <Markdown text={content} />
            <p class="facts">
              <Time at={at} />
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
