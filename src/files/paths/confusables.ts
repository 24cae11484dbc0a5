/**
 * Detects confusable names (Unicode UTS 39): names that a program may decode to a path with separators,
 * names with characters that look like a separator, and different names that look the same to a person or
 * are the same for a file system. No I/O. path-confinement.ts has the rules for all other names.
 */

/** Invisible characters that some scripts and emoji need. */
const NEEDED_INVISIBLES = /\u200c|\u200d|\ufe0e|\ufe0f/gu;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u0080-\u009f]/u;
/** Characters that look like a separator although no normalisation makes one of them. */
const LIKE_SEPARATOR =
  /[\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\u2f03\u3033]/u;
const PERCENT_ENCODED = /%[0-9a-f]{2}/i;

/** Lower-case letters of other scripts that look like a Latin letter in lower or upper case. */
const LATIN_LOOKALIKES = new Map(
  [
    ['авԁеһіјкморԛѕтуԝхнс', 'abdehijkmopqstywxhc'],
    ['αβεζηικμνορτυχγς', 'abezhikmvoptuxyσ'],
    ['ɑɡıӏ', 'agil'],
  ].flatMap(([from = '', to = '']) => {
    const targets = [...to];
    return [...from].map((letter, index) => [letter, targets[index] ?? letter] as const);
  }),
);

/** Returns why a program could read the name as another path; `undefined` if none could. */
export function confusableProblem(name: string): string | undefined {
  if (PERCENT_ENCODED.test(name)) return 'is percent-encoded';
  if (LIKE_SEPARATOR.test(name)) return 'has a character that looks like a separator';
  if (INVISIBLE.test(name.replace(NEEDED_INVISIBLES, ''))) return 'has an invisible character';
  const plain = name.normalize('NFKC');
  if (plain.split('/').length !== name.split('/').length)
    return 'has a character that some programs read as a separator';
  return undefined;
}

/** The same (UTS 39: skeleton) for names that differ in case, normalization, width or look-alikes. */
export function skeletonOf(name: string): string {
  const plain = name.replace(NEEDED_INVISIBLES, '').normalize('NFKC');
  // First to lower case, because only the lower-case sharp s becomes SS.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase();
  return [...folded.normalize('NFKD')] // separates a letter from its accents
    .map((letter) => LATIN_LOOKALIKES.get(letter) ?? letter)
    .join('')
    .normalize('NFKC');
}
