/**
 * Every argument of every tool that names a file or a folder, over HTTP, with names that lead out of the
 * root: nothing outside is read, written or returned. An argument that is not in CALLS fails the test.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { toolListing } from '../../src/server/mcp/offered-tools.js';
import { tools } from '../../src/tools/index.js';
import { connectHttp } from '../e2e/http-harness.js';
import { withHttpPlace } from '../support/http-place.js';

interface Call {
  /** The other arguments of a valid call. */
  readonly args: Record<string, unknown>;
  /** The folder in the root to which the names refer. */
  readonly folder: string;
  readonly extension: string;
  /** An existing name; by default for a new file. there.* exists before each call. */
  readonly good?: string;
  /** Compared with found names; no file with this name is opened. */
  readonly isFilter?: true;
  /** Over HTTP no name is accepted. */
  readonly isRefused?: true;
}

/** Valid for a note, and for an import of memory.jsonl. */
const THERE = '{"type":"entity","name":"Ada","entityType":"person","observations":[]}\n';

const note = { args: {}, folder: 'memory-bank', extension: '.md' };
const filter = { ...note, isFilter: true } as const;
const exported = { args: {}, folder: 'exports', extension: '.jsonl' };
const CALLS: Record<string, Call> = {
  'export_conversations.file': { ...exported, args: { format: 'jsonl' } },
  'kg_export.file': { ...exported, args: { format: 'jsonl' } },
  'kg_import.file': { ...exported, good: 'there.jsonl' },
  'import_conversations.path': { ...exported, isRefused: true },
  'mb_list.folder': filter,
  'mb_search.folder': { ...filter, args: { query: 'x' } },
  'mb_read.path': { ...note, good: 'there.md' },
  'mb_history.path': { ...note, good: 'there.md' },
  'mb_add.path': { ...note, args: { content: 'x' } },
  'mb_edit.path': { ...note, args: { insertLine: 0, insertText: 'x' }, good: 'there.md' },
  'mb_edit.newPath': { ...note, args: { path: 'there.md' } },
  'mb_delete.path': { ...note, good: 'there.md' },
};

const NAMES = /(file|path|folder|dir|directory|output)s?$/i;
/** Ids and keys of conversations. The ids are names of folders. */
const IDS = /^(conversationIds?|threadId)$/;
/** Other arguments of these tools. */
const WITH_ID: Record<string, Record<string, unknown>> = {
  save_message: { role: 'user', content: 'x' },
  history_threads_append_message: { role: 'user', body: 'x' },
  update_conversation: { title: 'x' },
  branch_conversation: { messageId: 'x' },
  search_messages: { query: 'x' },
  perplexity_search: { query: 'x' },
  perplexity_search_followup: { query: 'x' },
  perplexity_deep_research: { query: 'x' },
  perplexity_deep_research_followup: { query: 'x' },
};
const SECRET = 'the-secret-outside';

const textArguments = (names: RegExp) =>
  tools.flatMap((tool) =>
    Object.entries(toolListing(tool).inputSchema.properties ?? {})
      .filter(([name, schema]) => names.test(name) && JSON.stringify(schema).includes('"string"'))
      .map(([name]) => `${tool.name}.${name}`),
  );
const fileArguments = textArguments(NAMES);

/** Everything below a folder as text, for comparison. */
async function treeOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return `${path}: ${await readFile(path, 'utf8')}`;
  });
  return (await Promise.all(texts)).sort();
}

const tricksFor = (outside: string, extension: string) => [
  ...[`../../outside/new${extension}`, `../../outside/secret${extension}`, '..', '.', '', '/'],
  ...[`${outside}/new${extension}`, `${outside}/secret${extension}`, `file://${outside}/secret.md`],
  ...[`a/../../../outside/new${extension}`, `./../../outside/new${extension}`],
  ...[`..\\..\\outside\\new${extension}`, `C:\\outside\\new${extension}`, `C:new${extension}`],
  ...[`link/new${extension}`, `link/secret${extension}`, `dangling/new${extension}`],
  ...[`secret-link${extension}`, `dangling-link${extension}`],
  ...[`%2e%2e/%2e%2e/outside/new${extension}`, `..%2f..%2foutside%2fnew${extension}`],
  ...[`\uff0e\uff0e/\uff0e\uff0e/outside/new${extension}`, `..\u2215..\u2215outside${extension}`],
  ...[`new${extension}\u0000.txt`, `a\u0000/../../../outside/new${extension}`, `~/new${extension}`],
  ...[`a//b${extension}`, `CON${extension}`, `a.${extension}/x. `, `${'x/'.repeat(600)}y`],
  ...[`${'..'.repeat(40)}${outside.slice(1)}/new${extension}`, `\ud800${extension}`],
];

