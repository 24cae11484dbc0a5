/** A text as an import input, for callers that have no file. */
import { sha256Hex } from '../../base/ids.js';
import { parsedJson } from '../../base/json.js';
import type { Input, InputFile } from './input-types.js';

/**
 * Makes an input of one file. Without a name, the name is made from a hash of the whole text: importers use
 * names as ids, and two texts must not have the same id.
 */
export function textInput(given: string | undefined, text: string, modifiedAtMs: number): Input {
  const bytes = Buffer.from(text);
  const name = given ?? generatedName(text);
  const file: InputFile = {
    name,
    modifiedAtMs,
    sizeBytes: bytes.byteLength,
    ...(given === undefined && { isUnnamed: true }),
    async *bytes() {
      yield bytes;
    },
  };
  return { path: name, form: 'file', files: [file], refused: [], close: async () => undefined };
}

function generatedName(text: string): string {
  return `text-${sha256Hex(text).slice(0, 16)}.${extensionOf(text)}`;
}

function extensionOf(text: string): string {
  if (!/^\s*(?:\{|\[\s*[{\]])/.test(text)) return 'md';
  const [first = '', ...others] = text.trim().split('\n');
  return others.length > 0 && parsedJson(first) !== undefined ? 'jsonl' : 'json';
}
