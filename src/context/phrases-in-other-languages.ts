/**
 * Common phrases of promises, reminders and postponed answers in German, French, Spanish, Portuguese,
 * Italian, Chinese and Japanese (docs/CONTINUITY.md). In languages with a future ending, verbs are
 * recognised by that ending.
 */

type Kind = 'task' | 'reminder' | 'agreement' | 'commitment' | 'conditional' | 'putOff' | 'due';

/** Alternatives of a regular expression that match whole words. */
const SPACED: Readonly<Record<Kind, readonly string[]>> = {
  task: [
    'aufgaben?|zu erledigen|nächste schritte|offen(?:e punkte)?|frist',
    'à faire|prochaines étapes|échéance',
    'por hacer|tareas?|próximos pasos|pendientes?|plazo',
    'a fazer|tarefas?|próximos passos|prazo',
    'da fare|prossimi passi|scadenza',
  ],
  reminder: [
    'erinner[en]* (?:sie )?mich|vergiss nicht|vergessen sie nicht|nicht vergessen|denk(?:e|en sie)? (?:bitte )?(?:daran|an)',
    "rappelle[zs]?[- ]moi|n['e] ?oublie[zs]? pas|pense[zs]? à",
    'recuérd[ae](?:me|nos)|no (?:te |se )?olvid(?:es|e)|acuérdate',
    'lembr[ae](?:-me| de)|não (?:te |se )?esqueç(?:a|as)',
    'ricord(?:a|i)(?:mi|ti)|non dimentica(?:re|rti)',
  ],
  agreement: [
    'wir (?:werden|wollen|haben (?:uns )?(?:\\p{L}+ ){0,4}(?:vereinbart|beschlossen|abgemacht|geeinigt))',
    'nous (?:allons|avons (?:décidé|convenu)|\\p{L}+rons)|on (?:va|a (?:décidé|convenu))',
    'vamos a|hemos (?:acordado|decidido|quedado)|quedamos en|\\p{L}{2,}(?:ar|er|ir)emos',
    'nós vamos|a gente vai|combinamos|decidimos',
    'abbiamo (?:deciso|concordato)|\\p{L}{2,}remo',
  ],
  commitment: [
    'ich (?:werde|verspreche|schicke|sende|erledige|liefere|plane|habe vor|melde mich|kümmere mich)',
    "je (?:vais|promets|m['e] ?engage|compte)|j['e] ?(?:(?:te|vous|le|la|les|lui|leur) |l['])*\\p{L}{2,}rai|j'ai l'intention",
    'voy a|prometo|me comprometo|tengo (?:la intención|pensado)|\\p{L}{2,}aré|haré|diré|iré',
    'eu (?:vou|prometo|pretendo)|vou \\p{L}+r|\\p{L}{2,}arei|farei|direi',
    'prometto|ho intenzione|mi impegno|\\p{L}{2,}erò|farò|darò|dirò',
  ],
  conditional: ['wenn|falls|sofern', 'si|quand', 'cuando', 'se(?! l[aeo]s? )|quando'],
  putOff: [
    '(?:das )?(?:muss|werde) ich (?:erst |noch )*(?:prüfen|nachsehen|überlegen|klären)|ich (?:melde mich|prüfe das|weiß (?:es |das )?(?:noch )?nicht)|keine ahnung|(?:noch )?nicht sicher',
    'je ne sais pas(?: encore)?|je dois (?:vérifier|réfléchir)|je (?:te|vous) (?:redis|dirai|tiens au courant)|laisse[zs]?[- ]moi (?:vérifier|réfléchir)|aucune idée|pas (?:encore )?sûre?',
    'no (?:lo )?sé(?: todavía)?|déj[ae]me \\p{L}+|te (?:aviso|digo)|tengo que (?:pensar|comprobar|mirar)|ni idea|no estoy segur[oa]',
    'não sei(?: ainda)?|deixa-me \\p{L}+|deixe-me \\p{L}+|vou (?:verificar|pensar)|não tenho certeza',
    'non (?:lo )?so(?: ancora)?|fammi (?:controllare|pensare)|devo (?:controllare|pensarci)|ti faccio sapere|non (?:ne )?sono sicur[oa]',
  ],
  due: [
    '(?:bis|am|vor) (?:zum )?(?:\\p{L}+(?:tag|woch)|ende der woche|\\d{1,2}\\. ?\\p{L}+)|über?morgen|morgen|heute abend|nächste[nrs]? (?:woche|monat)',
    "(?:avant |d'ici )?(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain)|la semaine prochaine|ce soir",
    '(?:(?:para )?el |antes del )?(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|mañana|la (?:próxima semana|semana que viene)|esta noche',
    '(?:até |na |no )?(?:segunda|terça|quarta|quinta|sexta|sábado|domingo)(?:-feira)?|amanhã|(?:na )?próxima semana',
    '(?:entro )?(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)|domani|la (?:prossima settimana|settimana prossima)|stasera',
  ],
};

/** Scripts without spaces, whose phrases match anywhere. */
const UNSPACED: Readonly<Record<Kind, string>> = {
  task: '待办|待辦|下一步|やること|次のステップ|期限',
  reminder: '提醒我|(?:别|別|不要)忘|忘れないで|忘れずに|リマインドして',
  agreement:
    '我们(?:会|将|决定|说好|约定)|我們(?:會|將|決定|說好|約定)|ましょう|ことにしました|決めました',
  commitment:
    '我(?:会|會|将|將|打算|保证|保證|答应|答應)|我(?:明天|今天|下周|稍后|稍後).{0,12}(?:给|給|发|發|做|去)|(?:明日|明後日|来週|今週中|今日中|後ほど|後で|までに).*ます|つもりです|予定です|約束します|ておきます',
  conditional: '如果|要是|假如|もし',
  putOff:
    '不(?:知道|确定|確定)|我(?:看看|想想|查一下|确认一下|確認一下)|稍后|稍後|再告诉你|確認します|(?:分|わ)かりません|考えておきます|検討します|後で',
  due: '明天|后天|後天|下(?:周|週|个月)|今晚|明日|明後日|来週|来月|今週中|今日中|\\d{1,2}月\\d{1,2}[日号號]',
};

const whole = (kind: Kind) =>
  `(?<![\\p{L}\\p{N}])(?:${SPACED[kind].join('|')})(?![\\p{L}\\p{N}])|${UNSPACED[kind]}`;

export const REMINDER = new RegExp(whole('reminder'), 'iu');
export const AGREEMENT = new RegExp(whole('agreement'), 'iu');
export const COMMITMENT = new RegExp(whole('commitment'), 'iu');
export const PUT_OFF = new RegExp(whole('putOff'), 'iu');
export const DUE = new RegExp(whole('due'), 'iu');
export const TASK = new RegExp(`^(?:${whole('task')})\\s*[:：]\\s*\\S`, 'iu');
export const CONDITIONAL = new RegExp(`^(?:${whole('conditional')})`, 'iu');
