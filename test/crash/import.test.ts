/** An import whose process is killed in the middle: whole conversations only, and the next run finishes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conversationIdAt } from '../../src/stores/conversations/document/conversation-id.js';
import { MAIN, runCommand, withPlace } from '../e2e/harness.js';

const COUNT = 400;
const conversation = (index: number) => ({
  messages: [{ role: 'user', content: `number ${index}` }],
});
const EXPORTS = {
  'with ids of their source': {
    name: 'all.jsonl',
    text: Array.from({ length: COUNT }, (_, index) =>
      JSON.stringify({ id: `c-${index}`, ...conversation(index) }),
    ).join('\n'),
  },
  'with ids of their own': {
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

it.each(Object.entries(EXPORTS))(
  '%s is finished by the next one, without anything twice',
  async (_, { name, text }) => {
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
      while (folders().length < 5 && child.exitCode === null) await pause(1);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      const left = folders();
      expect(left.length).toBeLessThan(COUNT);
      for (const name of left) expect(documentOf(name).messages).toHaveLength(1);
      // The lease of the dead process ends by itself; a run before that says so, and is done again.
      for (let tries = 0; tries < 5; tries += 1) {
        const { code } = await runCommand(place, ['--root', place.root, 'import', path, '--yes']);
        if (code === 0) break;
      }
      const keys = folders().map((name) => documentOf(name).clientId);
      expect(keys.sort()).toEqual(Array.from({ length: COUNT }, (_, index) => `c-${index}`).sort());
    });
  },
  120_000,
);
