/**
 * What summaries use of a language: its function words, its words for a decision, and its headings. A
 * conversation in another language is summarised without headings; frequent words are then recognised by
 * their frequency alone.
 */

interface Headings {
  readonly decisions: string;
  readonly questions: string;
  readonly user: string;
  readonly assistant: string;
}

interface Language {
  /** Function words. They also determine the language of a text. */
  readonly words?: string;
  /** A script that determines the language. */
  readonly script?: RegExp;
  /** Alternatives of a regular expression that match whole words. */
  readonly decision: string;
  readonly headings: Headings;
}

const LANGUAGES = {
  en: {
    words:
      'the and to of a in is it you that for on with as are this be was have not but at or from they we can if so what do your my will there their an by he she them which would about how when up out all me i its',
    decision:
      "decided|decision|decide on|agreed|settled on|(?:we|i)(?:'ll| will| shall) (?:use|take|go with|keep|stay with)|let's (?:use|take|go with|do|keep|stay with)|(?:go|going|went) with|(?:have|has|was|were) chosen|we chose|the plan is|from now on|instead of that",
    headings: heading('Decisions', 'Open questions', 'User', 'Assistant'),
  },
  de: {
    words:
      'der die das und ist nicht ein eine zu in den mit von sich auf für es ich wir sie du im dem des auch als an wie so aus bei nach oder aber dass wenn noch nur werden wird sind war hat haben kann einen einem einer um mir dir was zum zur',
    decision:
      'entschieden|entscheidung|beschlossen|vereinbart|geeinigt|abgemacht|festgelegt|wir (?:nehmen|bleiben bei|verwenden|machen)|ab jetzt',
    headings: heading('Entscheidungen', 'Offene Fragen', 'Nutzer', 'Assistent'),
  },
  fr: {
    words:
      "le la les et de des du un une est en que qui pour pas dans ce il elle je vous nous on ne sur avec se au aux plus par son sa ses mais ou comme si c'est être a sont cette tu leur y",
    decision: 'décidé|décision|convenu|choisi|retenu|on (?:prend|garde|part sur)|désormais',
    headings: heading('Décisions', 'Questions ouvertes', 'Utilisateur', 'Assistant'),
  },
  es: {
    words:
      'el la los las y de del un una es en que por para no se con lo su al como más pero sus le ya o este sí porque esta entre cuando muy sin sobre también me hasta hay donde yo nos qué está',
    decision:
      'decidido|decidimos|decisión|acordado|acordamos|elegido|elegimos|nos quedamos con|a partir de ahora',
    headings: heading('Decisiones', 'Preguntas abiertas', 'Usuario', 'Asistente'),
  },
  it: {
    words:
      'il lo la i gli le e di del della un una è in che per non si con su al come più ma anche o questo sono ho ha hai mi ti ci da dal nel alla se perché cosa quando',
    decision: 'deciso|decisione|concordato|scelto|abbiamo scelto|prendiamo|d’ora in poi',
    headings: heading('Decisioni', 'Domande aperte', 'Utente', 'Assistente'),
  },
  pt: {
    words:
      'o a os as e de do da dos das um uma é em que por para não se com no na ao como mais mas seu sua ou já também eu você nós isso este esta são foi tem está muito quando',
    decision:
      'decidido|decidimos|decisão|combinado|combinamos|escolhemos|escolhido|a partir de agora',
    headings: heading('Decisões', 'Perguntas em aberto', 'Usuário', 'Assistente'),
  },
  nl: {
    words:
      'de het een en van in is dat die te op voor met zijn er niet aan ik je wij we ze maar om ook als dan bij nog naar of uit wat kan heeft hebben wordt dit over zo',
    decision: 'besloten|besluit|afgesproken|gekozen|we (?:nemen|kiezen|gebruiken)|vanaf nu',
    headings: heading('Besluiten', 'Open vragen', 'Gebruiker', 'Assistent'),
  },
  ru: {
    script: /\p{Script=Cyrillic}/u,
    words:
      'и в не на что с как это а по но из у за от так же для вы мы я он она они к бы если или уже',
    decision: 'решили|решено|решение|договорились|выбрали|остановились на',
    headings: heading('Решения', 'Открытые вопросы', 'Пользователь', 'Ассистент'),
  },
  ja: {
    script: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    decision: '決め(?:た|ました|よう)|決定|ことにし(?:た|ます|ました|ましょう)|採用',
    headings: heading('決定事項', '未解決の質問', 'ユーザー', 'アシスタント'),
  },
  zh: {
    script: /\p{Script=Han}/u,
    decision: '决定|決定|选择了|選擇了|选定|就用|确定用|說好|说好|约定',
    headings: heading('决定', '未解决的问题', '用户', '助手'),
  },
  ko: {
    script: /\p{Script=Hangul}/u,
    decision: '결정|하기로 (?:했|합|하)|정했',
    headings: heading('결정 사항', '미해결 질문', '사용자', '어시스턴트'),
  },
} satisfies Record<string, Language>;

