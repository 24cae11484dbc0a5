/** `daybook history` and `daybook restore --version`: list and restore earlier versions of a conversation. */

import { countOf } from '../../base/text/display-text.js';
import { findConversation, nameOfConversation } from '../arguments/find-conversation.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { daybookLine } from '../terminal/command-line.js';
import { report } from '../terminal/output.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import { timesFor } from '../terminal/times.js';
import { withApp, withReadingApp } from '../with-app.js';

const REASONS: Readonly<Record<string, string>> = {
  edit: 'before a message was changed',
  delete: 'before a message was deleted',
  import: 'before an import changed it',
  restore: 'before an earlier version was restored',
  repair: 'before a repair',
  hand: 'before a person edited the file',
};

/** Prints the versions, newest first. Throws CONVERSATION_NOT_FOUND or CONFLICT. */
export async function history(
  name: string,
  { json }: { json?: boolean },
  flags: Flags,
): Promise<void> {
  await withReadingApp(flags, async ({ conversations }) => {
    const id = await findConversation(conversations, name);
    const { conversationId, versions } = await conversations.history.list(id);
    const times = timesFor(flags);
    report({ conversationId, versions }, json, () => {
      for (const { number, keptAt, reason, sizeBytes } of versions) {
        const why = REASONS[reason] ?? reason;
        console.log(`${number}  ${times.minute(keptAt)}  ${why}, ${sizeOf(sizeBytes)}`);
      }
      if (versions.length === 0) console.log('There are no earlier versions.');
      else
        console.log(
          `To restore a version, run: ${daybookLine(flags, 'restore', id, '--version', String(versions[0]?.number))}`,
        );
    });
    if (versions.length === 0) process.exitCode = NOTHING_FOUND;
  });
}

/** Throws VALIDATION_ERROR (no such version), CONVERSATION_NOT_FOUND or CONFLICT. */
export async function restoreVersion(
  name: string,
  number: number,
  json: boolean | undefined,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const id = await findConversation(conversations, name);
    const head = await conversations.history.restore(id, number);
    report(head, json, () =>
      console.log(
        `${oneLine(nameOfConversation(head))} is now the same as version ${number}: ${countOf(head.messageCount, 'message')}.`,
      ),
    );
  });
}
