/** Lists: their content, their order, and pages that stay consistent while conversations change. */
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListQuery } from '../../../src/stores/conversations/conversations.js';
import type { ConversationHead } from '../../../src/stores/conversations/document/schema.js';
import { NewestFirst, order } from '../../../src/stores/conversations/listing/newest-first.js';
import { errorOf } from '../../support/error-of.js';
import { openStore, T0, user } from './store.js';

const at = (day: number) => T0 + day * 86_400_000;
const titles = ({ conversations }: { conversations: readonly ConversationHead[] }) =>
  conversations.map(({ title }) => title);

async function openLibrary() {
  const opened = await openStore();
  const { store, time } = opened;
  await store.create({ title: 'Gärten von Kyōto', tags: ['Reise', 'to-do'], module: 'plan' });
  time.now = at(1);
  await store.create({ title: '京都の庭園について', tags: ['旅行'], pinned: true });
  time.now = at(2);
  await store.create({ title: 'TypeScript generics', tags: ['code'], module: 'plan' });
  time.now = at(3);
  await store.create({ messages: [{ role: 'assistant', content: 'x' }] });
  return opened;
}

describe('filters', () => {
  it.each<[ListQuery, (string | undefined)[]]>([
    [{}, [undefined, 'TypeScript generics', '京都の庭園について', 'Gärten von Kyōto']],
    [{ words: 'garten kyoto' }, ['Gärten von Kyōto']],
    [{ words: 'KYŌ gär reise' }, ['Gärten von Kyōto']],
    [{ words: 'arten' }, []],
    [{ words: 'to-do' }, ['Gärten von Kyōto']],
    [{ words: '庭園' }, ['京都の庭園について']],
    [{ words: '旅' }, ['京都の庭園について']],
    [{ words: 'gen' }, ['TypeScript generics']],
    [{ words: '???' }, []],
    [{ words: ' ' }, [undefined, 'TypeScript generics', '京都の庭園について', 'Gärten von Kyōto']],
    [{ module: 'plan' }, ['TypeScript generics', 'Gärten von Kyōto']],
    [{ tag: '#reise' }, ['Gärten von Kyōto']],
    [{ tag: 'rei' }, []],
    [{ tag: 'code', module: 'plan' }, ['TypeScript generics']],
    [{ pinned: true }, ['京都の庭園について']],
    [{ pinned: false, module: 'plan', words: 'type' }, ['TypeScript generics']],
    [{ updatedFrom: at(2) }, [undefined, 'TypeScript generics']],
    [{ createdFrom: at(1), createdTo: at(1) }, ['京都の庭園について']],
    [{ updatedTo: at(0) - 1 }, []],
  ])('%j', async (query, expected) => {
    const { store } = await openLibrary();
    const page = await store.page(query, { limit: 10 });
    expect(titles(page)).toEqual(expected);
    expect(page).toMatchObject({ total: expected.length, hasMore: false });
  });

  it('see a change at once', async () => {
    const { store } = await openLibrary();
    expect((await store.page({ words: 'new' }, { limit: 10 })).total).toBe(0);
    const [head] = await store.list();
    await store.update(head?.conversationId ?? '', { title: 'New name' });
    expect(titles(await store.page({ words: 'new' }, { limit: 10 }))).toEqual(['New name']);
  });
});

