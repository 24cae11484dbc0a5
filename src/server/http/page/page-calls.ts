/**
 * Runs the tool calls of the page. They use the same schemas, App and errors as MCP calls. The page can
 * call the tools of all toolsets, because only the user opens it.
 */
import type { App } from '../../../app.js';
import { AppError } from '../../../base/errors.js';
import type { Log } from '../../../base/log.js';
import { importConversations } from '../../../tools/conversations/import-conversations.js';
import type { ToolCall } from '../../../tools/define-tool.js';
import { tools } from '../../../tools/index.js';
import { AcceptedCalls } from '../../accepted-calls.js';
import { factsOf, toAppError } from '../../mcp/errors/error-result.js';
import { inputError } from '../../mcp/errors/input-error.js';
import { withStoreNotice } from '../../mcp/store-notice.js';
import { successResult } from '../../mcp/success-result.js';
import { runTool } from '../../run-tool.js';
import type { PageUploads } from './page-uploads.js';

/** Opens the App. Rejects while the store cannot be opened; the next call tries again. */
export type OpenApp = () => App | Promise<App>;

export interface PageAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class PageCalls {
  readonly accepted = new AcceptedCalls();
  readonly #app: OpenApp;
  readonly #log: Log;

  readonly #uploads: PageUploads;

  constructor(app: OpenApp, log: Log, uploads: PageUploads) {
    this.#uploads = uploads;
    this.#app = app;
    this.#log = log;
  }

  /** Status 200 with the output of the tool, or an error status with `error`. Never rejects. */
  run(
    name: string,
    args: unknown,
    gone: AbortSignal,
    progress: ToolCall['progress'] = () => undefined,
  ): Promise<PageAnswer> {
    const signal = AbortSignal.any([gone, this.accepted.endSignal]);
    return this.accepted.track(async () => {
      try {
        return { status: 200, body: await this.#result(name, args, { signal, progress }) };
      } catch (error) {
        const known = toAppError(error, signal, this.#log);
        return { status: STATUS[known.code] ?? 422, body: { error: factsOf(known) } };
      }
    });
  }

  async #result(
    name: string,
    args: unknown,
    caller: Pick<ToolCall, 'signal' | 'progress'>,
  ): Promise<unknown> {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) {
      throw new AppError(
        'VALIDATION_ERROR',
        `There is no tool ${JSON.stringify(name.slice(0, 80))}.`,
        { hint: 'Load the page again: it may be of another version than the server.' },
      );
    }
    const input = tool.input.safeParse(args, { reportInput: true });
    if (!input.success) throw inputError(tool, input.error);
    const isHandedOver = tool === importConversations && this.#uploads.has(input.data['path']);
    const call: ToolCall = { ...caller, isRemote: !isHandedOver };
    const app = await this.#app();
    app.requireUnconverted();
    const output = await runTool(tool, input.data, app, call);
    return withStoreNotice(successResult(tool, output), app).structuredContent;
  }
}

const STATUS: Partial<Record<AppError['code'], number>> = { VALIDATION_ERROR: 400, INTERNAL: 500 };
