/**
 * What every result says while the store cannot be written: `durable: false`, and why. Results of a
 * healthy store are as they are without this.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../../app.js';
import type { Tool } from '../../tools/define-tool.js';

/** Prepares a call: what waits is written if the store is back. STORAGE_UNAVAILABLE for tools that cannot wait. */
export async function requireStoreFor(tool: Tool, { deferredWrites }: App) {
  await deferredWrites.settle();
  const canGoOn = tool.annotations.readOnlyHint || tool.writesLater === true;
  if (!canGoOn) deferredWrites.requireHere();
}

/** The result as it is where everything is on the disk. */
export function withStoreNotice(result: CallToolResult, { deferredWrites }: App): CallToolResult {
  const text = noticeOf(deferredWrites.state());
  if (text === undefined) return result;
  const { content, structuredContent, ...rest } = result;
  return {
    ...rest,
    content: [...content, { type: 'text', text }],
    ...(structuredContent && { structuredContent: { ...structuredContent, durable: false } }),
  };
}

type State = ReturnType<App['deferredWrites']['state']>;

function noticeOf(state: State): string | undefined {
  if (state === undefined) return undefined;
  const { isAway, reason, since, waiting, refused } = state;
  const parts = [`durable: false. Since ${since}: ${reason}`];
  if (waiting > 0) {
    parts.push(
      `${waiting} ${waiting === 1 ? 'write waits' : 'writes wait'} in the memory of this server and will be stored when the store is available again. If the server ends before, ${waiting === 1 ? 'it is' : 'they are'} lost.`,
    );
  }
  if (isAway) {
    parts.push(
      'Results come from the memory of the server and may be incomplete. Tell the user to make the folder of the store available again.',
    );
  }
  if (refused.length > 0) {
    const names = refused.slice(0, 5).map(({ name }) => name);
    parts.push(
      `${refused.length} writes failed when the store was available again, and are lost: ${names.join('; ')}.`,
    );
  }
  return parts.join(' ');
}
