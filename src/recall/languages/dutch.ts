/**
 * Dutch: the Snowball stemmer, and rules for participles, which it does not join with other forms: `gemaakt` finds
 * `maken`.
 */
import { stemmer } from '@orama/stemmers/dutch';
import { type Language, numberWords, withIrregularVerbs, wordList } from './language.js';

/**
 * Verbs that the rule for participles does not fit: the infinitive, and other forms. Forms that are also another
 * common word (`las`, `sloot`) are left out.
 */
const IRREGULAR = `kopen gekocht kocht, verkopen verkocht, gaan gegaan ging, zien gezien zag, schrijven geschreven schreef,
  beschrijven beschreven beschreef, nemen genomen nam, vinden gevonden vond, brengen gebracht bracht,
  denken gedacht dacht, doen gedaan deed, spreken gesproken sprak, bespreken besproken besprak,
  afspreken afgesproken, besluiten besloten besloot, sluiten gesloten, beginnen begonnen begon, lezen gelezen,
  eten gegeten, drinken gedronken dronk, komen gekomen kwam, geven gegeven gaf, krijgen gekregen kreeg,
  blijven gebleven bleef, kiezen gekozen koos, vergeten vergat, verliezen verloren verloor, winnen gewonnen,
  zoeken gezocht zocht, weten geweten wist, staan gestaan stond, zitten gezeten zat, slapen geslapen sliep,
  lopen gelopen liep, rijden gereden reed, vliegen gevlogen vloog, helpen geholpen hielp, roepen geroepen riep,
  snijden gesneden sneed, trekken getrokken trok, vertrekken vertrokken vertrok, houden gehouden hield,
  laten gelaten liet, vallen gevallen viel, hangen gehangen hing, kijken gekeken keek, bekijken bekeken bekeek,
  binden gebonden, bieden geboden, aanbieden aangeboden, laden geladen, zenden gezonden,
  verzenden verzonden, treden getreden, leggen gelegd legde, zeggen gezegd, gebruiken gebruikt, gebeuren gebeurd gebeurt, geloven geloofd`;
const irregularStem = withIrregularVerbs(stemmer, IRREGULAR);

/** A separable prefix, `ge`, the stem of the verb, and the ending of a regular participle. */
const PARTICIPLE =
  /^((?:aan|af|bij|door|in|mee|na|om|op|over|samen|terug|toe|uit|voor|weg)?)ge(...+)[dt]$/;
/** Stems of other words of this form. */
const NO_PARTICIPLES = new Set(
  wordList('gebied geboort geduld geluid gemiddeld gerecht geweld gewicht gezicht gezond'),
);

function verbStem(word: string): string {
  const stem = irregularStem(word);
  const [, separable = '', verb] = PARTICIPLE.exec(stem) ?? [];
  if (verb === undefined || NO_PARTICIPLES.has(stem)) return stem;
  return separable + stemmer(verb); // removes the doubled vowel, as from the infinitive
}

export const dutch: Language = {
  code: 'nl',
  stem: verbStem,
  joinsNouns: true,
  stopWords: new Set(
    wordList(`aan al alles als andere bij dan dat de der deze die dit doch door dus een en er ge geen had heb heeft
    hebben hem het hier hij hoe hun ik in is ja je jij jouw kan kon kunnen maar me meer men met mij mijn moet na
    naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor
    waar waarom wanneer want waren was wat we wel werd wie wij wil worden wordt zal ze zelf zich zij zijn zo
    zonder zou welk welke hoeveel waarheen waarmee`),
  ),
  conversationWords:
    wordList(`genoemd noemen gezegd zeggen besproken bespreken gesprek samenvatting samenvatten
    overzicht volgorde lijst tonen uitleggen vraag vragen antwoord verschillende voorgesteld voorstellen
    aanbevolen advies eerst laatst hulp helpen onderwerp`),
  cues: {
    asksAssistant:
      /\bheb je .*(?:aangeraden|voorgesteld|gezegd|uitgelegd)|jouw (?:advies|voorstel|antwoord)/,
    isRequest: /^(?:kun je|kan je|kunt u|hoe (?:kan|moet) ik|laat me|help me|schrijf)/,
    isOverview: /samenvat|overzicht|volgorde/,
    isInstruction: /\b(?:altijd|nooit|vanaf nu|voortaan)\b/,
    isChange:
      /(?<!\p{L})(?:in plaats van|niet meer(?! dan)|veranderd|verplaatst|uitgesteld|toch niet|voortaan|vervangen|correctie)/u,
    isPreference: /\bik (?:geef de voorkeur|hou (?:meer )?van|heb liever)|\bliever\b/,
  },
  timePhrases: {
    day: [/\bvandaag\b/i, /\bgisteren\b/i, /\beergisteren\b/i],
    week: [/\bdeze week\b/i, /\b(?:vorige|afgelopen) week\b/i],
    month: [/\bdeze maand\b/i, /\b(?:vorige|afgelopen) maand\b/i],
    year: [/\bdit jaar\b/i, /\b(?:vorig|afgelopen) jaar\b/i],
    ago: /\b(?<count>\d{1,3}|een|één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien) (?:(?<day>dag(?:en)?)|(?<week>weken|week)|(?<month>maand(?:en)?)|(?<year>jaar|jaren)) geleden\b/iu,
    recent:
      /\b(?:afgelopen|laatste) (?<count>\d{1,3}|twee|drie|vier|vijf|zes|zeven|acht|negen|tien) (?:(?<day>dagen)|(?<week>weken)|(?<month>maanden)|(?<year>jaar|jaren))\b/i,
    numbers: numberWords('een|één twee drie vier vijf zes zeven acht negen tien'),
  },
};
