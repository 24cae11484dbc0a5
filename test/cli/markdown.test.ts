/** Markdown on a terminal, and how wide texts are there. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, wrap } from '../../src/cli/terminal/columns.js';
import { renderMarkdown } from '../../src/cli/terminal/markdown.js';
import { type Paint, paintFor } from '../../src/cli/terminal/paint.js';

const terminal = { isTTY: true, hasColors: () => true } as unknown as NodeJS.WriteStream;
const colours: Paint = paintFor(terminal);
const plain: Paint = paintFor({ isTTY: false } as unknown as NodeJS.WriteStream);
const shown = (text: string, columns = 60) => renderMarkdown(text, plain, columns);

describe('Markdown', () => {
  it('is rendered as text', () => {
    const text = `# Title\n\nSome **bold**, *em*, \`code\` and a [link](https://a.example).\nSame line.\n\n- one\n- two\n  - deep\n\n3. third\n4. fourth\n\n- [x] done\n- [ ] open\n\n> said\n> twice\n\n\`\`\`js\nif (a < b) {\n  go();\n}\n\`\`\`\n\n| a | b |\n|---|---|\n| 日本 | 2 |\n`;
    expect(shown(text)).toBe(`Title

Some bold, em, code and a link (https://a.example).
Same line.

• one
• two
  • deep

3. third
4. fourth

• [x] done
• [ ] open

│ said
│ twice

    if (a < b) {
      go();
    }

a    │ b
─────┼──
日本 │ 2
`);
  });

  it('shows HTML, targets of links and control characters', () => {
    expect(shown('<b onclick="x">hi</b>')).toBe('<b onclick="x">hi</b>\n');
    expect(shown('[good](https://evil.example)')).toBe('good (https://evil.example)\n');
    expect(shown('![cat](https://a.example/c.png)')).toBe('[cat] (https://a.example/c.png)\n');
    expect(shown('a\u001b[31mred\u0007 \u202egnp')).toBe('a\\u001b[31mred\\u0007 \\u202egnp\n');
    expect(shown('`\u001b]0;title\u0007`')).toBe('\\u001b]0;title\\u0007\n');
  });

  it('numbers a list from 0 if its author did', () => {
    expect(shown('0. zero\n1. one')).toBe('0. zero\n1. one\n');
  });

  it('shows a table that has more rows than a call has arguments', () => {
    const rows = 150_000;
    const lines = shown(`| a |\n|---|\n${'| b |\n'.repeat(rows)}`).split('\n');
    expect(lines.filter((line) => line.trim() === 'b')).toHaveLength(rows);
  });

  it('has colours if they are switched on', () => {
    const text = renderMarkdown('# A\n\n**b** `c`', colours, 60);
    expect(text).toBe(
      '\u001b[1m\u001b[4mA\u001b[24m\u001b[22m\n\n\u001b[1mb\u001b[22m \u001b[36mc\u001b[39m\n',
    );
  });

  it('never fails, is never wider than the terminal, and writes no control characters', () => {
    const pieces = fc.constantFrom(
      '# ',
      '- ',
      '> ',
      '`',
      '```\n',
      '**',
      '|',
      '\n',
      '\n\n',
      '[a](b)',
      '1. ',
      '<x>',
      '\t',
      'word ',
      '日本',
      '\u001b[2J',
      '\u0000',
      '&amp;',
      '\\',
      '---\n',
      'ＷＩＤＥ',
      '👩‍👩‍👧 ',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }),
        fc.integer({ min: 20, max: 110 }),
        (parts, columns) => {
          const text = renderMarkdown(parts.join(''), plain, columns);
          expect(/\p{Cc}/u.test(text.replaceAll('\n', ''))).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('handles deep nesting and very long lines', () => {
    expect(shown(`${'> '.repeat(500)}deep`).length).toBeGreaterThan(4);
    expect(shown(`${'- '.repeat(300)}deep`).length).toBeGreaterThan(4);
    expect(shown('*'.repeat(20_000)).length).toBeGreaterThan(4);
    expect(shown('word '.repeat(50_000)).length).toBeGreaterThan(200_000);
  });
});

describe('widths', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['\u001b[1mx\u001b[22m', 1],
    ['한글', 4],
    ['', 0],
  ])('%j takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('of lines use the whole width, and only spaces are lost', () => {
    const words = fc.array(
      fc.constantFrom(
        'a',
        'bb',
        'ccccccccccccccccccccccccc',
        '日本語',
        ' ',
        '  ',
        '\n',
        '\u001b[1m',
        'e\u0301',
        '👍',
      ),
    );
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 30 }), (parts, width) => {
        const lines = wrap(parts.join(''), width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const bare = (text: string) =>
          stripVTControlCharacters(text).normalize().replace(/\s/g, '');
        expect(bare(lines.join(''))).toBe(bare(parts.join('')));
      }),
    );
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('日本語の文', 4)).toEqual(['日本', '語の', '文']);
  });

  it.each([
    ['marks that take seconds to pair', `**bold**\n\n${'*a_'.repeat(5_000)}`],
    ['nested quotes that overflow the stack', `**bold**\n\n${'> '.repeat(10_000)}`],
  ])('with %s is shown as it is', (_name, text) => {
    expect(shown(text).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });
});
