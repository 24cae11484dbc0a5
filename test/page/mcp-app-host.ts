/**
 * A host in the browser, for the test of the views: the official client is connected to the server over
 * HTTP, and the official host of MCP Apps to the view, which is in a sandboxed frame without an origin.
 */
import {
  AppBridge,
  getToolUiResourceUri,
  type McpUiHostContext,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';

const EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
/** The default validator compiles code, which the policy of the page forbids. */
const jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

const client = new Client(
  { name: 'host', version: '1' },
  { capabilities: { extensions: EXTENSION }, jsonSchemaValidator },
);
let bridge: AppBridge | undefined;
const context: McpUiHostContext = {
  theme: 'light',
  displayMode: 'inline',
  availableDisplayModes: ['inline', 'fullscreen'],
};

const host = {
  /** Whether the host forwards only the texts of a result, and not its data. */
  forwardsOnlyTexts: false,
  /** The addresses that a view asked the host to open. */
  opened: [] as string[],
  async connect(url: string, token: string): Promise<void> {
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    await client.connect(transport as Transport);
  },
  async call(name: string, args: Record<string, unknown>) {
    const answer = await client.callTool({ name, arguments: args });
    if (answer.isError) throw new Error(JSON.stringify(answer.content));
    return answer.structuredContent as Record<string, unknown>;
  },
  setTheme(theme: 'light' | 'dark'): void {
    bridge?.setHostContext({ ...context, theme });
  },
  /** Calls the tool and replaces the shown view with the view of this tool. */
  async show(name: string, args: Record<string, unknown>): Promise<void> {
    await bridge?.teardownResource({});
    document.body.replaceChildren();
    const { tools } = await client.listTools();
    const uri = getToolUiResourceUri(tools.find((tool) => tool.name === name) ?? {});
    const { contents } = await client.readResource({ uri: uri ?? '' });
    const [content] = contents;
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.title = 'view';
    frame.style.width = '100%';
    frame.style.border = '0';
    document.body.append(frame);
    const shown = frame.contentWindow;
    if (shown === null || content === undefined || !('text' in content)) throw new Error('no view');
    await bridgeTo(frame, shown, { name, args });
    frame.srcdoc = content.text;
  },
};

async function bridgeTo(
  frame: HTMLIFrameElement,
  shown: Window,
  { name, args }: { name: string; args: Record<string, unknown> },
): Promise<void> {
  const capabilities = { openLinks: {}, serverTools: {}, logging: {} };
  const made = new AppBridge(client, { name: 'host', version: '1' }, capabilities, {
    hostContext: context,
  });
  made.onopenlink = async ({ url }) => {
    host.opened.push(url);
    return {};
  };
  made.onsizechange = ({ height = 0 }) => {
    frame.style.height = `${height}px`;
  };
  made.onrequestdisplaymode = async ({ mode }) => {
    frame.style.height = mode === 'fullscreen' ? '90vh' : '';
    made.setHostContext({ ...context, displayMode: mode });
    return { mode };
  };
  made.oninitialized = async () => {
    await made.sendToolInput({ arguments: args });
    const result = await client.callTool({ name, arguments: args });
    await made.sendToolResult(result as CallToolResult);
  };
  bridge = made;
  await made.connect(new PostMessageTransport(shown, shown));
  const forward = made.oncalltool;
  made.oncalltool = async (params, extra) => {
    const result = (await forward?.(params, extra)) ?? { content: [] };
    const { structuredContent: _data, ...texts } = result;
    return host.forwardsOnlyTexts ? texts : result;
  };
}

export type Host = typeof host;
Object.assign(window, { host });
