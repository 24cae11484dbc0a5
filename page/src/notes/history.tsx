/** The git commits that changed a note, and its text at a commit. Shows nothing if there are no commits. */
import { useState } from 'preact/hooks';
import { useChanges } from '../changes/use-changes.js';
import { Failure, Time } from '../components.jsx';
import { Markdown } from '../markdown.jsx';
import { call } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

export function History({ path }: { readonly path: string }) {
  const { data, reload } = useLoaded(path, (signal) =>
    call('mb_history', { path, limit: 200, maxTokens: 25_000 }, signal),
  );
  const [shown, setShown] = useState<string>();
  useChanges('note', reload, path);
  const { commits = [], total = 0 } = data ?? {};
  if (commits.length === 0) return null;
  return (
    <details class="history">
      <summary>
        History: {total} {total === 1 ? 'commit' : 'commits'} of git
      </summary>
      <ol>
        {commits.map(({ commit, at, author, subject }) => (
          <li key={commit}>
            <button
              type="button"
              aria-expanded={commit === shown}
              onClick={() => setShown(commit === shown ? undefined : commit)}
            >
              <bdi>{subject || commit.slice(0, 8)}</bdi>
            </button>{' '}
            <Time at={at} /> · <bdi>{author}</bdi> · <code>{commit.slice(0, 8)}</code>
            {commit === shown && <TextAt key={commit} path={path} commit={commit} />}
          </li>
        ))}
      </ol>
    </details>
  );
}

function TextAt({ path, commit }: { readonly path: string; readonly commit: string }) {
  const { data, error } = useLoaded(commit, (signal) =>
    call('mb_history', { path, commit, maxTokens: 25_000 }, signal),
  );
  if (error) return <Failure error={error} />;
  if (!data) return <p class="loading">Loading…</p>;
  return (
    <section aria-label="Text at this commit" class="text-at">
      <Markdown text={data.content ?? ''} />
      {data.isCut && <p class="facts">The rest is too long to be shown.</p>}
    </section>
  );
}
