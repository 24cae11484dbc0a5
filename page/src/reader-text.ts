/**
 * Sentences of the server for people who read the page. Tools write names of tools and of their arguments in
 * backquotes, for assistants; a reader of the page knows only the fields that it shows.
 */

/** By argument of a tool, the name of the field on the page. */
const FIELDS: Readonly<Record<string, string>> = {
  context: 'Project',
  module: 'Module',
  tag: 'Tag',
  tags: 'Tags',
  role: 'Role',
  mode: 'Mode',
  startDate: 'From',
  endDate: 'To',
};

const NAME = /`(\w+)(?:: \w+)?`/g;

/** The text with the names of fields; other names only lose their backquotes. */
export const withFieldNames = (text: string): string =>
  text.replace(NAME, (_, name: string) => FIELDS[name] ?? name);

/** The sentences that name no tool and only arguments with a field, and do not ask to call a tool again. */
export function withoutToolNames(text: string): string {
  const sentences = text.split(/(?<=[.!?]) +(?=\p{Lu})/u);
  const isClear = (sentence: string) =>
    !/\bargument\b/.test(sentence) &&
    [...sentence.matchAll(NAME)].every(([, name = '']) => name in FIELDS);
  return sentences.filter(isClear).map(withFieldNames).join(' ');
}

/** The error about a wrong value of a field, without the names of the tool and of its argument. */
export const ofWrongField = (message: string): string =>
  message
    .replace(/^[a-z_]+: "(\w+)(?:\.\d+)?"/, (_, name: string) => FIELDS[name] ?? name)
    .replace(/ Description of the argument: .*/s, '');