export type LanguageCode = keyof typeof LANGUAGES;

const CODES = Object.keys(LANGUAGES) as LanguageCode[];
/** Scripts are tested in the order of the table, because a Japanese text also has Han characters. */
const BY_SCRIPT = CODES.flatMap((code) => {
  const language: Language = LANGUAGES[code];
  return language.script === undefined ? [] : [{ code, script: language.script }];
});
const LETTER = /\p{L}/gu;
/** Minimum share of letters of a script, because texts have names and quotations in other scripts. */
const SHARE_OF_SCRIPT = 0.2;
/** Minimum share of a language's function words among all words of a text in that language. */
const SHARE_OF_WORDS = 0.08;
const SAMPLE = 20_000;
/** Most Japanese endings and particles are hiragana only. */
export const HIRAGANA = /^\p{Script=Hiragana}+$/u;
/** In these scripts, two characters are about one word. */
export const DENSE_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const wordsOf = new Map(
  CODES.flatMap((code) => {
    const { words }: Language = LANGUAGES[code];
    return words === undefined ? [] : [[code, new Set(words.split(' '))] as const];
  }),
);
const everyWord = new Set([...wordsOf.values()].flatMap((words) => [...words]));

/** The language of most of a text; `undefined` if it is none of the known ones. */
export function languageOf(text: string): LanguageCode | undefined {
  const sample = text.slice(0, SAMPLE);
  const letters = sample.match(LETTER) ?? [];
  for (const { code, script } of BY_SCRIPT) {
    const count = letters.filter((letter) => script.test(letter)).length;
    if (count > letters.length * SHARE_OF_SCRIPT) return code;
  }
  const words = sample.toLowerCase().match(/[\p{L}'’]+/gu) ?? [];
  const [best] = [...wordsOf]
    .map(([code, known]) => ({ code, count: words.filter((word) => known.has(word)).length }))
    .sort((a, b) => b.count - a.count);
  return best !== undefined && best.count > words.length * SHARE_OF_WORDS ? best.code : undefined;
}

/** Whether a word is a function word of any of these languages. */
export const isFunctionWord = (word: string): boolean => everyWord.has(word);

export const headingsOf = (code: LanguageCode | undefined): Headings | undefined =>
  code && LANGUAGES[code].headings;

const DENSE_CODES: readonly LanguageCode[] = ['ja', 'zh', 'ko'];
const whole = (codes: readonly LanguageCode[]) =>
  codes.map((code) => LANGUAGES[code].decision).join('|');
const DECISION = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${whole(CODES.filter((code) => !DENSE_CODES.includes(code)))})(?![\\p{L}\\p{N}])|${whole(DENSE_CODES)}`,
  'iu',
);

/** Whether a sentence has words of a decision. Negations and reports of others' decisions count too. */
export const saysDecision = (sentence: string): boolean =>
  DECISION.test(sentence.replaceAll('’', "'"));

function heading(decisions: string, questions: string, user: string, assistant: string): Headings {
  return { decisions, questions, user, assistant };
}
