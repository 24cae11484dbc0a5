/** Spanish. */
import { stemmer } from '@orama/stemmers/spanish';
import { type Language, numberWords, withIrregularVerbs, wordList } from './language.js';

/** Forms that are also another common word (`cuenta`, `juego`) are left out. */
const IRREGULAR = `hacer hecho hizo hice hago, ver visto, escribir escrito, poner puesto puso pongo, decir dicho dijo digo,
  romper roto, volver vuelto vuelvo, devolver devuelto devuelvo, abrir abierto, cubrir cubierto,
  descubrir descubierto, morir muerto muere, resolver resuelto resuelve, querer quiero quiso,
  dormir duermo durmió, pedir pido, encontrar encuentro, empezar empiezo, comenzar comienzo, recordar recuerdo,
  costar cuesta, pensar pienso, cerrar cierro, perder pierdo, entender entiendo, elegir elijo, seguir sigo siguió,
  traer trajo traigo, conducir condujo, traducir tradujo, producir produjo, imprimir impreso`;

export const spanish: Language = {
  code: 'es',
  stem: withIrregularVerbs(stemmer, IRREGULAR),
  stopWords: new Set(
    wordList(`a al algo alguna alguno algunos ante antes aquí así aun aunque cada como cómo con contra cual cuál
    cuando cuándo de del desde donde dónde dos durante e el él ella ellas ellos en entre era eran es esa esas ese
    eso esos esta está estaba estaban estamos están estas este esto estos estoy fue fueron ha había habían han
    hasta hay he hemos la las le les lo los más me mi mí mientras mis mucho muy nada ni no nos nosotros nuestra
    nuestro o os otra otro para pero poco por porque pues que qué quien quién se sea ser si sí sido sin sobre
    son soy su sus también tan tanto te tiene tienen todo todos tu tú tus un una uno unos usted ustedes y ya yo
    quiénes cuánto cuánta cuántos cuántas cuáles adónde`),
  ),
  conversationWords:
    wordList(`mencionado mencionar dijo decir dicho hablado hablar conversación resumen resumir
    orden lista mostrar explicar pregunta respuesta varios diferentes sugerido sugerir recomendado recomendar
    consejo favor primero último ayuda ayudar necesito quiero tema temas`),
  cues: {
    asksAssistant:
      /\b(?:me )?(?:sugeriste|recomendaste|aconsejaste|dijiste|explicaste|propusiste)|tu (?:consejo|sugerencia|recomendación|respuesta)/,
    isRequest:
      /^¿?(?:puedes|podrías|puede usted|cómo (?:puedo|debo|debería)|muéstrame|ayúdame|escribe)/,
    isOverview: /resum|en (?:qué )?orden|panorama/,
    isInstruction: /\b(?:siempre|nunca|a partir de ahora|de ahora en adelante)\b/,
    isChange:
      /(?<!\p{L})(?:en lugar de|en vez de|ya no(?!\p{L})|cambiado|cambió|movido|pospuesto|finalmente|ahora es|reemplazado|corrección)/u,
    isPreference: /\b(?:prefiero|preferiría|no me gusta|me gusta más)\b/,
  },
  timePhrases: {
    day: [/\bhoy\b/i, /(?<!antes de )\bayer\b/i, /\bante(?:s de )?ayer\b/i],
    week: [/\besta semana\b/i, /\bla semana pasada\b/i],
    month: [/\beste mes\b/i, /\bel mes pasado\b/i],
    year: [/\beste año(?!\p{L})/iu, /\bel año pasado\b/iu],
    ago: /\bhace (?<count>\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez) (?:(?<day>días?)|(?<week>semanas?)|(?<month>mes(?:es)?)|(?<year>años?))(?!\p{L})/iu,
    recent:
      /\b(?:los|las) últim[oa]s (?<count>\d{1,3}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez) (?:(?<day>días)|(?<week>semanas)|(?<month>meses)|(?<year>años))(?!\p{L})/iu,
    numbers: numberWords('un|una dos tres cuatro cinco seis siete ocho nueve diez'),
  },
};
