/** The names of projects, as in a file `.daybook-project` and in contexts such as `project:name`. */

const PROJECT_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,99}$/u;

/** Returns the context of a named project; `undefined` if the name is not valid. */
export function projectContextOf(name: string): string | undefined {
  const plain = name.normalize('NFC').toLowerCase();
  return PROJECT_NAME.test(plain) ? `project:${plain}` : undefined;
}
