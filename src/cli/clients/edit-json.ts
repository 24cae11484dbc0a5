/**
 * Reads and changes a settings file that is JSON with comments. The rest of the text, its indentation and a BOM
 * stay as they are.
 */
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { isRecord } from '../../base/json-fields.js';
import { lineAndColumn, shownPlace } from '../../base/text/line-and-column.js';
import type { Client } from './clients.js';
import { unfitFile } from './unfit-file.js';

const BOM = '\ufeff';
const OPTIONS = { allowTrailingComma: true };

/** The path of a field, and its new value; `undefined` removes the field. The index -1 adds to an array. */
export type Change = readonly [path: JSONPath, value: unknown];

/** The object in the text; `undefined` for an empty text. Throws CORRUPT. */
export function parsedObject(
  text: string,
  client: Client,
): Readonly<Record<string, unknown>> | undefined {
  const content = withoutBom(text);
  if (content.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, OPTIONS);
  const [error] = errors;
  if (error !== undefined) {
    const place = shownPlace(lineAndColumn(content, error.offset));
    throw unfitFile(client, `is not valid JSON (${place})`);
  }
  if (!isRecord(value)) throw unfitFile(client, 'is not a JSON object');
  return value;
}

/** The value at `path` as it is written in the text. */
export function sourceAt(text: string, path: JSONPath): string | undefined {
  const content = withoutBom(text);
  const node = nodeAt(content, path);
  return node && content.slice(node.offset, node.offset + node.length);
}

/**
 * Throws CORRUPT if an object has one of the names twice: programs do not agree which of two equal names is
 * used, so such a file is not changed. `places`: paths of objects, each with the names.
 */
export function requireSingle(
  text: string,
  client: Client,
  places: readonly (readonly [path: JSONPath, names: readonly string[]])[],
): void {
  for (const [path, names] of places) {
    const present = nodeAt(withoutBom(text), path)?.children?.map(
      ({ children }) => children?.[0]?.value,
    );
    const twice = names.find((name) => present?.indexOf(name) !== present?.lastIndexOf(name));
    if (twice !== undefined) throw unfitFile(client, `has the name "${twice}" twice in one object`);
  }
}

/**
 * Removes an element of the array at `path`, with the comma before it, or after the first. `jsonc-parser` damages
 * arrays that are written in one line.
 */
export function withoutElement(text: string, path: JSONPath, index: number): string {
  const bom = text.slice(0, text.length - withoutBom(text).length);
  const content = withoutBom(text);
  const array = nodeAt(content, path);
  const [previous, element, next] = [-1, 0, 1].map((step) => array?.children?.[index + step]);
  if (array === undefined || element === undefined) return text;
  const start = previous === undefined ? element.offset : endOf(previous);
  const end = previous === undefined ? (next?.offset ?? endOf(array) - 1) : endOf(element);
  return bom + content.slice(0, start) + content.slice(end);
}

const endOf = ({ offset, length }: Node): number => offset + length;

function nodeAt(content: string, path: JSONPath): Node | undefined {
  const tree = parseTree(content, [], OPTIONS);
  return tree && findNodeAtLocation(tree, path);
}

const withoutBom = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);

/** Changes fields of a JSON object with comments, by `jsonc-parser`; an empty text is an empty object. */
export function edited(text: string, changes: readonly Change[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const content = text.slice(bom.length);
  const before = content.trim() === '' ? '{}\n' : content;
  const indent = /\n([ \t]+)\S/.exec(before)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: before.includes('\r\n') ? '\r\n' : '\n',
  };
  return (
    bom +
    changes.reduce(
      (old, [path, value]) => applyEdits(old, modify(old, [...path], value, { formattingOptions })),
      before,
    )
  );
}
