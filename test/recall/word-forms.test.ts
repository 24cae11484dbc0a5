/** Spellings and forms of a word that find each other. */
import { describe, expect, it } from 'vitest';
import { RecallIndex } from '../../src/recall/recall-index.js';

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

describe('compound words', () => {
  it.each(['NFC', 'NFD'])('are found by a noun in the Unicode form %s', async (form) => {
    const index = new RecallIndex();
    index.put('noun', [said('Der Ärmel ist kurz und nicht sauber')]);
    index.put('compound', [said('Die Hemdärmel sind lang und nicht sauber')]);
    const hits = await found(index, 'Welcher Ärmel war das?'.normalize(form));
    expect(hits.sort()).toEqual(['compound', 'noun']);
  });

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

describe('a word of one Chinese character', () => {
  it.each([
    '庭',
    '𠮷',
  ])('is found wherever it is in a text without spaces: %s', async (character) => {
    const index = new RecallIndex();
    index.put('first', [said(`${character}に木を植える`)]);
    index.put('last', [said(`東京の${character}`)]);
    index.put('alone', [said(`${character} 2025`)]);
    index.put('other', [said('東京タワーの計画')]);
    expect((await found(index, character)).sort()).toEqual(['alone', 'first', 'last']);
    index.put('later', [said(`明日の${character}仕事`)]);
    expect((await found(index, character)).sort()).toEqual(['alone', 'first', 'last', 'later']);
  });

  it('is not a word of one kana, which is mostly a particle', async () => {
    const index = new RecallIndex();
    index.put('own', [said('東京の庭')]);
    expect(await found(index, 'の')).toEqual([]);
  });
});
