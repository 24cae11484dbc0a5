/**
 * Puts the fixtures of the conformance suite in the place of Daybook's own lists on a built server:
 * `test_` tools and prompts, `test://` resources.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type PromptMessage,
  ReadResourceRequestSchema,
  type Request,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { toolListing } from '../../src/server/mcp/offered-tools.js';
import { type Extra, ordinaryTools, PNG, rawTools } from './fixture-tools.js';

type CallHandler = (request: Request, extra: Extra) => Promise<CallToolResult>;

const DIALECT_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'A schema with the keywords of 2020-12.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

export function offerFixtures(server: Server): void {
  offerTools(server);
  offerResources(server);
  offerPrompts(server);
}

function offerTools(server: Server): void {
  // The SDK keeps handlers to itself; ordinary tools go on to the one that Daybook has set.
  const handlers = Reflect.get(server, '_requestHandlers') as Map<string, CallHandler>;
  const callOrdinary = handlers.get('tools/call');
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...ordinaryTools.map(toolListing),
      ...Object.keys(rawTools).map((name) => ({
        name,
        description: `Fixture of the conformance suite: ${name}.`,
        inputSchema: { type: 'object' as const },
      })),
      DIALECT_TOOL,
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const raw = rawTools[request.params.name];
    if (raw !== undefined) return raw(request.params.arguments ?? {}, extra);
    if (callOrdinary === undefined) throw new Error('the built server takes no calls');
    return callOrdinary(request, extra);
  });
}

function offerResources(server: Server): void {
  const text = { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain' };
  const binary = { uri: 'test://static-binary', name: 'Static binary', mimeType: 'image/png' };
  const description = 'Fixture of the conformance suite.';
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [text, binary].map((resource) => ({ ...resource, description })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'Template' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1];
    if (uri === text.uri) return { contents: [{ ...text, text: 'The static text resource.' }] };
    if (uri === binary.uri) return { contents: [{ ...binary, blob: PNG }] };
    if (id === undefined) throw new Error(`no fixture ${uri}`);
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: data }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}

const user = (content: PromptMessage['content']): PromptMessage => ({ role: 'user', content });
const userText = (text: string) => user({ type: 'text', text });

const PROMPTS: Record<string, (args: Record<string, string>) => PromptMessage[]> = {
  test_simple_prompt: () => [userText('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    userText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    user({
      type: 'resource',
      resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded for testing.' },
    }),
    userText('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [
    user({ type: 'image', data: PNG, mimeType: 'image/png' }),
    userText('Please analyze the image above.'),
  ],
};

function offerPrompts(server: Server): void {
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({ name, description: `Fixture ${name}.` })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const messages = PROMPTS[params.name]?.(params.arguments ?? {});
    if (messages === undefined) throw new Error(`no fixture ${params.name}`);
    return { messages };
  });
  server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: ['paris', 'park'], total: 2, hasMore: false },
  }));
}
