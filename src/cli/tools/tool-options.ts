/**
 * Converts the input schema of a tool into arguments and options, and arguments and options into the
 * input of the tool. A required text or number is an argument; other inputs are options of the same name.
 */
import { Argument, type Command, Option } from 'commander';
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import type { Tool } from '../../tools/define-tool.js';
import { invalidInput } from './issue-text.js';
import { tagsOf, tagsToFind } from './tags.js';

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
  readonly default?: unknown;
  readonly description?: string;
  readonly maximum?: number;
}

export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'switch' | 'list' | 'json';
  readonly choices: readonly string[] | undefined;
  /** The input also accepts the word `null`, which removes the value. */
  readonly isNullable: boolean;
  readonly isArgument: boolean;
  /** The argument gets all remaining words as one text. */
  readonly takesRest: boolean;
  readonly isNeeded: boolean;
  readonly schema: Property;
}

/** Inputs that the terminal sets; they are not options. */
const isOfTerminal = (name: string) =>
  ['highlightStart', 'highlightEnd', 'ellipsis', 'maxTokens'].includes(name);

/** `words`: optional inputs that are arguments, not options. */
export function fieldsOf(tool: Tool, words: readonly string[] = []): readonly Field[] {
  const schema = z.toJSONSchema(tool.input, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  const needed = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    fieldOf(name, property as Property, needed.has(name), words.includes(name)),
  );
  const last = fields.findLast(({ isArgument }) => isArgument);
  return fields.map((field) => ({
    ...field,
    takesRest: field === last && isText(field),
  }));
}

/** A file is one word, and `-` is not replaced by the standard input. */
const isText = ({ name, choices, schema }: Field) =>
  name !== 'file' && schema.format === undefined && !choices;

function fieldOf(name: string, property: Property, isNeeded: boolean, isWords: boolean): Field {
  const types = typesOf(property);
  const others = types.filter(({ type }) => type !== 'null');
  const isNullable = others.length < types.length;
  const schema = others.length === 1 ? { ...property, ...others[0] } : property;
  const kind = kindOf(schema);
  const isArgument = isWords || (isNeeded && (kind === 'text' || kind === 'number'));
  const { enum: choices } = schema;
  return { name, kind, choices, isNullable, isArgument, takesRest: false, isNeeded, schema };
}

/** Splits a schema with several types into one schema for each type. */
function typesOf({ type, anyOf }: Property): readonly Property[] {
  if (typeof type === 'object') return type.map((each) => ({ type: each }));
  return anyOf ?? (type === undefined ? [] : [{ type }]);
}

function kindOf({ type, items }: Property): Field['kind'] {
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'switch';
  return type === 'array' && items?.type === 'string' ? 'list' : 'json';
}

