/**
 * The answer of a tool without its own view, as text for people: one name and value on each line, and one
 * block for each result. Quoted text is escaped for the terminal.
 */
import { isRecord } from '../../base/json-fields.js';
import type { Paint } from '../terminal/paint.js';
import { escapeControls, escapeLines } from '../terminal/terminal-text.js';
import type { View } from '../views/view.js';

type Facts = Readonly<Record<string, unknown>>;

/** Fields that `tool-command.ts` shows. */
const SHOWN_ELSEWHERE = new Set([
  'success',
  'total',
  'hasMore',
  'nextOffset',
  'relaxed',
  'explanation',
]);
/** Fields that only programs need. */
const FOR_PROGRAMS = new Set(['rank', 'isCut']);

const isBlocks = (value: unknown): value is readonly Facts[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

export function answerText(answer: Facts, { paint }: Pick<View, 'paint'>): string {
  const blocks: string[] = [];
  const facts = Object.entries(answer).filter(
    ([name, value]) => !SHOWN_ELSEWHERE.has(name) && hasText(value),
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
      return below === undefined ? [`${label} ${word(value, paint)}`] : [label, ...below];
    });
}

/** The lines of a value that has several lines; `undefined` for other values. */
function belowOf(value: unknown, paint: Paint, indent: string): string[] | undefined {
  if (isRecord(value)) return lines(value, paint, indent);
  if (isBlocks(value)) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = lines(item, paint, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (typeof value !== 'string' || !value.includes('\n')) return undefined;
  return escapeLines(value)
    .split('\n')
    .map((line) => `${indent}${paint.matches(line)}`);
}

function word(value: unknown, paint: Paint): string {
  if (Array.isArray(value)) return value.map((item) => text(plain(item), paint)).join(', ');
  return text(plain(value), paint);
}

const plain = (value: unknown) =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
const text = (line: string, paint: Paint) => paint.matches(escapeControls(line));
