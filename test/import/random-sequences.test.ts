/**
 * Random sequences of what a source and a user do: the source grows, changes texts and shows other branches, the
 * user adds, edits and deletes messages, and newer and older exports are imported. Nothing of the user is lost, no
 * text is there twice, what was deleted never comes back, and a second import changes no byte.
 */
import { expect, it } from 'vitest';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { seededRandom } from '../support/seeded-random.js';
import { counts, fileWith, lines, openImportBench } from './bench.js';

interface Node {
  readonly id: string;
  readonly parent: string | undefined;
  readonly isUser: boolean;
  readonly call: boolean;
  version: number;
}
interface Exported {
  readonly nodes: readonly Node[];
  readonly shown: string;
  readonly title: string;
  readonly at: number;
}
interface Message {
  readonly id: string;
  readonly content: string;
}
type Operation = 'append' | 'edit' | 'delete' | 'title' | 'older';

const START = Date.parse('2026-01-01T00:00:00Z');
const iso = (second: number) => new Date(START + second * 1000).toISOString();
const seconds = (second: number) => START / 1000 + second;
const textOf = ({ version, id }: Node) => `text ${version} of ${id}`;
const roleOf = ({ isUser }: Node) => (isUser ? 'user' : 'assistant');
const CODEX_ID = '33333333-cccc-4ccc-8ccc-00000000000a';

const chatGpt = ({ nodes, shown, title, at }: Exported) => [
  {
    id: 'c',
    title,
    create_time: seconds(0),
    update_time: seconds(at),
    current_node: shown,
    mapping: Object.fromEntries(
      nodes.map((node, index) => {
        const content = { content_type: 'text', parts: [textOf(node)] };
        const message = { id: node.id, author: { role: roleOf(node) }, content };
        const dated = { ...message, create_time: seconds(index) };
        return [node.id, { id: node.id, parent: node.parent ?? null, message: dated }];
      }),
    ),
  },
];

const claude = ({ nodes, shown, title, at }: Exported) => [
  {
    uuid: 'c',
    name: title,
    created_at: iso(0),
    updated_at: iso(at),
    current_leaf_message_uuid: shown,
    chat_messages: nodes.map((node, index) => ({
      uuid: node.id,
      parent_message_uuid: node.parent ?? null,
      sender: node.isUser ? 'human' : 'assistant',
      created_at: iso(index),
      content: [
        ...callsOf(node, { type: 'tool_use', name: 'ls', input: { of: node.id } }),
        { type: 'text', text: textOf(node) },
      ],
    })),
  },
];

const callsOf = ({ call, isUser }: Node, value: object) => (call && !isUser ? [value] : []);

const claudeCode = ({ nodes, title }: Exported) =>
  lines(
    { type: 'custom-title', sessionId: 'c', customTitle: title },
    ...nodes.map((node, index) => {
      const tool = { type: 'tool_use', id: `t${node.id}`, name: 'ls', input: { of: node.id } };
      const answer = [...callsOf(node, tool), { type: 'text', text: textOf(node) }];
      const message = node.isUser
        ? { role: 'user', content: textOf(node) }
        : { role: 'assistant', id: `m${node.id}`, content: answer };
      const of = { sessionId: 'c', timestamp: iso(index) };
      return { ...of, type: roleOf(node), uuid: node.id, parentUuid: node.parent ?? null, message };
    }),
  );

const codex = ({ nodes }: Exported) =>
  lines(
    {
      timestamp: iso(0),
      type: 'session_meta',
      payload: { id: CODEX_ID, timestamp: iso(0), cwd: '/shed' },
    },
    ...nodes.flatMap((node, index) => {
      const content = [{ type: node.isUser ? 'input_text' : 'output_text', text: textOf(node) }];
      const call = { type: 'function_call', name: 'ls', arguments: '{}', call_id: node.id };
      const message = { type: 'message', role: roleOf(node), content };
      return [...callsOf(node, call), message].map((payload) => ({
        timestamp: iso(index),
        type: 'response_item',
        payload,
      }));
    }),
  );

const SOURCES = {
  chatgpt: { file: 'conversations.json', exported: chatGpt, isTree: true, isEdited: true },
  claude: { file: 'conversations.json', exported: claude, isTree: true, isEdited: true },
  code: { file: 's.jsonl', exported: claudeCode, isTree: true, isEdited: false },
  codex: {
    file: `rollout-2026-06-02T10-00-00-${CODEX_ID}.jsonl`,
    exported: codex,
    isTree: false,
    isEdited: false,
  },
};

type Bench = Awaited<ReturnType<typeof openImportBench>>;

/** The source, and what must be in the store. */
class Sequence {
  readonly bench: Bench;
  readonly #below: (limit: number) => number;
  readonly #source: (typeof SOURCES)[keyof typeof SOURCES];
  readonly #nodes: Node[] = [];
  #title = 'T0';
  #exports: { readonly path: string; readonly texts: ReadonlyMap<string, string> }[] = [];
  #newest = -1;
  /** The texts of the user. */
  readonly #mine = new Set<string>();
  /** Ids of messages that were deleted, and of nodes whose message was changed here. */
  readonly #deleted = new Set<string>();
  readonly #touched = new Set<string>();
  #count = 0;

  constructor(bench: Bench, kind: keyof typeof SOURCES, seed: number) {
    this.bench = bench;
    const random = seededRandom(seed * 31 + kind.length);
    this.#below = (limit) => Math.floor(random() * limit);
    this.#source = SOURCES[kind];
    bench.time.now = Date.parse('2026-06-01T00:00:00Z');
  }

