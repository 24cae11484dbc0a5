/**
 * Compares what a server answers with what is expected of each item: by reading it, and by searching the word
 * that only one text has. A server needs a moment to see what others wrote, so a difference counts if it stays.
 */
import type { Item, Kind } from './item.js';
import type { Json, SoakServer } from './soak-server.js';

const CONTEXT = 'project:soak';
/** Against a change that a server never sees; a slow machine needs less. */
const MOST_WAIT_MS = 120_000;

/** Repeats `look` until it finds nothing wrong. Returns what it found last. */
async function settled(look: () => Promise<string | undefined>, end: number) {
  for (;;) {
    const wrong = await look();
    if (wrong === undefined || Date.now() > end) return wrong;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The texts of an item; `undefined` if there is no such thing. */
async function textsOf(server: SoakServer, item: Item): Promise<string[] | undefined> {
  if (item.kind === 'fact') {
    const { triples } = await server.answer('kg_query', { subject: item.id });
    const objects = (triples as { object: string }[]).map(({ object }) => object);
    return objects.length === 0 ? undefined : objects;
  }
  await findId(server, item);
  if (item.id === '') return undefined;
  const reads: Record<Exclude<Kind, 'fact'>, [string, Json]> = {
    conversation: ['get_conversation', { conversationId: item.id, maxTokens: 25_000 }],
    note: ['mb_read', { path: item.id }],
    insight: ['get_insight', { id: item.id }],
  };
  const [tool, args] = reads[item.kind];
  const outcome = await server.call(tool, args);
  if (outcome.is === 'refused' && /NOT_FOUND/.test(outcome.code)) return undefined;
  if (outcome.is !== 'done') throw new Error(`${tool} ${JSON.stringify(outcome)}`);
  const { answer } = outcome;
  if (item.kind === 'note') return [String(answer['content']).trimEnd()];
  if (item.kind === 'insight')
    return answer['found'] === false
      ? undefined
      : [(answer['insight'] as Json)['content'] as string];
  if (item.kind === 'conversation') item.id = String(answer['conversationId']);
  return (answer['messages'] as { content: string }[]).map(({ content }) => content);
}

/** Finds the id of what was created by a call whose answer never came. */
async function findId(server: SoakServer, item: Item): Promise<void> {
  if (item.id !== '') return;
  if (item.kind === 'insight') {
    const found = await server.answer('list_insights', { context: CONTEXT, tags: [item.name] });
    item.id = (found['results'] as { id: string }[])[0]?.id ?? '';
  } else {
    const found = await server.answer('get_conversations', { query: item.name, limit: 100 });
    const all = found['conversations'] as { conversationId: string; title: string }[];
    item.id = all.find(({ title }) => title === item.name)?.conversationId ?? '';
  }
}

async function hits(server: SoakServer, kind: Kind, word: string): Promise<number> {
  const queries: Record<Kind, [string, Json]> = {
    conversation: ['search_messages', { query: word, matchType: 'fts5', limit: 1 }],
    note: ['mb_search', { query: word, matchType: 'fts5' }],
    insight: ['search_insights', { query: word, matchType: 'fts5', context: CONTEXT }],
    fact: ['kg_query', { text: word }],
  };
  return Number((await server.answer(...queries[kind]))['total']);
}

const wordOf = (text: string) => /w\d+q/.exec(text)?.[0] ?? '';

/** Everything that the server answers otherwise than expected. Reduces each item to one state. */
export async function check(
  server: SoakServer,
  items: readonly Item[],
  sample: (texts: readonly string[]) => readonly string[],
): Promise<string[]> {
  const problems: (string | undefined)[] = [];
  const end = Date.now() + MOST_WAIT_MS; // for all of them together
  for (const item of items) {
    problems.push(
      await settled(async () => {
        const found = await textsOf(server, item);
        const state = item.agreeing(found);
        if (state === undefined)
          return `${item.kind} ${item.name} ${item.id}: expected ${JSON.stringify(item.states)}, found ${JSON.stringify(found)}`;
        item.states = [found === undefined ? state : { ...state, texts: found, maybe: [] }];
        return undefined;
      }, end),
    );
  }
  for (const kind of ['conversation', 'note', 'insight', 'fact'] as const) {
    const own = items.filter((item) => item.kind === kind);
    const isLive = own
      .filter(({ state }) => state?.isLive)
      .flatMap(({ state }) => state?.texts ?? []);
    const isGone = own
      .filter(({ state }) => !state?.isLive)
      .flatMap(({ state }) => state?.texts ?? []);
    for (const text of sample([...isLive, ...isGone])) {
      const expected = isLive.filter((each) => each === text).length;
      problems.push(
        await settled(async () => {
          const found = await hits(server, kind, wordOf(text));
          return found === expected
            ? undefined
            : `${kind} "${text}": ${expected} expected, ${found} found`;
        }, end),
      );
    }
    if (kind !== 'conversation') continue;
    problems.push(
      await settled(async () => {
        const found = await hits(server, kind, 'zebra');
        return found === isLive.length ? undefined : `${isLive.length} messages, ${found} found`;
      }, end),
    );
  }
  return problems.filter((problem) => problem !== undefined);
}
