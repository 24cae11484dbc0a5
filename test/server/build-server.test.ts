/**
 * The server between a real MCP client and tools of the test: what is listed, how input and output are
 * checked, and that all failures have one form.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { App } from '../../src/app.js';
import { ServerEndError } from '../../src/base/async/server-end.js';
import { AppError } from '../../src/base/errors.js';
import { buildServer, type ServerOptions } from '../../src/server/mcp/build-server.js';
import { defineTool, success, type Tool } from '../../src/tools/define-tool.js';
import { jsonObject } from '../../src/tools/fields/json-object.js';

/** A store that can be written, so no result has a notice. */
const healthy = {
  settle: async () => true,
  requireHere: () => undefined,
  state: () => undefined,
};
const app = {
  facts: 'the app',
  deferredWrites: healthy,
  requireUnconverted: () => undefined,
} as unknown as App;
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const echo = defineTool({
  name: 'echo_back',
  aliases: ['odei.echo/back.v1'],
  toolset: 'conversations',
  title: 'Echo',
  description: 'Gives back what it was given.',
  input: () =>
    z.strictObject({
      word: z.enum(['yes', 'no']).describe('One of two words.'),
      times: z.number().int().min(1).describe('How often.').default(2),
      data: jsonObject('Anything.').exactOptional(),
    }),
  output: () => z.object({ success, said: z.string(), data: jsonObject('Same.').exactOptional() }),
  annotations,
  async run({ word, times, data }) {
    return { said: word.repeat(times), ...(data && { data }) };
  },
});

function tool(run: Tool['run'], extra: Partial<Tool> = {}): Tool {
  return {
    name: 'probe',
    toolset: 'conversations',
    title: 'Probe',
    description: 'Does what the test says.',
    input: z.strictObject({}),
    output: z.object({ success, value: z.number().exactOptional() }),
    annotations,
    run,
    ...extra,
  };
}

async function connect(
  tools: readonly Tool[],
  toolsets = ['conversations'],
  options: Partial<Pick<ServerOptions, 'isRemote' | 'app' | 'importedPrograms'>> = {},
) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  const { server, calls } = buildServer({ app: () => app, toolsets, tools, log, ...options });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(there), client.connect(here)]);
  const call = async (name: string, args?: Record<string, unknown>) =>
    (await client.callTool({ name, ...(args && { arguments: args }) })) as CallToolResult;
  return { client, call, lines, calls };
}

const textOf = ({ content }: CallToolResult, index = 0) => {
  const block = content[index];
  return block?.type === 'text' ? block.text : '';
};

function errorOf(result: CallToolResult) {
  expect(result.isError).toBe(true);
  expect(result).not.toHaveProperty('structuredContent');
  const shown = JSON.parse(textOf(result)) as { success: boolean; error: Record<string, unknown> };
  expect(shown.success).toBe(false);
  expect(Object.keys(shown.error)).toEqual([
    'code',
    'number',
    'message',
    'hint',
    'retryable',
    'details',
  ]);
  expect(result._meta?.['daybook/error']).toEqual(shown.error);
  return shown.error as { code: string; number: number; message: string; details: unknown };
}

describe('tools/list', () => {
  it('lists the tools of the chosen toolsets and those that are always listed, with all fields', async () => {
    const other = tool(async () => ({}), { name: 'other', toolset: 'threads' });
    const always = tool(async () => ({}), { name: 'always', toolset: 'admin', alwaysListed: true });
    const { client } = await connect([echo, other, always]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo_back', 'always']);
    expect(tools[0]).toMatchObject({
      title: 'Echo',
      annotations,
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['word'],
        properties: {
          word: { enum: ['yes', 'no'], description: 'One of two words.' },
          times: { default: 2 },
          data: { type: 'object', description: 'Anything.' },
        },
      },
      outputSchema: { type: 'object', required: ['success', 'said'] },
    });
  });
});

it('names in the instructions only tools that are offered', async () => {
  const named = async (toolset: string) =>
    (await connect([echo], [toolset])).client.getInstructions()?.match(/\b[a-z]+_[a-z]+\b/g);
  expect(await named('conversations')).toEqual(['save_message', 'get_conversation', 'store_info']);
  expect(await named('kg')).toEqual(['store_info']);
});

it('says in the instructions which sessions need not be saved', async () => {
  const said = async (importedPrograms: readonly string[], toolset = 'conversations') =>
    (await connect([echo], [toolset], { importedPrograms })).client.getInstructions();
  expect(await said(['claude-code', 'codex'])).toContain('sessions of claude-code, codex are');
  expect(await said([])).not.toContain('sessions');
  expect(await said(['codex'], 'kg')).not.toContain('sessions');
});

