/**
 * One built server, over stdio or HTTP, that the soak may kill or stop for a while. A call that the kill interrupts has the
 * outcome `unknown`: it may have been carried out or not.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { MAIN, type Place } from '../e2e/harness.js';
import { startHttp } from '../e2e/http-harness.js';

export type Json = Record<string, unknown>;
export type Outcome =
  | { readonly is: 'done'; readonly answer: Json }
  | { readonly is: 'refused'; readonly code: string; readonly message: string }
  | { readonly is: 'unknown' };

export class SoakServer {
  readonly #place: Place;
  readonly #over: 'stdio' | 'http';
  #client: Client | undefined;
  #pid: number | undefined;
  /** Ends a server over HTTP; one over stdio ends with its client. */
  #stop: () => Promise<unknown> = () => Promise.resolve();
  #isStopped = false;
  kills = 0;

  constructor(place: Place, over: 'stdio' | 'http') {
    this.#place = place;
    this.#over = over;
  }

  async start(): Promise<void> {
    const client = new Client({ name: 'daybook-soak', version: '1' });
    await (this.#over === 'http' ? this.#startHttp(client) : this.#startStdio(client));
    this.#client = client;
  }

  async #startStdio(client: Client): Promise<void> {
    const { root, env } = this.#place;
    const args = [MAIN, '--root', root, '--toolsets', 'all'];
    const command = { command: process.execPath, args, env, stderr: 'ignore' as const };
    const transport = new StdioClientTransport(command);
    await client.connect(transport);
    this.#pid = transport.pid ?? undefined;
  }

  async #startHttp(client: Client): Promise<void> {
    const { url, server, stop } = await startHttp(this.#place, ['--toolsets', 'all']);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
    this.#pid = server.process.pid;
    this.#stop = stop;
  }

  async call(name: string, args: Json): Promise<Outcome> {
    const client = this.#client;
    if (client === undefined) return { is: 'unknown' };
    let result: CallToolResult;
    try {
      result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    } catch (error) {
      if (this.#client !== client) return { is: 'unknown' }; // killed
      throw error;
    }
    if (!result.isError) return { is: 'done', answer: result.structuredContent ?? {} };
    const error = result._meta?.['daybook/error'] as { code: string; message: string };
    return { is: 'refused', ...error };
  }

  /** The answer of a call that must succeed. */
  async answer(name: string, args: Json): Promise<Json> {
    const outcome = await this.call(name, args);
    if (outcome.is !== 'done') throw new Error(`${name} ${JSON.stringify([args, outcome])}`);
    return outcome.answer;
  }

  /** SIGKILL, and another process in its place. */
  async restart(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#pid === undefined || this.#isStopped) return;
    this.#client = undefined;
    this.kills++;
    process.kill(this.#pid, 'SIGKILL');
    await client.close();
    await this.start();
  }

  /** Stopped in the middle of what it does, as by a laptop that sleeps. */
  async sleep(ms: number): Promise<void> {
    if (this.#client === undefined || this.#pid === undefined || this.#isStopped) return;
    this.#isStopped = true;
    process.kill(this.#pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(this.#pid, 'SIGCONT');
    this.#isStopped = false;
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.#stop();
  }
}
