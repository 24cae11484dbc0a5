/** The index alone: spellings of one word, and work that pauses. */
import { describe, expect, it } from 'vitest';
import { IS_INSTRUCTION, IS_PREFERENCE } from '../../src/recall/message-text.js';
import { RecallIndex } from '../../src/recall/recall-index.js';
import { ShortTextRecall } from '../../src/recall/short-text-recall.js';
import type { VectorScores } from '../../src/recall/vector-source.js';
import { seededRandom } from '../support/seeded-random.js';

const said = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });

async function found(index: RecallIndex, question: string): Promise<string[]> {
  const answer = await index.ask(question, { requiresContentMatch: true });
  return answer.hits(0, answer.total).map(({ conversationId }) => conversationId);
}

describe('words with ß', () => {
  it.each(['Strasse', 'Straße', 'STRASSE', 'STRAẞE'])('are found as %s', async (word) => {
    const index = new RecallIndex();
    index.put('sharp', [said('Die Straße ist lang und der Garten schmal')]);
    index.put('plain', [said('In der Strasse stehen viele Bäume')]);
    index.put('other', [said('Der Garten ist schmal')]);
    expect((await found(index, word)).sort()).toEqual(['plain', 'sharp']);
  });
});

describe('words with an umlaut', () => {
  it.each([
    ['gewaechshaus', 'Das Gewächshaus hat eine Tür und steht auf dem Hof'],
    ['Gewaechshaeuser', 'Das Gewächshaus hat eine Tür und steht auf dem Hof'],
    ['Tuer', 'Das Gewächshaus hat eine Tür und steht auf dem Hof'],
    ['Gewächshaus', 'Das Gewaechshaus ist nicht so gross wie der Schuppen'],
  ])('are found as %s', async (word, content) => {
    const index = new RecallIndex();
    index.put('own', [said(content)]);
    index.put('other', [said('Die neue Bank steht jetzt unter dem Baum')]);
    expect(await found(index, word)).toEqual(['own']);
  });

  it('are not looked for as two letters where a message has the word as typed', async () => {
    const index = new RecallIndex();
    index.put('typed', [said('Der Sueden ist auf der Karte unten')]);
    index.put('umlaut', [said('Der Süden ist auf der Karte unten')]);
    expect(await found(index, 'Sueden')).toEqual(['typed']);
  });
});

describe('words of a language without spaces', () => {
  it.each([
    ['Thai', 'มะเขือเทศ', 'ฉันซื้อมะเขือเทศสามลูกที่ตลาดเมื่อวานนี้', 'ฉันไปว่ายน้ำที่ทะเลกับเพื่อน'],
    ['Khmer', 'ប៉េងប៉ោះ', 'ខ្ញុំទិញប៉េងប៉ោះនៅផ្សារ', 'ខ្ញុំទៅហែលទឹកនៅសមុទ្រ'],
    ['Lao', 'ໝາກເລັ່ນ', 'ຂ້ອຍຊື້ໝາກເລັ່ນ', 'ຂ້ອຍໄປລອຍນ້ຳ'],
    ['Burmese', 'ခရမ်းချဉ်သီး', 'ကျွန်တော်ခရမ်းချဉ်သီးဝယ်ခဲ့တယ်', 'ကျွန်တော်ရေကူးခဲ့တယ်'],
  ])('are found in a sentence: %s', async (_language, word, sentence, other) => {
    const index = new RecallIndex();
    index.put('own', [said(sentence)]);
    index.put('other', [said(other)]);
    expect(await found(index, word)).toEqual(['own']);
  });
});

