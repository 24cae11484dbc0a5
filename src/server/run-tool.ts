/** Runs a tool for a call of an MCP client or of the page. Its input was checked before. */
import type { z } from 'zod';
import type { App } from '../app.js';
import { isAppError } from '../base/errors.js';
import type { Tool, ToolCall } from '../tools/define-tool.js';

/**
 * Throws like the tool. Throws STORAGE_UNAVAILABLE if the store is not available and a call with this input
 * needs it, or if it disappears during the call. The error about an item that does not exist says whether it is in the trash.
 */
export async function runTool(
  tool: Tool,
  input: z.output<Tool['input']>,
  app: App,
  call: ToolCall,
): Promise<z.input<Tool['output']>> {
  await app.deferredWrites.settle();
  const needsStore =
    tool.needsStore?.(input) ?? !(tool.annotations.readOnlyHint || tool.writesLater);
  if (needsStore) app.deferredWrites.requireHere();
  return tool.run(input, app, call).catch(async (error: unknown) => {
    // If the folder of the store has just disappeared, or its path has a link now, the error of the disk does
    // not say what to do.
    if (isAppError(error, 'FILESYSTEM_ERROR', 'PATH_ESCAPE')) app.deferredWrites.requireHere();
    // If too many files are open, this module cannot be loaded either. The first error counts.
    const hints = await import('../app/not-found-hints.js').catch(() => undefined);
    throw hints === undefined ? error : await hints.explainNotFound(error, app);
  });
}
