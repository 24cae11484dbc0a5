/** Changes fields in a JSON text with comments. The rest of the text, its indentation and a BOM stay as they are. */
import { applyEdits, modify } from 'jsonc-parser';

export const BOM = '\ufeff';

/** The path of a field, and its new value; `undefined` removes the field. */
export type Change = readonly [path: string[], value: unknown];

/** Changes fields of a JSON object with comments, by `jsonc-parser`; an empty text is an empty object. */
export function edited(text: string, changes: readonly Change[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const content = text.slice(bom.length);
  const before = content.trim() === '' ? '{}\n' : content;
  const indent = /\n([ \t]+)\S/.exec(before)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: before.includes('\r\n') ? '\r\n' : '\n',
  };
  return (
    bom +
    changes.reduce(
      (old, [path, value]) => applyEdits(old, modify(old, path, value, { formattingOptions })),
      before,
    )
  );
}
