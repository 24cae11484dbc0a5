/** A conversation that is nested too deeply counts as damaged, and all other conversations are exported. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { runCommand, withPlace } from '../e2e/harness.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const [FIRST, DEEP, LAST] = [1, 2, 3].map((n) => `20250101-173568960000${n}`) as [
  string,
  string,
  string,
];
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

function put(root: string, id: string, metadata: string, where: 'head' | 'message'): void {
  const folder = join(root, 'conversation-logs', id);
  mkdirSync(folder, { recursive: true });
  const field = `"${where === 'head' ? 'mood' : 'metadata'}": ${metadata}`;
  const message = `{"id": "m", "role": "user", "content": "hello ${id}"${where === 'message' ? `, ${field}` : ''}}`;
  const text = `{"messages": [${message}]${where === 'head' ? `, ${field}` : ''}}`;
  writeFileSync(join(folder, 'conversation.json'), text);
}

describe('a conversation that is nested too deeply', () => {
  it.each([
    'head',
    'message',
  ] as const)('is reported by an export and by list, and can be deleted (in the %s)', async (where) => {
    await withPlace(async (place) => {
      put(place.root, FIRST, '{}', where);
      put(place.root, DEEP, nested(200_000), where);
      put(place.root, LAST, nested(2_000), where); // older versions wrote so many levels
      for (const format of ['json', 'jsonl', 'markdown']) {
        const args = ['--root', place.root, 'export', '--format', format];
        const { code, stdout, stderr } = await runCommand(place, args);
        expect(code).toBe(1);
        for (const id of [FIRST, LAST]) expect(stdout).toContain(`hello ${id}`);
        expect(stderr).toContain(DEEP);
        expect(stderr).not.toContain('RangeError');
      }
      const listed = await runCommand(place, ['--root', place.root, 'list']);
      expect(listed.stdout + listed.stderr).toMatch(new RegExp(`${DEEP}.*nested`, 's'));
      const deleted = await runCommand(place, ['--root', place.root, 'delete', DEEP, '--yes']);
      expect(deleted).toMatchObject({ code: 0, stderr: '' });
      const trashed = join(place.root, 'conversation-logs', '.trash');
      expect(readdirSync(trashed)).toEqual([expect.stringContaining(DEEP)]);
    });
  });

  it('cannot be saved, because metadata of more than 500 levels is refused', async () => {
    const logsFolder = tempFolder();
    const store = await openConversationStore({ logsFolder, maxMessages: 10, fsync: false });
    const { conversationId } = await store.create({});
    const append = (levels: number) => {
      const metadata = JSON.parse(nested(levels));
      return store.append(conversationId, [{ role: 'user', content: 'a', metadata }]);
    };
    await append(500);
    expect(await errorOf(append(501))).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await store.load(conversationId)).messages).toHaveLength(1);
    await store.close();
  });
});