describe('marks', () => {
  it.each([
    ['Hindi', 'दिन', 'वह दान था'],
    ['Thai', 'กิน', 'กัน'],
    ['Japanese', 'がき', 'かき'],
  ])('that make another word are compared: %s', async (_language, word, other) => {
    const index = new RecallIndex();
    index.put('own', [said(word)]);
    index.put('other', [said(other)]);
    expect(await found(index, word)).toEqual(['own']);
  });

  it.each([
    ['café', 'cafe'],
    ['ёлка', 'елка'],
    ['καλημέρα', 'καλημερα'],
    ['كَتَبَ', 'كتب'],
  ])('that people leave out are not: %s', async (typed, written) => {
    const index = new RecallIndex();
    index.put('own', [said(written)]);
    expect(await found(index, typed)).toEqual(['own']);
  });
});

describe('a word of every message', () => {
  it('is found in more messages than a call can have arguments', async () => {
    const index = new RecallIndex();
    const count = 130_000;
    index.put('many', Array<ReturnType<typeof said>>(count).fill(said('raven')));
    expect((await index.ask('raven')).total).toBe(count);
  });
});

describe('compound words', () => {
  it.each([
    ['Quietschen die Bremsen?', ['disc']],
    ['Wie bekomme ich die Mietkaution wieder?', ['deposit']],
    ['quietschen die bremsen?', ['disc']],
    ['Wer muss das alles stellen?', ['stand']],
  ])('%s', async (question, expected) => {
    const index = new RecallIndex();
    index.put('disc', [said('Die Scheibenbremse quietscht bei Regen, weil sie nass ist')]);
    index.put('deposit', [said('Die Kaution wird nach einem halben Jahr überwiesen')]);
    index.put('stand', [said('Man muss die Lampe in die Ecke stellen')]);
    index.put('made', [said('Die Firma will das nicht mehr herstellen')]);
    expect(await found(index, question)).toEqual(expected);
  });
});

/** Sequence numbers, the best first. */
async function ranked(
  messages: readonly (readonly [role: string, content: string])[],
  question: string,
) {
  const index = new RecallIndex();
  index.put(
    'a',
    messages.map(([role, content], at) => ({ ...said(content), role, time: at * 60_000 })),
  );
  const answer = await index.ask(question);
  return answer.hits(0, answer.total).map(({ seq }) => seq);
}

describe('a question of two words', () => {
  const talk = [
    ['user', 'Why was my bread so dense?'],
    ['assistant', 'You used too little water and did not wait long enough.'],
    ['user', 'And the crust?'],
  ] as const;

  it('finds its reply, which has none of the words', async () => {
    expect((await ranked(talk, 'Why was my bread so dense?')).slice(0, 2).sort()).toEqual([1, 2]);
  });

  it('that is only keywords finds only messages with them', async () => {
    expect(await ranked(talk, 'dense bread')).toEqual([1]);
  });
});

