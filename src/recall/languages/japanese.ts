/** Japanese is indexed by pairs of characters. The stop words are the pairs that most sentences have. */
import { type Language, numberWords, wordList } from './language.js';

export const japanese: Language = {
  code: 'ja',
  stem: (word) => word,
  stopWords: new Set(
    wordList(`です ます した して から まし ので では とい いう って ない なか こと これ それ この その ある あり いる
    いま され する せん たい ため たち だっ ださ だと です とか とき とは など なら なり なる にも のか のは のが のを はい
    また まで もの よう より らい れた れば れる をし んで んな`),
  ),
  conversationWords: wordList('教え 話し 言っ 言い 会話 質問 何を いつ どこ 誰が どの どん'),
  cues: {
    asksAssistant: /(?:提案|勧め|おすすめ|アドバイス)(?:して|した|しました|は何|してくれ)/,
    isRequest: /(?:方法を|書いて|作って|手伝って|見せて)/,
    isOverview: /要約|まとめて|概要|順番に|順序/,
    isInstruction: /(?:いつも|必ず|今後は|これからは|絶対に)/,
    isChange: /(?:変更|変わりました|代わりに|ではなく|やめて|になりました|延期|訂正)/,
    isPreference: /(?:の方が好き|のほうが好き|が好み|を好む)/,
  },
  timePhrases: {
    day: [/今日|本日/, /(?<!一)昨日|きのう/, /一昨日|おととい/],
    week: [/今週/, /先週/],
    month: [/今月/, /先月/],
    year: [/今年/, /去年|昨年/],
    ago: /(?<count>\d{1,3}|[一二三四五六七八九十])(?:(?<day>日)|(?<week>週間)|(?<month>[かカヶケ]月)|(?<year>年))前/,
    recent:
      /(?:過去|この|ここ)(?<count>\d{1,3}|[一二三四五六七八九十])(?:(?<day>日)|(?<week>週)|(?<month>[かカヶケ]月)|(?<year>年))間/,
    numbers: numberWords('一 二 三 四 五 六 七 八 九 十'),
  },
};
