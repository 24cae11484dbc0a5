/** Spanish. */
import { stemmer } from '@orama/stemmers/spanish';
import { type Language, wordList } from './language.js';

export const spanish: Language = {
  code: 'es',
  stem: stemmer,
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
      /(?:en lugar de|en vez de|ya no|cambiado|cambió|movido|pospuesto|finalmente|ahora es|reemplazado|corrección)/,
    isPreference: /\b(?:prefiero|preferiría|no me gusta|me gusta más)\b/,
  },
};
