/** The index alone: spellings of one word, and work that pauses. */
import { describe, expect, it } from 'vitest';
import { lexicalScores } from '../../src/recall/evidence.js';
import { RecallIndex } from '../../src/recall/recall-index.js';
import type { Stream } from '../../src/recall/stream.js';

const said = (content: string) => ({ role: 'user', content, time: 0, speaker: undefined });

async function found(index: RecallIndex, question: string): Promise<string[]> {
  const answer = await index.ask(question, { ownOnly: true });
  return Array.from({ length: answer.total }, (_, at) => answer.at(at)?.conversationId ?? '');
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
    for (const step of stepped.steps('a', messages)) {
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

describe('a message of very many passages', () => {
  it('names its best passage, however far behind it is', () => {
    const count = 70_000;
    // One term a passage: reading a text of so many passages would last for seconds.
    const stream: Stream = {
      terms: new Uint32Array(count),
      starts: Uint32Array.of(0, count),
      prefixes: new Uint8Array(1),
      flags: new Uint8Array(1),
      languages: new Uint8Array(1),
      speakers: new Uint8Array(1),
      times: new Float64Array(1),
      firstPassages: Uint32Array.of(0, count),
      passages: Uint32Array.from({ length: 2 * count }, (_, at) => (at + 1) >> 1),
      people: [],
    };
    const hits = { stream, positions: Uint32Array.of(count - 1), words: Uint8Array.of(0) };
    const { passages } = lexicalScores(hits, Float64Array.of(1), 1);
    expect(passages[0]).toBe(count - 1);
  });
});
