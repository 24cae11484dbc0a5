/** Makes the first address of a view from the input and the result of the tool. */
import { hrefOf } from '../navigation/route.js';

type Values = Readonly<Record<string, unknown>>;

const QUESTION = ['subject', 'predicate', 'object', 'text', 'since', 'until', 'asOf'];
const FLAGS = ['prefix', 'includeClosed'];
const FIGURES = ['from', 'to', 'module', 'role'];

/** `view`: name of the view; `input` and `result`: of the tool call that shows it. */
export function startAddress(view: string, input: Values, result: Values): string {
  if (view === 'conversation') return conversation(input, result);
  if (view === 'figures') return hrefOf('figures', '', picked(input, FIGURES));
  if (typeof input['node'] !== 'string') {
    return hrefOf('knowledge', '', picked(input, [...QUESTION, ...FLAGS]));
  }
  return hrefOf(
    'knowledge',
    input['node'],
    picked(input, ['predicate', 'asOf', 'depth', ...FLAGS]),
  );
}

/** Starts at the first message in the result, if there are earlier messages. */
function conversation(input: Values, result: Values): string {
  const id = String(result['conversationId'] ?? input['conversationId'] ?? '');
  const { hasMore, messages } = result as { hasMore?: boolean; messages?: { seq: number }[] };
  const first = hasMore === true ? messages?.[0]?.seq : undefined;
  return hrefOf('conversation', id, first === undefined ? {} : { seq: String(first) });
}

function picked(input: Values, names: readonly string[]): Record<string, string> {
  const given = names.filter((name) => input[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, String(input[name])]));
}
