/**
 * Proves: a redaction that is killed before any of its file-system calls leaves every file readable,
 * with the text or without it, and the next one takes out what is left.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Backups } from '../../src/maintenance/backup.js';
import { checkArchive } from '../../src/maintenance/backup-content.js';
import { conversationText, ID } from '../doctor/place.js';
import { Child } from '../support/child.js';
import { filesBelow } from '../support/files-below.js';
import { tempFolder, timeLimitMs } from '../support/rounds.js';
import type { InterruptedResult, InterruptedTask } from './children/interrupted.js';

const TEXT = 'Marienstrasse 12';
const CONVERSATION = `conversation-logs/${ID}/conversation.json`;
const NOTE = 'memory-bank/ada.md';

async function rootWithText(): Promise<string> {
  const root = tempFolder();
  const files = {
    [CONVERSATION]: conversationText([`at ${TEXT}`, 'kept']),
    [NOTE]: `${TEXT}\nkept\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const areas = ['conversation-logs', 'memory-bank'].map((name) => ({
    name,
    folder: join(root, name),
  }));
  const folder = join(root, 'backups');
  await new Backups({ folder, areas, keepDays: 0, clock: systemClock, fsync: false }).make();
  return root;
}

const redact = (root: string, at: number) => {
  const task: InterruptedTask = {
    ...{ root, operation: 'redact', ref: '', text: TEXT },
    ...{ at, signal: 'SIGKILL' },
  };
  return new Child('interrupted', task);
};

it(
  'a killed redaction is ended by the next one',
  async () => {
    const counting = redact(await rootWithText(), -1);
    const { calls } = await counting.next<InterruptedResult>();
    await counting.ended();
    expect(calls).toBeGreaterThan(20);
    for (let at = 0; at < calls; at += Math.ceil(calls / 25)) {
      const root = await rootWithText();
      await redact(root, at).ended();
      const conversation = JSON.parse(readFileSync(join(root, CONVERSATION), 'utf8'));
      expect(conversation.messages[1].content).toBe('kept');
      expect(readFileSync(join(root, NOTE), 'utf8')).toMatch(
        /^(Marienstrasse 12|\[redacted\])\nkept\n$/,
      );
      const again = redact(root, -1);
      await again.next<InterruptedResult>();
      await again.ended();
      for (const path of filesBelow(root)) {
        const bytes = readFileSync(path);
        const content = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
        expect(content.includes(TEXT), `${path}, killed before call ${at}`).toBe(false);
        if (path.endsWith('.gz')) await checkArchive(path);
      }
    }
  },
  timeLimitMs(90_000),
);