describe('the order', () => {
  it('has the reply to a short question before the question that it answers', async () => {
    const talk = [
      ['user', 'The weather was fine all week.'],
      ['assistant', 'The dog barks at the gate of the hotel.'],
      ['user', 'Which hotel did you choose for the summer holiday?'],
      ['assistant', 'The Lindenhof, right by the lake.'],
      ['user', 'We had a hotel breakfast at nine, summer or not.'],
    ] as const;
    const order = await ranked(talk, 'Which hotel was booked for the summer holiday?');
    expect(order.slice(0, 2)).toEqual([4, 3]);
  });

  it('has a rule that does not fit the question behind what stands beside the answer', async () => {
    const fillers = ['weather', 'garden', 'kitchen', 'river', 'bicycle', 'attic', 'harbour'].map(
      (thing) =>
        `The ${thing} was lovely yesterday although nobody expected anything like that in such a cold
         rainy grey windy November month near home.`,
    );
    const [a = '', b = '', c = '', d = '', ...others] = fillers;
    const rule = 'Always quote prices in euros.';
    const answer = 'We indent the deployment scripts with two blanks.';
    const talk = ['Good morning everybody.', a, b, rule, c, d, answer, ...others];
    const messages = talk.map((content) => ['user', content] as const);
    const order = await ranked(messages, 'How should I indent the deployment scripts?');
    const [ofRule, ofAnswer] = [talk.indexOf(rule) + 1, talk.indexOf(answer) + 1];
    expect(order[0]).toBe(ofAnswer);
    expect(order.indexOf(ofRule)).toBeGreaterThan(order.indexOf(ofAnswer + 1));
  });

  it('has a rule for the answer among the first, however many messages have more of the words', async () => {
    const reports = Array.from({ length: 450 }, (_, day) => `Tests failed on day ${day}.`);
    const rule = 'Always reply in French.';
    const talk = [rule, ...reports].map((content) => ['user', content] as const);
    const order = await ranked(talk, 'Which tests failed on the last day?');
    expect(order.indexOf(1)).toBeLessThan(10);
  });

  it('has of many rules those that fit least behind what has some of the words', async () => {
    const rules = Array.from({ length: 60 }, (_, at) => `Always mention the harbour ${at}.`);
    const some = 'The clerk paid an invoice of a plumber in spring.';
    const answer = 'The invoice was booked twice by mistake for a shipment.';
    const cat = 'The cat slept on the sofa all afternoon long without a care.';
    const talk = [...rules, cat, cat, some, cat, cat, answer].map((one) => ['user', one] as const);
    const order = await ranked(talk, 'How do I book an invoice for the shipment?');
    expect(order.indexOf(66)).toBeLessThan(3);
    expect(order.indexOf(63)).toBeLessThan(30);
  });

  it('has, for the order of past events, rules and preferences not first and replies last', async () => {
    const talk = [
      ['user', 'Always name the tools when I ask about work outside.'],
      ['user', 'I am planning the beds of the garden project and need twelve boards for them.'],
      ['assistant', 'Good luck with the beds of your garden project!'],
      ['user', 'The pond of the garden project leaks at one corner since the frost of last night.'],
      ['assistant', 'A pond of a garden project is sealed with a foil.'],
      ['user', 'I prefer to do the garden project on my own at weekends.'],
      [
        'user',
        'The fence of the garden project is up now and needs a coat of paint before winter.',
      ],
    ] as const;
    const asked = 'Can you list the order in which I brought up parts of my garden project?';
    const order = await ranked(talk, asked);
    expect([2, 4, 7]).toContain(order[0]);
    expect(order.slice(-2).sort()).toEqual([3, 5]);
  });

  it.each([
    'Can you list the order in which I brought up parts of my garden project?',
    'Can you give me a summary of my garden project?',
  ])('has what was said early in a session first, for: %s', async (asked) => {
    const early = 'The garden project needs a fence along the road.';
    const others = Array.from({ length: 18 }, (_, at) => `Shower number ${at} passed at noon.`);
    const late = 'The garden of the garden project needs a fence along the road.';
    const talk = ['Good morning.', early, ...others, late, 'Good night.'];
    const order = await ranked(
      talk.map((content) => ['user', content] as const),
      asked,
    );
    expect(order[0]).toBe(2);
    expect(order.indexOf(21)).toBeGreaterThan(0);
  });

  it.each([
    'Can you list the order in which I brought up parts of my garden project?',
    'Can you give me a summary of my garden project?',
  ])('has the part of a session that is about the subject first, for: %s', async (asked) => {
    const fence = 'The fence of the garden project is up.';
    const shower = 'A shower passed at noon.';
    const garden = 'A garden is work.';
    const [two, four] = [
      [shower, shower],
      [shower, shower, shower, shower],
    ];
    const alone = [...four, fence, ...four, ...four, garden, garden, garden, garden];
    const amongOthers = [garden, garden, ...two, fence, ...two, garden, garden, ...four, ...four];
    const dayMs = 24 * 60 * 60_000;
    const sessions = [alone, amongOthers].flatMap((session, day) =>
      session.map((content, at) => ({ ...said(content), time: day * dayMs + at * 60_000 })),
    );
    const index = new RecallIndex();
    index.put('a', sessions);
    expect((await index.ask(asked)).hits(0, 1)[0]?.seq).toBe(alone.length + 5);
  });

  it('has what never happened first, for a question whether it ever did', async () => {
    const talk = [
      ['user', 'I used a kiln twice for tiles of the kitchen, and this kiln was in Delft.'],
      ['user', 'My kiln has arrived in a crate that was much too large.'],
      ['user', 'The crate went to the attic, because I never used a kiln of this make before.'],
      ['user', 'A kiln, used every day, needs a new lining once a year.'],
    ] as const;
    const order = await ranked(talk, 'Have I used a kiln before?');
    expect(order[0]).toBe(3);
    expect((await ranked(talk, 'When did my kiln arrive in the crate?'))[0]).toBe(2);
  });

  it('has a rule behind the answer if the question asks for a number', async () => {
    const talk = [
      ['user', 'Always name the oldest invoices when I ask about debts.'],
      ['user', 'We looked at the letters of last week and at some invoices.'],
      [
        'user',
        'The drawer is full: forty invoices, and nobody has the time to sort these invoices.',
      ],
      ['user', 'The drawer of the desk is stuck since the move to the new flat.'],
    ] as const;
    const ofRule = async (asked: string) => (await ranked(talk, asked)).indexOf(1);
    expect(await ofRule('Which invoices are in the drawer?')).toBe(0);
    expect(await ofRule('How many invoices are in the drawer?')).toBeGreaterThan(0);
  });
});

