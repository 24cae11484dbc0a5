/** Describes the wrong arguments of a call as one VALIDATION_ERROR, from the issues that zod found. */
import { z } from 'zod';
import { AppError } from '../../../base/errors.js';
import { countOf } from '../../../base/text/display-text.js';
import type { Tool } from '../../../tools/define-tool.js';

/** One error describes at most this many wrong arguments; a call can have thousands. */
const MAX_NAMES = 5;

/**
 * VALIDATION_ERROR that describes the first MAX_NAMES wrong arguments and counts the others. The issues must
 * have their input (`reportInput`): only this distinguishes a missing argument from a wrong one.
 */
export function inputError(tool: Tool, error: z.ZodError): AppError {
  const fields = Object.keys(tool.input.shape);
  const issues = relevant(error.issues);
  const problems = issues.slice(0, MAX_NAMES).map((issue) => describe(issue, tool, fields));
  const unnamed = issues.length - problems.length;
  if (unnamed > 0)
    problems.push(`${countOf(unnamed, 'more argument is', 'more arguments are')} wrong.`);
  return new AppError('VALIDATION_ERROR', `${tool.name}: ${problems.join(' ')}`, {
    details: {
      tool: tool.name,
      fields: [...new Set(issues.slice(0, MAX_NAMES).flatMap(namesIn))],
      allowed: fields,
    },
  });
}

/** Leaves one issue for each value: that of a wrong type, or else the first. */
function relevant(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const placeIn = ({ path, code }: z.core.$ZodIssue) =>
    JSON.stringify([path, code === 'unrecognized_keys']);
  const isType = ({ code }: z.core.$ZodIssue) => code === 'invalid_type';
  const first = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const known = first.get(placeIn(issue));
    if (known === undefined || (isType(issue) && !isType(known))) first.set(placeIn(issue), issue);
  }
  return [...first.values()];
}

function namesIn(issue: z.core.$ZodIssue): readonly string[] {
  return issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys.slice(0, MAX_NAMES)
    : [issue.path.map(String).join('.')];
}

function describe(issue: z.core.$ZodIssue, tool: Tool, fields: readonly string[]): string {
  const [name = ''] = issue.path.map(String);
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = path === '' ? fields : fieldsAt(tool.input, issue.path);
    const known =
      names.length > 0 || path !== ''
        ? `the arguments are ${names.join(', ')}`
        : 'the tool has no arguments';
    const inside =
      path === '' ? `; ${known}` : ` in "${path}"${names.length > 0 ? `; there ${known}` : ''}`;
    const unnamed = issue.keys.length - MAX_NAMES;
    const more = unnamed > 0 ? ` and ${unnamed} more` : '';
    const unknown = issue.keys.slice(0, MAX_NAMES).map(quoted).join(', ');
    const what = issue.keys.length === 1 ? 'unknown argument' : 'unknown arguments';
    return `${what} ${unknown}${more}${inside}.${placeOf(issue.keys, path, tool)}`;
  }
  const about = (tool.input.shape[name] as z.ZodType | undefined)?.description;
  return `"${path}"${problemOf(issue)}.${about ? ` Description of the argument: ${about}` : ''}`;
}

/** For an unknown argument that is a field of the objects in a list: the name of that list. */
function placeOf(keys: readonly string[], path: string, tool: Tool): string {
  if (path !== '') return '';
  const [key = ''] = keys;
  const list = Object.keys(tool.input.shape).find((each) =>
    fieldsAt(tool.input, [each, 0]).includes(key),
  );
  return list === undefined ? '' : ` Give ${quoted(key)} inside "${list}".`;
}

/** The names of the fields at a path of a schema; none if there is no object with known fields. */
function fieldsAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  let at = unwrapped(schema);
  for (const step of path) {
    if (at instanceof z.ZodArray) at = unwrapped(at.element);
    else if (at instanceof z.ZodObject) at = unwrapped(at.shape[String(step)]);
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** The schema of the value of an argument that may be absent. */
function unwrapped(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

/** The rest of a sentence that begins with the path of the argument; without the full stop. */
function problemOf(issue: z.core.$ZodIssue): string {
  const received = /received (\w+)$/.exec(issue.message)?.[1];
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map((value) => JSON.stringify(value)).join(', ');
    const rule = `must be ${issue.values.length === 1 ? '' : 'one of '}${allowed}`;
    return issue.input === undefined ? ` is missing; it ${rule}` : ` ${rule}`;
  }
  if (issue.code === 'invalid_type' && received === 'undefined') return ' is missing';
  if (issue.code === 'invalid_type' && issue.expected === 'int' && received === 'number')
    return ' must be a whole number';
  if (issue.code === 'invalid_type' && received !== undefined)
    return ` must be ${issue.expected}, not ${received}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return sizeProblemOf(issue);
  const message = issue.message.replace(/\.$/, '');
  return message.startsWith('must ') ? ` ${message}` : `: ${message}`;
}

type SizeIssue = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

function sizeProblemOf(issue: SizeIssue): string {
  const unit = issue.origin === 'string' ? 'characters' : 'entries';
  const verb = issue.origin === 'string' || issue.origin === 'array' ? 'have' : 'be';
  const amount = (limit: number | bigint) => (verb === 'have' ? `${limit} ${unit}` : `${limit}`);
  if (issue.code === 'too_big') {
    const rule = issue.exact ? 'exactly' : 'at most';
    return ` must ${verb} ${rule} ${amount(issue.maximum)}`;
  }
  if (verb === 'have' && issue.minimum === 1) return ' is empty';
  if (issue.exact) return ` must ${verb} exactly ${amount(issue.minimum)}`;
  return ` must ${verb} ${amount(issue.minimum)} or more`;
}

const quoted = (name: string) => JSON.stringify(name.slice(0, 80));
