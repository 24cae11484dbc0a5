/** The size limit of the store: a call that would enlarge the store is refused and writes nothing. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { restoreExport } from '../../src/exchange/restore-export.js';
import { graphPathsOf } from '../../src/maintenance/graph-in-archive.js';
import { restoreArchive } from '../../src/maintenance/restore/restore-archive.js';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { conversationText, doctorPlace, ID } from '../doctor/place.js';
import { chatgptConversation } from '../support/chatgpt-conversation.js';
import { errorOf } from '../support/error-of.js';

const OTHER = '20250124-1706102400124';
const GONE = '20250124-1706102400125';
const fact = (subject: string) => ({ subject, predicate: 'p', object: 'o' });

/** Every file except locks, with the beginning of its content. */
const contents = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.(locks|leases)/.test(name) && statSync(join(root, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(root, name), 'latin1').slice(0, 4_000)]);

async function fullPlace() {
  const place = doctorPlace({ DAYBOOK_MAX_SIZE_MB: '1' });
  for (const id of [ID, OTHER, GONE]) {
    place.write(
      `conversation-logs/${id}/conversation.json`,
      conversationText(['one', 'two'], { conversationId: id }),
    );
  }
  const names = await place.withApp(
    async ({ conversations, insights, memoryBank, kg, backups }) => {
      await conversations.trash(GONE);
      const { id } = await insights.save({ content: 'kept', context: 'global' });
      const second = await insights.save({ content: 'gone', context: 'global' });
      const { trashName: trashedInsight = '' } = (await insights.trash(second.id)) ?? {};
      await memoryBank.add('kept.md', 'kept');
      await memoryBank.add('gone.md', 'gone');
      await memoryBank.delete('gone.md');
      await kg.add([fact('kept')]);
      const { path } = await backups.make();
      return { id, trashedInsight, path };
    },
  );
  const filler = place.write(
    `conversation-logs/${ID}/attachments/filler`,
    Buffer.alloc(1_000_000, 'x'),
  );
  return { ...place, ...names, filler };
}

type Full = Awaited<ReturnType<typeof fullPlace>>;

const GROWING: readonly { way: string; grow(app: App, place: Full): Promise<unknown> }[] = [
  { way: 'a conversation', grow: ({ conversations }) => conversations.create({}) },
  {
    way: 'a message',
    grow: ({ conversations }) => conversations.append(ID, [{ role: 'user', content: 'x' }]),
  },
  {
    way: 'another text of a message',
    grow: ({ conversations }) =>
      conversations.revise(ID, ({ messages }) => ({ messages }) as never),
  },
  { way: 'a branch', grow: ({ conversations }) => conversations.branch(ID, 'm0') },
  { way: 'a merge', grow: ({ conversations }) => conversations.merge(ID, OTHER) },
  { way: 'a conversation from the trash', grow: (app) => app.conversations.restore(GONE) },
  { way: 'a note', grow: ({ memoryBank }) => memoryBank.add('new.md', 'x') },
  {
    way: 'a longer note',
    grow: (app) => app.memoryBank.edit('kept.md', undefined, () => 'longer'),
  },
  { way: 'a note from the trash', grow: ({ memoryBank }) => memoryBank.restore('gone.md') },
  {
    way: 'an insight',
    grow: ({ insights }) => insights.save({ content: 'x', context: 'global' }),
  },
  {
    way: 'a longer insight',
    grow: (app, { id }) => app.insights.update(id, { content: 'longer' }),
  },
  {
    way: 'an insight from the trash',
    grow: (app, { trashedInsight }) => app.insights.restore(trashedInsight),
  },
  { way: 'a fact', grow: ({ kg }) => kg.add([fact('new')]) },
  {
    way: 'the restore of a backup',
    grow({ areas, size, kg, sealer }, { path, root }) {
      rmSync(join(root, 'memory-bank', 'kept.md'), { force: true });
      return restoreArchive(path, {
        into: areas,
        graphPaths: graphPathsOf(kg.files),
        sealer,
        dryRun: false,
        fsync: false,
        requireRoom: (bytes) => size.requireRoom(bytes),
      }).catch((error: unknown) => {
        expect(existsSync(join(root, 'memory-bank', 'kept.md'))).toBe(false);
        throw error;
      });
    },
  },
];

it('an import stops at the limit, although it writes faster than the store is measured', async () => {
  const place = doctorPlace({ DAYBOOK_MAX_SIZE_MB: '1' });
  const content = 'z'.repeat(10_000);
  const path = join(place.root, '..', 'many.jsonl');
  writeFileSync(path, `${JSON.stringify({ messages: [{ role: 'user', content }] })}\n`.repeat(800));
  await place.withApp(async ({ importer, size }) => {
    const { stopped } = await importer.run({ paths: [path], dryRun: false });
    expect(stopped?.code).toBe('STORAGE_FULL');
    expect((await size.measure()).sizeBytes).toBeLessThan(1.5e6);
  });
});

