/**
 * The command line of the official MCP inspector, a client of other authors, lists every tool of the built
 * server. It calls an eighth of the tools, another eighth in each run (`DAYBOOK_SOAK=2`: all of them). In each
 * run the official client calls all tools in one session. ARGUMENTS has the arguments of tools that need
 * special ones.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resourceTemplates } from '../../src/resources/resources.js';
import { tools } from '../../src/tools/index.js';
import { clientFile } from '../support/client-packages.js';
import { sampled } from '../support/rounds.js';
import { type Place, withClient, withPlace } from './harness.js';

const ROOT = resolve(import.meta.dirname, '../..');
/** The package that `mcp-inspector --cli` starts. The whole inspector is three times as large. */
const INSPECTOR = '@modelcontextprotocol/inspector-cli/build/index.js';
const MAIN = resolve(ROOT, 'dist/cli/main.js');
/** The number of processes at once. One process for each tool would be too many for a small machine. */
const AT_ONCE = 2;

async function inspect({ root, env }: Place, ...options: readonly string[]) {
  const server = [process.execPath, MAIN, '--root', root, '--toolsets', 'all'];
  const target = [await clientFile(INSPECTOR), ...server];
  const { stdout } = await promisify(execFile)(process.execPath, [...target, ...options], {
    env: { ...env, DAYBOOK_PERPLEXITY_TOOLS: 'always' },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The items on which the tools are tried. A tool that removes a conversation has its own one. */
interface Known {
  readonly id: string;
  readonly messageId: string;
  readonly doomed: string;
  readonly halves: readonly string[];
  readonly insight: string;
  /** Messages to change and to delete, with their hashes. */
  readonly messages: readonly Record<string, string>[];
  readonly trashed: string;
}

const CONVERSATION = ({ id }: Known) => ({ conversationId: id });
const FACT = { subject: 'Ada', predicate: 'knows', object: 'Charles' };
const ARGUMENTS: Record<string, (known: Known) => Record<string, string>> = {
  save_message: () => ({ role: 'user', content: 'Hello' }),
  get_conversation: CONVERSATION,
  get_conversation_history: CONVERSATION,
  update_conversation: ({ id }) => ({ conversationId: id, title: 'Renamed' }),
  branch_conversation: ({ id, messageId }) => ({ conversationId: id, messageId }),
  update_message: ({ messages: [first] }) => ({ ...first, content: 'Hello all' }),
  delete_message: ({ messages: [, second] }) => ({ ...second }),
  prune_conversations: () => ({ olderThanDays: '400' }),
  quick_find: () => ({ query: 'hello' }),
  restore_conversation: ({ trashed }) => ({ name: trashed }),
  delete_conversation: ({ doomed }) => ({ conversationId: doomed }),
  merge_conversations: ({ halves }) => ({ conversationIds: JSON.stringify(halves) }),
  search_messages: () => ({ query: 'hello' }),
  get_relevant_snippets: () => ({ query: 'hello' }),
  search_memory: () => ({ query: 'hello', context: 'global' }),
  get_progressive_detail: CONVERSATION,
  get_context_summary: ({ id }) => ({ conversationIds: JSON.stringify([id]) }),
  import_conversations: () => ({ text: '{"messages":[{"role":"user","content":"Hi"}]}' }),
  set_state: () => ({ values: JSON.stringify({ colour: 'blue' }) }),
  history_threads_create: () => ({ module: 'plan' }),
  history_threads_get: ({ id }) => ({ threadId: id }),
  history_threads_search: () => ({ q: 'hello' }),
  history_threads_append_message: ({ id }) => ({ threadId: id, role: 'user', body: 'More' }),
  kg_add: () => FACT,
  kg_delete: () => FACT,
  kg_neighbors: () => ({ node: 'Ada' }),
  kg_import: () => ({ text: '{"subject":"Ada","predicate":"knows","object":"Charles"}' }),
  mb_read: () => ({ path: 'read.md' }),
  mb_history: () => ({ path: 'read.md' }),
  mb_search: () => ({ query: 'hello' }),
  mb_add: () => ({ path: 'added.md', content: 'Hello' }),
  mb_edit: () => ({ path: 'edited.md', oldText: 'Hello', newText: 'Goodbye' }),
  mb_delete: () => ({ path: 'doomed.md' }),
  save_insight: () => ({ content: 'It rains', context: 'global' }),
  search_insights: () => ({ query: 'rains' }),
  get_insight: ({ insight }) => ({ id: insight }),
  update_insight: ({ insight }) => ({ id: insight, content: 'It pours' }),
  delete_insight: ({ insight }) => ({ id: insight }),
  perplexity_search: () => ({ query: 'What is MCP?' }),
  perplexity_deep_research: () => ({ query: 'What is MCP?' }),
  perplexity_search_followup: ({ id }) => ({ conversationId: id, query: 'And then?' }),
  perplexity_deep_research_followup: ({ id }) => ({ conversationId: id, query: 'And then?' }),
};

/** The tools that cannot succeed without an account of another service, and their errors. */
const FAILURES: Record<string, string> = {
  perplexity_search: 'NOT_CONFIGURED',
  perplexity_deep_research: 'NOT_CONFIGURED',
  perplexity_search_followup: 'NOT_CONFIGURED',
  perplexity_deep_research_followup: 'NOT_CONFIGURED',
};

function prepare(place: Place): Promise<Known> {
  return withClient(place, async ({ call }) => {
    const save = async () => await call('save_message', { role: 'user', content: 'Hello you' });
    const { conversationId, messageId } = await save();
    const others = [await save(), await save(), await save()].map((saved) =>
      String(saved['conversationId']),
    );
    const [doomed = '', ...halves] = others;
    for (const path of ['read.md', 'edited.md', 'doomed.md'])
      await call('mb_add', { path, content: 'Hello' });
    const insight = String((await call('save_insight', { content: 'It rains' }))['id']);
    const messages = [await save(), await save()].map(async ({ conversationId, messageId }) => {
      const read = await call('get_conversation', { conversationId });
      const [{ hash = '' } = {}] = read['messages'] as { hash?: string }[];
      return { conversationId: String(conversationId), messageId: String(messageId), hash };
    });
    const trashed = String((await save())['conversationId']);
    await call('delete_conversation', { conversationId: trashed });
    return {
      id: String(conversationId),
      messageId: String(messageId),
      doomed,
      halves,
      insight,
      messages: await Promise.all(messages),
      trashed,
    };
  });
}

async function outcomeOf(place: Place, name: string, known: Known): Promise<string> {
  const args = Object.entries(ARGUMENTS[name]?.(known) ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const options = args.length === 0 ? [] : ['--tool-arg', ...args];
  return endOf(await inspect(place, '--method', 'tools/call', '--tool-name', name, ...options));
}

/** The outcome of a call: `ok`, or the code of its error. */
function endOf(answer: Record<string, unknown>): string {
  if (!answer['isError']) {
    const { success } = answer['structuredContent'] as { success: boolean };
    return success ? 'ok' : 'no success';
  }
  const meta = answer['_meta'] as Record<string, { code: string; message: string }>;
  return meta['daybook/error']?.code ?? 'no code';
}

describe("the inspector's command line", () => {
  it('lists every tool, resource, template and prompt', async () => {
    await withPlace(async (place) => {
      const { id } = await prepare(place);
      const listed = await inspect(place, '--method', 'tools/list');
      const names = (listed['tools'] as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual(tools.map(({ name }) => name));
      const resources = await inspect(place, '--method', 'resources/list');
      expect(resources['resources']).toHaveLength(4 + 5);
      const uri = `daybook://conversation/${id}`;
      const read = await inspect(place, '--method', 'resources/read', '--uri', uri);
      expect(read['contents']).toMatchObject([{ uri, mimeType: 'application/json' }]);
      const templates = await inspect(place, '--method', 'resources/templates/list');
      expect(templates['resourceTemplates']).toHaveLength(resourceTemplates.length);
      const prompts = await inspect(place, '--method', 'prompts/list');
      expect(prompts['prompts']).toMatchObject([{ name: 'session_start' }, {}, {}]);
      const prompt = ['--method', 'prompts/get', '--prompt-name', 'session_start'];
      expect((await inspect(place, ...prompt))['messages']).toHaveLength(2);
    });
  }, 300_000);

  it('gets the expected answer from each tool that it calls', async () => {
    await withPlace(async (place) => {
      const known = await prepare(place);
      const outcomes: Record<string, string> = {};
      const called = sampled('tools', tools, 8).map(({ name }) => name);
      const names = called.values();
      const worker = async () => {
        for (const name of names) outcomes[name] = await outcomeOf(place, name, known);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      const expected = called.map((name) => [name, FAILURES[name] ?? 'ok']);
      expect(outcomes).toEqual(Object.fromEntries(expected));
    });
  }, 600_000);
});

it('every tool of the built server answers the official client', async () => {
  await withPlace(async (place) => {
    const known = await prepare(place);
    const env = { ...place.env, DAYBOOK_TOOLSETS: 'all', DAYBOOK_PERPLEXITY_TOOLS: 'always' };
    await withClient({ ...place, env }, async ({ client, result }) => {
      const outcomes: Record<string, string> = {};
      for (const { name, inputSchema } of (await client.listTools()).tools) {
        const fields = inputSchema.properties as Record<string, { type?: string | string[] }>;
        const isText = (key: string) => [fields[key]?.type ?? 'string'].flat().includes('string');
        // The inspector accepts texts, and parses values of other types as JSON.
        const args = Object.entries(ARGUMENTS[name]?.(known) ?? {}).map(([key, text]) => [
          ...[key, isText(key) ? text : JSON.parse(text)],
        ]);
        outcomes[name] = endOf(await result(name, Object.fromEntries(args)));
      }
      const expected = tools.map(({ name }) => [name, FAILURES[name] ?? 'ok']);
      expect(outcomes).toEqual(Object.fromEntries(expected));
    });
  });
});
