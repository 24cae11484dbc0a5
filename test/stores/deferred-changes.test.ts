/**
 * Changes and deletions that waited in memory, in this process with real files: readers see them at once, and
 * the content of the files when the store is available again decides whether they are made.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { withStore } from '../support/store-that-leaves.js';

const later = { mayDefer: true };

/** Names of the writes that were refused when the store was available again. */
const refusedBy = ({ deferredWrites }: App) =>
  (deferredWrites.state()?.refused ?? []).map(({ name }) => name);

const insightFile = (id: string) => `memory-bank/insights/${id}.json`;

describe('a waiting change of an insight', () => {
  it('is visible at once, and written once and in order with other changes', async () => {
    await withStore(async ({ app: { insights }, leave, comeBack, text }) => {
      const old = await insights.save({ content: 'old', context: 'global', tags: ['a'] });
      leave();
      const fresh = await insights.save({ content: 'fresh', context: 'global' }, later);
      await insights.update(fresh.id, { content: 'fresh 2' }, later);
      await insights.update(old.id, { tags: ['b'] }, later);
      const shown = await insights.update(old.id, { content: 'new' }, later);
      expect(shown).toMatchObject({ content: 'new', tags: ['b'] });
      expect(await insights.get(old.id)).toEqual(shown);
      const unknown = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
      expect(await insights.update(unknown, { content: 'x' }, later)).toBeUndefined();
      await expect(insights.update(old.id, { content: 'x' })).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
      });
      await comeBack();
      expect(JSON.parse(text(insightFile(old.id)))).toMatchObject({ content: 'new', tags: ['b'] });
      expect(await insights.get(old.id)).toEqual(shown);
      expect(await insights.get(fresh.id)).toMatchObject({ content: 'fresh 2' });
      expect(await insights.list({ context: 'global' })).toHaveLength(2);
    });
  });

  it('does not overwrite a text of another program, and keeps the other fields', async () => {
    await withStore(async ({ app, leave, comeBack, file, text }) => {
      const { insights } = app;
      const save = (content: string) => insights.save({ content, context: 'global' });
      const [one, two, gone] = [await save('one'), await save('two'), await save('gone')];
      leave();
      await insights.update(one.id, { content: 'mine' }, later);
      await insights.update(one.id, { content: 'mine again' }, later);
      await insights.update(two.id, { tags: ['mine'] }, later);
      await insights.update(gone.id, { content: 'mine' }, later);
      const edit = (id: string, content: string) =>
        writeFileSync(
          file(insightFile(id)),
          JSON.stringify({ ...JSON.parse(text(insightFile(id))), content }),
        );
      edit(one.id, 'of a person');
      edit(two.id, 'of a person too');
      rmSync(file(insightFile(gone.id)));
      await comeBack();
      expect(await insights.get(one.id)).toMatchObject({ content: 'of a person' });
      expect(await insights.get(two.id)).toMatchObject({
        content: 'of a person too',
        tags: ['mine'],
      });
      const contents = (await insights.list({ context: 'global' })).map(({ content }) => content);
      expect(contents.sort()).toEqual(['mine again', 'of a person', 'of a person too']);
      expect(refusedBy(app)).toEqual([`insight ${gone.id}`]);
    });
  });

  it('contains no secret', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await withStore(async ({ app: { insights, state }, leave, comeBack, text }) => {
      const { id } = await insights.save({ content: 'old', context: 'global' });
      await state.get();
      leave();
      expect(await insights.update(id, { content: secret }, later)).toMatchObject({
        content: expect.not.stringContaining(secret),
      });
      await state.set({ values: { token: secret } }, later);
      await comeBack();
      const stored = text(insightFile(id)) + text('conversation-logs/state.json');
      expect(stored).not.toContain(secret);
    });
  });
});

