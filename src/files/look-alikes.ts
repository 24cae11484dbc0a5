/**
 * Names that pass for other names: what one reader decodes into a separator, what a person takes for
 * one, and two spellings that one disk or one pair of eyes cannot tell apart. Pure; the rules of
 * plain paths are in paths.ts.
 */

/** Of the invisible characters, those that scripts and emoji need. */
const NEEDED_INVISIBLES = /\u200c|\u200d|\ufe0e|\ufe0f/gu;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u0080-\u009f]/u;
/** Signs that look like a separator and that no normalisation turns into one. */
const LIKE_SEPARATOR =
  /[\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\u2f03\u3033]/u;
const PERCENT_ENCODED = /%[0-9a-f]{2}/i;

/** Letters of other scripts, in lower case, that are drawn like a Latin one in either case. */
const LATIN_LOOK = new Map(
  [
    ['авԁеһіјкморԛѕтуԝхнс', 'abdehijkmopqstywxhc'],
    ['αβεζηικμνορτυχγς', 'abezhikmvoptuxyσ'],
    ['ɑɡıӏ', 'agil'],
  ].flatMap(([from = '', to = '']) => {
    const targets = [...to];
    return [...from].map((letter, index) => [letter, targets[index] ?? letter] as const);
  }),
);

/** Why the name could be read as another path; `undefined` where it cannot. Without the rules of paths.ts. */
export function problemWithSpelling(name: string): string | undefined {
  if (PERCENT_ENCODED.test(name)) return 'is percent-encoded';
  if (LIKE_SEPARATOR.test(name)) return 'holds a sign that looks like a separator';
  if (INVISIBLE.test(name.replace(NEEDED_INVISIBLES, ''))) return 'holds an invisible character';
  const plain = name.normalize('NFKC');
  if (plain.split('/').length !== name.split('/').length)
    return 'hides a separator in another sign';
  return undefined;
}

/** Equal for two names that differ in case, composition, width or look-alike letters only. */
export function likenessOf(name: string): string {
  const plain = name.replace(NEEDED_INVISIBLES, '').normalize('NFKC');
  // Lower case first: of the two sharp s only the small one becomes SS.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase();
  return [...folded.normalize('NFKD')] // a letter with marks looks like one with the same marks
    .map((letter) => LATIN_LOOK.get(letter) ?? letter)
    .join('')
    .normalize('NFKC');
}
