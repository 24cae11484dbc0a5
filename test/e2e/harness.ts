/**
 * Starts the built command as MCP clients do, on a temporary root, either with the official client or as a
 * bare process, so that a test can check every line.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  JsonSchemaValidatorResult,
} from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

import { type CommandRun, runInHost } from '../support/in-host.js';

export const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface Place {
  readonly folder: string;
  readonly root: string;
  readonly env: Record<string, string>;
}

/** Makes a temporary folder with a root, and an environment without settings of the user of this machine. */
export async function withPlace<T>(work: (place: Place) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-e2e-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DAYBOOK_FSYNC: '0',
    EDITOR: 'true',
    DAYBOOK_PAGER: '',
  };
  try {
    return await work({ folder, root: join(folder, 'root'), env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Session {
  readonly client: Client;
  /** The structured content of a call. Throws the error that `failure` would return. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  result(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The error of a call that must fail. */
  failure(name: string, args?: Record<string, unknown>): Promise<{ code: string; message: string }>;
}

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, JsonSchemaValidator<unknown>>();
/**
 * Compiles the schema of a tool at its first result, and only once. The official client compiles all schemas
 * with the list of tools, which takes longer than the start of the server (tools.test.ts does this once).
 */
const jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    return (input) => {
      const key = JSON.stringify(schema);
      const validate = compiled.get(key) ?? ajv.getValidator(schema);
      compiled.set(key, validate);
      return validate(input) as JsonSchemaValidatorResult<T>;
    };
  },
};

/** Starts the built server and connects the official client; both are closed when `work` ends. */
export function withClient<T>(
  { root, env }: Place,
  work: (session: Session) => Promise<T>,
  capabilities: ClientCapabilities = {},
): Promise<T> {
  const args = [MAIN, '--root', root];
  const transport = new StdioClientTransport({ command: process.execPath, args, env });
  return withServerAt(transport, work, capabilities);
}

/** Connects the official client to a server; the connection is closed when `work` ends. */
export async function withServerAt<T>(
  transport: Transport,
  work: (session: Session) => Promise<T>,
  capabilities: ClientCapabilities = {},
): Promise<T> {
  const options = { jsonSchemaValidator, capabilities };
  const client = new Client({ name: 'daybook-e2e', version: '1' }, options);
  await client.connect(transport);
  await client.listTools(); // from here on the client validates results against output schemas
  const result = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as CallToolResult;
  const session: Session = {
    client,
    result,
    async call(name, input) {
      const answer = await result(name, input);
      if (answer.isError) throw new Error(JSON.stringify(answer.content));
      return answer.structuredContent ?? {};
    },
    async failure(name, input) {
      const answer = await result(name, input);
      if (!answer.isError) throw new Error(`${name} did not fail`);
      return answer._meta?.['daybook/error'] as { code: string; message: string };
    },
  };
  try {
    return await work(session);
  } finally {
    await client.close();
  }
}

/** The contents of all messages of a conversation, read page by page. */
export async function contentsOf(
  call: Session['call'],
  conversationId: string,
): Promise<readonly string[]> {
  const contents: string[] = [];
  for (let before: Record<string, unknown> = {}; ; ) {
    const page = await call('get_conversation', { conversationId, messageLimit: 1000, ...before });
    contents.unshift(...(page['messages'] as { content: string }[]).map((each) => each.content));
    if (page['hasMore'] !== true) return contents;
    before = { beforeMessageId: page['nextBeforeMessageId'] };
  }
}

/** The server as a bare process: a test writes lines and reads lines. */
export class BareServer {
  readonly process: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  stderr = '';
  readonly #exit: Promise<unknown[]>;
  #nextId = 1;

  constructor({ root, env }: Place, args: readonly string[] = ['--root', root], main = MAIN) {
    this.process = spawn(process.execPath, [main, ...args], { env });
    this.#exit = once(this.process, 'exit');
    createInterface(this.process.stdout).on('line', (line) => this.lines.push(line));
    this.process.stderr.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
  }

  send(method: string, params: unknown, isRequest = true): number {
    const id = this.#nextId++;
    const message = { jsonrpc: '2.0', ...(isRequest && { id }), method, params };
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
    return id;
  }

  /** Waits for the answer to a request. */
  async answer(id: number): Promise<{ result?: Record<string, unknown>; error?: unknown }> {
    for (;;) {
      const found = this.lines.map((line) => JSON.parse(line)).find((message) => message.id === id);
      if (found) return found;
      if (this.process.exitCode !== null)
        throw new Error(`ended without an answer: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async initialize(): Promise<void> {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bare', version: '1' },
    };
    await this.answer(this.send('initialize', params));
    this.send('notifications/initialized', {}, false);
  }

  /** Waits for the end of the process. Returns its exit code and signal. */
  async exit(): Promise<readonly unknown[]> {
    return this.#exit;
  }
}

/** Runs the command until it ends, in a process of its own only if that is needed. */
export async function runCommand(
  place: Place,
  args: readonly string[],
  cwd = place.folder,
  stdin: string | Uint8Array = '',
): Promise<CommandRun> {
  // A process opens one session bus of the desktop and keeps it.
  const needsProcess = stdin !== '' || 'DBUS_SESSION_BUS_ADDRESS' in place.env;
  const hosted = needsProcess
    ? undefined
    : await runInHost({ main: MAIN, args, env: place.env, cwd });
  return hosted ?? runProcess(place, args, cwd, stdin);
}

/** Runs the command in a process of its own until it ends. */
export async function runProcess(
  place: Place,
  args: readonly string[],
  cwd = place.folder,
  stdin: string | Uint8Array = '',
): Promise<CommandRun> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: place.env, cwd });
  child.stdin.end(stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(child, 'close');
  return { code: code as number, stdout, stderr };
}
