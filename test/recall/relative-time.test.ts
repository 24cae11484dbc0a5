/** Times that a question names relative to now, and the order of the messages that were written then. */
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/recall/languages.js';
import { timeSpanIn } from '../../src/recall/question/relative-time.js';
import { RecallIndex } from '../../src/recall/recall-index.js';

/** A Wednesday. */
const NOW = Date.parse('2025-05-14T10:00:00Z');
const DAY_MS = 24 * 3_600_000;

/** First and last day of the span, as UTC. */
function days(text: string, language: string, ms = NOW, timeZone = 'UTC') {
  const found = timeSpanIn(
    text,
    LANGUAGES.find(({ code }) => code === language),
    { ms, timeZone },
  );
  if (found === undefined) return undefined;
  const day = (time: number) => new Date(time).toISOString().slice(0, 10);
  return `${day(found.from)} ${day(found.to - 1)}`;
}

const TODAY = '2025-05-14 2025-05-14';
const YESTERDAY = '2025-05-13 2025-05-13';
const LAST_WEEK = '2025-05-05 2025-05-11';
const LAST_MONTH = '2025-04-01 2025-04-30';
const THREE_WEEKS_AGO = '2025-04-21 2025-04-27';
const PAST_TEN_DAYS = '2025-05-04 2025-05-14';

describe('the span that a phrase names', () => {
  it.each([
    ['en', 'What did we plant today?', TODAY],
    ['en', 'What did we decide yesterday about the wall?', YESTERDAY],
    ['en', 'the day before yesterday', '2025-05-12 2025-05-12'],
    ['en', 'What happened this week?', '2025-05-12 2025-05-18'],
    ['en', 'south wall decision Last Week', LAST_WEEK],
    ['en', 'what did we do in the last week', '2025-05-07 2025-05-14'],
    ['en', 'over the past week', '2025-05-07 2025-05-14'],
    ['en', 'last month', LAST_MONTH],
    ['en', 'last year', '2024-01-01 2024-12-31'],
    ['en', 'three weeks ago', THREE_WEEKS_AGO],
    ['en', '12 months ago', '2024-05-01 2024-05-31'],
    ['en', 'in the last 10 days', PAST_TEN_DAYS],
    ['en', 'the last ten days', PAST_TEN_DAYS],
    ['en', 'What was the last week bug?', LAST_WEEK],
    ['en', 'the last three bugs', undefined],
    ['en', 'which day is it', undefined],
    ['de', 'Was haben wir gestern besprochen?', YESTERDAY],
    ['de', 'vorgestern', '2025-05-12 2025-05-12'],
    ['de', 'Was war letzte Woche?', LAST_WEEK],
    ['de', 'im vergangenen Monat', LAST_MONTH],
    ['de', 'vor drei Wochen', THREE_WEEKS_AGO],
    ['de', 'in den letzten zehn Tagen', PAST_TEN_DAYS],
    ['fr', 'Qu’avons-nous décidé hier ?', YESTERDAY],
    ['fr', 'avant-hier', '2025-05-12 2025-05-12'],
    ['fr', 'aujourd’hui', TODAY],
    ['fr', 'la semaine dernière', LAST_WEEK],
    ['fr', 'il y a trois semaines', THREE_WEEKS_AGO],
    ['fr', 'ces dix derniers jours', PAST_TEN_DAYS],
    ['es', '¿Qué decidimos ayer?', YESTERDAY],
    ['es', 'la semana pasada', LAST_WEEK],
    ['es', 'hace tres semanas', THREE_WEEKS_AGO],
    ['es', 'en los últimos diez días', PAST_TEN_DAYS],
    ['it', 'Che cosa abbiamo deciso ieri?', YESTERDAY],
    ['it', "l'altro ieri", '2025-05-12 2025-05-12'],
    ['it', 'la settimana scorsa', LAST_WEEK],
    ['it', 'tre settimane fa', THREE_WEEKS_AGO],
    ['it', 'negli ultimi dieci giorni', PAST_TEN_DAYS],
    ['pt', 'O que decidimos ontem?', YESTERDAY],
    ['pt', 'na semana passada', LAST_WEEK],
    ['pt', 'há três semanas', THREE_WEEKS_AGO],
    ['pt', 'nos últimos dez dias', PAST_TEN_DAYS],
    ['nl', 'Wat hebben we gisteren besloten?', YESTERDAY],
    ['nl', 'vorige week', LAST_WEEK],
    ['nl', 'drie weken geleden', THREE_WEEKS_AGO],
    ['nl', 'de afgelopen tien dagen', PAST_TEN_DAYS],
    ['ja', '昨日は何を決めましたか', YESTERDAY],
    ['ja', '一昨日', '2025-05-12 2025-05-12'],
    ['ja', '先週', LAST_WEEK],
    ['ja', '三週間前', THREE_WEEKS_AGO],
    ['ja', '過去10日間', PAST_TEN_DAYS],
  ])('%s: %s', (language, text, expected) => {
    expect(days(text, language)).toBe(expected);
  });

  it('keeps to the calendar at the ends of months and years', () => {
    const endOfMay = Date.parse('2025-05-31T12:00:00Z');
    expect(days('last month', 'en', endOfMay)).toBe(LAST_MONTH);
    expect(days('three months ago', 'en', endOfMay)).toBe('2025-02-01 2025-02-28');
    expect(days('yesterday', 'en', Date.parse('2025-01-01T12:00:00Z'))).toBe(
      '2024-12-31 2024-12-31',
    );
  });

  it('has the days of the time zone, also when the clock is changed', () => {
    const tokyo = { ms: Date.parse('2025-05-14T20:00:00Z'), timeZone: 'Asia/Tokyo' };
    const english = LANGUAGES[0];
    expect(timeSpanIn('today', english, tokyo)?.from).toBe(Date.parse('2025-05-14T15:00:00Z'));
    const berlin = { ms: Date.parse('2025-03-31T10:00:00Z'), timeZone: 'Europe/Berlin' };
    const { from = 0, to = 0 } = timeSpanIn('yesterday', english, berlin) ?? {};
    expect(to - from).toBe(23 * 3_600_000); // the night in which summer time began
  });
});

