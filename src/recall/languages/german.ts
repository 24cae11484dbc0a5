/**
 * German: the Snowball stemmer, and rules for the past forms of verbs, which it does not join with the others:
 * `gekauft` finds `kaufen`, and `ging` finds `gehen`.
 */
import { stemmer } from '@orama/stemmers/german';
import { type Language, numberWords, wordList } from './language.js';

/**
 * Irregular verbs: infinitive, past, participle. `-` stands for a form whose stem is also that of a noun or
 * of another verb (`Stand`, `Laser`, `Gerät`).
 */
const IRREGULAR = `backen - gebacken, befehlen befahl befohlen, beginnen begann begonnen, beißen - gebissen,
  bergen - geborgen, biegen - gebogen, binden - gebunden, bitten bat gebeten, bleiben blieb geblieben, brechen brach gebrochen, brennen brannte gebrannt, bringen brachte gebracht,
  denken dachte gedacht, dringen - gedrungen, empfangen empfing empfangen, empfehlen empfahl empfohlen,
  essen - gegessen, fallen fiel gefallen, fangen - gefangen, finden fand gefunden, fliegen flog geflogen,
  fließen - geflossen, frieren fror gefroren, geben - gegeben, gehen ging gegangen, gelingen - gelungen,
  geschehen geschah geschehen, gewinnen gewann gewonnen, gießen goss gegossen, gleichen glich geglichen,
  greifen - gegriffen, halten hielt gehalten, hängen hing gehangen, heben hob gehoben, helfen half geholfen,
  kennen kannte gekannt, kommen kam gekommen, laden lud geladen, lassen ließ gelassen, laufen - gelaufen,
  leiden litt gelitten, leihen lieh geliehen, lesen - gelesen, lügen - gelogen,
  meiden mied gemieden, messen - gemessen, nehmen - genommen, nennen nannte genannt, raten riet -,
  reißen - gerissen, reiten - geritten, rennen rannte gerannt, riechen roch gerochen, rufen rief gerufen,
  schaffen schuf geschaffen, scheiden - geschieden, scheinen - geschienen, schieben - geschoben,
  schlafen schlief geschlafen, schlagen schlug geschlagen, schließen - geschlossen,
  schmelzen schmolz geschmolzen, schneiden - geschnitten, schreiben schrieb geschrieben,
  schweigen schwieg geschwiegen, schwimmen - geschwommen, sehen sah gesehen, senden sandte gesandt,
  singen sang gesungen, sinken sank gesunken, sitzen saß gesessen, sprechen - gesprochen,
  springen sprang gesprungen, stechen stach gestochen, stehen - gestanden, stehlen - gestohlen,
  steigen - gestiegen, sterben starb gestorben, stoßen stieß gestoßen, streichen - gestrichen,
  streiten stritt gestritten, tragen - getragen, treffen traf getroffen, treiben - getrieben,
  treten trat getreten, trinken trank getrunken, tun - getan, vergessen vergaß vergessen,
  verlieren verlor verloren, verschwinden verschwand verschwunden, wachsen - gewachsen,
  waschen wusch gewaschen, weisen - gewiesen, werben warb geworben,
  werfen warf geworfen, wiegen - gewogen, wissen wusste gewusst, ziehen zog gezogen, zwingen - gezwungen`;

interface IrregularStems {
  /** The stem of the infinitive by that of the past form, or of an infinitive that has a prefix already. */
  readonly past: Map<string, string>;
  /** The stem of the infinitive by that of the participle without `ge`. */
  readonly participles: Map<string, string>;
}

function irregularStems(): IrregularStems {
  const past = new Map<string, string>();
  const participles = new Map<string, string>();
  for (const verb of IRREGULAR.split(',')) {
    const [infinitive = '', pastForm = '', participle = ''] = wordList(verb);
    const stem = stemmer(infinitive);
    // No word is `-`, so its entry has no effect.
    past.set(stemmer(pastForm), stem);
    if (participle.startsWith('ge') && !infinitive.startsWith('ge'))
      participles.set(stemmer(participle).slice('ge'.length), stem);
    else past.set(stemmer(participle), stem);
  }
  return { past, participles };
}

/** Filled at the first word, because a command that searches nothing loads the languages too. */
let irregular: IrregularStems | undefined;

/** A separable prefix, then `ge` or an inseparable prefix, then the rest, all as the stemmer returns them. */
const PARTS =
  /^((?:ab|an|auf|aus|bei|durch|ein|fest|heraus|herunter|her|hinzu|hin|los|mit|nach|statt|teil|uber|um|unter|vor|weg|wieder|zuruck|zusammen|zu)?)((?:ge|be|emp|ent|er|ver|zer)?)(..+)$/;
/**
 * The ending that regular participles have and the stem of the infinitive has not. A `t` belongs to the stem of many
 * nouns and verbs (`Bericht`, `erwarten`), so it is an ending only after letters that are rare before such a `t`.
 */
const REGULAR_ENDING =
  /(?<=...)(?:(?<=[td]|[^aeioulr][mn])et|(?<!w)ert|(?<=[bgkmpz]|[^aeiou]n|ien|plan|[uos]ch|eich|[lmw]ach|auf?|[hl]l|iel|eil|hol|[^aeiou]el|hr|hor|pur|klar|bar|ss|eis|los|reu)t)$/;

/** Stems of nouns that look like a past form. A compound noun such as `Lagerbestand` must still end with them. */
const NOUNS = new Set(
  wordList(`andacht befund begriff bestand betrieb geback gebet gebiss gehalt gesamt getrieb gewachs verbund
    verdacht vertrieb`),
);

/** The stem of the infinitive for the past forms of a verb, and Snowball's stem for all other words. */
function verbStem(word: string): string {
  const stem = stemmer(word).replace(/eln$/, 'el'); // Snowball leaves `sammeln` and `Kartoffeln` as they are
  if (NOUNS.has(stem)) return stem;
  const [, separable = '', prefix = '', core = ''] = PARTS.exec(stem) ?? [];
  const kept = prefix === 'ge' ? '' : prefix;
  irregular ??= irregularStems();
  const past = irregular.past.get(prefix + core);
  if (past !== undefined) return separable + past;
  const base =
    (prefix && irregular.participles.get(core)) || (kept === prefix && irregular.past.get(core));
  if (base) return separable + kept + base;
  if (stem.endsWith('iert')) return stem.slice(0, -'ert'.length);
  if (prefix === '' || !REGULAR_ENDING.test(core)) return stem;
  return separable + kept + core.replace(REGULAR_ENDING, '');
}

export const german: Language = {
  code: 'de',
  stem: verbStem,
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