  async run(operations: readonly Operation[]): Promise<void> {
    this.#grow(2 + this.#below(4));
    this.#export();
    await this.#import(0);
    for (let step = 0; step < 7; step += 1) {
      this.bench.time.now += 3_600_000;
      const all = ['source', 'source', 'source', ...operations] as const;
      const operation = this.#pick(all);
      const folder = this.#pick(this.bench.folders());
      if (operation === 'source') {
        this.#change(step);
        this.#export();
        await this.#import(this.#exports.length - 1);
      } else if (operation === 'older') await this.#import(this.#below(this.#exports.length));
      else await this.#changeHere(operation, folder);
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }

  #leaves(): Node[] {
    return this.#nodes.filter(({ id }) => !this.#nodes.some(({ parent }) => parent === id));
  }

  #grow(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const atEnd = () => (this.#below(3) === 0 ? this.#nodes : this.#leaves());
      const among = this.#source.isTree ? atEnd() : this.#nodes.slice(-1);
      const parent = among.length === 0 ? undefined : this.#pick(among);
      const id = `node-${String(this.#nodes.length + 1).padStart(14, '0')}`;
      const call = this.#below(3) === 0;
      const isUser = parent === undefined || !parent.isUser;
      this.#nodes.push({ id, parent: parent?.id, isUser, version: 1, call });
    }
  }

  #change(step: number): void {
    if (this.#below(4) > 0) this.#grow(1 + this.#below(3));
    if (this.#source.isEdited) {
      for (let left = this.#below(3); left > 0; left -= 1) this.#pick(this.#nodes).version += 1;
    }
    if (this.#below(4) === 0) this.#title = `T${step + 1}`;
  }

  #export(): void {
    const { exported, file, isEdited } = this.#source;
    const leaf = isEdited ? this.#pick(this.#leaves()) : this.#leaves().at(-1);
    const at = 100 * (this.#exports.length + 2);
    const of = { nodes: this.#nodes, shown: leaf?.id ?? '', title: this.#title, at };
    const texts = new Map(this.#nodes.map((node) => [node.id, textOf(node)]));
    this.#exports.push({ path: fileWith(exported(of), file), texts });
  }

  async #import(at: number): Promise<void> {
    const { bench } = this;
    const path = this.#exports[at]?.path ?? '';
    const planned = await bench.import(path, { dryRun: true });
    const report = await bench.import(path);
    expect(counts(planned)).toEqual(counts(report));
    expect(report.problems).toEqual([]);
    this.#newest = Math.max(this.#newest, at);
    const isReported = Object.keys(report.leftOut).some((reason) =>
      reason.includes('another text'),
    );
    this.#check(isReported && at === this.#newest);
    const before = bench.hash();
    expect(await bench.import(path)).toMatchObject({ added: 0, updated: 0 });
    expect(bench.hash()).toBe(before);
  }

  #check(isReported: boolean): void {
    const { folders, jsonOf } = this.bench;
    const stored: Message[] = folders().flatMap((folder) => jsonOf(folder).messages);
    const ids = stored.map(({ id }) => id);
    const texts = stored.map(({ content }) => content);
    expect(ids).toEqual([...new Set(ids)]);
    expect(texts).toEqual([...new Set(texts)]);
    expect(texts).toEqual(expect.arrayContaining([...this.#mine]));
    expect(ids.filter((id) => this.#deleted.has(id))).toEqual([]);
    const wanted = [...(this.#exports[this.#newest]?.texts ?? [])];
    const missing = wanted.filter(([id, text]) => !this.#touched.has(id) && !texts.includes(text));
    if (!isReported) expect(missing).toEqual([]);
  }

  async #changeHere(operation: Exclude<Operation, 'older'>, folder: string): Promise<void> {
    const { store, jsonOf } = this.bench;
    this.#count += 1;
    const text = `mine ${this.#count}`;
    if (operation === 'title') await store.update(folder, { title: text });
    else if (operation === 'append') {
      await store.append(folder, [{ role: 'user', content: text }]);
      this.#mine.add(text);
    } else {
      const messages: Message[] = jsonOf(folder).messages;
      const { id, content } = this.#pick(messages);
      if (operation === 'delete' && messages.length === 1) return;
      this.#touched.add(/node-\d+$/.exec(content)?.[0] ?? '');
      this.#mine.delete(content);
      const hash = messageHash(content);
      if (operation === 'edit') {
        await store.edits.update(folder, id, text, hash);
        this.#mine.add(text);
      } else {
        await store.edits.remove(folder, id, hash);
        this.#deleted.add(id);
      }
    }
  }
}

const MOST: readonly Operation[] = ['append', 'delete', 'older'];
const ALL: readonly Operation[] = ['append', 'edit', 'delete', 'title', 'older'];
/** Each of these sequences once showed a fault. */
const SEEDS = [
  ...[26, 38, 302, 311].map((seed) => ['chatgpt', seed, MOST] as const),
  ...[8, 308, 337, 340].map((seed) => ['claude', seed, MOST] as const),
  ['claude', 147, ALL] as const,
  ...[5, 21].map((seed) => ['code', seed, MOST] as const),
  ...[1, 2].map((seed) => ['codex', seed, MOST] as const),
];

it.each(SEEDS)('%s: sequence %i', async (kind, seed, operations) => {
  await new Sequence(await openImportBench(), kind, seed).run(operations);
});
