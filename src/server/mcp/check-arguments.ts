/**
 * Checks the arguments of a call. Some clients send a list, an object, a number or a boolean as JSON in a
 * string, a list with one entry as this entry, and `null` for each argument that the model left out
 * (decision 0105). The model cannot correct that, so such a string is replaced by what is in it, if the tool
 * expects this and no text, and such a `null` is left out.
 */
import type { z } from 'zod';
import { isRecord } from '../../base/json-fields.js';
import type { Tool } from '../../tools/define-tool.js';

export function checkArguments(tool: Tool, given: unknown) {
  const checked = tool.input.safeParse(given, { reportInput: true });
  if (checked.success) return checked;
  // In a tool that changes or removes something, `null` can mean "remove this".
  const omitsNull = !tool.annotations.destructiveHint;
  let read = given;
  for (const issue of checked.error.issues) {
    const { input, path } = issue;
    const isField = typeof path.at(-1) === 'string';
    if (input === null && isField && omitsNull) read = replaced(read, path, undefined);
    const value = typeof input === 'string' ? valueIn(input, issue) : undefined;
    if (value !== undefined) read = replaced(read, path, value);
  }
  return read === given ? checked : tool.input.safeParse(read, { reportInput: true });
}

/** Returns `undefined` if the text is no JSON of the expected type. */
function valueIn(text: string, issue: z.core.$ZodIssue): unknown {
  const expected = issue.code === 'invalid_type' ? issue.expected : issue.code;
  const value = jsonIn(text);
  switch (expected) {
    case 'array':
      if (Array.isArray(value)) return value;
      return text.trim() === '' || /[,[\]]/.test(text) ? undefined : [text];
    case 'int':
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'object':
    case 'custom': // tools/fields/json-object.ts
      return isRecord(value) ? value : undefined;
    default:
      return undefined;
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a text that is no JSON
  }
}

/** A copy, because the arguments of a call may be logged or checked again. `undefined` removes the field. */
function replaced(at: unknown, [step, ...rest]: readonly PropertyKey[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(at)) return at.with(Number(step), replaced(at[Number(step)], rest, value));
  if (!isRecord(at)) return at;
  const { [String(step)]: before, ...others } = at;
  const after = replaced(before, rest, value);
  return after === undefined ? others : { ...others, [step]: after };
}
