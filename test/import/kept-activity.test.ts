/**
 * An import with a lower `activity` than an earlier one keeps the tool calls, results and thinking that are
 * stored, and stores less only of what is new.
 */
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../src/import/source-interface.js';
import { seededRandom } from '../support/seeded-random.js';
import { counts, fileWith, folderWith, lines, openImportBench, said } from './bench.js';

const SESSION = '33333333-cccc-4ccc-8ccc-000000000001';
const id = (n: number) => `33333333-dddd-4ddd-8ddd-${String(n).padStart(12, '0')}`;
const long = (name: string) => `${name} ${'words '.repeat(200)}${name}`;
/** A block of the log: the user's text, or the assistant's text, thinking, call or result. */
type Block = readonly [kind: 'user' | 'text' | 'think' | 'call' | 'result', value: string];
/** The blocks as lines, each of which follows the one before. */
const logOf = (blocks: readonly Block[]) => lines(...blocks.map((block, at) => lineOf(block, at)));

function lineOf([kind, value]: Block, at: number) {
  const [name = ''] = value.split(' ');
  const content = {
    user: value,
    text: [{ type: 'text', text: value }],
    think: [{ type: 'thinking', thinking: value }],
    call: [{ type: 'tool_use', id: name, name: 'Bash', input: { command: value } }],
    result: [{ type: 'tool_result', tool_use_id: name, content: value }],
  }[kind];
  const role = kind === 'user' || kind === 'result' ? 'user' : 'assistant';
  return {
    type: role,
    uuid: id(at + 1),
    parentUuid: at === 0 ? null : id(at),
    sessionId: SESSION,
    isSidechain: false,
    timestamp: new Date(Date.UTC(2026, 0, 2, 10, 0, at)).toISOString(),
    message: { role, id: `m${at}`, content },
  };
}

const folderOf = (blocks: readonly Block[]) =>
  folderWith({ [`projects/-shed/${SESSION}.jsonl`]: logOf(blocks) });

/** The third turn has no text, so its activity is in an empty message. */
const TALK: readonly Block[] = [
  ['user', 'Build a shed'],
  ['think', long('plan')],
  ['call', long('t1')],
  ['result', long('t1')],
  ['text', 'I looked.'],
  ['call', 't2 again'],
  ['result', long('t2')],
  ['call', 't3 again'],
  ['result', 't3 short'],
  ['text', 'Done.'],
  ['user', 'And a door'],
  ['think', long('door')],
  ['call', 't4 door'],
  ['result', long('t4')],
  ['user', 'Which colour?'],
  ['text', 'Green.'],
];

type Bench = Awaited<ReturnType<typeof openImportBench>>;
/** The activity of all messages, one after the other. */
// biome-ignore lint/suspicious/noExplicitAny: of a file
const activityOf = (messages: any[]) =>
  messages.flatMap(({ metadata: { thinking, tools = [] } = {} }) => [
    ...(thinking === undefined ? [] : [thinking]),
    // biome-ignore lint/suspicious/noExplicitAny: of a file
    ...tools.map(({ input, result }: any) => `${input} -> ${result}`),
  ]);
const stored = (bench: Bench) => bench.bySource(SESSION);
const UNCHANGED = { added: 0, updated: 0, unchanged: 1, skipped: 0 };

async function freshWith(activity: Activity, blocks: readonly Block[]) {
  const bench = await openImportBench();
  await bench.import(folderOf(blocks), { activity });
  return bench;
}

describe.each<[Activity, Activity]>([
  ['all', 'short'],
  ['all', 'none'],
  ['short', 'none'],
])('after an import with %s, one with %s', (first, then) => {
  it('changes no byte', async () => {
    const bench = await freshWith(first, TALK);
    const before = bench.hash();
    const planned = await bench.import(folderOf(TALK), { activity: then, dryRun: true });
    const report = await bench.import(folderOf(TALK), { activity: then });
    expect([counts(planned), counts(report)]).toEqual([UNCHANGED, UNCHANGED]);
    expect(bench.hash()).toBe(before);
  });

  it('stores less only of the messages that are new', async () => {
    const bench = await freshWith(first, TALK);
    const whole = activityOf(stored(bench).messages);
    const grown: Block[] = [
      ...TALK,
      ['user', 'Paint it'],
      ['call', long('t5')],
      ['result', long('t5')],
      ['text', 'Painted.'],
    ];
    await bench.import(folderOf(grown), { activity: then });
    const fresh = await freshWith(then, grown);
    expect(activityOf(stored(bench).messages)).toEqual([
      ...whole,
      ...activityOf(stored(fresh).messages.slice(-1)),
    ]);
    const before = bench.hash();
    await bench.import(folderOf(grown), { activity: then });
    expect(bench.hash()).toBe(before);
    await bench.import(folderOf(grown), { activity: 'all' });
    expect(stored(bench).messages).toEqual(stored(await freshWith('all', grown)).messages);
  });

  it('changes no byte of a conversation that was edited and continued here', async () => {
    const bench = await freshWith(first, TALK);
    const { conversationId, messages } = stored(bench);
    await bench.store.revise(conversationId, (current) => ({
      updatedAt: current.updatedAt,
      messages: current.messages.map((message, at) =>
        at === 1 ? { ...message, content: 'I saw.' } : message,
      ),
    }));
    await bench.store.append(conversationId, [{ role: 'user', content: 'Mine' }]);
    const before = bench.hash();
    expect(counts(await bench.import(folderOf(TALK), { activity: then }))).toEqual(UNCHANGED);
    expect(bench.hash()).toBe(before);
    const grown: Block[] = [...TALK, ['user', 'Theirs']];
    await bench.import(folderOf(grown), { activity: then });
    const branch = bench.bySource(`${SESSION}+`);
    expect(said(branch)).toEqual(['user: Theirs']);
    expect(stored(bench).messages.slice(0, messages.length)).toEqual(
      messages.map((message: object, at: number) =>
        at === 1 ? expect.objectContaining({ content: 'I saw.' }) : message,
      ),
    );
    expect(activityOf(stored(bench).messages)).toEqual(activityOf(messages));
  });
});