describe('the order', () => {
  it('is the same as after sorting all conversations, after any changes', () => {
    const change = fc.record({ id: fc.nat(40), updated: fc.option(fc.nat(30)) });
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 100 }), { maxLength: 20 }), (rounds) => {
        const known = new Map<string, ConversationHead>();
        const list = new NewestFirst({
          head: (id) => known.get(id),
          summaries: () => known.values(),
        });
        for (const round of rounds) {
          for (const { id, updated } of round) {
            const conversationId = String(id);
            const updatedAt = String(updated).padStart(3, '0');
            const head = { conversationId, updatedAt } as ConversationHead;
            list.changes(conversationId, known.get(conversationId));
            if (updated === null) known.delete(conversationId);
            else known.set(conversationId, head);
          }
          const handedOut = list.list();
          const copy = [...handedOut];
          expect(handedOut).toEqual([...known.values()].sort(order));
          list.changes('0', known.get('0'));
          known.set('0', { conversationId: '0', updatedAt: '999' } as ConversationHead);
          expect(list.list()).toEqual([...known.values()].sort(order));
          expect(handedOut).toEqual(copy);
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** A store of `count` conversations, the first begun first; all changes go through `step`. */
async function openMany(count: number) {
  const opened = await openStore();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push((await opened.store.create({ title: `${n}` })).conversationId);
    opened.time.now += 1000;
  }
  return { ...opened, ids };
}

/** Every page from the first on, with `between` run before each following one. */
async function readAll(
  store: Awaited<ReturnType<typeof openStore>>['store'],
  limit: number,
  between: () => Promise<void>,
  other = store,
) {
  const seen: string[] = [];
  let page = await store.page({}, { limit });
  for (;;) {
    seen.push(...page.conversations.map(({ conversationId }) => conversationId));
    expect(page.hasMore).toBe(page.nextCursor !== undefined);
    if (page.nextCursor === undefined) return { seen, last: page };
    await between();
    page = await other.page({}, { limit, cursor: page.nextCursor });
  }
}

describe('pages', () => {
  it('check only their own files after the first page', async () => {
    const { store, ids, put, jsonOf, fileOf } = await openMany(7);
    const [oldest = '', second = '', third = '', fourth = ''] = ids;
    const first = await store.page({}, { limit: 3 });
    put('20250124-1737724800999', { messages: [user('by hand')] });
    put(fourth, { ...jsonOf(fourth), title: 'by hand' });
    const next = await store.page({}, { limit: 2, cursor: first.nextCursor ?? '' });
    expect(titles(next)).toEqual(['by hand', '2']);
    expect(store.knownHead('20250124-1737724800999')).toBeUndefined();
    rmSync(fileOf(second));
    rmSync(fileOf(oldest));
    const last = await store.page({}, { limit: 2, cursor: next.nextCursor ?? '' });
    expect(titles(last)).toEqual([]);
    expect(store.knownHead(third)).toBeDefined();
  });

  it('go forward and back over the same list', async () => {
    const { store, ids } = await openMany(7);
    const newest = ids.toReversed();
    const { seen, last } = await readAll(store, 3, async () => undefined);
    expect(seen).toEqual(newest);
    const middle = await store.page({}, { limit: 3, cursor: last.previousCursor ?? '' });
    expect(middle.conversations.map(({ conversationId }) => conversationId)).toEqual(
      newest.slice(3, 6),
    );
    expect(middle).toMatchObject({ total: 7, hasMore: true });
    const first = await store.page({}, { limit: 3, cursor: middle.previousCursor ?? '' });
    expect(first.conversations.map(({ conversationId }) => conversationId)).toEqual(
      newest.slice(0, 3),
    );
    expect(first.previousCursor).toBeUndefined();
  });

  it('end when the answer is full, have at least one item, and go in both directions', async () => {
    const { store, ids } = await openMany(5);
    const newest = ids.toReversed();
    const countFitting = () => 0;
    const first = await store.page({}, { limit: 5, countFitting });
    expect(first.conversations).toHaveLength(1);
    const second = await store.page(
      {},
      { limit: 4, countFitting: () => 3, cursor: first.nextCursor ?? '' },
    );
    expect(second.conversations.map(({ conversationId }) => conversationId)).toEqual(
      newest.slice(1, 4),
    );
    const third = await store.page({}, { limit: 4, cursor: second.nextCursor ?? '' });
    const back = await store.page(
      {},
      { limit: 4, countFitting: () => 2, cursor: third.previousCursor ?? '' },
    );
    expect(back.conversations.map(({ conversationId }) => conversationId)).toEqual(
      newest.slice(2, 4),
    );
  });

  it('skip and repeat nothing while all conversations are changed', async () => {
    const action = fc.record({
      what: fc.constantFrom('append', 'append', 'append', 'create', 'trash', 'pin'),
      which: fc.nat(29),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 30 }),
        async (limit, rounds) => {
          const { store, time, ids } = await openMany(15);
          const trashed = new Set<string>();
          const left = rounds.values();
          const { seen } = await readAll(store, limit, async () => {
            for (const { what, which } of left.next().value ?? []) {
              time.now += 1;
              const id = ids[which % ids.length] ?? '';
              if (what === 'create') await store.create({ title: 'new' });
              if (what === 'create' || trashed.has(id)) continue;
              if (what === 'append') await store.append(id, [user('x')]);
              else if (what === 'pin') await store.update(id, { pinned: which % 2 === 0 });
              else await store.trash(id);
              if (what === 'trash') trashed.add(id);
            }
          });
          expect(new Set(seen).size).toBe(seen.length);
          const order = ids.toReversed();
          expect(seen).toEqual(order.filter((id) => seen.includes(id)));
          expect(order.filter((id) => !trashed.has(id) && !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('show each conversation as it is now', async () => {
    const { store, ids } = await openMany(3);
    const { nextCursor = '' } = await store.page({}, { limit: 1 });
    await store.update(ids[0] ?? '', { title: 'changed' });
    const next = await store.page({}, { limit: 5, cursor: nextCursor });
    expect(titles(next)).toEqual(['1', 'changed']);
  });

  it('skip nothing after a restart', async () => {
    const { store, ids, another, time } = await openMany(9);
    const first = await store.page({}, { limit: 4 });
    const newest = ids.toReversed();
    for (const id of [newest[0], newest[7]]) {
      time.now += 1;
      await store.append(id ?? '', [user('moves to the top')]);
    }
    const other = (await another()).store;
    const seen: (string | undefined)[] = [];
    for (let cursor = first.nextCursor; cursor !== undefined; ) {
      const page = await other.page({}, { limit: 2, cursor });
      seen.push(...page.conversations.map(({ conversationId }) => conversationId));
      cursor = page.nextCursor;
    }
    // Conversations that were shown and changed since come again; those that were not shown come once.
    const expected = [newest[7], newest[0], newest[4], newest[5], newest[6], newest[8]];
    expect(seen).toEqual(expected);
    const back = await other.page(
      {},
      { limit: 9, cursor: first.nextCursor?.replace('n.', 'p.') ?? '' },
    );
    expect(back.conversations.length).toBeGreaterThan(0);
  });

  it('refuse a cursor of another query, and an invalid one', async () => {
    const { store } = await openMany(3);
    const { nextCursor = '' } = await store.page({}, { limit: 1 });
    const other = store.page({ pinned: true }, { limit: 1, cursor: nextCursor });
    expect((await errorOf(other)).code).toBe('VALIDATION_ERROR');
    for (const cursor of [
      '',
      'x',
      nextCursor.slice(1),
      `${nextCursor}0`,
      nextCursor.replace(/-\d/, '-'),
    ]) {
      const call = store.page({}, { limit: 1, cursor });
      expect((await errorOf(call)).code).toBe('VALIDATION_ERROR');
    }
  });

  it('work for many lists at once; the oldest list is built again', async () => {
    const { store, ids } = await openMany(4);
    const cursors: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      cursors.push((await store.page({}, { limit: 2 })).nextCursor ?? '');
    }
    for (const cursor of cursors) {
      const page = await store.page({}, { limit: 2, cursor });
      expect(page.conversations.map(({ conversationId }) => conversationId)).toEqual(
        ids.toReversed().slice(2),
      );
    }
  });
});
