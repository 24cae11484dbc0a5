/** French. */
import { stemmer } from '@orama/stemmers/french';
import { type Language, numberWords, withIrregularVerbs, wordList } from './language.js';

/** Forms that are also a common noun or adjective (`cru`, `revenu`) are left out. */
const IRREGULAR = `vendre vendu vendons, rendre rendu rendons, attendre attendu attendons, entendre entendu entendons,
  descendre descendu descendons, perdre perdu perdons, répondre répondu répondons, prendre pris prenons prend,
  comprendre compris comprenons comprend, apprendre appris apprenons apprend, mettre mis mettons,
  permettre permis permettons, promettre promis promettons, voir vu voyons, revoir revu, prévoir prévu prévoyons,
  lire lu lisons, écrire écrit écrivons, décrire décrit décrivons, recevoir reçu reçoit recevons, ouvrir ouvert,
  découvrir découvert, couvrir couvert, offrir offert, suivre suivi suivons, conduire conduit conduisons,
  construire construit construisons, produire produit produisons, traduire traduit traduisons,
  réduire réduit réduisons, peindre peint peignons, éteindre éteint éteignons, joindre joint joignons,
  connaître connu connaissons, croire croyons, boire bu buvons, conclure conclu, résoudre résolu résolvons,
  tenir tenu tient, obtenir obtenu obtient, contenir contenu contient, venir venu vient, devenir devenu devient,
  revenir revient, vivre vécu vivons, naître né, mourir mort meurt, courir couru`;

export const french: Language = {
  code: 'fr',
  stem: withIrregularVerbs(stemmer, IRREGULAR),
  stopWords: new Set(
    wordList(`à ai aie ainsi alors as au aucun aura aussi autre aux avaient avait avec avez avions avoir avons
    c ça car ce ceci cela ces cet cette ceux chaque chez ci comme comment d dans de des donc dont du elle
    elles en encore entre es est et étaient était étant été être eu eux fait faire fut ici il ils j je jusqu
    l la là le les leur leurs lui m ma mais me même mes moi mon n ne ni non nos notre nous on ont ou où par
    parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se
    sera serait ses si sien son sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un une
    va vers vos votre vous y est-ce avons quelque combien lequel laquelle lesquels lesquelles`),
  ),
  conversationWords:
    wordList(`mentionné mentionner dit dire parlé parler discuté discuter conversation résumé
    résumer aperçu ordre liste montrer expliquer question réponse plusieurs différents suggéré suggérer
    recommandé recommander conseil conseillé merci premier dernier déjà aide aider besoin vouloir veux
    sujet sujets`),
  cues: {
    asksAssistant:
      /\b(?:as-tu|avez-vous|tu (?:m'|nous )?(?:as|avais)|vous (?:m'|nous )?(?:avez|aviez)) .*(?:suggér|recommand|conseill|propos|dit|expliqu)|\b(?:ton|tes|votre|vos) (?:conseil|suggestion|recommandation|réponse)/,
    isRequest:
      /^(?:peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|comment (?:puis-je|dois-je|faire)|montre-moi|montrez-moi|aide-moi|aidez-moi|écris)/,
    isOverview: /résum|aperçu|dans (?:l'|quel )ordre|chronologi/,
    isInstruction: /\b(?:toujours|jamais|désormais|à partir de maintenant|dorénavant)\b/,
    isChange:
      /(?<!\p{L})(?:au lieu|n(?:e |['’])(?:(?!pas )\p{L}+ ){1,3}plus(?!\p{L})|changé|déplacé|reporté|finalement|désormais|maintenant c'est|remplacé|à la position|correction)/u,
    isPreference: /\bje (?:préfère|préférerais|n'aime pas)|j'aime(?:rais)? (?:mieux|bien)/,
  },
  timePhrases: {
    day: [/\baujourd['’]hui\b/i, /(?<!avant-)\bhier\b/i, /\bavant-hier\b/i],
    week: [/\bcette semaine\b/i, /\bla semaine (?:dernière|passée)(?!\p{L})/iu],
    month: [/\bce mois(?:-ci)?\b/i, /\ble mois (?:dernier|passé)(?!\p{L})/iu],
    year: [
      /\bcette année(?!\p{L})/iu,
      /\bl['’](?:an dernier|année (?:dernière|passée))(?!\p{L})/iu,
    ],
    ago: /\bil y a (?<count>\d{1,3}|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix) (?:(?<day>jours?)|(?<week>semaines?)|(?<month>mois)|(?<year>ans?|années?))(?!\p{L})/iu,
    recent:
      /\b(?:ces|les) (?<count>\d{1,3}|deux|trois|quatre|cinq|six|sept|huit|neuf|dix) derni(?:ers|ères) (?:(?<day>jours)|(?<week>semaines)|(?<month>mois)|(?<year>ans|années))(?!\p{L})/iu,
    numbers: numberWords('un|une deux trois quatre cinq six sept huit neuf dix'),
  },
};
