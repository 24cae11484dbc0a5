/** Recovers fields of a damaged JSON object: each field whose value is complete and valid JSON. No I/O. */
import { jsonTokens, TOKEN } from './json-tokens.js';

const OPENS: readonly number[] = [TOKEN.openBrace, TOKEN.openBracket];
const CLOSES: readonly number[] = [TOKEN.closeBrace, TOKEN.closeBracket];

/**
 * Returns the fields of the outermost object, in order, without incomplete and damaged ones and those whose
 * name has no quotes.
 */
export function recoverFields(text: string): Record<string, unknown> {
  const fields: [name: string, value: unknown][] = [];
  let depth = 0;
  let last: string | undefined;
  let key: { name: string; from: number } | undefined;
  const end = (at: number) => {
    const value = key && parsed(text.slice(key.from, at));
    if (key !== undefined && value !== undefined) fields.push([key.name, value.value]);
    key = undefined;
  };
  for (const { kind, at, value } of jsonTokens(text)) {
    if (depth === 1 && (kind === TOKEN.comma || CLOSES.includes(kind))) end(at);
    if (OPENS.includes(kind)) depth += 1;
    else if (CLOSES.includes(kind)) depth = Math.max(0, depth - 1);
    else if (kind === TOKEN.colon && depth === 1 && last !== undefined)
      key = { name: last, from: at + 1 };
    last = kind === TOKEN.string ? value : undefined;
  }
  return Object.fromEntries(fields);
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    JSON.stringify(value); // RangeError if it is nested too deeply to be written again
    return { value };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
