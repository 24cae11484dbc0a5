/** Standing instructions that apply to a question without its words. */
import { describe, expect, it } from 'vitest';
import { RecallIndex } from '../../src/recall/recall-index.js';

const user = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });
const assistant = (content: string) => ({ ...user(content), role: 'assistant' });

/** Three times about jobs and resumes, three times about a garden, and three instructions. */
const MESSAGES = [
  user('Always give exact numbers when I ask about watering.'),
  user('Always use bullet points when I ask about my resume.'),
  user('Always name the source when I ask about paintings.'),
  ...['bakery', 'library', 'harbour'].flatMap((place) => [
    user(`The job at the ${place} was the longest that I had until now in this town.`),
    assistant(`A resume names the job at the ${place}, and then what you achieved there.`),
    user(`The roses behind the ${place} look dry, and the soil is as hard as stone.`),
    assistant(`Roses behind the ${place} need watering in the evening, when it is cool.`),
  ]),
];

async function instructionsFor(question: string): Promise<string[]> {
  const index = new RecallIndex();
  index.put('one', MESSAGES);
  const answer = await index.ask(question);
  return answer
    .hits(0, answer.total)
    .map(({ seq }) => MESSAGES[seq - 1])
    .map((message) => message?.content ?? '')
    .filter((content) => content.startsWith('Always'));
}

it('is looked for in a message of blank lines as fast as in another', async () => {
  const index = new RecallIndex();
  // Eight seconds for each, if the time were quadratic.
  const blank = user(`The roses\n${'\n'.repeat(100_000)}`);
  index.put('one', [...MESSAGES, ...Array.from({ length: 100 }, () => blank)]);
  expect((await index.ask('roses')).total).toBeGreaterThan(0);
});

describe('an instruction without a word of the question', () => {
  it.each([
    ['How should I describe my past jobs?', 'my resume'],
    ['How should I look after the roses?', 'watering'],
  ])('is before the others if its words are near those of %s', async (question, subject) => {
    const found = await instructionsFor(question);
    expect(found).toHaveLength(3);
    expect(found[0]).toContain(subject);
  });
});
