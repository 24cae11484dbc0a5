/** Tools by name through the host of the frame, which passes the calls on to the server. */
import type { App } from '@modelcontextprotocol/ext-apps';
import { ALL_CHANGES, CallError, type Change, type Connection } from '../api.js';

export interface HostConnection extends Connection {
  /** Has every view ask again: a host reports no changes on disk. */
  refresh(): void;
}

type Result = Awaited<ReturnType<App['callServerTool']>>;

export function hostConnection(app: App): HostConnection {
  let report: (change: Change) => void = () => undefined;
  return {
    // What is stored may be changed by the assistant or on the page, where the user sees what happens.
    isReadOnly: true,
    async call(name, input, signal) {
      const result = await passOn(app, name, input, signal);
      if (result.isError) throw errorOf(result);
      return result.structuredContent ?? JSON.parse(textOf(result));
    },
    follow(listener) {
      report = listener;
    },
    refresh() {
      for (const change of ALL_CHANGES) report(change);
    },
  };
}

async function passOn(app: App, name: string, input: object, signal?: AbortSignal) {
  if (app.getHostCapabilities()?.serverTools === undefined) {
    throw new CallError('HOST', 'This assistant passes no questions of a view on to Daybook.');
  }
  try {
    const params = { name, arguments: { ...input } };
    return await app.callServerTool(params, signal && { signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new CallError('HOST', cause instanceof Error ? cause.message : String(cause));
  }
}

const textOf = ({ content: [first] }: Result) => (first?.type === 'text' ? first.text : '');

/** The error that a tool answered. */
export function errorOf(result: Result): CallError {
  const text = textOf(result);
  try {
    const { code, message, hint } = JSON.parse(text).error;
    return new CallError(String(code), String(message), String(hint ?? ''));
  } catch {
    return new CallError('HOST', text);
  }
}
