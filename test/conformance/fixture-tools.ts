/**
 * The tools that the conformance suite calls by name. Those that an ordinary tool can be go through
 * Daybook's own way of running tools; the rest answer with what its tools never need (pictures, sound,
 * questions back to the client) and stand on the SDK's server.
 */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolResult,
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { sleep } from '../../src/base/clock.js';
import { AppError } from '../../src/base/errors.js';
import { defineTool, READS, success, type Tool } from '../../src/tools/define-tool.js';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** A header without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const PAUSE_MS = 50;

const plain = (name: string, run: Tool['run'], text: string) =>
  defineTool({
    name,
    toolset: 'conversations',
    title: name,
    description: `Fixture of the conformance suite: ${name}.`,
    input: () => z.strictObject({}),
    output: () => z.object({ success }),
    annotations: READS,
    text: () => text,
    run,
  });

export const ordinaryTools: readonly Tool[] = [
  plain('test_simple_text', async () => ({}), 'This is a simple text response for testing.'),
  plain(
    'test_error_handling',
    async () => {
      throw new AppError('CONFLICT', 'This tool intentionally returns an error for testing');
    },
    '',
  ),
  plain(
    'test_tool_with_progress',
    async (_input, _app, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress({ progress: done, total: 100 });
        await sleep(PAUSE_MS);
      }
      return {};
    },
    'done',
  ),
];

type Run = (args: Record<string, unknown>, extra: Extra) => Promise<CallToolResult>;

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, text: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
});

async function elicit(
  { sendRequest }: Extra,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
): Promise<CallToolResult> {
  const params = { message, requestedSchema };
  const answer = await sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
  return said(
    `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`,
  );
}

const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, at) => ({
  const: `value${at + 1}`,
  title: `${title} Option`,
}));

export const rawTools: Readonly<Record<string, Run>> = {
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }),
  test_embedded_resource: async () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource.')],
  }),
  test_multiple_content_types: async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  async test_tool_with_logging(_args, { sendNotification }) {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution ended']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await sleep(PAUSE_MS);
    }
    return said('Tool with logging executed.');
  },
  test_reconnection: async () => said('Answered on the stream of the call.'),
  async test_sampling({ prompt }, { sendRequest }) {
    const content = { type: 'text' as const, text: String(prompt) };
    const params = { messages: [{ role: 'user' as const, content }], maxTokens: 100 };
    const request = { method: 'sampling/createMessage' as const, params };
    const answer = await sendRequest(request, CreateMessageResultSchema);
    return said(`LLM response: ${JSON.stringify(answer.content)}`);
  },
  test_elicitation: ({ message }, extra) =>
    elicit(extra, String(message), {
      type: 'object',
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    }),
  test_elicitation_sep1034_defaults: (_args, extra) =>
    elicit(extra, 'Defaults of every kind', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  test_elicitation_sep1330_enums: (_args, extra) =>
    elicit(extra, 'Choices of every kind', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: options, enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      },
    }),
};