describe('an answer to a question that names a time', () => {
  const said = (content: string, daysAgo: number) => ({
    role: 'user',
    content,
    time: NOW - daysAgo * DAY_MS,
    speaker: undefined,
  });
  const CONVERSATIONS = {
    march: [said('We decided that the south wall gets larch boards and a membrane.', 60)],
    week: [said('We decided to move the raised bed away from the south wall.', 7)],
    other: [said('The dentist has an appointment on Tuesday morning at nine.', 6)],
  };

  async function ask(question: string, now = NOW) {
    const index = new RecallIndex();
    for (const [name, messages] of Object.entries(CONVERSATIONS)) index.put(name, messages);
    const answer = await index.ask(question, { now: { ms: now, timeZone: 'UTC' } });
    return answer.hits(0, answer.total);
  }

  it('begins with what was said then, and has the rest after it', async () => {
    const found = await ask('What did we decide last week about the south wall?');
    expect(found.map((hit) => hit?.conversationId)).toEqual(['week', 'march']);
    expect(found[0]?.evidence.labelWords).toEqual(['last week']);
    const before = await ask('What did we decide two months ago about the south wall?');
    expect(before[0]?.conversationId).toBe('march');
  });

  it('ranks what was said then, even if hundreds of other messages have more of the words', async () => {
    const index = new RecallIndex();
    for (let at = 0; at < 450; at++)
      index.put(`c${at}`, [said(`We decided to paint the south wall, part ${at}.`, 60)]);
    index.put('week', [said('The wall is dry and the scaffold is gone.', 7)]);
    const question = 'What did we decide last week about the south wall?';
    const answer = await index.ask(question, { now: { ms: NOW, timeZone: 'UTC' } });
    const hits = answer.hits(0, answer.total);
    // Messages that are not candidates have the score 0 and are the last.
    expect(hits.find(({ conversationId }) => conversationId === 'week')?.score).toBeGreaterThan(0);
  });

  it('has all messages of that time if the question has no other subject', async () => {
    const found = await ask('What did we talk about last week?');
    expect(found.map((hit) => hit?.conversationId).sort()).toEqual(['other', 'week']);
  });

  it.each([
    // Too few function words to determine the language of the question.
    ['Südwand letzte Woche', 'week', 'letzte Woche'],
    ['Südwand vor zwei Monaten', 'march', 'vor zwei Monaten'],
    // Japanese has particles instead of function words.
    ['先週の南壁の件は?', 'week', '先週'],
    ['先月の南壁', 'april', '先月'],
  ])('knows the time in keywords of another language: %s', async (question, first, phrase) => {
    const index = new RecallIndex();
    const german = 'Wir haben beschlossen, dass die Südwand nicht mit dem Brett verkleidet wird.';
    const japanese = '南壁に新しい板を張ることにしましたが、まだ決まっていません。';
    const ages = { today: 0, week: 7, april: 25, march: 60 };
    for (const [name, age] of Object.entries(ages)) {
      index.put(name, [said(german, age), said(japanese, age)]);
    }
    const answer = await index.ask(question, { now: { ms: NOW, timeZone: 'UTC' } });
    expect(answer.hits(0, 1)[0]?.conversationId).toBe(first);
    expect(answer.hits(0, 1)[0]?.evidence.labelWords).toEqual([phrase]);
  });

  it.each(['NFC', 'NFD'])('leaves the phrase out of the words, in the Unicode form %s', (form) => {
    const index = new RecallIndex();
    index.put('year', [said('Plantamos los tomates en la pared del sur.', 365)]);
    const asked = '¿Qué plantamos el año pasado?'.normalize(form);
    const { words } = index.question(asked, { now: { ms: NOW, timeZone: 'UTC' } });
    expect(words.map(({ text }) => text)).toEqual(['plantamos']);
  });

  it('takes the phrase for words if nothing was said then', async () => {
    const found = await ask('What did we decide yesterday about the south wall?');
    expect(found.map((hit) => hit?.conversationId).sort()).toEqual(['march', 'week']);
    expect(found.every((hit) => hit?.evidence.labelWords.length === 0)).toBe(true);
  });
});
