/**
 * The filter by module, and why it found nothing. Import names modules after folders, and macOS can store their
 * accents in another form.
 */
import { shortened } from '../base/text/display-text.js';

/**
 * Whether a conversation with the module `own` is wanted; without `wanted` each is. Upper and lower case differ;
 * the composed and the decomposed form of an accent are equal.
 */
export const fitsModule = (own: string | undefined, wanted: string | undefined): boolean =>
  wanted === undefined || own === wanted || own?.normalize('NFC') === wanted.normalize('NFC');

const MAX_MODULES = 10;

/** Why nothing was found, with the modules in use; `undefined` if a conversation is in `module`. */
export async function noSuchModule(
  conversations: { list(): Promise<readonly { readonly module?: string }[]> },
  module: string | undefined,
): Promise<string | undefined> {
  if (module === undefined) return undefined;
  const heads = await conversations.list();
  const modules = [...new Set(heads.flatMap((head) => head.module?.normalize('NFC') ?? []))].sort();
  if (modules.some((own) => fitsModule(own, module))) return undefined;
  const quoted = (name: string) => JSON.stringify(shortened(name));
  const named = modules.slice(0, MAX_MODULES).map(quoted).join(', ');
  const more = modules.length > MAX_MODULES ? `, and ${modules.length - MAX_MODULES} more` : '';
  const inUse = modules.length === 0 ? 'none' : `${named}${more}`;
  return `No conversation has the module ${quoted(module)}. Modules in use: ${inUse}.`;
}
