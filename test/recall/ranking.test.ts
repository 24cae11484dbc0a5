/** The order of an answer: what each feature of docs/RECALL.md does to it. */
import { describe, expect, it } from 'vitest';
import { RecallIndex } from '../../src/recall/recall-index.js';

const said = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });

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

describe('the order of an answer', () => {
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

  it('has an instruction that does not fit the question behind the messages next to the answer', async () => {
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

  it('has an instruction that applies among the first ten, however many messages have more words of the question', async () => {
    const reports = Array.from({ length: 450 }, (_, day) => `Tests failed on day ${day}.`);
    const rule = 'Always reply in French.';
    const talk = [rule, ...reports].map((content) => ['user', content] as const);
    const order = await ranked(talk, 'Which tests failed on the last day?');
    expect(order.indexOf(1)).toBeLessThan(10);
  });

  it('has the instructions that fit least behind a message with some words of the question', async () => {
    const rules = Array.from({ length: 60 }, (_, at) => `Always mention the harbour ${at}.`);
    const some = 'The clerk paid an invoice of a plumber in spring.';
    const answer = 'The invoice was booked twice by mistake for a shipment.';
    const cat = 'The cat slept on the sofa all afternoon long without a care.';
    const talk = [...rules, cat, cat, some, cat, cat, answer].map((one) => ['user', one] as const);
    const order = await ranked(talk, 'How do I book an invoice for the shipment?');
    expect(order.indexOf(66)).toBeLessThan(3);
    expect(order.indexOf(63)).toBeLessThan(30);
  });

  it('has, for the order of past events, an event first and the replies last', async () => {
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
  ])('has what was said early in a session first: %s', async (asked) => {
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
  ])('has a message among others about the subject before one among other subjects: %s', async (asked) => {
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

  it('has a message with "never" first if the question asks whether something ever happened', async () => {
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

  it('has an instruction behind the answer if the question asks for a number', async () => {
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
