/**
 * English: Porter's stemmer (https://tartarus.org/martin/PorterStemmer/), a table of irregular forms, and
 * rules for British spellings, because a person and an assistant often do not spell alike.
 * The stemmer of `@orama/stemmers` drops the last letter before "ion" (`collec` for "collection"), so that
 * "collection" would not find "collected".
 */
import { stemmer } from 'stemmer';
import { type Language, numberWords, wordList } from './language.js';

/**
 * Irregular verbs and nouns, each with its other forms. Forms that are also another common word, such as
 * "saw", "left", "led" and "felt", are left out.
 */
const IRREGULAR = `arise arose arisen, become became, begin began begun, bend bent, bite bitten, blow blew blown,
  break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught,
  choose chose chosen, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
  drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, fight fought, find found,
  flee fled, fly flew flown, forget forgot forgotten, forgive forgave forgiven, freeze froze frozen,
  get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden,
  hold held, keep kept, know knew known, lay laid, learn learnt, lend lent, light lit, lose lost, make made,
  mean meant, meet met, pay paid, ride rode ridden, ring rang rung, rise risen, run ran, say said, see seen,
  seek sought, sell sold, send sent, shake shook shaken, shine shone, show shown, sing sang sung,
  sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, spend spent, spin spun, stand stood,
  steal stole stolen, stick stuck, stride strode, strike struck, swear swore sworn, sweep swept,
  swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told, think thought,
  throw threw thrown, understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept,
  win won, write wrote written, child children, foot feet, goose geese, half halves, knife knives,
  loaf loaves, man men, mouse mice, shelf shelves, thief thieves, tooth teeth, wife wives, wolf wolves,
  woman women`;

/** The base form by an irregular form. */
const BASE_FORMS: ReadonlyMap<string, string> = new Map(
  IRREGULAR.split(',').flatMap((entry) => {
    const [base = '', ...forms] = wordList(entry);
    return forms.map((form) => [form, base] as const);
  }),
);

/** British endings, each with the American one. */
const SPELLINGS: readonly (readonly [british: RegExp, american: string])[] = [
  [
    /(?<=^(?:dis|mis|un)?(?:arm|behavi|col|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum|sav|splend|tum|val|vap|vig))our/,
    'or',
  ],
  [
    /(?<=\w\w(?:al|an|ar|en|er|ic|im|in|it|iv|og|on|or|ot|om(?<!prom)|yl|ym))is(?=(?:e[drs]?|ers|ing|ations?|ational)$)/,
    'iz',
  ],
  [/(?<=^(?:over)?(?:anal|catal|paral))ys(?=(?:e[drs]?|ers|ing)$)/, 'yz'],
  [/(?<=(?:^|kilo|centi|milli)(?:cent|fib|lit|lust|met|spect|theat))re(?=[ds]?$)/, 'er'],
  [/(?<=^(?:def|off|lic|pret))ence(?=s?$)/, 'ense'],
  [/(?<=^(?:anal|catal|dial|monol))ogue(?=s?$)/, 'og'],
  [/^gre(?=y)/, 'gra'],
  [/(?<=^program)me(?=s?$)/, ''],
];

/** Most words have none of these endings, and one pattern is faster than all. */
const MAY_BE_BRITISH = /our|is(?:e|ing|ati)|ys[ei]|re[ds]?$|ence|ogue|^grey|gramme/;

function americanSpelling(word: string): string {
  if (!MAY_BE_BRITISH.test(word)) return word;
  for (const [british, american] of SPELLINGS) {
    const spelled = word.replace(british, american);
    if (spelled !== word) return spelled;
  }
  return word;
}

