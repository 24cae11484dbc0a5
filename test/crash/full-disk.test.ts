/** A full disk (a small tmpfs, if this machine lets the test mount one) destroys no file and no message. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { atomicWrite } from '../../src/files/atomic/atomic-write.js';
import { withLock } from '../../src/files/locks/file-lock.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { runCommand, withPlace } from '../e2e/harness.js';
import { smallDisk } from '../support/small-disk.js';

const KB = 1000;
const OLD_SIZES = [20 * KB, 60 * KB, 100 * KB];
const NEW_SIZES = [100 * KB, 160 * KB, 200 * KB, 250 * KB];
const PAIRS = OLD_SIZES.flatMap((oldSize) => NEW_SIZES.map((newSize) => ({ oldSize, newSize })));

const { disk, isMounted } = smallDisk('full-disk', '256k');

type Replace = (target: string, bytes: Uint8Array) => Promise<unknown>;
const FORMS: readonly { form: string; replace: Replace }[] = [
  {
    form: 'without a lock',
    replace: (target, bytes) => atomicWrite(target, bytes, { fsync: true }),
  },
  {
    form: 'under a lock',
    replace: (target, bytes) =>
      withLock(join(disk, '.locks'), 'x', (lock) => lock.replace(target, bytes, { fsync: true })),
  },
];

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );
}

describe.runIf(isMounted)('on a full disk', () => {
  beforeAll(() => mkdirSync(join(disk, 'd')));

  it.each(FORMS)('a file is replaced $form completely or not at all', async ({ replace }) => {
    const target = join(disk, 'd', 'target');
    let refused = 0;
    for (const { oldSize, newSize } of PAIRS) {
      const old = Buffer.alloc(oldSize, 'o');
      const bytes = Buffer.alloc(newSize, 'n');
      writeFileSync(target, old);
      const outcome = await outcomeOf(replace(target, bytes));
      const isDone = outcome === 'done';
      if (!isDone) expect(outcome).toBe('STORAGE_FULL');
      if (!isDone) refused += 1;
      expect(readFileSync(target).equals(isDone ? bytes : old)).toBe(true);
      expect(readdirSync(join(disk, 'd'))).toEqual(['target']);
    }
    expect(refused).toBeGreaterThan(3);
    expect(refused).toBeLessThan(PAIRS.length);
    console.log(`full-disk: ${refused} of ${PAIRS.length} pairs did not fit, 0 destroyed`);
    rmSync(target);
  });

  it('a conversation that grows until the disk is full keeps every saved message', async () => {
    const logsFolder = join(disk, 'logs');
    const store = await openConversationStore({ logsFolder, maxMessages: 1e6, fsync: true });
    const { conversationId } = await store.create({});
    const path = join(logsFolder, conversationId, 'conversation.json');
    const say = () => store.append(conversationId, [{ role: 'user', content: 'x'.repeat(3000) }]);
    let saved = 0;
    let outcome = await outcomeOf(say());
    for (; outcome === 'done'; outcome = await outcomeOf(say())) saved += 1;
    expect(outcome).toBe('STORAGE_FULL');
    expect(saved).toBeGreaterThan(10);
    const before = readFileSync(path);
    expect(await outcomeOf(say())).toBe('STORAGE_FULL');
    expect(readFileSync(path).equals(before)).toBe(true);
    writeFileSync(join(disk, 'd', 'filler'), Buffer.alloc(80 * KB).subarray(0, 8 * KB));
    expect(await outcomeOf(store.create({ title: 't'.repeat(200 * KB) }))).toBe('STORAGE_FULL');
    expect(readdirSync(logsFolder).filter((name) => !name.startsWith('.'))).toHaveLength(1);
    expect((await store.load(conversationId)).messages).toHaveLength(saved);
  });

  it('daybook info says that nothing can be stored', async () => {
    const fill = () => writeFileSync(join(disk, 'filler'), Buffer.alloc(512 * KB));
    expect(fill).toThrow('ENOSPC');
    await withPlace(async (place) => {
      const { code, stdout } = await runCommand(place, ['--root', disk, 'info']);
      expect(code, stdout).toBe(1);
      expect(stdout).toContain(`The disk of ${disk} is full`);
    });
  });
});