describe('a waiting deletion of an insight', () => {
  it('moves it to the trash, but not a text that another program wrote meanwhile', async () => {
    await withStore(async ({ app, leave, comeBack, file, text }) => {
      const { insights } = app;
      const save = (content: string) => insights.save({ content, context: 'global' });
      const [one, two] = [await save('one'), await save('two')];
      leave();
      const fresh = await insights.save({ content: 'fresh', context: 'global' }, later);
      for (const { id } of [one, two, fresh]) expect(await insights.trash(id, later)).toEqual({});
      expect(await insights.trash(one.id, later)).toBeUndefined();
      expect(await insights.get(one.id)).toBeUndefined();
      expect(await insights.list({ context: 'global' })).toEqual([]);
      await expect(insights.remove(one.id)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      const edited = { ...JSON.parse(text(insightFile(two.id))), content: 'of a person' };
      writeFileSync(file(insightFile(two.id)), JSON.stringify(edited));
      await comeBack();
      const left = (await insights.list({ context: 'global' })).map(({ content }) => content);
      expect(left).toEqual(['of a person']);
      const trashed = (await insights.trashed()).map(({ content }) => content);
      expect(trashed.sort()).toEqual(['fresh', 'one']);
      expect(refusedBy(app)).toEqual([`deletion of insight ${two.id}`]);
    });
  });
});

describe('a waiting deletion of a note', () => {
  it('moves the right note to the trash, in the order of the calls', async () => {
    await withStore(async ({ app, leave, comeBack, file, text }) => {
      const { memoryBank } = app;
      for (const name of ['a', 'b', 'c']) await memoryBank.add(`${name}.md`, name);
      leave();
      await memoryBank.edit('a.md', undefined, (content) => `${content}more\n`, later);
      const wrong = memoryBank.delete('a.md', { ...later, expectedHash: 'another' });
      await expect(wrong).rejects.toMatchObject({ code: 'CONFLICT' });
      for (const path of ['a.md', 'b.md', 'c.md']) {
        expect(await memoryBank.delete(path, later)).toEqual({});
      }
      const code = 'E_MB_FILE_NOT_FOUND';
      await expect(memoryBank.read('a.md')).rejects.toMatchObject({ code });
      await expect(memoryBank.delete('a.md', later)).rejects.toMatchObject({ code });
      await memoryBank.add('c.md', 'new', later);
      expect(memoryBank.known().map(({ path }) => path)).toEqual(['c.md']);
      for (const refused of [
        memoryBank.delete('c.md', { ...later, permanent: true }),
        memoryBank.rename('c.md', 'd.md', undefined),
      ]) {
        await expect(refused).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      }
      writeFileSync(file('memory-bank/b.md'), 'of a person\n');
      await comeBack();
      const notes = readdirSync(file('memory-bank')).filter((name) => name.endsWith('.md'));
      expect(notes.sort()).toEqual(['b.md', 'c.md']);
      expect([text('memory-bank/b.md'), text('memory-bank/c.md')]).toEqual([
        'of a person\n',
        'new\n',
      ]);
      const trashed = (await memoryBank.trashed()).map(({ original }) => original);
      expect(trashed.sort()).toEqual(['a.md', 'c.md']);
      expect(refusedBy(app)).toEqual(['deletion of note b.md']);
    });
  });
});

describe('waiting ends and deletions of facts', () => {
  const fact = (object: string) => ({ subject: 'Ada', predicate: 'lives in', object });

  it('are visible at once, and later remove only the facts that existed at the call', async () => {
    await withStore(async ({ app: { kg }, leave, comeBack, file, text }) => {
      await kg.add([fact('London'), fact('Rome'), fact('Oslo')]);
      leave();
      await kg.add([fact('Ockham')], later);
      const [ended] = await kg.end([fact('London')], later);
      expect(ended).toMatchObject({ removed: true, validTo: expect.any(Number) });
      const named = [fact('Ockham'), fact('Rome'), fact('Oslo'), fact('nowhere')];
      const removed = (await kg.delete(named, later)).map((each) => each.removed);
      expect(removed).toEqual([true, true, true, false]);
      const all = () => kg.query({ includeClosed: true }, { limit: 9, offset: 0 });
      const waiting = await all();
      expect(waiting.triples).toEqual([expect.objectContaining(fact('London'))]);
      const oslo = { s: 'Ada', p: 'lives in', o: 'Oslo' };
      const lines = [{ ...oslo, op: 'delete' }, oslo].map((line, index) =>
        JSON.stringify({ ...line, at: Date.now() + index }),
      );
      writeFileSync(file('memory-bank/kg_wal.log'), `\n${lines.join('\n')}`, { flag: 'a' });
      await comeBack();
      const objects = (await all()).triples.map(({ object, validTo }) => [object, validTo]);
      expect(objects).toEqual([
        ['London', ended?.validTo],
        ['Oslo', undefined],
      ]);
      expect(text('memory-bank/kg_wal.log').match(/London/g)).toHaveLength(2); // added and ended
    });
  });
});

describe('a waiting change of the fields of a conversation', () => {
  it('is visible at once and written in order, without a field that another process changed', async () => {
    await withStore(async ({ app: { conversations, state }, leave, comeBack, file, text }) => {
      const { conversationId } = await conversations.update('plan', {
        tags: ['old'],
        metadata: { a: 1, b: 1 },
      });
      await state.get();
      leave();
      await conversations.append('plan', [{ role: 'user', content: 'waits' }], later);
      const change = { title: 'Mine', pinned: true, metadata: { a: 2, b: 2 } };
      const head = await conversations.update('plan', change, later);
      expect(head).toMatchObject({ ...change, messageCount: 2, tags: ['old'] });
      await conversations.update('plan', { title: 'Mine 2', tags: ['mine'] }, later);
      expect(await conversations.list()).toMatchObject([{ title: 'Mine 2', pinned: true }]);
      expect([await conversations.exists('plan'), await conversations.exists('no')]).toEqual([
        true,
        false,
      ]);
      for (const refused of [conversations.trash('plan'), conversations.remove('plan')]) {
        await expect(refused).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
      }
      const path = `conversation-logs/${conversationId}/conversation.json`;
      const document = JSON.parse(text(path));
      document.tags = ['of another'];
      document.metadata.b = 'of another';
      writeFileSync(file(path), JSON.stringify(document));
      await comeBack();
      const { messages, ...stored } = await conversations.load('plan');
      expect(stored).toMatchObject({
        title: 'Mine 2',
        pinned: true,
        tags: ['of another'],
        metadata: { a: 2, b: 'of another' },
      });
      expect(messages.map(({ content }) => content)).toEqual(['before', 'waits']);
    });
  });
});

describe('a waiting change of the state', () => {
  it('is visible at once and written once, without a value that another process set later', async () => {
    await withStore(async ({ app: { state }, leave, comeBack, file, text }) => {
      const path = 'conversation-logs/state.json';
      await state.set({ contextWindow: 10, values: { a: 1, b: 1, kept: 1 } });
      leave();
      expect(await state.get()).toMatchObject({ contextWindow: 10, values: { kept: 1 } });
      await state.set({ contextWindow: 20, values: { a: 2, b: 2 } }, later);
      await state.set({ activeConversation: 'plan', values: { a: 3 } }, later);
      const seen = { contextWindow: 20, activeConversation: 'plan' };
      expect(await state.get()).toMatchObject({ ...seen, values: { a: 3, b: 2, kept: 1 } });
      await expect(state.set({ contextWindow: 30 })).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
      });
      const other = JSON.parse(text(path));
      const at = new Date(Date.now() + 60_000).toISOString();
      Object.assign(other, { contextWindow: 99, updatedAt: at });
      Object.assign(other.values, { b: 'of another', c: 'of another' });
      Object.assign(other.valuesUpdatedAt, { b: at, c: at });
      writeFileSync(file(path), JSON.stringify(other));
      await comeBack();
      expect(await state.get()).toMatchObject({
        contextWindow: 99,
        activeConversation: 'plan',
        values: { a: 3, b: 'of another', c: 'of another', kept: 1 },
        updatedAt: at,
      });
      expect(JSON.parse(text(path)).values.a).toBe(3);
    });
  });

  it('is written also under keys that every object has', async () => {
    await withStore(async ({ app: { state }, leave, comeBack, text }) => {
      const given = '{"constructor":1,"toString":2,"__proto__":3}';
      await state.set({ values: { a: 1 } });
      leave();
      await state.set({ values: JSON.parse(given) }, later);
      await comeBack();
      const { a, ...values } = JSON.parse(text('conversation-logs/state.json')).values;
      expect([a, JSON.stringify(values)]).toEqual([1, given]);
    });
  });

  it('is refused if the state was never read', async () => {
    await withStore(async ({ app: { state }, leave, comeBack, file }) => {
      leave();
      const code = 'STORAGE_UNAVAILABLE';
      await expect(state.get()).rejects.toMatchObject({ code });
      await expect(state.set({ contextWindow: 1 }, later)).rejects.toMatchObject({ code });
      await comeBack();
      expect(existsSync(file('conversation-logs/state.json'))).toBe(false);
      expect(readdirSync(file('conversation-logs'))).not.toContain('state.json');
    });
  });
});
