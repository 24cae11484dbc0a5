/** The page's own server over HTTP: tools by name, the stream of changes, uploads and the session. */
import { ALL_CHANGES, CallError, type Change, type Connection } from './api.js';

export const httpConnection: Connection = {
  isReadOnly: false,
  async call(name, input, signal) {
    const response = await post(`/api/tools/${name}`, input, signal);
    const body = await response.json();
    if (response.ok) return body;
    const { code = 'HTTP', message = response.statusText, hint = '' } = body.error ?? {};
    throw new CallError(response.status === 401 ? 'SIGNED_OUT' : String(code), message, hint);
  },
  follow: openEvents,
};

async function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const isFile = body instanceof File;
  try {
    return await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' },
      body: isFile ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new CallError('OFFLINE', 'The server does not answer.', 'Start it with daybook open.');
  }
}

/** Hands a file over for `import_conversations`, which takes the path. CallError. */
export async function upload(file: File): Promise<{ path: string }> {
  const response = await post(`/api/uploads?name=${encodeURIComponent(file.name)}`, file);
  const body = await response.json();
  if (response.ok) return body;
  throw new CallError('HTTP', body.error?.message ?? response.statusText);
}

/** The server needs it no longer. */
export async function dropUpload(path: string): Promise<void> {
  await post('/api/uploads/remove', { path });
}

/** Whether the browser may use the page; a link or a token makes it so. */
export async function isSignedIn(): Promise<boolean> {
  return (await fetch('/api/session')).ok;
}

export async function signIn(given: { link: string } | { token: string }): Promise<boolean> {
  return (await post('/api/session', given)).ok;
}

function openEvents(report: (change: Change) => void): void {
  const source = new EventSource('/api/events');
  let wasLost = false;
  const reportAll = () => {
    for (const change of ALL_CHANGES) report(change);
  };
  source.addEventListener('changed', ({ data }) => report(JSON.parse(data)));
  source.addEventListener('open', () => {
    document.documentElement.dataset['live'] = 'yes';
    if (wasLost) reportAll();
    wasLost = false;
  });
  source.addEventListener('error', () => {
    document.documentElement.dataset['live'] = 'no';
    wasLost = true;
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      openEvents(report);
      reportAll();
    }, 1000);
  });
}
