/** German. */
import { stemmer } from '@orama/stemmers/german';
import { type Language, numberWords, wordList } from './language.js';

export const german: Language = {
  code: 'de',
  stem: stemmer,
  joinsNouns: true,
  otherSpelling,
  stopWords: new Set(
    wordList(`aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin
    bis bist da damit dann das dass dein deine deinem deinen deiner dem den denn der des dessen dich die
    dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es
    etwas euch euer eure für gegen habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre
    ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen
    keiner können könnte man manche mein meine meinem meinen meiner mich mir mit muss müssen nach nein nicht
    noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollte
    sondern sonst über um und uns unser unsere unter viel vom von vor war waren warst was weg weil welche
    welchem welchen welcher welches wenn wer wem wen werde werden wie wieder wir wird wirst wo wollen wollte
    wurde wurden würde würden zu zum zur zwar zwischen schon warum wann viele wieso weshalb
    wohin woher wieviel wieviele womit wofür woran wozu`),
  ),
  conversationWords:
    wordList(`erwähnt erwähnen gesagt sagen besprochen besprechen gespräch unterhaltung
    zusammenfassung zusammenfassen überblick reihenfolge liste zeigen erklären frage fragen antwort viele
    verschiedene vorgeschlagen vorschlagen empfohlen empfehlen rat bitte zuerst zuletzt bisher früher hilfe
    helfen brauche möchte machen gemacht thema themen über`),
  cues: {
    asksAssistant:
      /\b(?:hast du|haben sie|hattest du) .*(?:empfohlen|vorgeschlagen|geraten|gesagt|erklärt)|\bdein(?:e|en)? (?:rat|vorschl[aä]g|empfehlung|antwort)/,
    isRequest:
      /^(?:bitte )?(?:kannst du|können sie|könntest du|wie (?:kann|soll|sollte) ich|zeig mir|hilf mir|schreib|was soll ich)|\bempfiehlst du\b/,
    isOverview: /zusammenfass|überblick|reihenfolge|(?<!\p{L})verlauf/u,
    isInstruction: /\b(?:immer|nie|niemals|von jetzt an|ab jetzt|künftig|in zukunft)\b/,
    isChange:
      /(?<!\p{L})(?:(?:an)?statt(?= +(?!(?:und|oder|aber|weil|wenn|wie)(?!\p{L}))\p{L})|stattdessen|nicht mehr(?! als)|geändert|verschoben|gewechselt|umgezogen|jetzt doch|doch nicht|ab jetzt|ersetzt|umbenannt|korrektur|inzwischen|neue[rs]? (?:termin|frist|datum|uhrzeit|nummer|adresse|plan|name|preis|stelle)(?!\p{L}))/u,
    isPreference: /\bich (?:bevorzuge|ziehe .* vor|mag|möchte lieber|hätte lieber)\b|\blieber\b/,
  },
  timePhrases: {
    day: [/\bheute\b/i, /\bgestern\b/i, /\bvorgestern\b/i],
    week: [
      /\b(?:in )?diese[rn]? woche\b/i,
      /\b(?:letzte[rn]?|vorige[rn]?|vergangene[rn]?) woche\b/i,
    ],
    month: [/\b(?:in )?diese[mnr] monat\b/i, /\b(?:letzten|letztem|vorigen|vergangenen) monat\b/i],
    year: [/\b(?:in )?diese[ms] jahr\b/i, /\b(?:letzte[sn]|vorige[sn]|vergangene[sn]) jahr\b/i],
    ago: /\bvor (?<count>\d{1,3}|eine[mr]|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn) (?:(?<day>tag(?:en)?)|(?<week>wochen?)|(?<month>monat(?:en)?)|(?<year>jahr(?:en)?))\b/iu,
    recent:
      /\b(?:letzten|vergangenen) (?<count>\d{1,3}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn) (?:(?<day>tagen?)|(?<week>wochen)|(?<month>monaten?)|(?<year>jahren?))\b/iu,
    numbers: numberWords('einem|einer zwei drei vier fünf sechs sieben acht neun zehn'),
  },
};

/** Without a German keyboard, people write `ae` for `ä`. The word in the other of the two spellings. */
function otherSpelling(word: string): string {
  if (/[äöü]/.test(word)) return word.replace(/[äöü]/g, (letter) => TWO_LETTERS[letter] ?? letter);
  return word.replace(/ae|oe|ue/g, (letters) => UMLAUTS[letters] ?? letters);
}

const TWO_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };
const UMLAUTS: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü' };