it('an import stops before an attachment that would exceed the limit', async () => {
  const place = doctorPlace({ DAYBOOK_MAX_SIZE_MB: '1' });
  const path = join(place.root, '..', 'export');
  const conversation = chatgptConversation(1, 'x', [{ id: 'file-A1', name: 'a.bin' }]);
  mkdirSync(path);
  writeFileSync(join(path, 'conversations.json'), JSON.stringify([conversation]));
  writeFileSync(join(path, 'file-A1.bin'), Buffer.alloc(1_000_000));
  await place.withApp(async ({ importer, size }) => {
    const report = await importer.run({ paths: [path], attachments: true, dryRun: false });
    expect([report.stopped?.code, report.attachments]).toEqual(['STORAGE_FULL', 0]);
    expect((await size.measure()).sizeBytes).toBeLessThan(100_000);
  });
});

it('a branch is refused if its attachments would exceed the limit', async () => {
  const place = doctorPlace({ DAYBOOK_MAX_SIZE_MB: '1' });
  const folder = `conversation-logs/${ID}`;
  place.write(
    `${folder}/conversation.json`,
    conversationText(['a.bin', 'b'], { conversationId: ID }),
  );
  place.write(`${folder}/attachments/a.bin`, Buffer.alloc(600_000));
  await place.withApp(async ({ conversations }) => {
    const before = contents(place.root);
    expect((await errorOf(conversations.branch(ID, 'm1'))).code).toBe('STORAGE_FULL');
    expect(contents(place.root)).toEqual(before);
  });
});

it('the restore of an export stops at the limit', async () => {
  const place = doctorPlace({ DAYBOOK_MAX_SIZE_MB: '1' });
  const path = join(place.root, '..', 'export.json');
  const conversations = [ID, OTHER, GONE].map((conversationId) =>
    JSON.parse(conversationText(['z'.repeat(500_000)], { conversationId })),
  );
  writeFileSync(path, JSON.stringify({ format: 'daybook-export', version: 1, conversations }));
  await place.withApp(async (app) => {
    const { conversations: store, documents, languageModels, size } = app;
    const options = {
      store,
      documents,
      summaries: languageModels.store,
      asNew: false,
      dryRun: false,
    };
    expect((await errorOf(restoreExport(path, options))).code).toBe('STORAGE_FULL');
    expect((await size.measure()).sizeBytes).toBeLessThan(1e6);
  });
});

describe('a store at its limit', () => {
  it.each(GROWING)('refuses $way, and writes nothing', async ({ way, grow }) => {
    const place = await fullPlace();
    await place.withApp(async (app) => {
      const before = contents(place.root);
      expect((await errorOf(grow(app, place))).code).toBe('STORAGE_FULL');
      if (way !== 'the restore of a backup') expect(contents(place.root)).toEqual(before);
    });
    // Below the limit the same call succeeds.
    rmSync(place.filler);
    await place.withApp((app) => grow(app, place));
  });

  it('accepts a new title, a renaming, shorter texts, the end of a fact, and every deletion', async () => {
    const place = await fullPlace();
    await place.withApp(async ({ conversations, memoryBank, insights, kg }) => {
      await conversations.update(ID, { title: 'new' });
      const [message] = (await conversations.load(ID)).messages;
      await conversations.edits.remove(ID, 'm0', messageHash(String(message?.content)));
      await memoryBank.edit('kept.md', undefined, () => 'k');
      await insights.update(place.id, { content: 'k' });
      await memoryBank.rename('kept.md', 'renamed.md', undefined);
      await memoryBank.delete('renamed.md');
      await insights.trash(place.id);
      await kg.end([fact('kept')]);
      await kg.delete([fact('kept')]);
      await conversations.trash(OTHER);
    });
  });

  it('refuses to restore a backup that would exceed the limit', async () => {
    const place = await fullPlace();
    const { path } = await place.withApp(({ backups }) => backups.make({ folder: place.folder }));
    rmSync(place.filler);
    place.write('memory-bank/large.md', 'x'.repeat(30_000));
    await place.withApp(async ({ areas, size }) => {
      const requireRoom = (bytes: number) => size.requireRoom(bytes);
      const options = { into: areas, dryRun: false, fsync: false, requireRoom };
      expect((await errorOf(restoreArchive(path, options))).code).toBe('STORAGE_FULL');
      expect(existsSync(place.filler)).toBe(false);
    });
  });
});
