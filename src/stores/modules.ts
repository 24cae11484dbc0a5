/** The filter by module. Import names modules after folders, and macOS can store their accents in another form. */

/**
 * Whether a conversation with the module `own` is wanted; without `wanted` each is. Upper and lower case differ;
 * the composed and the decomposed form of an accent are equal.
 */
export const fitsModule = (own: string | undefined, wanted: string | undefined): boolean =>
  wanted === undefined || own === wanted || own?.normalize('NFC') === wanted.normalize('NFC');
