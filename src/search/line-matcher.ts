/**
 * Finding a literal text or a regular expression in lines. The engine of expressions is RE2's, which
 * takes time in proportion to the text and to the expression, and therefore knows no back-references
 * and no look-around; the product of the two is bounded here. The only user of `re2js`.
 */
import { AppError } from '../base/errors.js';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  /** `undefined` where the expression would take too long on a line of this length. */
  test(line: string): boolean | undefined;
  /** The first match, in UTF-16 units; `undefined` also where finding out where it is costs too much. */
  find(line: string): Span | undefined;
}

export interface MatcherOptions {
  readonly caseSensitive: boolean;
}

/** Instructions of the compiled expression; more than any that a person or a model writes. */
const MAX_PROGRAM = 2_000;
/** Instructions times characters: a third of a second at worst, measured. */
const MAX_TEST_STEPS = 4_000_000;
/** The same for a place, which costs far more to find. */
const MAX_FIND_STEPS = 200_000;

/** Loaded on first use: the server must answer before. */
const loadEngine = async () => (await import('re2js')).RE2JS;

/** QUERY_SYNTAX where it is no regular expression of RE2, or compiles to too large a program. */
export async function createRegexMatcher(
  pattern: string,
  { caseSensitive }: MatcherOptions,
): Promise<LineMatcher> {
  const engine = await loadEngine();
  const flags = caseSensitive ? 0 : engine.CASE_INSENSITIVE;
  const compiled = compile(() => engine.compile(pattern, flags));
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw wrong('it is too large once its repeats are written out');
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

/** A text that holds no newline, as it is. JavaScript's own engine: a literal gives it nothing to retry. */
export function createExactMatcher(text: string, { caseSensitive }: MatcherOptions): LineMatcher {
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
    throw wrong(reason.replace(/^error parsing regexp: /, ''), cause);
  }
}

function wrong(reason: string, cause?: unknown): AppError {
  return new AppError('QUERY_SYNTAX', `The regular expression cannot be used: ${reason}.`, {
    hint: 'RE2 syntax: no back-references, no look-around, repeats up to 1000. Or search with mode exact.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Where such lines were all that might have matched. */
export function tooCostly(): AppError {
  return new AppError(
    'TIMEOUT',
    'The regular expression is too large for the longest lines; no other line matches.',
    {
      hint: 'Use a smaller expression (fewer or lower repeats), or name a folder without such lines.',
    },
  );
}
