/** One message: its text, its sources as links, and its other metadata in a closed block. */

import { counted, Time } from '../components.jsx';
import { Markdown, PlainText } from '../markdown.jsx';
import type { StoredMessage } from './pages.js';

interface Source {
  readonly url: string;
  readonly title: string;
}

export function MessageView(props: {
  readonly message: StoredMessage;
  readonly isNamed: boolean;
  /** The fence of the code in which this part begins; `undefined` if that is not known. */
  readonly fence: string | undefined;
}) {
  const { message, isNamed, fence } = props;
  const { seq, role, createdAt, content, offset, isCut, metadata = {} } = message;
  const { sources, ...other } = metadata;
  const links = sourcesOf(sources);
  const isActivity = role === 'system' || typeof metadata['tool'] === 'string';
  const text =
    fence === undefined ? (
      <PlainText text={content} />
    ) : (
      <Markdown text={fence === '' ? content : `${fence}\n${content}`} />
    );
  return (
    <li
      class={`message ${role}${isNamed ? ' named' : ''}`}
      id={offset ? undefined : `m${seq}`}
      tabIndex={-1}
    >
      <p class="who">
        <span class="role">{role}</span> <span class="facts">#{seq}</span>{' '}
        <span class="facts">
          <Time at={createdAt} />
          {offset ? ` · from character ${offset}` : ''}
        </span>
      </p>
      {isActivity ? (
        <details>
          <summary>{role === 'system' ? 'System prompt' : `Tool: ${metadata['tool']}`}</summary>
          {text}
        </details>
      ) : (
        text
      )}
      {isCut && <p class="facts">The rest of this message follows.</p>}
      {links.length > 0 && (
        <details class="sources" open={links.length < 6}>
          <summary>{counted(links.length, 'source')}</summary>
          <ol>
            {links.map(({ url, title }) => (
              <li key={url}>
                <a href={url} target="_blank" rel="noopener noreferrer nofollow">
                  <bdi>{title || url}</bdi>
                </a>
              </li>
            ))}
          </ol>
        </details>
      )}
      {Object.keys(other).length > 0 && (
        <details class="metadata">
          <summary>{factsOf(other)}</summary>
          <pre tabIndex={0}>{JSON.stringify(other, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}

/** Model and cost, if they are known. */
function factsOf({ model, cost }: Record<string, unknown>): string {
  const { total, currency } = (cost ?? {}) as { total?: unknown; currency?: unknown };
  const price = typeof total === 'number' ? `${total} ${String(currency ?? '')}` : '';
  return [typeof model === 'string' ? model : '', price].filter(Boolean).join(' · ') || 'Details';
}

/** Only http and https URLs, because stored data can contain other URLs. */
function sourcesOf(sources: unknown): Source[] {
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((source: unknown) => {
    const { url, title } = (source ?? {}) as Partial<Record<keyof Source, unknown>>;
    if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
    return [{ url, title: typeof title === 'string' ? title : '' }];
  });
}
