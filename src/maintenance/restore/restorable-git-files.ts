/**
 * Decides by content which `.gitignore` and `.gitattributes` a restore may write. Each line must be one that
 * never makes git run a program, so a filter such as git-lfs is refused.
 */

const IGNORES_ALL = new Set(['*', '']);
/** A line of `.gitignore` that does not cancel another one (`!`). */
const IGNORE_LINE = /^(?!!)[^\p{Cc}]*$/u;
/** A line of `.gitattributes` with attributes that never make git run a program. */
const ATTRIBUTES_LINE =
  /^(#[^\p{Cc}]*|\S+( +(-?text|text=auto|eol=lf|merge=union|-merge|-diff|binary))*|)$/u;

export const isRestorableIgnore = (bytes: Uint8Array) =>
  linesOf(bytes).every((line) => IGNORE_LINE.test(line));

export const isRestorableAttributes = (bytes: Uint8Array) =>
  linesOf(bytes).every((line) => ATTRIBUTES_LINE.test(line));

/** Whether it is the `.gitignore` of a private folder, which must ignore all files. */
export const isIgnoreAllFile = (name: string, bytes: Uint8Array) =>
  name === '.gitignore' && linesOf(bytes).every((line) => IGNORES_ALL.has(line));

const linesOf = (bytes: Uint8Array) => Buffer.from(bytes).toString().split(/\r?\n/);
