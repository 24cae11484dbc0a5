/** The trash of all stores: which items it lists, and which items are removed. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMaintained } from './maintained.js';

describe('the trash', () => {
  it('lists conversations, insights and notes, the latest deletion first', async () => {
    const { trash, conversations, insights, memoryBank, time } = await openMaintained();
    const { conversationId } = await conversations.create({ title: 'Tea' });
    const insight = await insights.save({ content: 'Sow peas\nin March', context: 'global' });
    await memoryBank.add('ideas/garden.md', '# Garden');
    const deletions = [
      () => conversations.trash(conversationId),
      () => insights.trash(insight.id),
      () => memoryBank.delete('ideas/garden.md'),
    ];
    for (const deletion of deletions) {
      time.now += 1000;
      await deletion();
    }
    const items = await trash.list();
    expect(items.map(({ kind, title }) => [kind, title])).toEqual([
      ['note', 'ideas/garden.md'],
      ['insight', 'Sow peas'],
      ['conversation', 'Tea'],
    ]);
    expect(items.every(({ sizeBytes }) => sizeBytes > 5)).toBe(true);
    await memoryBank.restore(items[0]?.name ?? '');
    await insights.restore(items[1]?.name ?? '');
    await conversations.restore(items[2]?.name ?? '');
    expect(await trash.list()).toEqual([]);
  });

  it('chooses only older items with a time limit, and without one also items without a time', async () => {
    const { trash, conversations, insights, memoryBank, time, logsFolder } = await openMaintained();
    const old = await conversations.create({ title: 'Old' });
    const byHand = await conversations.create({ title: 'By hand' });
    const insight = await insights.save({ content: 'kept', context: 'global' });
    await memoryBank.add('a.md', 'a');
    const { path } = await conversations.trash(old.conversationId);
    await memoryBank.delete('a.md');
    renameSync(
      conversations.path(byHand.conversationId),
      join(logsFolder, '.trash', byHand.conversationId),
    );
    const before = time.now + 1000;
    time.now += 5000;
    await insights.trash(insight.id);
    const removed = await trash.removeAll(await trash.choose({ before }));
    expect(removed.map(({ kind }) => kind).sort()).toEqual(['conversation', 'note']);
    expect(existsSync(path)).toBe(false);
    expect((await trash.list()).map(({ title }) => title)).toEqual(['kept', 'By hand']);
    expect(await trash.removeAll(await trash.list())).toHaveLength(2);
    expect(await trash.list()).toEqual([]);
  });

  it('can purge an unreadable item, and does not fail if an item is gone already', async () => {
    const { trash, logsFolder, conversations } = await openMaintained();
    const folder = join(logsFolder, '.trash', '20250124-1737724800123');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'conversation.json'), '{');
    const [item] = await trash.list();
    expect(item).toMatchObject({ kind: 'conversation', sizeBytes: 1 });
    if (item === undefined) throw new Error('the trash is empty');
    await conversations.purge(item.name);
    expect(await trash.remove(item)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });
});
