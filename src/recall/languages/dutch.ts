/** Dutch. */
import { stemmer } from '@orama/stemmers/dutch';
import { type Language, numberWords, wordList } from './language.js';

export const dutch: Language = {
  code: 'nl',
  stem: stemmer,
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
