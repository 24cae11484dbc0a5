/**
 * Converts one message of a Claude.ai export: blocks of text, thinking and tool calls, attachments,
 * artifacts.
 */
import { posix } from 'node:path';
import { defined } from '../../../base/json.js';
import {
  definedOrNothing,
  listIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../base/json-fields.js';
import { fenced } from '../../../base/text/code-block.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import type { TurnBuilder } from '../../reading/messages/turns.js';
import { attachmentLine, fileLine } from '../../reading/text/attachment-lines.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { roleIn } from '../../reading/text/roles.js';
import { timeIn } from '../../reading/text/times.js';

/** `text` has this instead of blocks that old apps could not show. */
const PLACEHOLDER = /```\s*This block is not supported on your current device yet\.?\s*```/g;

const FILE_BLOCKS = new Set(['image', 'document', 'file']);
/** Blocks of these types are no text for the user, or count tokens. */
const SILENT_BLOCKS =
  /^(thinking|redacted_thinking|tool_use|tool_result|server_tool_use|\w+_tool_result|token_budget)$/;

export function addClaudeMessage(turns: TurnBuilder, id: string, fields: JsonObject): void {
  const createdAt = timeIn(fields['created_at']);
  const role = roleIn(fields['sender']) ?? 'user';
  const origin = { id, createdAt };
  const blocks = objectsIn(fields['content']);
  for (const block of blocks) addActivity(turns, block, origin);
  const texts = blocks.flatMap((block) => {
    const text = blockText(block);
    if (text === undefined && !isKnown(block)) turns.countLeftOut('parts of an unknown type');
    return text ?? [];
  });
  const spoken = texts.join('\n\n');
  const plain = textIn(fields['text'])?.replace(PLACEHOLDER, '').trim() ?? '';
  const content = [spoken.trim() === '' ? plain : spoken, ...filesOf(fields)];
  const metadata = definedOrNothing({ sources: citedPages(blocks) });
  turns.addMessage({ ...origin, role, content: paragraphs(content), metadata });
}

/** The pages that the text cites, each once, with the titles of the search results. */
function citedPages(blocks: readonly JsonObject[]): JsonObject[] | undefined {
  const titles = new Map<string, string>();
  for (const result of blocks.flatMap(({ content }) => objectsIn(content))) {
    const [url, title] = [textIn(result['url']), textIn(result['title'])];
    if (url !== undefined && title !== undefined) titles.set(url, title);
  }
  const cited = new Map<string, JsonObject>();
  for (const citation of blocks.flatMap(({ citations }) => objectsIn(citations))) {
    const details = objectIn(citation['details']);
    const url = textIn(details['url']) ?? textIn(citation['url']);
    if (url === undefined || cited.has(url)) continue;
    const title = textIn(citation['title']) ?? textIn(details['title']) ?? titles.get(url);
    cited.set(url, defined({ title, url }));
  }
  return cited.size === 0 ? undefined : [...cited.values()];
}

function addActivity(turns: TurnBuilder, block: JsonObject, origin: { id: string }): void {
  const { type } = block;
  if (type === 'thinking') turns.addThinking(textIn(block['thinking']), origin);
  else if (type === 'tool_use' && !isArtifact(block)) {
    const name = textIn(block['name']) ?? 'tool';
    const written = writtenFile(block);
    const input = written === undefined ? block['input'] : { path: written.path };
    turns.addToolCall({ name, input }, origin, textIn(block['id']));
  } else if (type === 'tool_result' && block['name'] !== 'artifacts') {
    const text = resultText(block['content']);
    const result = { name: textIn(block['name']), text, isError: block['is_error'] === true };
    turns.addToolResult(result, textIn(block['tool_use_id']));
  }
}

function blockText(block: JsonObject): string | undefined {
  if (FILE_BLOCKS.has(textIn(block['type']) ?? '')) return fileLine(block);
  return isSilent(block) ? artifactText(block) : textIn(block['text']);
}

const isSilent = ({ type }: JsonObject): boolean => SILENT_BLOCKS.test(textIn(type) ?? '');

const isKnown = (block: JsonObject): boolean => isSilent(block) || 'text' in block;

const isArtifact = (block: JsonObject): boolean =>
  block['name'] === 'artifacts' && artifactText(block) !== undefined;

/** The folder of files that Claude gives to the user. */
const OUTPUTS = '/mnt/user-data/outputs/';

/** A file that Claude wrote for the user: newer artifacts are such files. */
function writtenFile({ name, input }: JsonObject): { path: string; text: string } | undefined {
  const [path, text] = [textIn(objectIn(input)['path']), textIn(objectIn(input)['file_text'])];
  const isOutput = name === 'create_file' && path?.startsWith(OUTPUTS);
  return isOutput && path !== undefined && text !== undefined ? { path, text } : undefined;
}

/** An artifact is a text for the user that Claude writes by a tool call, so it becomes part of the message. */
function artifactText(block: JsonObject): string | undefined {
  if (block['type'] !== 'tool_use') return undefined;
  const file = writtenFile(block);
  if (file !== undefined) {
    const { base, ext } = posix.parse(file.path);
    const isMarkdown = /^\.(md|markdown)$/i.test(ext);
    const language = /^\.(\w{1,12})$/.exec(ext)?.[1];
    const body = isMarkdown ? file.text : fenced(file.text, language);
    return `${attachmentLine('artifact', base)}\n\n${body}`;
  }
  if (block['name'] !== 'artifacts') return undefined;
  const input = objectIn(block['input']);
  const text = textIn(input['content']) ?? textIn(input['new_str']);
  if (text === undefined) return undefined;
  const title = textIn(input['title']) ?? textIn(input['id']) ?? 'untitled';
  const isProse = textIn(input['type'])?.includes('markdown') ?? false;
  const body = isProse ? text : fenced(text, textIn(input['language']));
  return `${attachmentLine('artifact', title)}\n\n${body}`;
}

export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = listIn(content).map((part) =>
    typeof part === 'string' ? part : (textIn(objectIn(part)['text']) ?? ''),
  );
  return parts.filter((text) => text !== '').join('\n');
}

/** Attached and uploaded files. The text of a pasted file is in the export and becomes part of the message. */
function filesOf(fields: JsonObject): string[] {
  const attached = objectsIn(fields['attachments']).map((file) => {
    const line = attachmentLine('file', textIn(file['file_name']) ?? 'pasted text');
    const text = textIn(file['extracted_content']);
    return text === undefined ? line : `${line}\n\n${text}`;
  });
  const named = [...objectsIn(fields['files']), ...objectsIn(fields['files_v2'])].flatMap(
    (file) => {
      const name = textIn(file['file_name']);
      return (name === undefined ? fileLine(file) : attachmentLine('file', name)) ?? [];
    },
  );
  const others = [...new Set(named)].filter(
    (line) => !attached.some((text) => text.startsWith(line)),
  );
  return [...attached, ...others];
}
