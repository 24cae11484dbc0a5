/**
 * Images in Claude Code's session files. Most are in a line, as base64; others are named by their path.
 * Each becomes a line of text at its place and can be copied. Copying reads the bytes from the session
 * again, because the images of a session may not fit into memory.
 */

import { isRecord, objectIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { objectLines } from '../../reading/documents/documents.js';
import { attachmentLine } from '../../reading/text/attachment-lines.js';
import type { ImportedConversation, ImportedMessage } from '../../source-interface.js';
import { queuedPrompt } from './claude-code-queued.js';

/** The images found so far. */
export interface SessionImages {
  /** Images that are in the lines. */
  readonly inline: InputFile[];
  /** Names of image files of the input. */
  readonly named: Set<string>;
}

/** Where the lines come from. */
interface SessionFile {
  readonly file: InputFile;
  /** All files of the input. */
  readonly files: readonly InputFile[];
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/** The line with a text in the place of each image, including images in tool results. */
export function withNamedImages(
  line: JsonObject,
  place: SessionFile,
  found: SessionImages,
): JsonObject {
  if (imagesIn(line).length === 0) return line;
  const uuid = textIn(line['uuid']) ?? '';
  let count = 0;
  const toText = (block: JsonObject): JsonObject => {
    count += 1;
    return { type: 'text', text: lineOf(block, { uuid, count }, place, found) };
  };
  const message = objectIn(line['message']);
  return { ...line, message: { ...message, content: withImages(message['content'], toText) } };
}

/** Those of the images that the messages mention. */
export function imagesOf(
  { inline, named }: SessionImages,
  messages: readonly ImportedMessage[],
): Pick<ImportedConversation, 'inline' | 'attachments'> {
  if (inline.length === 0 && named.size === 0) return {};
  const texts = messages.map(({ content, metadata }) => JSON.stringify([content, metadata]));
  const isNamed = (name: string) => {
    const line = JSON.stringify(attachmentLine('image', name)).slice(1, -1);
    return texts.some((text) => text.includes(line));
  };
  return {
    inline: inline.filter(({ name }) => isNamed(name)),
    attachments: [...named].filter(isNamed),
  };
}

function lineOf(
  block: JsonObject,
  { uuid, count }: { readonly uuid: string; readonly count: number },
  { file, files }: SessionFile,
  found: SessionImages,
): string {
  const source = objectIn(block['source']);
  const data = textIn(source['data']);
  if (data !== undefined) {
    const extension = EXTENSIONS.get(textIn(source['media_type']) ?? '') ?? 'bin';
    const name = `images/${uuid}-${count}.${extension}`;
    const [sizeBytes, { modifiedAtMs }] = [Buffer.from(data, 'base64').byteLength, file];
    const bytes = () => bytesOf(file, uuid, count);
    found.inline.push({ name, sizeBytes, modifiedAtMs, bytes });
    return attachmentLine('image', name);
  }
  const given = [source['path'], source['file_path'], source['url']];
  const path = given.map(textIn).find((each) => each !== undefined);
  const name = path === undefined ? undefined : nameOf(path, files);
  if (name !== undefined) found.named.add(name);
  const shown = name ?? path;
  return shown === undefined ? '[image]' : attachmentLine('image', shown);
}

/** The file of the input that `path` names; files outside the input are not read. */
function nameOf(path: string, files: readonly InputFile[]): string | undefined {
  const plain = `/${path.replaceAll('\\', '/')}`;
  return files.find(({ name }) => plain.endsWith(`/${name}`))?.name;
}

async function* bytesOf(file: InputFile, uuid: string, count: number): AsyncGenerator<Uint8Array> {
  for await (const { value: given } of objectLines(file, () => undefined)) {
    const value = queuedPrompt(given) ?? given;
    if (textIn(value['uuid']) !== uuid) continue;
    const data = textIn(objectIn(imagesIn(value)[count - 1]?.['source'])['data']) ?? '';
    yield Buffer.from(data, 'base64');
    return;
  }
}

function imagesIn(line: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  withImages(objectIn(line['message'])['content'], (block) => {
    found.push(block);
    return block;
  });
  return found;
}

/** The blocks, in which `replace` replaces each image of the message or of a tool result. */
function withImages(
  content: unknown,
  replace: (block: JsonObject) => JsonObject,
  isInside = false,
): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => {
    if (!isRecord(block)) return block;
    if (block['type'] === 'image') return replace(block);
    if (block['type'] !== 'tool_result' || isInside) return block;
    return { ...block, content: withImages(block['content'], replace, true) };
  });
}