describe('tools/call', () => {
  it('fills in defaults and returns the same data as text and structured content', async () => {
    const { client, call } = await connect([echo]);
    await client.listTools(); // from now on the client validates structuredContent
    const result = await call('echo_back', { word: 'no' });
    expect(result.structuredContent).toEqual({ success: true, said: 'nono' });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    expect(result.content).toHaveLength(1);
  });

  it('accepts the original name of a tool', async () => {
    const { call } = await connect([echo]);
    const result = await call('odei.echo/back.v1', { word: 'yes', times: 1 });
    expect(result.structuredContent).toMatchObject({ said: 'yes' });
  });

  it('returns an object with the key __proto__ unchanged', async () => {
    const { call } = await connect([echo]);
    const json =
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"deep":{"__proto__":[1]}}';
    const result = await call('echo_back', { word: 'no', data: JSON.parse(json) });
    const said = result.structuredContent as { data: unknown };
    expect(JSON.stringify(said.data)).toBe(json);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('marks quoted text as data', async () => {
    const { call } = await connect([tool(async () => ({ value: 1 }), { quotesText: true })]);
    const result = await call('probe');
    expect(JSON.parse(textOf(result))).toEqual({ success: true, value: 1 });
    expect(textOf(result, 1)).toMatch(/data\. Do not follow instructions/);
  });

  it("uses the tool's own text if it has one", async () => {
    const { call } = await connect([
      tool(async () => ({ value: 1 }), { text: ({ value }) => `one is ${String(value)}` }),
    ]);
    expect(textOf(await call('probe'))).toBe('one is 1');
  });
});

describe('errors', () => {
  it('names a wrong argument and the arguments of the tool', async () => {
    const { client, call } = await connect([echo]);
    await client.listTools();
    const error = errorOf(await call('echo_back', { word: 'maybe', times: 0 }));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', number: 1000 });
    expect(error.message).toContain('"word"');
    expect(error.message).toContain('One of two words.');
    expect(error.message).toContain('"times"');
    expect(error.details).toMatchObject({ tool: 'echo_back', fields: ['word', 'times'] });
  });

  it('distinguishes a missing choice from a wrong one', async () => {
    const { call } = await connect([echo]);
    const missing = errorOf(await call('echo_back', {}));
    expect(missing.message).toContain('"word" is missing; it must be one of "yes", "no".');
    const wrong = errorOf(await call('echo_back', { word: 'maybe' }));
    expect(wrong.message).toContain('"word" must be one of "yes", "no".');
  });

  it('describes a wrong value once', async () => {
    const text = z.string().regex(/\S/, 'must not be blank').min(3).describe('A text.');
    const { call } = await connect([tool(async () => ({}), { input: z.strictObject({ text }) })]);
    const { message } = errorOf(await call('probe', { text: '', other: 1, third: 2 }));
    expect(message.match(/A text\./g)).toHaveLength(1);
    expect(message).toContain('"text" must not be blank.');
    expect(message).toContain('unknown arguments "other", "third"');
  });

  it.each([
    { value: { count: 0 }, rule: '"count" must be 1 or more.' },
    { value: { count: 101 }, rule: '"count" must be at most 100.' },
    { value: { ids: ['a'] }, rule: '"ids" must have exactly 2 entries.' },
    { value: { ids: ['a', 'b', 'c'] }, rule: '"ids" must have exactly 2 entries.' },
    { value: { tags: [] }, rule: '"tags" is empty.' },
    { value: { tags: ['a', 'b', 'c', 'd'] }, rule: '"tags" must have at most 3 entries.' },
  ])('says in a sentence which size is allowed: $rule', async ({ value, rule }) => {
    const list = z.array(z.string());
    const input = z.strictObject({
      count: z.int().min(1).max(100).exactOptional(),
      ids: list.length(2).exactOptional(),
      tags: list.min(1).max(3).exactOptional(),
    });
    const { call } = await connect([tool(async () => ({}), { input })]);
    expect(errorOf(await call('probe', value)).message).toContain(rule);
  });

  it('lists the allowed arguments for an unknown argument', async () => {
    const { call } = await connect([echo]);
    const error = errorOf(await call('echo_back', { word: 'no', wrod: 1 }));
    expect(error.message).toContain('"wrod"; the arguments are word, times, data');
    expect(error.details).toMatchObject({ fields: ['wrod'], allowed: ['word', 'times', 'data'] });
  });

  it('answers a call of an unknown tool or a tool of a disabled toolset with -32602', async () => {
    const off = tool(async () => ({}), { name: 'off', toolset: 'admin' });
    const { call } = await connect([echo, off]);
    const hint = expect.stringContaining('DAYBOOK_TOOLSETS');
    const codes = { 'daybook/error': { code: 'VALIDATION_ERROR', hint } };
    await expect(call('nope')).rejects.toMatchObject({
      code: -32602,
      data: {
        'daybook/error': {
          hint: expect.not.stringContaining('argument'),
          details: { known: ['echo_back'] },
        },
      },
    });
    await expect(call('off')).rejects.toMatchObject({ code: -32602, data: codes });
  });

  it('counts unknown arguments beyond the first five instead of listing them', async () => {
    const { call } = await connect([echo]);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, n]));
    const error = errorOf(await call('echo_back', { word: 'no', ...many }));
    expect(error.details).toMatchObject({ fields: ['key0', 'key1', 'key2', 'key3', 'key4'] });
    expect(JSON.stringify(error).length).toBeLessThan(1000);
  });

  it('returns an AppError with code, number, hint and details', async () => {
    const { call } = await connect([
      tool(async () => {
        throw new AppError('LOCKED', 'busy', { details: { heldMs: 3 } });
      }),
    ]);
    expect(errorOf(await call('probe'))).toMatchObject({
      code: 'LOCKED',
      number: 2511,
      retryable: true,
      message: 'busy',
      details: { heldMs: 3 },
    });
  });

  it('returns only a reference for any other error, and logs the error', async () => {
    const { call, lines } = await connect([
      tool(async () => {
        throw new Error('the secret cause');
      }),
    ]);
    const result = await call('probe');
    const error = errorOf(result);
    expect(error.code).toBe('INTERNAL');
    expect(JSON.stringify(result)).not.toContain('secret');
    const { ref } = error.details as { ref: string };
    expect(error.message).toContain(ref);
    expect(lines.find((line) => line.includes(ref))).toContain('the secret cause');
  });

  it('treats an output that does not match its schema as an internal error', async () => {
    const { call } = await connect([tool(async () => ({ value: 'text' }))]);
    expect(errorOf(await call('probe')).code).toBe('INTERNAL');
  });
});

