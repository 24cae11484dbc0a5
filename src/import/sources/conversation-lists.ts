/**
 * The lists of conversations in exports of ChatGPT and Claude.ai. Both have the name `conversations.json`,
 * so a folder with both exports is sorted by what the lists have.
 */

import { isRecord, objectIn } from '../../base/json-fields.js';
import type { Input, InputFile } from '../../files/input/input-types.js';
import { unobserved } from '../input/observed-input.js';
import { hasRecord } from '../reading/documents/documents.js';

const FORMS = {
  chatgpt: (element: unknown) => isRecord(objectIn(element)['mapping']),
  claude: (element: unknown) => Array.isArray(objectIn(element)['chat_messages']),
} as const;

export type ListForm = keyof typeof FORMS;

/** Number of lists that are read to detect the format. */
const MAX_PEEKS = 5;

/** Whether one of these files is a list of this form. */
export async function hasListOf(form: ListForm, files: readonly InputFile[]): Promise<boolean> {
  for (const file of files.slice(0, MAX_PEEKS)) if (await isListOf(form, file)) return true;
  return false;
}

/** The files without those that are a list of the other form. A damaged list may be of any form. */
export async function* withoutListsOf(
  other: ListForm,
  files: readonly InputFile[],
  form: Input['form'],
): AsyncGenerator<InputFile> {
  for (const file of files) {
    if (form === 'file' || !(await isListOf(other, unobserved(file)))) yield file;
  }
}

const isListOf = (form: ListForm, file: InputFile): Promise<boolean> =>
  hasRecord(file, FORMS[form]);
