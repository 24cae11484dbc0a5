/**
 * `daybook edit`: a person edits a copy of a whole `conversation.json`. So a text that cannot be read never
 * replaces the file, and messages that were added meanwhile are not overwritten. (versions/hand-edits.ts detects
 * changes of the file itself.)
 */
import { isoTime } from '../../../base/clock.js';
import { AppError, undefinedIfUnreadable } from '../../../base/errors.js';
import { isSameJson } from '../../../base/json.js';
import { withLock } from '../../../files/locks/file-lock.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { readStored, readWholeAtOnce } from '../../../files/read/whole-file.js';
import { plainCodec } from '../../../files/sealing/text-codec.js';
import { notFound } from '../conversation-errors.js';
import type { Revision } from '../document/apply-revision.js';
import type { ConversationDocument } from '../document/document.js';
import type { Conversation } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';
import { isLossyHandEdit } from '../versions/hand-edits.js';
import type { VersionFiles } from '../versions/version-files.js';
import type { ConversationWriter } from './writer.js';

export interface OpenedFile {
  readonly conversationId: string;
  readonly bytes: Buffer;
  readonly stamp: Stamp;
  /** Absent if the file is damaged. */
  readonly conversation?: Conversation;
}

/** `joined`: the file has the edits, and the messages that others added meanwhile. */
export type EditOutcome = 'unchanged' | 'saved' | 'joined';

export class EditorCopies {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;
  readonly #versions: VersionFiles;

  constructor(core: StoreCore, writer: ConversationWriter, versions: VersionFiles) {
    this.#core = core;
    this.#writer = writer;
    this.#versions = versions;
  }

  /**
   * Returns the file for an edit; it may be damaged. Takes an id. VALIDATION_ERROR for an encrypted store,
   * CONVERSATION_NOT_FOUND, FILESYSTEM_ERROR.
   */
  async open(conversationId: string): Promise<OpenedFile> {
    const { files, options } = this.#core;
    if ((options.codec ?? plainCodec) !== plainCodec) throw encrypted();
    const found = await readStored(files.fileOf(conversationId));
    if (found === undefined) throw notFound(conversationId);
    const reading = files.read(conversationId);
    const version = await undefinedIfUnreadable(reading, 'CONVERSATION_CORRUPTED');
    const isRead = version !== undefined && isSameStamp(version.stamp, found.stamp);
    return {
      conversationId,
      ...found,
      ...(isRead && { conversation: version.document.snapshot() }),
    };
  }

  /**
   * Stores the edited text, which is in the file `path`. Durable when it resolves. CONVERSATION_CORRUPTED if
   * it cannot be read, CONFLICT if others changed the conversation meanwhile and the two changes cannot be
   * joined, and what `append` throws. If it throws, the conversation is unchanged.
   */
  async save(opened: OpenedFile, path: string): Promise<EditOutcome> {
    const { files } = this.#core;
    const { conversationId, bytes: before } = opened;
    const edited = await readWholeAtOnce(path);
    if (edited === undefined || edited.bytes.equals(before)) return 'unchanged';
    const version = await files.readUncached(conversationId, path);
    if (version === undefined) return 'unchanged';
    if (await this.#replace(opened, edited.bytes, version.document)) return 'saved';
    const mine = version.document.snapshot();
    const updatedAt = isoTime(this.#core.clock.now());
    const join = (now: Conversation) => joined(opened.conversation, mine, now, updatedAt);
    await this.#writer.revise(conversationId, join, 'hand');
    return 'joined';
  }

  /**
   * Returns false if the file is no longer the one that was opened. If a text would be lost, the conversation is
   * stored as a version first.
   */
  #replace(
    { conversationId, stamp, conversation }: OpenedFile,
    bytes: Buffer,
    edited: ConversationDocument,
  ): Promise<boolean> {
    const { files, locksFolder, options } = this.#core;
    const path = files.fileOf(conversationId);
    const replacing = withLock(locksFolder, conversationId, async (lock) => {
      if (!isSameStamp(readStampNow(path), stamp)) return false;
      const before = conversation && (await files.read(conversationId))?.document;
      if (before !== undefined && isLossyHandEdit(before, edited))
        await this.#versions.store(conversationId, before, 'hand');
      await lock.replace(path, bytes, options, { base: stamp });
      return true;
    });
    return this.#core.track(replacing);
  }
}

const JOINED_FIELDS = ['title', 'module', 'tags', 'pinned', 'metadata'] as const;
/** Daybook sets them with every write. */
const OWN_FIELDS = new Set([
  'messages',
  'messageCount',
  'updatedAt',
  'titleFrom',
  ...JOINED_FIELDS,
]);

/** Returns the person's changes of `before`, followed by the messages that `now` has in addition. */
function joined(
  before: Conversation | undefined,
  mine: Conversation,
  now: Conversation,
  updatedAt: string,
): Revision {
  const count = before?.messages.length ?? 0;
  const isOnlyLonger = isSameJson(before?.messages, now.messages.slice(0, count));
  if (before === undefined || !isOnlyLonger || hasOtherChanges(before, mine)) {
    throw conflict(now.conversationId);
  }
  const changed = JOINED_FIELDS.filter((name) => !isSameJson(before[name], mine[name]));
  return {
    fields: Object.fromEntries(changed.map((name) => [name, mine[name]])),
    messages: [...mine.messages, ...now.messages.slice(count)],
    updatedAt,
  };
}

function hasOtherChanges(before: Conversation, mine: Conversation): boolean {
  const others = (conversation: Conversation) =>
    Object.fromEntries(Object.entries(conversation).filter(([name]) => !OWN_FIELDS.has(name)));
  return !isSameJson(others(before), others(mine));
}

function conflict(conversationId: string): AppError {
  return new AppError(
    'CONFLICT',
    `Conversation ${conversationId} was changed while the editor was open.`,
    { details: { conversationId } },
  );
}

function encrypted(): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    'The store is encrypted, so an editor cannot show the text of the file.',
    {
      hint: 'Change single messages on the page (daybook open), or decrypt the store first (daybook decrypt).',
    },
  );
}