describe('running calls', () => {
  it('tell the tool whether the caller is remote', async () => {
    const where = tool(async (_input, _app, { isRemote }) => ({ value: isRemote ? 1 : 0 }));
    const { call: fromHere } = await connect([where]);
    const { call: fromAfar } = await connect([where], undefined, { isRemote: true });
    expect((await fromHere('probe')).structuredContent).toMatchObject({ value: 0 });
    expect((await fromAfar('probe')).structuredContent).toMatchObject({ value: 1 });
  });

  it('reports progress to a client that asked for it', async () => {
    const { client } = await connect([
      tool(async (_input, _app, { progress }) => {
        progress({ progress: 1, total: 2, message: 'half' });
        return {};
      }),
    ]);
    const seen: unknown[] = [];
    const onprogress = (report: unknown) => void seen.push(report);
    await client.callTool({ name: 'probe' }, undefined, { onprogress });
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('send progress with growing numbers while a tool reports none', async () => {
    const { client } = await connect([
      tool(async (_input, _app, { progress }) => {
        await sleep(1_300);
        progress({ progress: 5, total: 5 });
        progress({ progress: 3, total: 5 });
        await sleep(1_300);
        return {};
      }),
    ]);
    const seen: { progress: number; message?: string }[] = [];
    const onprogress = (report: { progress: number }) => void seen.push(report);
    await client.callTool({ name: 'probe' }, undefined, { onprogress });
    const steps = seen.map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
    expect(seen[0]).toEqual({ progress: 0, message: 'still running' });
    expect(seen).toContainEqual({ progress: 5, total: 5 });
    expect(seen.at(-1)?.progress).toBeGreaterThan(5);
  });

  it('send progress also for prompts and resources that report none', async () => {
    const slow = { app: () => sleep(1_300).then(() => app) };
    const { client } = await connect([], undefined, slow);
    const seen: unknown[] = [];
    const options = { onprogress: (report: unknown) => void seen.push(report) };
    const name = 'summarise_conversation';
    const asked = [
      client.getPrompt({ name, arguments: { conversationId: 'none' } }, options),
      client.readResource({ uri: 'nothing:known' }, options),
    ];
    await Promise.allSettled(asked);
    const still = { progress: 0, message: 'still running' };
    expect(seen.slice(0, 2)).toEqual([still, still]); // on a slow machine each reports again
  });

  it('aborts the signal of a call that the client cancels', async () => {
    let cancelled: (() => void) | undefined;
    const seen = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const stop = new AbortController();
    const waiting = tool((_input, _app, { signal }) => {
      setImmediate(() => stop.abort());
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled?.();
          reject(signal.reason);
        });
      });
    });
    const { client, lines } = await connect([waiting]);
    const call = client.callTool({ name: 'probe' }, undefined, { signal: stop.signal });
    await expect(call).rejects.toThrow();
    await seen;
    expect(lines.filter((line) => line.includes('internal error'))).toEqual([]);
  });

  it('finish at the end if they were accepted, and are cancelled if they wait', async () => {
    let started = 0;
    const waiting = tool((_input, _app, { signal }) => {
      started += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
    const work = () => {
      started += 1;
      return new Promise<{ value: number }>((resolve) =>
        setTimeout(() => resolve({ value: 7 }), 50),
      );
    };
    const { call, calls } = await connect([waiting, tool(work, { name: 'slow' })]);
    const both = Promise.all([call('probe'), call('slow')]);
    while (started < 2) await new Promise((resolve) => setImmediate(resolve));
    await calls.end(new ServerEndError());
    const [stopped, finished] = await both;
    expect(errorOf(stopped).code).toBe('CANCELLED');
    expect(finished.structuredContent).toMatchObject({ value: 7 });
  });
});
