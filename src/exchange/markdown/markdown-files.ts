/**
 * Exports conversations as a folder of Markdown files, one for each (docs/FORMAT.md). The frontmatter has
 * the fields of the conversation; links lead to its branches. A comment before each message has the fields
 * of the message, so that `daybook import` restores the conversation exactly. Text that Markdown cannot
 * represent exactly is in the comment too.
 */

import { join, sep } from 'node:path';
import { groupedBy } from '../../base/arrays/grouped-by.js';
import type { JsonObject } from '../../base/json-fields.js';
import { unicodeEscape } from '../../base/text/display-text.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { writeNewFile } from '../../files/atomic/new-file-stream.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { type Attachment, attachmentsIn } from '../../stores/conversations/files/attachments.js';
import { EXPORT_VERSION, type ExportedDocument, lineOf, threadOf } from '../export-formats.js';
import { headingOf, speakerLine } from './conversation-markdown.js';
import { closingFence } from './message-markdown.js';
import { oneLine } from './message-sources.js';

interface WriteOptions extends Durability {
  readonly isShared: boolean;
  /** Those that are in the folder too. */
  readonly attachments: readonly Attachment[];
}

/** The conversations of one folder, which link to each other. */
export class MarkdownFolder {
  readonly #heads: ReadonlyMap<string, ConversationHead>;
  /** By the conversation from which they branch; all others are under `undefined`. */
  readonly #branches: ReadonlyMap<string | undefined, readonly ConversationHead[]>;

  constructor(heads: readonly ConversationHead[]) {
    this.#heads = new Map(heads.map((head) => [head.conversationId, head]));
    this.#branches = groupedBy(heads, ({ branchOf }) => branchOf?.conversationId);
  }

  /** Writes one file and returns its size in bytes. Throws like `writeNewFile`. */
  write(
    folder: string,
    document: ExportedDocument,
    { isShared, attachments, fsync }: WriteOptions,
  ): Promise<number> {
    const path = join(folder, fileNameOf(document.conversationId));
    return writeNewFile(path, this.#parts(document, isShared, attachments), { fsync });
  }

  async *#parts(
    { messages, ...head }: ExportedDocument,
    isShared: boolean,
    attachments: readonly Attachment[],
  ): AsyncGenerator<string> {
    yield `---\n${frontmatterOf({ daybook: EXPORT_VERSION, ...threadOf(head) })}---\n\n`;
    yield headingOf(head);
    if (!isShared) yield this.#links(head.conversationId);
    yield attachmentLinks(head.conversationId, attachments);
    for (const message of messages) yield messageOf(message);
  }

  #links(conversationId: string): string {
    const parent = this.#heads.get(conversationId)?.branchOf?.conversationId;
    const branches = this.#branches.get(conversationId) ?? [];
    return [
      ...(parent === undefined ? [] : [`\nBranch of ${this.#link(parent)}\n`]),
      ...(branches.length === 0 ? [] : ['\nBranches:\n\n']),
      ...branches.map(({ conversationId: id }) => `- ${this.#link(id)}\n`),
    ].join('');
  }

  /** A link to a conversation of the folder; for other conversations, the id alone. */
  #link(id: string): string {
    const head = this.#heads.get(id);
    if (head === undefined) return oneLine(id);
    return `[${linkText(head.title ?? id)}](${fileNameOf(id)})`;
  }
}

const linkText = (text: string) => oneLine(text).replaceAll(/[\\[\]<>]/g, '\\$&');

function attachmentLinks(conversationId: string, attachments: readonly Attachment[]): string {
  if (attachments.length === 0) return '';
  const links = attachments.map(({ name }) => {
    const path = attachmentsIn(conversationId).split(sep).concat(name.split('/'));
    return `- [${linkText(name)}](${path.map(encodeURIComponent).join('/')})\n`;
  });
  return `\nAttachments:\n\n${links.join('')}`;
}

const fileNameOf = (conversationId: string) => `${conversationId}.md`;

/** YAML in which every line is a name and a JSON value. */
function frontmatterOf(fields: JsonObject): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${oneLineJson(value)}\n`)
    .join('');
}

function messageOf(message: JsonObject): string {
  const { content: given, ...fields } = lineOf(message);
  const content = String(given);
  const isExact = content.isWellFormed() && !content.includes('\r');
  const fence = closingFence(content);
  const comment = { ...fields, ...(fence && { fence }), ...(!isExact && { content }) };
  const text = content.replaceAll(/(^|\n)(\\*<!-- daybook:)/g, '$1\\$2').toWellFormed();
  const shown = fence === undefined ? text : `${text}\n${fence}`;
  return `\n<!-- daybook:message ${oneLineJson(comment)} -->\n${speakerLine(message)}\n\n${shown}\n`;
}

/** JSON without characters that would end a comment or, in some programs, a line. */
const oneLineJson = (value: unknown) =>
  JSON.stringify(value).replaceAll(/[>\u2028\u2029]/g, unicodeEscape);
