/** The HTTP connection of the page to its server: tools, uploads and the session. */

import { followEvents } from '../changes/event-stream.js';
import { CallError, type Connection, type Progress } from './api.js';

export const httpConnection: Connection = {
  isReadOnly: false,
  async call(name, input, signal, onProgress) {
    const accept = onProgress ? { Accept: REPORTS } : {};
    const response = await post(`/api/tools/${name}`, input, { signal, headers: accept });
    const isReported = response.headers.get('Content-Type')?.startsWith(REPORTS) ?? false;
    const { status, body } = isReported
      ? await answerAfter(response, signal, onProgress)
      : { status: response.status, body: await received(response.json(), signal) };
    if (status < 400) return body;
    throw failureOf(status, body);
  },
  follow: followEvents,
};

function failureOf(status: number, { error }: ToolBody): CallError {
  const {
    code = 'HTTP',
    message = `The server answered with status ${status}.`,
    hint = '',
  } = error ?? {};
  return new CallError(status === 401 ? 'SIGNED_OUT' : String(code), message, hint);
}

/** JSON Lines: progress reports, then the answer. */
const REPORTS = 'application/x-ndjson';

interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

async function post(path: string, body: unknown, options: PostOptions = {}): Promise<Response> {
  const { signal, headers } = options;
  const isFile = body instanceof File;
  const type = isFile ? 'application/octet-stream' : 'application/json';
  const request = {
    method: 'POST',
    headers: { 'Content-Type': type, ...headers },
    body: isFile ? body : JSON.stringify(body),
    ...(signal && { signal }),
  };
  return received(fetch(path, request), signal);
}

/**
 * Throws CallError if the connection was lost, or if a proxy answered for the server: then the body is not JSON.
 */
async function received<T>(awaited: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await awaited;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw offline();
  }
}

const offline = () =>
  new CallError('OFFLINE', 'The server does not answer.', 'Start it with daybook open.');

/** Reads progress reports and returns the answer. Throws CallError if the connection is lost before it. */
async function answerAfter(
  response: Response,
  signal?: AbortSignal,
  onProgress?: (report: Progress) => void,
) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value } = (reader && (await received(reader.read(), signal))) ?? {};
    if (value === undefined) throw offline();
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { progress, ...answer } = JSON.parse(line);
      if (progress === undefined) return answer as { status: number; body: ToolBody };
      onProgress?.(progress);
    }
  }
}

/** The output of a tool, or `error`. */
interface ToolBody {
  readonly error?: Readonly<Record<'code' | 'message' | 'hint', string>>;
}

/** Uploads a file and returns its path for `import_conversations`. Throws CallError. */
export async function upload(file: File): Promise<{ path: string }> {
  const response = await post(`/api/uploads?name=${encodeURIComponent(file.name)}`, file);
  const body = await received(response.json());
  if (response.ok) return body;
  throw failureOf(response.status, body);
}

/** Removes an uploaded file from the server. */
export async function dropUpload(path: string): Promise<void> {
  await post('/api/uploads/remove', { path });
}

/** True if the browser has a session. */
export async function isSignedIn(): Promise<boolean> {
  return (await fetch('/api/session')).ok;
}

export async function signIn(given: { link: string } | { token: string }): Promise<boolean> {
  return (await post('/api/session', given)).ok;
}
