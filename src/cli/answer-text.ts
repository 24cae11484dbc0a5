/**
 * A tool's answer for people: one fact a line, one block a result, what is long indented below its
 * name. Knows no tool; what the answer quotes is made safe for the terminal here.
 */
import { isoTime } from '../base/clock.js';
import type { Paint } from './paint.js';
import { escapeControls } from './terminal-text.js';

type Facts = Readonly<Record<string, unknown>>;

/** Told at the end, or only when they say something. */
const ASIDE = new Set(['success', 'total', 'hasMore', 'nextOffset', 'relaxed', 'explanation']);
/** Seen in the marks of a snippet better than as a number. */
const FOR_PROGRAMS = new Set(['rank', 'isCut']);

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isBlocks = (value: unknown): value is readonly Facts[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFacts);

export function answerText(answer: Facts, paint: Paint): string {
  const blocks: string[] = [];
  const facts = Object.entries(answer).filter(
    ([name, value]) => !ASIDE.has(name) && hasText(value),
  );
  const single = facts.filter(([, value]) => !isBlocks(value));
  if (single.length > 0) blocks.push(lines(Object.fromEntries(single), paint, '').join('\n'));
  for (const [, value] of facts) {
    if (isBlocks(value)) blocks.push(...value.map((item) => lines(item, paint, '').join('\n')));
  }
  return blocks.filter((block) => block !== '').join('\n\n');
}

const hasText = (value: unknown) => value !== undefined && !(Array.isArray(value) && !value.length);

function lines(facts: Facts, paint: Paint, indent: string): string[] {
  return Object.entries(facts)
    .filter(([name, value]) => !FOR_PROGRAMS.has(name) && hasText(value))
    .flatMap(([name, value]) => {
      const label = `${indent}${paint.dim(`${escapeControls(name)}:`)}`;
      const below = belowOf(value, paint, `${indent}  `);
      return below === undefined ? [`${label} ${word(name, value, paint)}`] : [label, ...below];
    });
}

/** Lines of what does not fit behind its name. */
function belowOf(value: unknown, paint: Paint, indent: string): string[] | undefined {
  if (isFacts(value)) return lines(value, paint, indent);
  if (isBlocks(value)) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = lines(item, paint, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value !== 'string' || !value.includes('\n')) return undefined;
  return value.split('\n').map((line) => `${indent}${text(line, paint)}`);
}

function word(name: string, value: unknown, paint: Paint): string {
  if (Array.isArray(value)) return value.map((item) => text(plain(item), paint)).join(', ');
  if (typeof value === 'number' && /_at$/.test(name)) return isoTime(value);
  return text(plain(value), paint);
}

const plain = (value: unknown) =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
const text = (line: string, paint: Paint) => paint.matches(escapeControls(line));
