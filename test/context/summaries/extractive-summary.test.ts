/** The summary without a language model: what it must contain, in several languages and scripts. */
import { describe, expect, it } from 'vitest';
import { TimeSlice } from '../../../src/base/async/time-slice.js';
import { estimateTextTokens } from '../../../src/base/text/estimate-tokens.js';
import { extractSummary } from '../../../src/context/summaries/extractive-summary.js';
import { languageOf } from '../../../src/context/summaries/languages.js';
import { LEVEL_TOKENS } from '../../../src/context/summaries/levels.js';
import { qualityOf } from '../../../src/context/summaries/quality.js';
import { SUMMARY_LEVELS } from '../../../src/stores/summaries/summary-file.js';
import { STEPS_PER_SLICE, tickingClock } from '../../support/ticking-clock.js';
import { conversationOf } from '../conversation.js';

const ENGLISH = conversationOf(
  's: You are a gardener.',
  'u: I want to build a raised bed at the south wall of the garden. The wall is 6 metres long and gets sun from noon. What should I use?',
  'a: Great question! For a raised bed you could use larch boards or bricks. Larch lasts about 15 years without treatment. Bricks last for ever but cost more. Do you have a budget in mind?',
  'u: About 400 euros. I do not want to use treated wood because of the tomatoes.',
  'a: Then larch is the right choice. For 6 metres you need eight boards of 4 m. I would put a membrane against the wall so that the damp does not creep into it.',
  "u: Good. We'll go with larch then. Martin can bring the boards on Saturday.",
  'a: Perfect. Fill the bed with 30 cm of branches, then compost, then soil. You will need about 2 cubic metres of soil.',
  'u: And what should I plant first? It is April now.',
  'a: In April: lettuce, radish and spinach. Tomatoes only after the 15th of May, when the last frost is over. Start them on the window sill now.',
  'u: Which tomatoes stand rain best?',
);
const GERMAN = conversationOf(
  'u: Wir müssen den Server umziehen. Der alte Hoster Strato kündigt uns zum 31. März. Was schlägst du vor?',
  'a: Ihr könntet zu Hetzner gehen, das kostet etwa 40 Euro im Monat. Oder ihr nehmt einen Server bei OVH in Frankreich.',
  'u: Datenschutz ist uns wichtig, also Deutschland. Wir nehmen Hetzner.',
  'a: Gut. Ich würde zuerst die Datenbank umziehen, dann die Dateien. Die Datenbank hat 80 GB, das dauert etwa zwei Stunden.',
  'u: Wer stellt die DNS-Einträge um?',
);
const JAPANESE = conversationOf(
  'u: 来週の京都旅行の計画を立てたいです。三日間で、予算は五万円です。',
  'a: 京都では清水寺と伏見稲荷がおすすめです。宿は河原町の近くが便利です。三日目は嵐山に行くと良いでしょう。',
  'u: 伏見稲荷は朝早く行くことにしました。宿は河原町にします。',
  'a: わかりました。朝六時なら人が少ないです。電車は京阪線を使ってください。',
  'u: 雨の日はどうしますか。',
);

const of = (conversation: typeof ENGLISH, level: (typeof SUMMARY_LEVELS)[number]) =>
  extractSummary(conversation, level, new TimeSlice());

