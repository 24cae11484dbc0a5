/** The index: work that pauses, counts, changes while questions run, and the time that questions take. */
import { describe, expect, it } from 'vitest';
import { RecallIndex } from '../../src/recall/recall-index.js';
import type { VectorScores } from '../../src/recall/vector-source.js';
import { leastCpuMs } from '../support/cpu-time.js';
import { seededRandom } from '../support/seeded-random.js';

const said = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });

describe('a word of every message', () => {
  it('is found in more messages than a call can have arguments', async () => {
    const index = new RecallIndex();
    const count = 130_000;
    index.put('many', Array<ReturnType<typeof said>>(count).fill(said('raven')));
    expect((await index.ask('raven')).total).toBe(count);
  });
});

describe('putInSteps', () => {
  const words = Array.from({ length: 60_000 }, (_, at) => `word${at % 5000}`);

  it.each([
    ['one long message', [said(words.join(' '))]],
    ['a long message without a blank', [said(`${'x'.repeat(300_000)} garden`)]],
    ['many messages', Array.from({ length: 500 }, (_, at) => said(`message ${at}`))],
  ])('pauses in %s, and makes the same index as put', (_, messages) => {
    const [whole, stepped] = [new RecallIndex(), new RecallIndex()];
    whole.put('a', messages);
    let pauses = 0;
    for (const step of stepped.putInSteps('a', messages)) {
      expect(step).toBeUndefined();
      expect(stepped.has('a')).toBe(false);
      pauses += 1;
    }
    expect(pauses).toBeGreaterThan(1);
    expect(stepped.get('a')).toEqual(whole.get('a'));
    expect(stepped.stats()).toEqual(whole.stats());
  });
});

it('the time for a question grows with the length of a message, not with its square', async () => {
  const millisecondsOf = async (words: number) => {
    const index = new RecallIndex();
    index.put('long', [said('a garden fence '.repeat(words))]);
    return leastCpuMs(() => index.ask('garden', {}));
  };
  const [short, long] = [await millisecondsOf(20_000), await millisecondsOf(320_000)];
  // 16 times as long: the square would be 256 times.
  expect(long).toBeLessThan(64 * Math.max(short, 1));
});

describe('the count of matches', () => {
  const words = ['garden', 'gardens', 'bench', 'mara', 'stone', 'bread', 'yesterday'];
  const random = seededRandom(7);
  const pick = (limit: number) => Math.floor(random() * limit);
  const index = new RecallIndex();
  for (let at = 0; at < 30; at++) {
    const messages = Array.from({ length: 1 + pick(12) }, () => ({
      ...said(Array.from({ length: 1 + pick(3) }, () => words[pick(words.length)]).join(' ')),
      speaker: pick(3) === 0 ? 'Mara' : undefined,
    }));
    index.put(`c${at}`, messages);
  }
  const even = ({ seq }: { seq: number }) => seq % 2 === 0;

  it.each([
    'garden',
    'mara',
    'absent',
    'garden stone',
    'mara bench',
    'garden absent',
    'garden stone bread',
    'Why was my bread so dense?',
  ])('of "%s" is that of the ranked answer', async (text) => {
    for (const limits of [{}, { inScope: (id: string) => id > 'c2' }, { accepts: isThird }]) {
      const options = { ...limits, except: even };
      const answer = await index.ask(text, options);
      const shown = answer.hits(0, answer.total).map(({ seq }) => seq);
      expect(shown.filter((seq) => seq % 2 === 0)).toEqual([]);
      const question = index.question(text, limits);
      expect(await index.count(question, options)).toBe(answer.total);
    }
  });
});

const isThird = (_conversationId: string, seq: number) => seq % 3 === 0;

it('after many changes the index answers like a new index of the same messages', async () => {
  const random = seededRandom(3);
  const pick = (limit: number) => Math.floor(random() * limit);
  const words = ['garden', 'bench', 'stone', 'bread', 'rain', 'fence', 'apple', 'tool'];
  const text = () => Array.from({ length: 1 + pick(8) }, () => words[pick(words.length)]).join(' ');
  const messages = (count: number) => Array.from({ length: count }, () => said(text()));
  const changed = new RecallIndex();
  const stored = new Map<string, ReturnType<typeof said>[]>();
  const expectSame = async () => {
    const fresh = new RecallIndex();
    for (const [id, all] of stored) fresh.put(id, all);
    for (const question of ['garden stone', 'Why was the bread by the fence?', 'apple']) {
      const [expected, answer] = [await fresh.ask(question), await changed.ask(question)];
      const hits = (one: typeof answer) => one.hits(0, one.total);
      expect(answer.total).toBe(expected.total);
      expect(hits(answer)).toEqual(hits(expected));
    }
  };
  for (let round = 0; round < 60; round++) {
    for (let change = 0; change < 20; change++) {
      const id = `c${pick(40)}`;
      const before = stored.get(id) ?? [];
      const kept = pick(3) === 0 ? pick(before.length + 1) : before.length;
      const after = [...before.slice(0, kept), ...messages(1 + pick(4))];
      // The change of a whole conversation, so that the index has thousands of deleted messages.
      const whole = pick(8) === 0 ? messages(400) : undefined;
      stored.set(id, whole ?? after);
      changed.put(id, whole ?? after, whole === undefined ? kept : 0);
      if (pick(8) !== 0) continue;
      stored.delete(id);
      changed.delete(id);
    }
    if (round % 20 === 0) await expectSame();
    else await changed.ask('garden');
  }
  expect(changed.counters.dropped).toBeGreaterThan(20_000);
  await expectSame();
});