it.each([
  ['Always reply in French.', IS_INSTRUCTION],
  ['Fine so far.\nPlease never use tables', IS_INSTRUCTION],
  ['From now on there is one test for each file', IS_INSTRUCTION],
  ['Going forward there is one test for each file', IS_INSTRUCTION],
  ['Name the carrier whenever I ask about a parcel', IS_INSTRUCTION],
  ["I'd rather have the blue one", IS_PREFERENCE],
  ['My preference is the blue one', IS_PREFERENCE],
  ['The blue one is here and the red one is there', 0],
])('%s has the flag %d', (content, flag) => {
  const index = new RecallIndex();
  index.put('a', [said(`${content}, and this is all that there is of it.`)]);
  expect(index.get('a')?.flags[0]).toBe(flag);
});

it('a short text that has only words about the conversation does not answer', async () => {
  const recall = new ShortTextRecall();
  recall.sync(
    new Map([
      ['people', 'Mary knows Ada'],
      ['code', 'The retry loop sleeps'],
    ]),
  );
  const idsOf = async (question: string) =>
    (await recall.ask(question, { limit: 9 })).hits.map(({ id }) => id);
  expect(await idsOf('What should I know about the retry loop?')).toEqual(['code']);
  expect(await idsOf('Who knows whom?')).toEqual(['people']);
});

describe('steps', () => {
  const words = Array.from({ length: 60_000 }, (_, at) => `word${at % 5000}`);

  it.each([
    ['one long message', [said(words.join(' '))]],
    ['a long message without a blank', [said(`${'x'.repeat(300_000)} garden`)]],
    ['many messages', Array.from({ length: 500 }, (_, at) => said(`message ${at}`))],
  ])('pause in %s, and make what put makes', (_, messages) => {
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

it('a message is weighed in a time that grows with its length, not with its square', async () => {
  const millisecondsOf = async (words: number) => {
    const index = new RecallIndex();
    index.put('long', [said('a garden fence '.repeat(words))]);
    await index.ask('garden', {}); // compiled, and the caches are warm
    const before = process.cpuUsage();
    await index.ask('garden', {});
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
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

it('after many changes it answers as an index of the same messages', async () => {
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
    const times = [];
    for (let asked = 0; asked < 6; asked++) {
      const before = process.cpuUsage();
      await index.ask('garden stone bread fence');
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    return Math.min(...times);
  };
  const [near, far] = [await millisecondsWith('user'), await millisecondsWith('system')];
  // To look at all messages for each message would take 10 times as long and more.
  expect(far).toBeLessThan(4 * Math.max(near, 1));
});
