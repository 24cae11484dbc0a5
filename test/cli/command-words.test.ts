/** Hints for assistants, in the words of whoever typed a command. */
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/base/errors.js';
import { inCommandWords } from '../../src/cli/command-words.js';
import { fieldsOf, optionNames } from '../../src/cli/tool-options.js';
import { tools } from '../../src/tools/index.js';

const optionsOf = (name: string) => {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(name);
  return optionNames(fieldsOf(tool));
};

describe('a hint at a terminal', () => {
  it('names the command of a tool that has one', () => {
    expect(inCommandWords('List the notes with mb_list.')).toBe(
      'List the notes with daybook mb list.',
    );
    expect(inCommandWords(ERROR_KINDS.CONVERSATION_NOT_FOUND.hint)).toBe(
      'Check the id, or start a new conversation with daybook save or the tool perplexity_search.',
    );
  });

  it.each([
    [
      'kg_delete',
      'Give close: true to end them, or leave validTo out to delete them.',
      'Give --close to end them, or leave --valid-to out to delete them.',
    ],
    [
      'mb_edit',
      'Give oldText and newText, or insertLine and insertText, or newPath, or content with hash.',
      'Give --old-text and --new-text, or --insert-line and --insert-text, or --new-path, or --content with --hash.',
    ],
    [
      'mb_edit',
      'Read the note with mb_read and give its hash.',
      'Read the note with daybook mb read and give its hash.',
    ],
    [
      'update_insight',
      'Give content, metadata, tags or expires.',
      'Give --content, --metadata, --tags or --expires.',
    ],
    ['mb_search', 'Or search with mode exact.', 'Or search with --mode exact.'],
    [
      'kg_query',
      'Try prefix or text, or ask with includeClosed or asOf.',
      'Try --prefix or --text, or ask with --include-closed or --as-of.',
    ],
    ['mb_edit', 'Correct the content of the file.', 'Correct the content of the file.'],
    ['get_conversations', '--limit: Too big', '--limit: Too big'],
  ])('of %s: %s', (tool, hint, expected) => {
    expect(inCommandWords(hint, optionsOf(tool))).toBe(expected);
  });
});