it('an import with more replaces what one with less has stored', async () => {
  const bench = await freshWith('none', TALK);
  for (const activity of ['short', 'all'] as const) {
    await bench.import(folderOf(TALK), { activity });
    expect(stored(bench).messages).toEqual(stored(await freshWith(activity, TALK)).messages);
  }
});

it('calls that belong to a later answer now move there as they are stored', async () => {
  for (const end of [5, 9, 14]) {
    const bench = await freshWith('all', TALK.slice(0, end));
    const before = activityOf(stored(bench).messages);
    const grown: Block[] = [...TALK.slice(0, end), ['text', 'More.']];
    await bench.import(folderOf(grown), { activity: 'short' });
    const { messages } = stored(bench);
    expect(said({ messages })).toEqual(said(stored(await freshWith('all', grown))));
    expect(activityOf(messages)).toEqual(before);
  }
});

it('a result in a file beside the session stays if only its beginning is read', async () => {
  const outside = `/home/ada/.claude/projects/-shed/${SESSION}/tool-results/t1.txt`;
  const [start, , call, result] = TALK.map((block, at) => lineOf(block, at));
  const folder = folderWith({
    [`projects/-shed/${SESSION}.jsonl`]: lines(
      start,
      { ...call, parentUuid: start?.uuid },
      { ...result, toolUseResult: { persistedOutputPath: outside } },
    ),
    [`projects/-shed/${SESSION}/tool-results/t1.txt`]: long('the whole output'),
  });
  const bench = await openImportBench();
  await bench.import(folder, { activity: 'all' });
  expect(activityOf(stored(bench).messages)).toEqual([expect.stringContaining('whole')]);
  const before = bench.hash();
  await bench.import(folder, { activity: 'short' });
  expect(bench.hash()).toBe(before);
});

it('a result that was changed here is never taken for one of the source', async () => {
  const bench = await freshWith('all', TALK);
  const { conversationId } = stored(bench);
  const own = 'My note. '.repeat(100);
  await bench.store.revise(conversationId, ({ messages, updatedAt }) => ({
    updatedAt,
    messages: messages.map((message, at) =>
      at === 1 ? { ...message, metadata: { tools: [{ name: 'Bash', result: own }] } } : message,
    ),
  }));
  const grown: Block[] = [...TALK, ['user', 'Paint it']];
  for (const activity of ['short', 'none', 'all'] as const) {
    await bench.import(folderOf(grown), { activity });
    expect(activityOf(stored(bench).messages.slice(0, 2))).toEqual([`undefined -> ${own}`]);
    expect(said(stored(bench)).at(-1)).toBe('user: Paint it');
  }
});

/** A chat of OpenWebUI with two answers, of which it shows one. */
function chatWith(shown: 'one' | 'two', text = 'The answer.') {
  const details = `<details type="tool_calls" name="find" arguments="x" result="${long('found')}"></details>`;
  const messages = {
    'question-0000000000': { parentId: null, role: 'user', content: 'Which?' },
    'answer-one-00000000': {
      parentId: 'question-0000000000',
      role: 'assistant',
      content: `${details}\n${text}`,
    },
    ...(shown === 'two' && {
      'answer-two-00000000': {
        parentId: 'question-0000000000',
        role: 'assistant',
        content: `${details}\nAnother.`,
      },
    }),
  };
  const currentId = `answer-${shown}-00000000`;
  const time = shown === 'one' ? 1.7e9 : 1.7e9 + text.length;
  const history = { messages, currentId };
  return fileWith(
    [{ id: 'chat', title: 'T', created_at: 1.7e9, updated_at: time, chat: { history } }],
    'chats.json',
  );
}

