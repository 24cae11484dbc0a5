/** Tags on the command line: `garden,spring` are two tags, and `#garden` is the tag `garden`. */

import { AppError } from '../../base/errors.js';
import { distinctTags } from '../../stores/tags.js';

/** The tags in words that a person typed, each tag once. Throws VALIDATION_ERROR for a word without a tag. */
export function tagsOf(words: readonly string[]): string[] {
  const tags = words.flatMap((word) => {
    const parts = partsOf(word).map((part) => part.replace(/^#+\s*/, ''));
    const named = parts.filter((part) => part !== '');
    if (named.length === 0 && word !== '') throw noTag(word);
    return named;
  });
  return distinctTags(tags);
}

/** The tags to search for, with a `#` if one was typed, because another program may have stored it. */
export const tagsToFind = (words: readonly string[]): string[] => words.flatMap(partsOf);

const partsOf = (word: string) =>
  word
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const noTag = (word: string) =>
  new AppError('VALIDATION_ERROR', `${JSON.stringify(word)} is not a tag.`, {
    hint: 'A tag is a word or several words, such as garden or "garden shed". Commas separate tags.',
  });
