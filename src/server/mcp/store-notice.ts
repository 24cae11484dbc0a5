/** Adds `durable: false` and the reason to all results and prompts, while the store cannot be written. */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../../app.js';
import { countOf } from '../../base/text/display-text.js';

/** Returns the result unchanged if there is no notice. A write that was refused earlier does not set `durable`. */
export function withStoreNotice(result: CallToolResult, app: App): CallToolResult {
  const text = storeNotice(app);
  if (text === undefined) return result;
  const { content, structuredContent, ...rest } = result;
  const { isAway = false, waiting = 0 } = app.deferredWrites.state() ?? {};
  const durable = isAway || waiting > 0 ? { durable: false } : {};
  return {
    ...rest,
    content: [...content, { type: 'text', text }],
    ...(structuredContent && { structuredContent: { ...structuredContent, ...durable } }),
  };
}

/** `undefined` if the store is available and no write waits or was refused. */
export function storeNotice({ deferredWrites }: App): string | undefined {
  const state = deferredWrites.state();
  if (state === undefined) return undefined;
  const { isAway, reason, whatToDo, since, waiting, refused } = state;
  const parts = isAway || waiting > 0 ? [`durable: false. Since ${since}: ${reason}`] : [];
  if (waiting > 0) {
    parts.push(
      `${countOf(waiting, 'write waits', 'writes wait')} in the memory of this server and will be stored when the store is available again. If the server ends before, ${waiting === 1 ? 'it is' : 'they are'} lost.`,
    );
  }
  if (isAway) {
    parts.push(
      'Results come from the memory of the server and may be incomplete. Tell the user to make the folder of the store available again.',
    );
  } else if (waiting > 0) {
    parts.push(`Tell the user: ${whatToDo}`);
  }
  if (refused.length > 0) {
    const names = refused.slice(0, 5).map(({ name }) => name);
    parts.push(
      `${countOf(refused.length, 'write')} failed when the store was available again. Lost: ${names.join('; ')}.`,
    );
  }
  return parts.join(' ');
}
