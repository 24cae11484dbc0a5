/** Italian. */
import { stemmer } from '@orama/stemmers/italian';
import { type Language, numberWords, withIrregularVerbs, wordList } from './language.js';

/** Forms that are also another common word (`letto`, `corso`) are left out. */
const IRREGULAR = `fare fatto facciamo, dire detto diciamo, vedere visto, scrivere scritto, prendere preso, mettere messo,
  aprire aperto, chiudere chiuso, decidere deciso, scegliere scelto scelgo, spendere speso, rispondere risposto,
  chiedere chiesto, perdere perso, rompere rotto, risolvere risolto, offrire offerto, vivere vissuto,
  scoprire scoperto, coprire coperto, spegnere spento, accendere acceso, rimanere rimasto, nascere nato,
  morire morto, bere bevuto beviamo, vincere vinto, cuocere cotto, dipingere dipinto, aggiungere aggiunto,
  raggiungere raggiunto, produrre prodotto, tradurre tradotto, ridurre ridotto, proporre proposto,
  permettere permesso, promettere promesso, scendere sceso, discutere discusso, correggere corretto,
  proteggere protetto, dividere diviso`;

export const italian: Language = {
  code: 'it',
  stem: withIrregularVerbs(stemmer, IRREGULAR),
  stopWords: new Set(
    wordList(`a ad agli ai al alla alle allo anche ancora avere aveva c che chi ci come con contro cosa così cui d
    da dagli dai dal dalla dalle dallo degli dei del della delle dello di dopo dove e è ed era erano essere fa
    fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel
    nella nelle nello no noi non nostra nostro o ogni per perché più poi prima qual quale quali quando quanto
    quella quelle quelli quello questa queste questi questo qui se sei senza si sia siamo sono sta stata stato
    su sua sue sugli sui sul sulla suo suoi tra tu tua tue tuo tuoi tutti tutto un una uno vi voi
    quanta quanti quante`),
  ),
  conversationWords:
    wordList(`menzionato menzionare detto dire parlato parlare conversazione riassunto
    riassumere ordine elenco lista mostrare spiegare domanda risposta diversi vari suggerito suggerire
    consigliato consiglio favore primo ultimo aiuto aiutare voglio argomento argomenti`),
  cues: {
    asksAssistant:
      /\b(?:mi )?hai (?:suggerito|consigliato|raccomandato|detto|spiegato|proposto)|(?:tuo|tua|tuoi) (?:consigli|suggeriment|risposta)/,
    isRequest: /^(?:puoi|potresti|come (?:posso|devo|dovrei)|mostrami|aiutami|scrivi)/,
    isOverview: /riassu|panoramica|in (?:che )?ordine/,
    isInstruction: /\b(?:sempre|mai|d'ora in poi)\b/,
    isChange:
      /(?<!\p{L})(?:invece di|non (?:\p{L}+ ){1,3}più(?!\p{L})|cambiato|spostato|rimandato|alla fine(?! d)|adesso è|sostituito|correzione)/u,
    isPreference: /\b(?:preferisco|preferirei|non mi piace)\b/,
  },
  timePhrases: {
    day: [/\boggi\b/i, /(?<!altro ?)\bieri\b/i, /\baltro ?ieri\b/i],
    week: [/\bquesta settimana\b/i, /\b(?:la settimana scorsa|la scorsa settimana)\b/i],
    month: [/\bquesto mese\b/i, /\b(?:il mese scorso|lo scorso mese)\b/i],
    year: [/\bquest['’]anno\b/i, /\b(?:l['’]anno scorso|lo scorso anno)\b/i],
    ago: /\b(?<count>\d{1,3}|una?|due|tre|quattro|cinque|sei|sette|otto|nove|dieci) (?:(?<day>giorn[oi])|(?<week>settiman[ae])|(?<month>mes[ei])|(?<year>ann[oi])) fa\b/i,
    recent:
      /\b(?:negli|nelle|gli|le) ultim[ie] (?<count>\d{1,3}|due|tre|quattro|cinque|sei|sette|otto|nove|dieci) (?:(?<day>giorni)|(?<week>settimane)|(?<month>mesi)|(?<year>anni))\b/i,
    numbers: numberWords('un|una due tre quattro cinque sei sette otto nove dieci'),
  },
};
