/** The process of an import is killed: all its conversations are whole, and the next run adds the rest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conversationIdAt } from '../../src/stores/conversations/document/conversation-id.js';
import { MAIN, runCommand, withPlace } from '../e2e/harness.js';

const COUNT = 400;
/** The process is killed when it has stored so many conversations. */
const STORED_BEFORE_KILL = 5;
const conversation = (index: number) => ({
  messages: [{ role: 'user', content: `number ${index}` }],
});
const EXPORTS = {
  'that has the ids of another program': {
    name: 'all.jsonl',
    text: Array.from({ length: COUNT }, (_, index) =>
      JSON.stringify({ id: `c-${index}`, ...conversation(index) }),
    ).join('\n'),
  },
  'that has the ids of Daybook': {
    name: 'all.json',
    text: JSON.stringify({
      format: 'daybook-export',
      version: 1,
      conversations: Array.from({ length: COUNT }, (_, index) => ({
        conversationId: conversationIdAt(index),
        clientId: `c-${index}`,
        ...conversation(index),
      })),
    }),
  },
};

it.each(
  Object.entries(EXPORTS),
)('the import of a file %s is killed, and the next run adds each missing conversation once', async (_, {
  name,
  text,
}) => {
  await withPlace(async (place) => {
    mkdirSync(place.root);
    const path = join(place.folder, name);
    writeFileSync(path, text);
    const logs = join(place.root, 'conversation-logs');
    const folders = () => {
      try {
        return readdirSync(logs).filter((name) => /^\d/.test(name));
      } catch {
        return [];
      }
    };
    const documentOf = (name: string) =>
      JSON.parse(readFileSync(join(logs, name, 'conversation.json'), 'utf8'));
    const args = [MAIN, '--root', place.root, 'import', path, '--yes'];
    const child = spawn(process.execPath, args, { env: place.env, stdio: 'ignore' });
    while (folders().length < STORED_BEFORE_KILL && child.exitCode === null) await pause(1);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const left = folders();
    expect(left.length).toBeGreaterThanOrEqual(STORED_BEFORE_KILL);
    expect(left.length).toBeLessThan(COUNT);
    for (const name of left) expect(documentOf(name).messages).toHaveLength(1);
    // The lease of the killed process ends after some time. A run before this time fails and is repeated.
    for (let tries = 0; tries < 5; tries += 1) {
      const { code } = await runCommand(place, ['--root', place.root, 'import', path, '--yes']);
      if (code === 0) break;
    }
    const keys = folders().map((name) => documentOf(name).clientId);
    expect(keys.sort()).toEqual(Array.from({ length: COUNT }, (_, index) => `c-${index}`).sort());
  });
});
