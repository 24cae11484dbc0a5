/** The forms of a tag: ` #Garden` is stored as `Garden`, and is the same tag as `garden`. */

/** Returns the tag as it is stored. */
export const withoutHash = (tag: string): string => tag.trim().replace(/^#+\s*/, '');

/** Equal for two spellings of the same tag. */
export const tagKey = (tag: string): string => withoutHash(tag).normalize('NFC').toLowerCase();

/** Each tag once, in the spelling in which it comes first. */
export function distinctTags(tags: readonly string[]): string[] {
  const spellings = new Map<string, string>();
  for (const tag of tags) {
    const key = tagKey(tag);
    if (!spellings.has(key)) spellings.set(key, tag);
  }
  return [...spellings.values()];
}

/** The fields with each tag once, for fields that were masked: different secrets get the same mark. */
export function withDistinctTags<T extends { readonly tags?: readonly string[] }>(fields: T): T {
  return fields.tags === undefined ? fields : { ...fields, tags: distinctTags(fields.tags) };
}

/** Whether one of `tags` is this tag, in any spelling. */
export const hasTag = (tags: readonly string[], tag: string): boolean =>
  tags.some((each) => tagKey(each) === tagKey(tag));
