/** The edits of a text: exactly one passage, whole lines, unchanged line ends. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  insertAfterLine,
  lineAt,
  linesOf,
  replacePassage,
  replaceText,
} from '../../../src/stores/memory-bank/note-text.js';

const failing = (work: () => unknown) => {
  try {
    return { value: work() };
  } catch (error) {
    const { code, details } = error as { code: string; details: Record<string, unknown> };
    return { code, ...details };
  }
};

describe('lines', () => {
  it.each([
    ['', []],
    ['one', ['one']],
    ['one\n', ['one']],
    ['one\n\n', ['one', '']],
    ['\n', ['']],
    ['one\r\ntwo\r\n', ['one', 'two']],
    ['\ufeffone\n', ['one']],
    ['one\u2028still one\n', ['one\u2028still one']],
  ])('of %j are split correctly', (content, lines) => {
    expect(linesOf(content)).toEqual(lines);
  });
});

describe('replacing a passage', () => {
  it('needs exactly one occurrence', () => {
    expect(replacePassage('a b c\n', 'b', 'x\ny')).toBe('a x\ny c\n');
    expect(replacePassage('a b c\n', ' b', '')).toBe('a c\n');
    expect(replacePassage('cost: $1\n', '$1', '$& $$')).toBe('cost: $& $$\n');
    expect(failing(() => replacePassage('a', 'b', 'c'))).toMatchObject({
      code: 'VALIDATION_ERROR',
      occurrences: 0,
    });
    expect(failing(() => replacePassage('b\na b\n\nb', 'b', 'c'))).toMatchObject({
      code: 'VALIDATION_ERROR',
      occurrences: 3,
      lines: [1, 2, 4],
    });
    expect(failing(() => replacePassage('aaa', 'aa', 'c'))).toMatchObject({ occurrences: 2 });
  });

  it('keeps CRLF if the whole note has it, and finds a passage across lines', () => {
    expect(replacePassage('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(replacePassage('a\r\nb\nc', 'b\nc', 'x\ny')).toBe('a\r\nx\ny');
  });

  it('finds a passage as it is read if the note has both line ends', () => {
    const content = 'ü\na\r\nb\nc\r\nb\r\nd\n';
    expect(replacePassage(content, 'a\nb\nc', 'x\ny')).toBe('ü\nx\ny\r\nb\r\nd\n');
    expect(replacePassage(content, 'c\nb\n', '')).toBe('ü\na\r\nb\nd\n');
    expect(failing(() => replacePassage(content, '\nb\n', ''))).toMatchObject({
      occurrences: 2,
      lines: [2, 4],
    });
  });

  it('is undone by the reverse replacement, for any text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', 'é') });
    fc.assert(
      fc.property(text, text, text, (before, after, put) => {
        const content = `${before}<mark>${after}`;
        const replaced = replacePassage(content, '<mark>', `<${put}>`);
        expect(replaced).toBe(`${before}<${put}>${after}`);
        expect(replacePassage(replaced, `<${put}>`, '<mark>')).toBe(content);
      }),
    );
  });
});

describe('inserting lines', () => {
  it.each([
    ['', 0, 'x', 'x\n'],
    ['a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['a\nb\n', 1, 'x\ny', 'a\nx\ny\nb\n'],
    ['a\nb\n', 2, 'x\n', 'a\nb\nx\n'],
    ['a\nb', 2, 'x', 'a\nb\nx\n'],
    ['a\r\nb', 2, 'x\ny', 'a\r\nb\r\nx\r\ny\r\n'],
    ['\ufeffa\n', 0, 'x', '\ufeffx\na\n'],
  ])('%j after line %i', (content, line, text, expected) => {
    expect(insertAfterLine(content, line, text)).toBe(expected);
  });

  it('returns the number of lines with the error for a line that is missing', () => {
    expect(failing(() => insertAfterLine('a\nb\n', 3, 'x'))).toMatchObject({
      code: 'VALIDATION_ERROR',
      totalLines: 2,
    });
  });

  it('inserts whole lines between the existing ones', () => {
    const line = fc.string({ unit: fc.constantFrom('a', ' ', '#'), maxLength: 3 });
    const texts = fc.array(line, { maxLength: 6 });
    fc.assert(
      fc.property(
        texts,
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        (lines, put, n) => {
          const content = lines.map((each) => `${each}\n`).join('');
          const at = n % (lines.length + 1);
          const expected = [...lines.slice(0, at), ...put, ...lines.slice(at)];
          const text = put.map((each) => `${each}\n`).join('');
          expect(linesOf(insertAfterLine(content, at, text))).toEqual(expected);
        },
      ),
    );
  });
});

it('a position is in its line', () => {
  expect(['a\nb\nc'].flatMap((text) => [0, 1, 2, 3, 4].map((at) => lineAt(text, at)))).toEqual([
    1, 1, 2, 2, 3,
  ]);
});

describe('replacing the whole text', () => {
  it.each([
    ['a\n', 'b\nc', 'b\nc\n'],
    ['a\r\nb\r\n', 'b\nc', 'b\r\nc\r\n'],
    ['a\r\nb\n', 'b\nc', 'b\nc\n'],
    ['\ufeffa\n', 'b', '\ufeffb\n'],
    ['\ufeffa\n', '\ufeffb', '\ufeffb\n'],
    ['a\r\n', '', ''],
  ])('of %j with %j keeps line ends and byte-order mark', (content, text, replaced) => {
    expect(replaceText(content, text)).toBe(replaced);
  });
});
