/** Portuguese. */
import { stemmer } from '@orama/stemmers/portuguese';
import { type Language, numberWords, withIrregularVerbs, wordList } from './language.js';

const IRREGULAR = `fazer feito fez fiz faço, ver visto, escrever escrito, dizer dito disse digo, abrir aberto, cobrir coberto,
  descobrir descoberto, pôr posto pôs ponho, propor proposto, trazer trouxe trago, ler leu lido, querer quis,
  saber soube, perder perco, pedir peço, dormir durmo, imprimir impresso, entregar entregue`;

export const portuguese: Language = {
  code: 'pt',
  stem: withIrregularVerbs(stemmer, IRREGULAR),
  stopWords: new Set(
    wordList(`a à ao aos aquela aquele aquilo as às até com como da das de dela dele depois do dos e é ela elas ele
    eles em entre era eram essa esse esta está estão estava este eu foi foram há isso isto já lhe mais mas me
    mesmo meu meus minha minhas muito na não nas nem no nos nós nossa nosso num numa o os ou para pela pelas
    pelo pelos por porque qual quando que quê quem se sem ser será seu seus só são sua suas também te tem têm
    tinha tu tua um uma umas uns você vocês onde quanto quanta quantos quantas quais aonde`),
  ),
  conversationWords:
    wordList(`mencionado mencionar disse dizer dito falado falar conversa resumo resumir ordem
    lista mostrar explicar pergunta resposta vários diferentes sugerido sugerir recomendado recomendar conselho
    favor primeiro último ajuda ajudar preciso quero tema assunto`),
  cues: {
    asksAssistant:
      /\b(?:sugeriu|sugeriste|recomendou|recomendaste|aconselhou|disseste|você (?:me )?(?:disse|explicou|propôs))/,
    isRequest: /^(?:pode|podes|poderia|como (?:posso|devo|deveria)|mostre-me|ajude-me|escreva)/,
    isOverview: /resum|visão geral|em que ordem/,
    isInstruction: /\b(?:sempre|nunca|a partir de agora)\b/,
    isChange:
      /(?<!\p{L})(?:em vez de|já não|não (?:\p{L}+ ){1,3}mais(?!\p{L})|mudou|mudado|adiado|agora é|substituído|correção)/u,
    isPreference: /\b(?:prefiro|preferiria|não gosto)\b/,
  },
  timePhrases: {
    day: [/\bhoje\b/i, /\bontem\b/i, /\banteontem\b/i],
    week: [/\b(?:n?esta|essa) semana\b/i, /\b(?:n?a semana passada|semana passada)\b/i],
    month: [/\b(?:n?este|esse) mês(?!\p{L})/iu, /\b(?:o|no) mês passado\b/iu],
    year: [/\b(?:n?este|esse) ano\b/i, /\b(?:o|no) ano passado\b/i],
    ago: /\bhá (?<count>\d{1,3}|uma?|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez) (?:(?<day>dias?)|(?<week>semanas?)|(?<month>m[eê]s(?:es)?)|(?<year>anos?))(?!\p{L})/iu,
    recent:
      /\b(?:nos|nas|os|as) últim[oa]s (?<count>\d{1,3}|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez) (?:(?<day>dias)|(?<week>semanas)|(?<month>meses)|(?<year>anos))\b/iu,
    numbers: numberWords('um|uma dois|duas três quatro cinco seis sete oito nove dez'),
  },
};