it.each([
  'short',
  'none',
] as const)('an answer that the source shows no longer keeps its calls (%s)', async (activity) => {
  const bench = await openImportBench();
  await bench.import(chatWith('one'), { activity: 'all' });
  await bench.import(chatWith('two'), { activity });
  await bench.import(chatWith('two', 'The edited answer.'), { activity });
  const before = bench.hash();
  await bench.import(chatWith('two', 'The edited answer.'), { activity });
  expect(bench.hash()).toBe(before);
  const all = bench.folders().flatMap((name) => bench.jsonOf(name).messages);
  const { metadata } = all.find(({ content }) => content === 'The edited answer.');
  expect(metadata).toEqual({ tools: [{ name: 'find', input: 'x', result: long('found') }] });
  expect(all.map(({ content }) => content).sort()).toEqual([
    'Another.',
    'The edited answer.',
    'Which?',
  ]);
});

/** A call and its result, or a text, by chance. */
function more(at: number, random: () => number): Block[] {
  const size = (name: string) => (random() < 0.5 ? long(name) : `${name} few words`);
  const kind = random();
  if (kind < 0.25) return [['user', `question ${at}`]];
  if (kind < 0.5) return [['text', `answer ${at}`]];
  return [
    ['call', size(`t${at}`)],
    ['result', size(`t${at}`)],
  ];
}

it.each([
  1, 2, 3, 4, 5, 6, 7, 8,
])('each call is stored once, with the most that an import had (%i)', async (seed) => {
  const random = seededRandom(seed);
  const bench = await openImportBench();
  const levels: readonly Activity[] = ['none', 'short', 'all'];
  const blocks: Block[] = [['user', 'Go']];
  const most = new Map<string, number>();
  for (let step = 0; step < 8; step += 1) {
    for (let left = Math.floor(random() * 6); left > 0; left -= 1) {
      blocks.push(...more(blocks.length, random));
    }
    const level = Math.floor(random() * 3);
    const activity = levels[level] ?? 'all';
    await bench.import(folderOf(blocks), { activity });
    const before = bench.hash();
    await bench.import(folderOf(blocks), { activity });
    expect(bench.hash()).toBe(before);
    for (const [kind, text] of blocks) {
      if (kind === 'call') most.set(text, Math.max(level, most.get(text) ?? 0));
    }
    const found = activityOf(stored(bench).messages);
    for (const [index, [kind, text]] of blocks.entries()) {
      if (kind !== 'call') continue;
      const input = JSON.stringify({ command: text });
      const own = found.filter((each) => each.startsWith(input.slice(0, 20)));
      const result = blocks[index + 1]?.[1] ?? '';
      const cut = (value: string) =>
        value.length > 300 ? `${value.slice(0, 300)}… (${value.length} characters)` : value;
      const wanted = [[], [`${cut(input)} -> ${cut(result)}`], [`${input} -> ${result}`]];
      expect(own).toEqual(wanted[most.get(text) ?? 0]);
    }
  }
});

/** A session of Codex, whose messages without text have no id. */
async function importCodex(bench: Bench, payloads: readonly object[], activity: Activity) {
  const session = {
    type: 'session_meta',
    payload: { id: SESSION, timestamp: '2026-01-02T10:00Z' },
  };
  const items = payloads.map((payload) => ({ type: 'response_item', payload }));
  const name = `sessions/rollout-2026-01-02T10-00-00-${SESSION}.jsonl`;
  await bench.import(folderWith({ [name]: lines(session, ...items) }), { activity });
}

it.each<[Activity, Activity]>([
  ['short', 'short'],
  ['all', 'short'],
])('an answer takes the place of a message that had only its calls (%s, %s)', async (first, then) => {
  const bench = await openImportBench();
  const messageOf = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
  const log = [
    messageOf('user', 'Build a shed'),
    { type: 'function_call', name: 'sh', arguments: long('ls'), call_id: 'c1' },
    { type: 'function_call_output', call_id: 'c1', output: long('found') },
  ];
  await importCodex(bench, log, first);
  const before = activityOf(stored(bench).messages);
  await importCodex(bench, [...log, messageOf('assistant', 'Done.')], then);
  const more = [messageOf('assistant', 'Done.'), messageOf('user', 'Paint it')];
  await importCodex(bench, [...log, ...more], then);
  expect(bench.folders()).toHaveLength(1);
  expect(said(stored(bench))).toEqual(['user: Build a shed', 'assistant: Done.', 'user: Paint it']);
  expect(activityOf(stored(bench).messages)).toEqual(before);
  await importCodex(bench, log, then);
  expect(stored(bench).messages).toHaveLength(3);
});