/** Links that a person or a git clone has left in the folder. */
async function layLinks(folder: string, outside: string, extension: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await symlink(outside, join(folder, 'link'));
  await symlink(join(outside, 'nowhere'), join(folder, 'dangling'));
  await symlink(join(outside, `secret${extension}`), join(folder, `secret-link${extension}`));
  await symlink(join(outside, `new${extension}`), join(folder, `dangling-link${extension}`));
}

describe('arguments that name a file', () => {
  it('are all listed in this test', () => {
    expect(fileArguments.length).toBeGreaterThan(0);
    expect(fileArguments.filter((each) => !(each in CALLS))).toEqual([]);
  });

  it.each(fileArguments)('%s cannot be outside the root, over HTTP', async (argument) => {
    const [name = '', field = ''] = argument.split('.');
    const { args, folder, extension, good, isFilter, isRefused } = CALLS[argument] as Call;
    await withHttpPlace({}, async ({ url, root }) => {
      const outside = join(dirname(root), 'outside');
      await mkdir(outside);
      for (const ending of ['.md', '.jsonl']) {
        await writeFile(join(outside, `secret${ending}`), SECRET);
      }
      await layLinks(join(root, folder), outside, extension);
      const before = await treeOf(outside);
      const { client, result, call } = await connectHttp(url);
      await call('save_message', { conversationId: 'c', role: 'user', content: 'Hello' });
      const ask = async (value: string): Promise<CallToolResult> => {
        await writeFile(join(root, folder, `there${extension}`), THERE);
        return result(name, { ...args, [field]: value });
      };
      for (const trick of tricksFor(outside, extension)) {
        const answer = await ask(trick);
        const text = JSON.stringify(answer);
        expect(text, trick).not.toContain(SECRET);
        expect(await treeOf(outside), trick).toEqual(before);
        if (answer.isError) expect(text, trick).not.toContain('INTERNAL');
        else if (!isFilter) expect(trick, 'taken as a plain name').toMatch(/%|\uff0e|\u2215|^~/);
      }
      const plain = await ask(good ?? `plain/name${extension}`);
      expect(plain.isError ?? false, 'a good name').toBe(isRefused ?? false);
      await client.close();
    });
  });
});

describe('ids that become names of folders', () => {
  it('cannot lead outside the root, in any tool with such an id', async () => {
    const idArguments = textArguments(IDS);
    expect(idArguments.length).toBeGreaterThan(10);
    await withHttpPlace({}, async ({ url, root }) => {
      const outside = join(dirname(root), 'outside');
      const id = '20250124-1706102400123';
      await mkdir(join(outside, id), { recursive: true });
      const messages = [{ role: 'user', content: SECRET }];
      await writeFile(
        join(outside, id, 'conversation.json'),
        JSON.stringify({ conversationId: id, messages }),
      );
      const before = await treeOf(outside);
      const { client, result } = await connectHttp(url);
      const tricks = [
        ...[`../../outside/${id}`, `../outside/${id}`, `${outside}/${id}`, `${id}/../../${id}`],
        ...['..', '.', '', '/', `..\\..\\outside\\${id}`, `${id}\u0000`, `file://${outside}/${id}`],
        ...[`%2e%2e%2f${id}`, `\uff0e\uff0e/${id}`, '.trash', '.locks', 'conversation.json', '~'],
      ];
      for (const argument of idArguments) {
        const [name = '', field = ''] = argument.split('.');
        for (const trick of tricks) {
          const value = field.endsWith('s') ? [trick, `${trick}x`] : trick;
          const answer = await result(name, { ...WITH_ID[name], [field]: value });
          const text = JSON.stringify(answer);
          expect(text, `${argument} ${trick}`).not.toContain(SECRET);
          expect(text, `${argument} ${trick}`).not.toContain('"INTERNAL"');
        }
        expect(await treeOf(outside), argument).toEqual(before);
      }
      const logs = await readdir(join(root, 'conversation-logs'));
      expect(logs.filter((name) => !/^(\.|\d{8}-\d{13}$)/.test(name))).toEqual([]);
      await client.close();
    });
  });
});
