/**
 * The MCP handlers of `tools/list` and `tools/call`. Input and output are checked against the schemas of
 * the tool. The error of a tool is a result with `isError`; only an unknown tool is an error of the
 * protocol, as the MCP specification requires.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ToolCall } from '../../../tools/define-tool.js';
import type { AcceptedCalls } from '../../accepted-calls.js';
import { runTool } from '../../run-tool.js';
import { checkArguments } from '../check-arguments.js';
import type { ClientLog } from '../client-logging.js';
import { errorResult } from '../errors/error-result.js';
import { inputError } from '../errors/input-error.js';
import { findTool, type LoadTools, toolListing } from '../offered-tools.js';
import { canShowViews, type OfferedViews } from '../offered-views.js';
import { type RequestRunner, refuseCursor } from '../request-runner.js';
import { withStoreNotice } from '../store-notice.js';
import { successResult } from '../success-result.js';

export interface ToolHandling {
  readonly calls: AcceptedCalls;
  readonly views: OfferedViews | undefined;
  readonly isRemote: boolean;
  readonly clientLog: ClientLog;
}

export function registerTools(
  server: Server,
  runner: RequestRunner,
  load: LoadTools,
  { calls, views, isRemote, clientLog }: ToolHandling,
): void {
  // Both requests count as accepted before the tools are loaded, so a server that ends answers them.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    calls.track(async () => {
      refuseCursor(params?.cursor);
      const { listed } = await load();
      const showsViews = views !== undefined && canShowViews(server, params?._meta);
      return { tools: showsViews ? await views.listings(listed) : listed.map(toolListing) };
    }),
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    calls.track(async () => {
      const tool = findTool(params.name, await load());
      return runner.run(
        extra,
        async (app, request) => {
          const call: ToolCall = { ...request, isRemote };
          const input = checkArguments(tool, params.arguments ?? {});
          if (!input.success) throw inputError(tool, input.error);
          const output = await runTool(tool, input.data, app, call);
          const result = withStoreNotice(successResult(tool, output), app);
          clientLog(extra, 'debug', { tool: tool.name, outcome: 'done' });
          return result;
        },
        (error) => {
          const { code, message } = error;
          const level = code === 'INTERNAL' ? 'error' : 'info';
          clientLog(extra, level, { tool: tool.name, outcome: code, message });
          return errorResult(error);
        },
      );
    }),
  );
}
