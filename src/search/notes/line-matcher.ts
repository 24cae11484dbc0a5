/**
 * Finds a literal text or a regular expression in lines. The regular expressions are those of RE2, without
 * back-references and look-around: matching takes time proportional to the length of the text times the
 * size of the expression. This file limits that product. It is the only file that uses `re2js`.
 */
import { AppError } from '../../base/errors.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  /** `undefined` if the expression would take too long for a line of this length. */
  test(line: string): boolean | undefined;
  /** The first match, in UTF-16 units; `undefined` if there is none or finding it would take too long. */
  find(line: string): Span | undefined;
}

export interface MatcherOptions {
  readonly caseSensitive: boolean;
}

/** Maximum number of instructions of a compiled expression. No person or model writes such a large one. */
const MAX_PROGRAM = 2_000;
/** Maximum of instructions times characters: a third of a second at worst, as measured. */
const MAX_TEST_STEPS = 4_000_000;
/** The same limit for `find`, which is much slower than `test`. */
const MAX_FIND_STEPS = 200_000;

/** Loaded at the first use, so that a server starts faster. */
const loadEngine = async () => (await import('re2js')).RE2JS;

/** Throws QUERY_SYNTAX if the pattern is not a regular expression of RE2, or is too large when compiled. */
export async function createRegexMatcher(
  pattern: string,
  { caseSensitive }: MatcherOptions,
): Promise<LineMatcher> {
  const engine = await loadEngine();
  const flags = caseSensitive ? 0 : engine.CASE_INSENSITIVE;
  const compiled = compile(() => engine.compile(pattern, flags));
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw wrong('it is too large when its repeats are expanded');
  return {
    test(line) {
      return size * line.length > MAX_TEST_STEPS ? undefined : compiled.test(line);
    },
    find(line) {
      if (size * line.length > MAX_FIND_STEPS) return undefined;
      const matcher = compiled.matcher(line);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
}

/**
 * Throws VALIDATION_ERROR if the text has several lines. It uses JavaScript's engine, because a literal cannot
 * cause backtracking.
 */
export function createExactMatcher(text: string, { caseSensitive }: MatcherOptions): LineMatcher {
  if (/[\r\n]/.test(text)) {
    throw new AppError(
      'VALIDATION_ERROR',
      'An exact search finds text within one line, but the query has several lines.',
      { hint: 'Search for one of these lines.' },
    );
  }
  const literal = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const expression = new RegExp(literal, caseSensitive ? 'u' : 'iu');
  return {
    test: (line) => expression.test(line),
    find(line) {
      const match = expression.exec(line);
      return match === null
        ? undefined
        : { start: match.index, end: match.index + match[0].length };
    },
  };
}

function compile<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const isTooDeep = cause instanceof RangeError;
    if (!isTooDeep && !(cause instanceof Error && cause.name.startsWith('RE2'))) throw cause;
    const reason = isTooDeep ? 'it is nested too deeply' : cause.message;
    // The engine adds `(?i)` to the expression.
    throw wrong(reason.replace(/^error parsing regexp: /, '').replace('(?i)', ''), cause);
  }
}

function wrong(reason: string, cause?: unknown): AppError {
  return new AppError('QUERY_SYNTAX', `The regular expression cannot be used: ${reason}.`, {
    hint: 'Use RE2 syntax: no back-references, no look-around, repeats up to 1000. To find a literal text, set `mode` to exact.',
    cause,
  });
}

/** The error if no line matches and some lines were too long to test. */
export function tooCostly(): AppError {
  return new AppError(
    'TIMEOUT',
    'The regular expression is too large to be used on the longest lines, and no other line matches.',
    {
      hint: 'Use a smaller expression (fewer or lower repeats), or search a folder without such long lines.',
    },
  );
}