export const english: Language = {
  code: 'en',
  stem: (word) => stemmer(BASE_FORMS.get(word) ?? americanSpelling(word)),
  stopWords: new Set(
    wordList(`a about after again all also am an and any are aren as at be because been before being both
    but by can cannot could couldn d did didn do does doesn doing don during each few for from further had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
    its itself just ll m me more most my myself no nor not now of off on once only or other our ours
    ourselves out over own re s same she should shouldn so some such t than that the their theirs them
    themselves then there these they this those through to too under until up ve very was wasn we were
    weren what when where which while who whom whose why will with won would wouldn you your yours
    yourself yourselves`),
  ),
  conversationWords:
    wordList(`mention mentioned say said tell told talk talked discuss discussed discussion
    conversation conversations chat session sessions message messages summary summarize summarise overview
    comprehensive order list walk show give provide explain describe recall remember remind brought bring
    raise asked ask question questions answer answers many much number total different various several
    aspect aspects topic topics item items thing things suggest suggested suggestion recommend recommended
    recommendation advise advice please first last throughout across ever previously earlier recently
    currently far help need want wanted know think consider considering plan planned planning try trying
    tried like would get got make made use used using way ways kind type types specific specifically detail
    details main key overall time times day days week weeks month months long ago between passed happen
    happened did do done work worked working start started progress progressed develop developed approach
    approached handle handled manage managed ensure sure best good better next still yet think thought feel
    felt let involve involved include included including based regarding related concerning`),
  askWords: ['ask'],
  neverWords: ['never'],
  cues: {
    asksAssistant:
      /\b(?:(?:did|had|have|were) you (?:\w+ )?(?:suggest|recommend|advis|say|said|tell|told|propos|mention|explain|describ|provid|offer|giv|outlin|list|help|use)|you (?:\w+ )?(?:suggested|recommended|advised|said|told|proposed|explained|described|provided|outlined|offered|gave)|your (?:\w+ )?(?:suggestions?|recommendations?|advice|proposals?|explanations?|answers?|tips?))\b/,
    isRequest:
      /^(?:(?:please|hi|hello|hey|ok|okay|so)\b[,!. ]*)?(?:(?:can|could|would|will) (?:you|i)\b|what (?:are|is) (?:some|the best|a good|typical|common)|(?:show|give|help) me|write|explain|suggest|recommend|i(?:'m| am) (?:planning|working|looking|trying|thinking|considering|preparing|going|about)\b|i (?:want|need|would like|have) to\b|i'd like)|\bhow (?:can|could|do|should|would|might) (?:i|we|you|one)\b|\b(?:what|which) (?:\w+ ){0,5}(?:should|could|can|would) (?:i|you|we)\b|\b(?:can|could|would) you (?:help|show|suggest|explain|recommend|walk)|\bshould i\b/,
    isRecollection:
      /\b(?:did|had|was|were|have (?:i|we|you)|(?:i|we|you) (?:have )?(?:mention|said|told|brought|discuss|talk)\w*|our (?:chat|conversation)s?)\b/,
    asksForNumber: /\bhow (?:many|much|long)\b/,
    asksWhetherEver: /^(?:have|had|did|do) (?:i|we)\b/,
    isOverview: /\b(?:summar(?:y|ies|i[sz]e|i[sz]ing)|overview|recap|evolution of)\b/,
    isSequence:
      /\b(?:in (?:chronological )?order(?! to\b)|(?:the|what|which) order|sequence of|timeline)\b/,
    isInstruction:
      /(?:^|[.!?\n][^\S\n]*)(?:please )?(?:always|never) (?:add|answer|ask|assume|avoid|call|check|cite|confirm|explain|format|give|highlight|include|keep|list|maintain|mention|print|provide|quote|remind|reply|report|respond|say|send|show|speak|specify|state|suggest|summari[sz]e|tailor|talk|tell|translate|use|write)\b|\b(?:from now on|going forward|(?:when|whenever|every time) i ask)\b/,
    isChange:
      /\b(?:instead of|no longer|any ?more(?=\s*(?:$|[.,;!]|(?:and|but|because|since)\b))|actually|changed (?:to|my|our|the)|moved (?:to|it|the|from)|switch(?:es|ing)? (?:[\w-]+ ){0,4}(?:from|to)|mov(?:es|ing) (?:[\w-]+ ){0,4}(?:from|to)|switched|rescheduled|postponed|updated?|now (?:is|it's|at|uses?|in)|is now|are now|from now on|replaced|renamed|correction|new (?:deadline|date|number|address|plan|name|job))\b/,
    isPreference:
      /\b(?:i(?:'d| would)? (?:\w+ )?(?:prefer|rather|favou?r)|i(?: really| usually| generally)? (?:like|love|enjoy) (?:to|it when|using|having)|my preference|i(?:'m| am) (?:more )?comfortable|i (?:don't|do not) (?:like|want|enjoy)|i (?:avoid|opted|decided against))\b/,
  },
  cueWords: {
    instruction: ['always', 'never', 'now', 'forward', 'ask'],
    preference: ['i', 'preference'],
  },
  timePhrases: {
    day: [
      /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/i,
      /\b(?:(?<!before )yesterday|last night)\b/i,
      /\bday before yesterday\b/i,
    ],
    week: [/\bthis week\b/i, /\b(?:last|previous) week\b/i],
    month: [/\bthis month\b/i, /\b(?:last|previous) month\b/i],
    year: [/\bthis year\b/i, /\b(?:last|previous) year\b/i],
    ago: /\b(?<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?:(?<day>days?)|(?<week>weeks?)|(?<month>months?)|(?<year>years?)) ago\b/i,
    recent:
      /\b(?:(?:in|over|within|during|for) the last|past|last(?= (?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)\b)) (?:(?<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) )?(?:(?<day>days?)|(?<week>weeks?)|(?<month>months?)|(?<year>years?))\b/i,
    numbers: numberWords('a|an|one two three four five six seven eight nine ten'),
  },
};
