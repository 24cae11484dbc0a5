/**
 * The MCP handlers of `tools/list` and `tools/call`. Input and output are checked against the schemas of
 * the tool. The error of a tool is a result with `isError`; only an unknown tool is an error of the
 * protocol, as the MCP specification requires.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../base/errors.js';
import type { Tool, ToolCall } from '../../tools/define-tool.js';
import type { AcceptedCalls } from '../accepted-calls.js';
import type { ClientLog } from './client-logging.js';
import { errorResult } from './error-result.js';
import { inputError } from './input-error.js';
import { type LoadTools, type OfferedTools, toolListing } from './offered-tools.js';
import { canShowViews, type OfferedViews } from './offered-views.js';
import { type RequestRunner, refuseCursor } from './request-runner.js';
import { toRpcError } from './rpc-error.js';
import { requireStoreFor, withStoreNotice } from './store-notice.js';
import { successResult } from './success-result.js';

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
          const input = tool.input.safeParse(params.arguments ?? {});
          if (!input.success) throw inputError(tool, input.error);
          await requireStoreFor(tool, app);
          const output = await tool.run(input.data, app, call).catch(async (error: unknown) => {
            const { explainNotFound } = await import('../../app/not-found-hints.js');
            throw await explainNotFound(error, app);
          });
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

const hasName = (name: string) => (tool: Tool) =>
  tool.name === name || (tool.aliases?.includes(name) ?? false);

/** Throws an RpcError (-32602) for a tool that does not exist or is switched off. */
function findTool(name: string, { callable, all }: OfferedTools): Tool {
  const tool = callable.find(hasName(name));
  if (tool) return tool;
  const hidden = all.find(hasName(name));
  const known = callable.map((other) => other.name);
  throw toRpcError(
    hidden
      ? new AppError(
          'VALIDATION_ERROR',
          `The tool ${hidden.name} is in the toolset "${hidden.toolset}", which is switched off. To use it, set DAYBOOK_TOOLSETS to all or to a list with ${hidden.toolset}, and restart the server.`,
        )
      : new AppError(
          'VALIDATION_ERROR',
          `There is no tool ${JSON.stringify(name.slice(0, 80))}. The tools are ${known.join(', ')}.`,
          { details: { known } },
        ),
  );
}
