/** The connection of a frame: the host forwards calls of tools to the server. */
import type { App } from '@modelcontextprotocol/ext-apps';
import { ALL_CHANGES, type Change } from '../changes/change.js';
import { CallError, type Connection } from '../server/api.js';

export interface HostConnection extends Connection {
  /** Makes all views load again, because a host does not report changes of files. */
  refresh(): void;
}

type Result = Awaited<ReturnType<App['callServerTool']>>;

export function hostConnection(app: App): HostConnection {
  let report: (change: Change) => void = () => undefined;
  return {
    // Data is changed only by the assistant or on the page, where the user sees the change.
    isReadOnly: true,
    async call(name, input, signal) {
      const result = await callHost(app, name, input, signal);
      if (result.isError) throw errorOf(result);
      return result.structuredContent ?? dataInText(textOf(result));
    },
    follow(listener) {
      report = listener;
    },
    refresh() {
      for (const change of ALL_CHANGES) report(change);
    },
  };
}

async function callHost(app: App, name: string, input: object, signal?: AbortSignal) {
  if (app.getHostCapabilities()?.serverTools === undefined) {
    throw new CallError('HOST', 'This assistant does not forward the calls of a view to Daybook.');
  }
  try {
    const params = { name, arguments: { ...input } };
    return await app.callServerTool(params, signal && { signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new CallError('HOST', cause instanceof Error ? cause.message : String(cause));
  }
}

/** Most tools repeat their data as text, for a host that forwards only texts. */
function dataInText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = 'This assistant does not forward the data of Daybook to the view.';
    throw new CallError('HOST', message, 'To see it on the page, run daybook open.');
  }
}

const textOf = ({ content: [first] }: Result) => (first?.type === 'text' ? first.text : '');

/** The error in the result of a tool. */
export function errorOf(result: Result): CallError {
  const text = textOf(result);
  try {
    const { code, message, hint } = JSON.parse(text).error;
    return new CallError(String(code), String(message), String(hint ?? ''));
  } catch {
    return new CallError('HOST', text);
  }
}
