/**
 * Starts the built server over HTTP on a free port, and connects official clients to it.
 */
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BareServer, type Place } from './harness.js';

export interface HttpProcess {
  readonly url: string;
  readonly server: BareServer;
  /** Ends the server. Returns its exit code and signal. */
  stop(): Promise<readonly unknown[]>;
}

/** Starts the server. Resolves when it listens. */
export async function startHttp(place: Place, args: readonly string[] = []): Promise<HttpProcess> {
  const server = new BareServer(place, ['--root', place.root, '--http', '--port', '0', ...args]);
  let url: string | undefined;
  while (url === undefined) {
    if (server.process.exitCode !== null) throw new Error(`did not start: ${server.stderr}`);
    await Promise.race([once(server.process.stderr, 'data'), once(server.process, 'exit')]);
    url = /serves MCP at (http:\S+)\n/.exec(server.stderr)?.[1];
  }
  const stop = () => {
    server.process.kill('SIGTERM');
    return server.exit();
  };
  return { url, server, stop };
}

/** Starts the server, runs `work`, and ends the server, also after an error. */
export async function withHttp<T>(
  place: Place,
  work: (process: HttpProcess) => Promise<T>,
  args: readonly string[] = [],
): Promise<T> {
  const started = await startHttp(place, args);
  try {
    return await work(started);
  } finally {
    if (started.server.process.exitCode === null) await started.stop();
  }
}

export interface HttpClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  result(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The structured content of a call that must succeed. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export async function connectHttp(url: string, token?: string): Promise<HttpClient> {
  const client = new Client({ name: 'daybook-http', version: '1' });
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Transport);
  const result = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult;
  return {
    client,
    transport,
    result,
    async call(name, args) {
      const answer = await result(name, args);
      if (answer.isError) throw new Error(JSON.stringify(answer.content));
      return answer.structuredContent ?? {};
    },
  };
}
