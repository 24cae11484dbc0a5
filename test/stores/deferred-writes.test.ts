/**
 * Writes that waited in memory, in this process with real files: what happened to the files meanwhile decides
 * how they are written, and nothing is written twice or lost.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { conversationIdAt } from '../../src/stores/conversations/document/conversation-id.js';
import { withStore } from '../support/store-that-leaves.js';

const later = { mayDefer: true };
const append = (text: string) => (content: string) => `${content}${text}\n`;
const documentOf = (id: string) => `conversation-logs/${id}/conversation.json`;

describe('a waiting note', () => {
  it('is written in the order of its changes', async () => {
    await withStore(async ({ app: { memoryBank }, leave, comeBack, text }) => {
      leave();
      await memoryBank.add('a.md', 'one', later);
      await memoryBank.edit('a.md', undefined, append('two'), later);
      const { hash } = await memoryBank.edit('a.md', undefined, append('three'), later);
      await expect(memoryBank.add('a.md', 'again', later)).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      });
      await expect(
        memoryBank.edit('a.md', 'another hash', append('x'), later),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
      await comeBack();
      expect(text('memory-bank/a.md')).toBe('one\ntwo\nthree\n');
      expect(await memoryBank.read('a.md')).toMatchObject({ hash });
    });
  });

  it('is not written twice if the failed attempt had written it', async () => {
    await withStore(async ({ app: { memoryBank }, leave, comeBack, file, text }) => {
      await memoryBank.add('a.md', 'one');
      leave();
      await memoryBank.edit('a.md', undefined, append('two'), later);
      await memoryBank.add('b.md', 'b', later);
      writeFileSync(file('memory-bank/a.md'), 'one\ntwo\n');
      writeFileSync(file('memory-bank/b.md'), 'b\n');
      await comeBack();
      expect(text('memory-bank/a.md')).toBe('one\ntwo\n');
      const names = readdirSync(file('memory-bank')).filter((name) => name.endsWith('.md'));
      expect(names.sort()).toEqual(['a.md', 'b.md']);
    });
  });

  it('loses no text if the note was changed or its path was used meanwhile', async () => {
    await withStore(async ({ app: { memoryBank }, leave, comeBack, file, text }) => {
      await memoryBank.add('a.md', 'one');
      await memoryBank.add('c.md', 'red');
      leave();
      await memoryBank.edit('a.md', undefined, append('two'), later);
      await memoryBank.add('b.md', 'mine', later);
      await memoryBank.edit('b.md', undefined, append('more of mine'), later);
      await memoryBank.edit('c.md', undefined, () => 'green\n', later);
      writeFileSync(file('memory-bank/a.md'), 'one\nof a person');
      writeFileSync(file('memory-bank/b.md'), 'of a person\n');
      writeFileSync(file('memory-bank/c.md'), 'blue\n');
      await comeBack();
      expect(text('memory-bank/a.md')).toBe('one\nof a person\ntwo\n');
      expect(text('memory-bank/b.md')).toBe('of a person\n');
      expect(text('memory-bank/b-2.md')).toBe('mine\nmore of mine\n');
      expect(text('memory-bank/c.md')).toBe('blue\n');
      expect(text('memory-bank/c-2.md')).toBe('green\n');
      expect((await memoryBank.read('b.md')).content).toBe('of a person\n');
    });
  });

  it('contains no secret, neither in memory nor on the disk', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await withStore(async ({ app: { memoryBank, insights, kg }, leave, comeBack, file, text }) => {
      await kg.stats();
      leave();
      const note = await memoryBank.add('a.md', `token ${secret}`, later);
      expect(note.masked).toHaveLength(1);
      const edited = await memoryBank.edit('a.md', undefined, append(secret), later);
      expect(edited.content).not.toContain(secret);
      const insight = await insights.save({ content: secret, context: 'global' }, later);
      await kg.add([{ subject: 'key', predicate: 'is', object: secret }], later);
      await comeBack();
      const all = [
        text('memory-bank/a.md'),
        text(`memory-bank/insights/${insight.id}.json`),
        text('memory-bank/kg_wal.log'),
      ];
      expect(all.join()).not.toContain(secret);
      expect(readdirSync(file('memory-bank/insights'))).toHaveLength(1);
    });
  });
});

describe('a new conversation that would have to wait', () => {
  it('is refused at once if its fields cannot be stored', async () => {
    await withStore(async ({ app: { conversations }, leave, comeBack }) => {
      leave();
      await conversations.create({ title: 'waits', ...later });
      const fields = { title: 5 as never };
      await expect(conversations.create({ ...fields, ...later })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
      const message = { role: 'user' as const, content: 'x' };
      await expect(
        conversations.append('key', [message], { create: fields, ...later }),
      ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      await comeBack();
      expect(await conversations.exists('key')).toBe(false);
    });
  });
});

describe('waiting facts', () => {
  const fact = (object: string) => ({ subject: 'Ada', predicate: 'lives in', object });

  it('end the facts that they replace, once, and queries find them at once', async () => {
    await withStore(async ({ app: { kg }, leave, comeBack, text }) => {
      await kg.add([fact('London')]);
      leave();
      const { closed } = await kg.add([fact('Ockham')], { ...later, replaces: true });
      expect(closed).toMatchObject([{ object: 'London' }]);
      const again = await kg.add([fact('Ockham')], later);
      expect(again.triples).toMatchObject([{ added: false }]);
      const waiting = await kg.query({}, { limit: 9, offset: 0 });
      expect(waiting.triples).toMatchObject([{ object: 'Ockham' }]);
      await expect(kg.delete([fact('Ockham')])).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
      });
      await comeBack();
      const found = await kg.query({}, { limit: 9, offset: 0 });
      expect(found.triples).toEqual(waiting.triples);
      expect(text('memory-bank/kg_wal.log').match(/Ockham/g)).toHaveLength(1);
      expect(text('memory-bank/kg_wal.log').match(/London/g)).toHaveLength(2); // added and ended
      await kg.delete([fact('Ockham')]);
    });
  });

  it('are added to the facts that another process has added meanwhile', async () => {
    await withStore(async ({ app: { kg }, leave, comeBack, file }) => {
      await kg.add([fact('London')]);
      leave();
      await kg.add([fact('Paris'), fact('Ockham')], later);
      const line = `\n${JSON.stringify({ s: 'Ada', p: 'lives in', o: 'Rome', at: Date.now() })}`;
      writeFileSync(file('memory-bank/kg_wal.log'), line, { flag: 'a' });
      await comeBack();
      const { triples } = await kg.query({}, { limit: 9, offset: 0 });
      const objects = triples.map(({ object }) => object).sort();
      expect(objects).toEqual(['London', 'Ockham', 'Paris', 'Rome']);
    });
  });
});

describe('a waiting insight', () => {
  it('is not written twice if the failed attempt had written it', async () => {
    await withStore(async ({ app: { insights }, leave, comeBack, file, text }) => {
      leave();
      const one = await insights.save({ content: 'one', context: 'global' }, later);
      expect(await insights.get(one.id)).toEqual(one);
      const name = `memory-bank/insights/${one.id}.json`;
      mkdirSync(file('memory-bank/insights'), { recursive: true });
      writeFileSync(file(name), JSON.stringify(one));
      await comeBack();
      expect(JSON.parse(text(name))).toMatchObject({ content: 'one' });
      expect(await insights.list({ context: 'global' })).toEqual([one]);
    });
  });
});

describe('waiting messages', () => {
  it('are not written twice if the failed attempt had written them', async () => {
    await withStore(async ({ app: { conversations }, leave, comeBack, file, text }) => {
      const { conversationId } = await conversations.load('plan');
      leave();
      const { messages } = await conversations.append(
        'plan',
        [{ role: 'user', content: 'waits' }],
        later,
      );
      const path = documentOf(conversationId);
      const document = JSON.parse(text(path));
      document.messages.push(messages[0]);
      document.messageCount = 2;
      writeFileSync(file(path), JSON.stringify(document));
      await comeBack();
      const contents = (await conversations.load('plan')).messages.map(({ content }) => content);
      expect(contents).toEqual(['before', 'waits']);
    });
  });

  it('of new conversations get no id of a known conversation', async () => {
    await withStore(async ({ app: { conversations }, leave, comeBack, file, text }) => {
      const { conversationId: first } = await conversations.load('plan');
      const ahead = conversationIdAt(Date.now() + 100);
      const { clientId: _, ...other } = JSON.parse(text(documentOf(first)));
      mkdirSync(file(`conversation-logs/${ahead}`));
      writeFileSync(file(documentOf(ahead)), JSON.stringify({ ...other, conversationId: ahead }));
      await conversations.load(ahead);
      leave();
      const ids = new Set<string>();
      const messages = [{ role: 'user', content: 'mine' }] as const;
      for (const _each of Array(200).keys())
        ids.add((await conversations.create({ messages, ...later })).conversationId);
      await comeBack();
      expect([...ids]).not.toContain(ahead);
      expect((await conversations.load(ahead)).messages).toMatchObject([{ content: 'before' }]);
      expect(await conversations.list()).toHaveLength(202);
    });
  });

  it('of a new conversation get another id if theirs was used meanwhile', async () => {
    await withStore(async ({ app: { conversations }, leave, comeBack, file, text }) => {
      const { conversationId: first } = await conversations.load('plan');
      leave();
      const messages = [{ role: 'user', content: 'mine' }] as const;
      const { conversationId } = await conversations.create({ messages, ...later });
      const taken = JSON.parse(text(documentOf(first)));
      mkdirSync(file(`conversation-logs/${conversationId}`));
      const { clientId: _, ...other } = { ...taken, conversationId, title: 'of another' };
      writeFileSync(file(documentOf(conversationId)), JSON.stringify(other));
      await conversations.append(conversationId, [{ role: 'user', content: 'more' }], later);
      await comeBack();
      expect(JSON.parse(text(documentOf(conversationId))).title).toBe('of another');
      const mine = await conversations.load(conversationId);
      expect(mine.conversationId).not.toBe(conversationId);
      expect(mine.messages.map(({ content }) => content)).toEqual(['mine', 'more']);
      expect(await conversations.list()).toHaveLength(3);
    });
  });
});

it('a write that fails after it has replaced the file is not repeated', async () => {
  await withStore(async ({ app, file, text }) => {
    const { conversations, memoryBank, insights, kg, deferredWrites } = app;
    await memoryBank.add('a.md', 'one');
    const failsOnce = () => {
      let hasFailed = false;
      return () => {
        if (hasFailed) return;
        hasFailed = true;
        const details = { errno: 'EROFS' };
        throw new AppError('FILESYSTEM_ERROR', 'The disk failed.', { details });
      };
    };
    const waiting = () => deferredWrites.state()?.waiting;
    const stop = memoryBank.follow(failsOnce());
    const { content } = await memoryBank.edit('a.md', undefined, append('two'), later);
    expect([content, waiting()]).toEqual(['one\ntwo\n', 1]);
    expect(await deferredWrites.settle()).toBe(true);
    stop();
    memoryBank.follow(failsOnce());
    await memoryBank.add('b.md', 'b', later);
    expect(waiting()).toBe(1);
    kg.subscribe(failsOnce());
    await kg.add([{ subject: 's', predicate: 'p', object: 'once' }], later);
    expect(waiting()).toBe(1);
    insights.follow(failsOnce());
    const insight = await insights.save({ content: 'one', context: 'global' }, later);
    expect(waiting()).toBe(1);
    conversations.followFromNow(failsOnce());
    await conversations.append('plan', [{ role: 'user', content: 'after' }], later);
    expect(waiting()).toBe(2);
    expect(await deferredWrites.settle()).toBe(true);
    expect(text('memory-bank/a.md')).toBe('one\ntwo\n');
    const notes = readdirSync(file('memory-bank')).filter((name) => name.endsWith('.md'));
    expect(notes.sort()).toEqual(['a.md', 'b.md']);
    expect(text('memory-bank/kg_wal.log').match(/once/g)).toHaveLength(1);
    expect(await insights.list({ context: 'global' })).toEqual([insight]);
    const contents = (await conversations.load('plan')).messages.map((each) => each.content);
    expect(contents).toEqual(['before', 'after']);
  });
});

it('all stores share one limit, and all writes within it are done', async () => {
  await withStore(async ({ app: { conversations, memoryBank, kg }, leave, comeBack }) => {
    await kg.stats();
    leave();
    const say = (content: string) =>
      conversations.append('plan', [{ role: 'user', content }], later);
    await memoryBank.add('a.md', 'one', later);
    await kg.add([{ subject: 's', predicate: 'p', object: 'o' }], later);
    for (const index of Array(998).keys()) await say(`w ${index}`);
    const code = 'STORAGE_UNAVAILABLE';
    await expect(say('one too many')).rejects.toMatchObject({ code });
    await expect(memoryBank.add('b.md', 'b', later)).rejects.toMatchObject({ code });
    await comeBack();
    const contents = (await conversations.load('plan')).messages.map((each) => each.content);
    expect(contents).toEqual(['before', ...Array.from(Array(998).keys(), (n) => `w ${n}`)]);
    expect((await memoryBank.read('a.md')).content).toBe('one\n');
    await expect(memoryBank.read('b.md')).rejects.toMatchObject({ code: 'E_MB_FILE_NOT_FOUND' });
  });
});

it('nothing is written to another store at the path of the root', async () => {
  await withStore(async ({ app, leave, comeBack, file, text }) => {
    const root = file('');
    leave();
    await app.memoryBank.add('a.md', 'mine', later);
    mkdirSync(join(root, 'conversation-logs', '20250124-1706102400123'), { recursive: true });
    mkdirSync(join(root, 'memory-bank'));
    expect(await app.deferredWrites.settle()).toBe(false);
    const saved = app.insights.save({ content: 'mine too', context: 'global' }, later);
    const { id } = await saved;
    expect(readdirSync(join(root, 'memory-bank'))).toEqual([]);
    rmSync(root, { recursive: true });
    await comeBack();
    expect(text('memory-bank/a.md')).toBe('mine\n');
    expect(text(`memory-bank/insights/${id}.json`)).toContain('mine too');
  });
});
