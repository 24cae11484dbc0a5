/**
 * Gemini Apps in Google's Takeout: `MyActivity.json`, one record for each prompt, with the answer in HTML.
 * The file does not show which prompts belong together, so each becomes a conversation of one turn.
 */
import { posix } from 'node:path';
import { isRecord, listIn, objectIn, objectsIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { unobserved } from '../../input/observed-input.js';
import {
  elementsOf,
  hasElement,
  type JsonRecord,
  unreadableConversation,
} from '../../reading/documents/documents.js';
import { attachmentLine } from '../../reading/text/attachment-lines.js';
import { textOfHtml } from '../../reading/text/html.js';
import { paragraphs } from '../../reading/text/paragraphs.js';
import { timeIn } from '../../reading/text/times.js';
import type { ImportedMessage, ImportItem, Source } from '../../source-interface.js';

const ACTIVITY = /(^|\/)My ?Activity\.json$/i;
/** In other languages the file has another name, but its folder has the name of the product. */
const IN_PRODUCT = /(^|\/)[^/]*(Gemini|Bard)[^/]*\/[^/]+\.json$/i;
const PROMPT = /^(?:(Prompted|Asked|Said)(?:\s+|$)|Eingegebener Prompt:\s*)/;
/** Number of files that are read to detect the format. */
const MAX_PEEKS = 5;
/** Titles that describe an action of the user. */
const NO_PROMPT = /^(Created|Gave|Selected|Used|Viewed|Visited)\s/;

export const geminiApps: Source = {
  kind: 'gemini-apps',
  title: 'Gemini Apps (Google Takeout)',
  async detect({ form, files }) {
    // A Takeout can have a folder for each product of Google.
    const found = [...files.filter(isOfProduct), ...files.filter((file) => !isOfProduct(file))];
    const activity = form === 'file' ? files : found.filter(isActivity);
    for (const file of activity.slice(0, MAX_PEEKS))
      if (await hasElement(file, isGeminiActivity)) return true;
    return false;
  },
  async *read({ form, files }, { signal }) {
    /** By time: number of records. It distinguishes records of the same time by their order. */
    const counts = new Map<string, number>();
    for (const file of files) {
      if (form !== 'file' && !isActivity(file)) continue;
      // Other files of the product are in that folder too, and the activity of other products in others.
      const isSure = form === 'file' || (ACTIVITY.test(file.name) && isOfProduct(file));
      if (!isSure && !(await hasElement(unobserved(file), isGeminiActivity))) continue;
      for await (const record of elementsOf(file)) {
        signal?.throwIfAborted();
        yield conversationOf(record, file.modifiedAtMs, counts);
      }
    }
  },
};

const isOfProduct = ({ name }: InputFile) => IN_PRODUCT.test(name);
const isActivity = (file: InputFile) => ACTIVITY.test(file.name) || isOfProduct(file);

/** Takeout uses this format for the activity of all Google products. */
const isGeminiActivity = (value: unknown): value is JsonObject =>
  isRecord(value) &&
  [value['header'], ...listIn(value['products'])].some((name) =>
    /Gemini|Bard/.test(textIn(name) ?? ''),
  );

function conversationOf(
  { value, path, record }: JsonRecord,
  fileTimeMs: number,
  counts: Map<string, number>,
): ImportItem {
  if (!isGeminiActivity(value)) return unreadableConversation(path, record);
  const createdAt = timeIn(value['time']);
  const moment = createdAt ?? 'no time';
  const count = (counts.get(moment) ?? 0) + 1;
  counts.set(moment, count);
  return {
    type: 'conversation',
    path,
    record,
    fileTimeMs,
    id: `${moment}:${count}`,
    createdAt,
    messages: messagesOf(value, createdAt),
    // The files are in the folder of the file that names them.
    attachments: filesOf(value).map((name) => posix.join(posix.dirname(path), name)),
  };
}

function filesOf(value: JsonObject): string[] {
  const files = [...listIn(value['attachedFiles']), ...listIn(value['imageFile'])];
  return files.flatMap((file) => textIn(file) ?? textIn(objectIn(file)['name']) ?? []);
}

function messagesOf(value: JsonObject, createdAt: string | undefined): ImportedMessage[] {
  const title = textIn(value['title']) ?? '';
  const answers = objectsIn(value['safeHtmlItem']).map((item) =>
    textOfHtml(textIn(item['html']) ?? ''),
  );
  const answer = paragraphs(answers);
  // In other languages the word before the prompt differs, so a title with an answer is a prompt.
  const isPrompt = PROMPT.test(title) || (answer !== '' && !NO_PROMPT.test(title));
  const prompt = isPrompt ? title.replace(PROMPT, '') : '';
  const asked = [prompt, ...filesOf(value).map((name) => attachmentLine('file', name))];
  const content = paragraphs(asked);
  return [
    ...(content === '' ? [] : [{ role: 'user' as const, content, createdAt }]),
    ...(answer === '' ? [] : [{ role: 'assistant' as const, content: answer, createdAt }]),
  ];
}
