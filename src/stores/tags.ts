/** The forms of a tag: `#Garden` is stored as `Garden`, and is the same tag as `garden`. */

/** Returns the tag as it is stored. */
export const withoutHash = (tag: string): string => tag.replace(/^#+\s*/, '');

/** Equal for two spellings of the same tag. */
export const tagKey = (tag: string): string => withoutHash(tag).normalize('NFC').toLowerCase();