describe('an extractive summary', () => {
  it.each([
    'brief',
    'standard',
    'detailed',
  ] as const)('has the beginning of a sentence that is too long for the level %s', async (level) => {
    const sentence = `京都の${'長い長い話を続けて'.repeat(40)}`;
    const summary = (await of(conversationOf(`u: ${sentence}`), level)) ?? '';
    expect(summary).toContain('京都の長い');
    expect(estimateTextTokens(summary)).toBeLessThanOrEqual(1.1 * LEVEL_TOKENS[level]);
  });

  it.each([
    ['English', ENGLISH, ['raised bed at the south wall', "We'll go with larch then."]],
    ['German', GERMAN, ['kündigt uns zum 31. März', 'Wir nehmen Hetzner.']],
    ['Japanese', JAPANESE, ['京都旅行', '伏見稲荷は朝早く行くことにしました。']],
  ])('in %s has the subject and the decision of the conversation, even if it is brief', async (_, talk, said) => {
    const brief = await of(talk, 'brief');
    for (const each of said) expect(brief).toContain(each);
  });

  it.each([
    ['English', ENGLISH, 'Decisions:', 'Open questions:\n- Which tomatoes stand rain best?'],
    ['German', GERMAN, 'Entscheidungen:', 'Offene Fragen:\n- Wer stellt die DNS-Einträge um?'],
    ['Japanese', JAPANESE, '決定事項:', '未解決の質問:\n- 雨の日はどうしますか。'],
  ])('in %s lists decisions and open questions under headings in this language', async (_, talk, decisions, questions) => {
    for (const level of ['standard', 'detailed'] as const) {
      expect(await of(talk, level)).toContain(decisions);
      expect(await of(talk, level)).toContain(questions);
    }
  });

  it('names the roles in a detailed summary, and never quotes system messages', async () => {
    const detailed = await of(ENGLISH, 'detailed');
    expect(detailed).toContain('- User: I want to build a raised bed');
    expect(detailed).toContain('- Assistant: For a raised bed');
    expect(detailed).not.toContain('gardener');
  });

  it('has a repeated sentence only once', async () => {
    const result = 'a: All 412 tests of the parser pass on the build server.';
    const decided = "u: We'll go with larch for the raised bed.";
    const talk = conversationOf(decided, result, 'u: Rename the lexer.', result, decided, result);
    for (const level of SUMMARY_LEVELS) {
      const summary = (await of(talk, level)) ?? '';
      expect(summary.split('All 412 tests')).toHaveLength(2);
      expect(summary.split('go with larch')).toHaveLength(2);
    }
  });

  it('omits sentences without content and does not split joined words', async () => {
    for (const level of SUMMARY_LEVELS) expect(await of(ENGLISH, level)).not.toContain('Perfect.');
    expect(await of(JAPANESE, 'standard')).not.toContain('わかりました');
    expect(await of(JAPANESE, 'brief')).not.toMatch(/。 /);
  });

  it('is the same every time, and longer at each level, within the tokens of the level', async () => {
    const long = conversationOf(
      ...Array.from({ length: 400 }, (_, n) => [
        `u: In week ${n} the harbour of Town${n % 37} reported ${n * 3} ships and asked for pilots.`,
        `a: The pilots of Town${n % 37} are free from day ${n % 9}. We agreed on plan ${n % 11} for the ships.`,
      ]).flat(),
    );
    let before = 0;
    for (const level of SUMMARY_LEVELS) {
      const text = (await of(long, level)) ?? '';
      expect(await of(long, level)).toBe(text);
      const tokens = estimateTextTokens(text);
      expect(tokens).toBeGreaterThan(before);
      expect(tokens).toBeLessThanOrEqual(LEVEL_TOKENS[level] * 1.15);
      before = tokens;
    }
  });

  it('covers the whole time of a long conversation', async () => {
    const talk = conversationOf(
      ...Array.from(
        { length: 60 },
        (_, n) => `u: The turbine number ${n} of the wind farm needs a new bearing and oil.`,
      ),
    );
    const numbers = [...((await of(talk, 'standard')) ?? '').matchAll(/number (\d+)/g)].map(
      (match) => Number(match[1]),
    );
    expect(Math.max(...numbers)).toBeGreaterThan(45);
    expect(Math.min(...numbers)).toBeLessThan(15);
  });

  it('has the first words of a text without sentences', async () => {
    expect(await of(conversationOf(`u: ${'x'.repeat(2000)}`), 'brief')).toMatch(/^x{200,}…$/);
    expect(await of(conversationOf('u: ```\nls -la\n```'), 'brief')).toBe('``` ls -la ```');
  });

  it('is undefined for a conversation without messages of the user or the assistant', async () => {
    expect(await of(conversationOf('s: Be kind.'), 'standard')).toBeUndefined();
    expect(await of(conversationOf('u:  '), 'standard')).toBeUndefined();
  });
});

describe('the language of a text', () => {
  it.each([
    ['en', 'What should we do with the old shed in the garden?'],
    ['fr', 'Est-ce que nous avons une réunion avec le client dans la semaine ?'],
    ['es', '¿Qué hacemos con los tomates que están en el jardín?'],
    ['it', 'Che cosa facciamo con il vecchio capanno che è nel giardino?'],
    ['pt', 'O que nós fazemos com a casa velha que está no jardim?'],
    ['nl', 'Wat doen we met het oude schuurtje dat in de tuin van mijn oma staat?'],
    ['ru', 'Что мы решили про южную стену?'],
    ['zh', '我们决定用落叶松做花坛。'],
    ['ja', '南の壁はどうしますか。'],
    ['ko', '남쪽 벽은 어떻게 하나요?'],
  ])('is recognised as %s: %s', (code, text) => {
    expect(languageOf(text)).toBe(code);
  });

  it('is undefined for a text without known words', () => {
    expect(languageOf('xyzzy plugh 42')).toBeUndefined();
    expect(languageOf('')).toBeUndefined();
  });
});

describe('the quality of a summary', () => {
  it('is high if the summary covers the messages, and low if it says little or invents something', async () => {
    const qualityOfEnglish = (text: string) => qualityOf(text, ENGLISH, new TimeSlice());
    const good = await qualityOfEnglish((await of(ENGLISH, 'standard')) ?? '');
    const thin = await qualityOfEnglish('They talked about something.');
    const invented = await qualityOfEnglish(
      'A raised bed of larch at the south wall, said Gustav, costs 9000 euros at Ikea in Malmö with 77 boards.',
    );
    const true_ = await qualityOfEnglish(
      'A raised bed of larch at the south wall, brought by Martin, within 400 euros and with tomatoes in May.',
    );
    expect(good).toBeGreaterThan(0.85);
    expect(thin).toBeLessThan(0.45);
    expect(invented).toBeLessThan(true_ - 0.2);
    expect(good).toBeLessThanOrEqual(1);
  });

  it('is a number for an empty summary of an empty conversation', async () => {
    expect(await qualityOf('', conversationOf(), new TimeSlice())).toBe(0.35);
  });

  it('is computed in slices, from the first 100 000 characters of each message', async () => {
    const long = `u: ${'peas '.repeat(20_001)}`;
    const conversation = conversationOf(...Array<string>(40).fill(`${long}zebra`));
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const slice = new TimeSlice({ clock: tickingClock() });
    const quality = await qualityOf('peas', conversation, slice);
    clearImmediate(counting);
    expect(quality).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(40 / STEPS_PER_SLICE);
  });
});
