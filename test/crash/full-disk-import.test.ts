/**
 * An import onto a disk that becomes full (a small tmpfs, if this machine lets the test mount one). The
 * report of the import contains STORAGE_FULL, every stored conversation and attachment is complete, and
 * the next import adds the rest when there is space.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { counts, folderWith, openImportBench } from '../import/bench.js';
import { chatgptConversation } from '../support/chatgpt-conversation.js';
import { smallDisk } from '../support/small-disk.js';

const COUNT = 60;
const { disk, isMounted } = smallDisk('full-disk-import', '1m');

const conversation = (index: number) =>
  chatgptConversation(index, 'x'.repeat(30_000), [{ id: `file-A${index}`, name: 'a.bin' }]);

it.runIf(isMounted)(
  'an import on a full disk stops with STORAGE_FULL, stores only whole conversations, and can be repeated',
  async () => {
    const all = Array.from({ length: COUNT }, (_, index) => index);
    const path = folderWith({
      'conversations.json': all.map(conversation),
      ...Object.fromEntries(all.map((index) => [`file-A${index}.bin`, 'y'.repeat(20_000)])),
    });
    const bench = await openImportBench({ logsFolder: join(disk, 'logs') });
    const wholeOnes = () =>
      bench.folders().flatMap((name) => {
        const names = readdirSync(join(bench.logsFolder, name), { recursive: true }).map(String);
        for (const each of names.filter((file) => file.endsWith('.bin'))) {
          expect(readFileSync(join(bench.logsFolder, name, each))).toHaveLength(20_000);
        }
        expect(names.filter((each) => /\.tmp-/.test(each))).toEqual([]);
        return names.includes('conversation.json')
          ? [bench.jsonOf(name).messages[0].content.slice(0, 30_000)]
          : [];
      });
    const report = await bench.import(path, { attachments: true });
    expect(report.stopped?.code).toBe('STORAGE_FULL');
    expect(report.added).toBeGreaterThan(2);
    expect(report.added).toBeLessThan(COUNT);
    const came = wholeOnes();
    expect(came.length).toBeGreaterThanOrEqual(report.added);
    expect(came.every((content) => content === 'x'.repeat(30_000))).toBe(true);
    expect((await bench.import(path)).stopped?.code).toBe('STORAGE_FULL');

    execFileSync('/bin/mount', ['-o', 'remount,size=64m', disk]);
    const rest = await bench.import(path, { attachments: true });
    expect([rest.stopped, rest.problems]).toEqual([undefined, []]);
    expect(counts(rest)).toEqual({
      added: COUNT - counts(rest).unchanged,
      unchanged: counts(rest).unchanged,
      updated: 0,
      skipped: 0,
    });
    expect(wholeOnes()).toHaveLength(COUNT);
    const before = bench.hash();
    expect(counts(await bench.import(path, { attachments: true }))).toMatchObject({
      unchanged: COUNT,
    });
    expect(bench.hash()).toBe(before);
  },
);
