/** Names of tools and inputs in messages, on the command line. */
import { describe, expect, it } from 'vitest';
import { withCommandNames } from '../../src/cli/tools/command-names.js';

describe('a name in backquotes', () => {
  it('is replaced by its command or option', () => {
    const text = 'Use `save_message` with `asOf`, or `daybook trash`.';
    const shown = 'Use daybook save with --as-of, or daybook trash.';
    expect(withCommandNames(text, { asOf: '--as-of' })).toBe(shown);
  });

  it('stays as it is if nothing has this name', () => {
    expect(withCommandNames('No fact has the text "`constructor`".', {})).toBe(
      'No fact has the text "constructor".',
    );
  });
});