const flagOf = (name: string) =>
  `--${name.replace(/_/g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Input name to option, for all inputs that are options. */
export function optionNames(fields: readonly Field[]): Readonly<Record<string, string>> {
  const options = fields.filter((field) => isOption(field) && !isOfTerminal(field.name));
  return Object.fromEntries(options.map(({ name }) => [name, flagOf(name)]));
}

/** An optional argument is also an option, so that it can be given without the arguments before it. */
const isOption = ({ isArgument, isNeeded }: Field) => !isArgument || !isNeeded;

/** Adds the arguments and options to the command. */
export function addFields(command: Command, fields: readonly Field[]): void {
  for (const field of fields) {
    if (isOfTerminal(field.name)) continue;
    if (field.isArgument) command.addArgument(argumentOf(field));
    if (isOption(field)) for (const option of optionsOf(field)) command.addOption(option);
  }
  const switches = fields.filter(({ kind }) => kind === 'switch').map(({ name }) => flagOf(name));
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => parseOptions(withSwitches(words, switches));
}

/**
 * Replaces `--pinned true` by `--pinned`, and `--pinned=false` by `--no-pinned`. An optional value of
 * commander would take the next word of a query, and a boolean option would leave `false` in the query.
 */
function withSwitches(words: readonly string[], switches: readonly string[]): string[] {
  const typed: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return [...typed, ...words.slice(at)];
    const [flag = '', joined] = word.split('=', 2);
    const value = joined ?? words[at + 1];
    const isOne = switches.includes(flag) && (value === 'true' || value === 'false');
    if (isOne && joined === undefined) at += 1;
    typed.push(!isOne ? word : value === 'true' ? flag : flag.replace('--', '--no-'));
  }
  return typed;
}

function argumentOf({ name, takesRest, isNeeded, choices, schema }: Field): Argument {
  const label = `${name}${takesRest ? '...' : ''}`;
  const note = takesRest ? '; - reads it from the standard input' : '';
  const shown = isNeeded ? `<${label}>` : `[${label}]`;
  const argument = new Argument(shown, `${sentence(schema.description)}${note}`);
  return choices === undefined ? argument : argument.choices(choices);
}

function optionsOf(field: Field): Option[] {
  const { name, kind, choices, schema, isNeeded } = field;
  const flag = flagOf(name);
  const given = schema.default === undefined ? '' : ` (default: ${JSON.stringify(schema.default)})`;
  const about = `${sentence(schema.description)}${kind === 'switch' ? '' : given}`;
  if (kind === 'switch') {
    const on = new Option(flag, about);
    const off = new Option(flag.replace('--', '--no-'), about);
    if (schema.default === undefined) off.description = about.replace(/^only /, 'leave out ');
    return [on.hideHelp(schema.default === true), off.hideHelp(schema.default === false)];
  }
  const value = { text: 'text', number: 'n', list: 'text', json: 'json' }[kind];
  const option = new Option(
    `${flag} <${value}>`,
    kind === 'list' ? `${about} (${isTags(field) ? SEVERAL_TAGS : 'repeatable'})` : about,
  );
  if (kind === 'list') {
    option.argParser((text: string, before: readonly string[] = []) => [...before, text]);
  }
  if (choices !== undefined && !field.isNullable) option.choices(choices);
  return [option.makeOptionMandatory(isNeeded)];
}

/** The form of a help text: without full stop and capital. */
function sentence(text = ''): string {
  const first = text.charAt(0);
  const isWord = text.charAt(1) === text.charAt(1).toLowerCase();
  return `${isWord ? first.toLowerCase() : first}${text.slice(1)}`.replace(/\.$/, '');
}

/** The input of the tool from parsed arguments and options. Throws VALIDATION_ERROR with the wrong option. */
export function inputFrom(
  tool: Tool,
  fields: readonly Field[],
  typed: { readonly args: readonly unknown[]; readonly options: Readonly<Record<string, unknown>> },
  preset: Readonly<Record<string, unknown>>,
): z.output<Tool['input']> {
  const args = fields.filter(({ isArgument }) => isArgument);
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const at = args.indexOf(field);
    const word = at >= 0 ? typed.args[at] : undefined;
    const isWord = word !== undefined && !(Array.isArray(word) && word.length === 0);
    const option = typed.options[camelCase(field.name)];
    if (isWord && option !== undefined) throw givenTwice(field);
    const raw = isWord ? word : option;
    const value = raw === undefined ? preset[field.name] : typedValue(field, raw, tool);
    if (value !== undefined) input[field.name] = value;
  }
  return checkedInput(tool, input, (name) => {
    const wrong = fields.find((field) => field.name === name);
    return wrong === undefined ? tool.name : wrong.isArgument ? wrong.name : flagOf(wrong.name);
  });
}

function givenTwice({ name }: Field): AppError {
  const message = `Give ${name} as a word or as ${flagOf(name)}, not both.`;
  return new AppError('VALIDATION_ERROR', message, { details: { field: name } });
}

/** VALIDATION_ERROR with the label of the first wrong field. */
export function checkedInput<T extends Tool>(
  tool: T,
  input: unknown,
  labelOf: (field: string) => string = (field) => field,
): z.output<T['input']> {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data as z.output<T['input']>;
  const [issue] = parsed.error.issues;
  throw invalidInput(labelOf(String(issue?.path[0] ?? '')), issue);
}

/** The name of the option in commander. */
const camelCase = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function numberOf(field: Field, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && !Number.isNaN(number)) return number;
  const label = field.isArgument ? field.name : flagOf(field.name);
  throw new AppError('VALIDATION_ERROR', `${label} must be a number, not ${JSON.stringify(text)}.`);
}

const SEVERAL_TAGS = 'repeatable, or separated by commas';

const isTags = ({ name, kind }: Field) => name === 'tags' && kind === 'list';

/** Examples. The only list is one of facts. */
const JSON_LIST = '[{"subject": "Ada", "predicate": "knows", "object": "Charles"}]';
const JSON_OBJECT = '{"colour": "blue"}';

function typedValue(field: Field, raw: unknown, tool: Tool): unknown {
  if (isTags(field) && Array.isArray(raw)) {
    return tool.annotations.readOnlyHint ? tagsToFind(raw) : tagsOf(raw);
  }
  const text = Array.isArray(raw) && field.kind === 'text' ? raw.join(' ') : raw;
  if (field.isNullable && text === 'null') return null;
  if (field.kind === 'number') return numberOf(field, String(text));
  if (field.kind !== 'json') return text;
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `${flagOf(field.name)} must be JSON.`, {
      hint: `For example ${flagOf(field.name)} '${field.schema.type === 'array' ? JSON_LIST : JSON_OBJECT}'.`,
      cause,
    });
  }
}