it('a question is not disturbed if the table of messages is made anew while it runs', async () => {
  const index = new RecallIndex();
  const few = [said('a garden'), said('a stone'), said('bread')];
  const many = Array<ReturnType<typeof said>>(10_001).fill(
    said('A long message about nothing at all'),
  );
  index.put('removed', few);
  index.put('few', few);
  index.put('many', many);
  const isFew = (id: string) => id === 'few';
  const hitsOf = async (inScope: (id: string) => boolean) =>
    (await index.ask('garden stone bread', { inScope })).hits(0, 9);
  const alone = await hitsOf(isFew);
  let changes: Promise<unknown> | undefined;
  const changed = await hitsOf((id) => {
    if (changes === undefined) {
      index.delete('removed');
      index.put('many', many);
      changes = index.ask('stone');
    }
    return isFew(id);
  });
  await changes;
  expect(changed).toEqual(alone);
});

it('a vector of a message that the index does not have is no result', async () => {
  const index = new RecallIndex();
  index.put('a', [said('a garden'), said('a stone')]);
  const scores = [3, 2].map((seq) => ({ conversationId: 'a', seq, passage: 0, cosine: 0.5 }));
  const vectors: VectorScores = {
    best: (_id, seq) => scores.find((score) => score.seq === seq),
    highest: () => 0.5,
    nearest: (_limit, accepts) => scores.filter(accepts),
  };
  const answer = await index.ask('bread', { vectors });
  expect(answer.hits(0, 9).map(({ seq }) => seq)).toEqual([2]);
});

it('the first question pauses within a long conversation', async () => {
  const words = Array.from({ length: 26 }, (_, at) => `garden${String.fromCharCode(97 + at)}`);
  const index = new RecallIndex();
  index.put('long', Array<ReturnType<typeof said>>(100_000).fill(said(words.join(' '))));
  let pauses = 0;
  let isAnswered = false;
  const count = () => {
    pauses += 1;
    if (!isAnswered) setImmediate(count);
  };
  setImmediate(count);
  await index.ask('gardena');
  isAnswered = true;
  // Without pauses within the conversation there are 5 to 7.
  expect(pauses).toBeGreaterThan(12);
});

it('a new word is found in a message that is added while the first question runs', async () => {
  const index = new RecallIndex();
  const words = Array.from(
    { length: 40 },
    (_, at) => `garden${String.fromCharCode(97 + (at % 26))}`,
  );
  for (let at = 0; at < 1_000; at++)
    index.put(`c${at}`, Array<ReturnType<typeof said>>(20).fill(said(words.join(' '))));
  const first = index.ask('garden');
  index.put('new', [said('A zyzzyva sat on the fence')]);
  await first;
  expect((await index.ask('zyzzyva')).total).toBe(1);
});

it('questions at the same time, while messages are added and deleted, do not disturb each other', async () => {
  const random = seededRandom(8);
  const pick = (limit: number) => Math.floor(random() * limit);
  const words = Array.from(
    { length: 60 },
    (_, at) => `word${String.fromCharCode(97 + (at % 26))}${at}x`,
  );
  const messages = (count: number) =>
    Array.from({ length: count }, () =>
      said(Array.from({ length: 1 + pick(30) }, () => words[pick(words.length)]).join(' ')),
    );
  const index = new RecallIndex();
  for (let at = 0; at < 500; at++) index.put(`c${at}`, messages(40));
  const questions = Array.from({ length: 12 }, () =>
    Array.from({ length: 4 }, () => words[pick(words.length)]).join(' '),
  );
  // Only these conversations stay as they are.
  const inScope = (id: string) => Number(id.slice(1)) < 400;
  const hitsOf = async (question: string) => {
    const answer = await index.ask(question, { inScope });
    return { total: answer.total, hits: answer.hits(0, 400) };
  };
  const alone = [];
  for (const question of questions) alone.push(await hitsOf(question));
  let isDone = false;
  const changes = (async () => {
    for (let round = 0; !isDone; round++) {
      const id = `c${400 + pick(150)}`;
      if (round % 3 === 0) index.delete(id);
      else index.put(id, messages(30));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return index.counters.dropped;
  })();
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(questions.map(hitsOf))).toEqual(alone);
  isDone = true;
  expect(await changes).toBeGreaterThan(0);
});

it('a speaker of the first and the last message only does not make a question slow', async () => {
  const words = ['garden', 'stone', 'bread', 'bench', 'rain', 'fence'];
  const millisecondsWith = async (role: string) => {
    const index = new RecallIndex();
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      ...said(`${words[at % 6]} ${words[(at * 7) % 6]} and other things about it`),
      role: at === 0 || at === 9_999 ? role : at % 2 === 0 ? 'user' : 'assistant',
    }));
    index.put('long', messages);
    return leastCpuMs(() => index.ask('garden stone bread fence'));
  };
  const [near, far] = [await millisecondsWith('user'), await millisecondsWith('system')];
  // To look at all messages for each message would take 10 times as long and more.
  expect(far).toBeLessThan(4 * Math.max(near, 1));
});
