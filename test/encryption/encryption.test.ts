/**
 * Encryption at rest with the built command: the store keeps its content, no text can be read on the disk, a
 * wrong key changes nothing, and servers that started before the encryption cannot write any more.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, type Session, withClient, withPlace } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';
import { DIGITS, errorOf, failure, filesWith, keyIn, run, withKey } from './store.js';

const MARKS = {
  message: 'MarkMessage',
  metadata: 'MarkMetadata',
  title: 'MarkTitle',
  tag: 'MarkTag',
  key: 'MarkKey',
  insight: 'MarkInsight',
  note: 'MarkNote',
  subject: 'MarkSubject',
  object: 'MarkObject',
  state: 'MarkState',
  trashed: 'MarkTrashed',
  trashedNote: 'MarkGoneNote',
  trashedInsight: 'MarkGoneInsight',
  rejected: 'MarkRejected',
  broken: 'MarkBroken',
  temporary: 'MarkTemporary',
  summary: 'MarkSummary',
  version: 'MarkVersion',
} as const;
/** A text that is saved after the store was encrypted. */
const LATER = 'MarkLater';
const VERSION = '0001.20991231T000000000Z.edit.json';
const BROKEN = '20250124-1706102400123';

async function fill({ root }: Place, { call }: Session): Promise<void> {
  const { conversationId } = await call('save_message', {
    conversationId: MARKS.key,
    role: 'user',
    content: `${MARKS.message} at the raven's desk`,
    metadata: { thought: MARKS.metadata },
  });
  await call('save_message', {
    conversationId,
    role: 'assistant',
    content: `${MARKS.summary} was decided. It is good.`,
  });
  await call('update_conversation', { conversationId, title: MARKS.title, tags: [MARKS.tag] });
  await call('get_context_summary', { conversationIds: [conversationId] });
  await call('save_message', { conversationId: 'gone', role: 'user', content: MARKS.trashed });
  await call('delete_conversation', { conversationId: 'gone' });
  await call('set_state', { values: { plan: MARKS.state } });
  await call('save_insight', { content: MARKS.insight, context: 'global' });
  const { id } = await call('save_insight', { content: MARKS.trashedInsight, context: 'global' });
  await call('delete_insight', { id });
  await call('mb_add', { path: 'plan.md', content: `# Plan\n${MARKS.note}` });
  await call('mb_add', { path: 'gone.md', content: MARKS.trashedNote });
  await call('mb_delete', { path: 'gone.md' });
  const fact = (subject: string) => ({ subject, predicate: 'knows', object: MARKS.object });
  await call('kg_add', { triples: [fact(MARKS.subject)] });
  await call('kg_save');
  await call('kg_add', { triples: [fact('another')] });
  writeFileSync(
    join(root, 'memory-bank', 'kg_rejects.log'),
    `${JSON.stringify({ file: 'kg_wal.log', line: 1, text: MARKS.rejected })}\n`,
  );
  mkdirSync(join(root, 'conversation-logs', BROKEN, 'versions'), { recursive: true });
  writeFileSync(
    join(root, 'conversation-logs', BROKEN, 'versions', VERSION),
    `{"messages": [{ "role": "user", "content": "${MARKS.version}" }]}`,
  );
  writeFileSync(
    join(root, 'conversation-logs', BROKEN, 'conversation.json'),
    `{"messages": [{"role": "user", "content": "${MARKS.broken}`,
  );
  writeFileSync(join(root, 'memory-bank', '.tmp-4194304-0-0-0-deadbeef'), MARKS.temporary);
}

/** The answers of the tools about everything that was saved. */
async function told({ call }: Session) {
  const { messages } = await call('get_conversation', { conversationId: MARKS.key });
  const { conversations } = await call('get_conversations');
  const { results } = await call('search_messages', { query: 'raven' });
  const found = (results as { content: string }[]).map(({ content }) => content);
  const { content } = await call('mb_read', { path: 'plan.md' });
  const { insights } = await call('list_insights', { context: 'global' });
  const { triples } = await call('kg_query', { predicate: 'knows' });
  return {
    messages,
    conversations,
    found,
    content,
    insights,
    triples,
    ...(await call('get_state')),
  };
}

describe('a store that is encrypted', () => {
  it('keeps its content, and no text of it can be read on the disk', async () => {
    await withPlace(async (place) => {
      await withClient(place, async (session) => fill(place, session));
      const before = await withClient(place, told);
      expect(before.found).not.toEqual([]);
      const folders = [place.root, join(place.folder, '.cache')].filter((each) => {
        mkdirSync(each, { recursive: true });
        return true;
      });
      for (const mark of Object.values(MARKS))
        expect(filesWith(mark, folders), mark).not.toEqual([]);
      const key = keyIn(place);
      const sealed = withKey(place, key);
      await run(place, 'encrypt', '--key-file', key, '--yes');
      for (const mark of Object.values(MARKS)) expect(filesWith(mark, folders), mark).toEqual([]);
      expect(await withClient(sealed, told)).toEqual(before);
      // Texts that are saved now are encrypted too.
      await withClient(sealed, async ({ call }) => {
        await call('save_message', {
          conversationId: MARKS.key,
          role: 'user',
          content: LATER,
        });
        await call('save_insight', { content: `${LATER} insight`, context: 'global' });
        await call('mb_edit', {
          path: 'plan.md',
          oldText: MARKS.note,
          newText: `${MARKS.note} and ${LATER}`,
        });
        await call('kg_add', { triples: [{ subject: LATER, predicate: 'p', object: 'o' }] });
        await call('set_state', { values: { more: LATER } });
        await call('kg_save');
      });
      for (const mark of [...Object.values(MARKS), LATER]) {
        expect(filesWith(mark, folders), mark).toEqual([]);
      }
      await run(sealed, 'decrypt', '--yes');
      const rest = filesBelow(place.root).filter((path) =>
        /sealed|~[0-9a-f]{16}:/.test(readFileSync(path, 'latin1')),
      );
      expect(rest).toEqual([]);
      expect(filesWith(MARKS.broken, folders)).toHaveLength(1);
      expect(filesWith(MARKS.rejected, folders)).toHaveLength(1);
      expect(filesWith(MARKS.version, folders)).toHaveLength(1);
      await withClient(place, async (session) => {
        expect(await told(session)).toMatchObject({ content: expect.stringContaining(LATER) });
      });
    });
  });

  it('cannot be used without its key or with another key, and does not change', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', 'one');
      const key = keyIn(place);
      await run(place, 'encrypt', '--key-file', key, '--yes');
      const other = withKey(place, keyIn(place, 'b2'.repeat(32), 'other'));
      const before = filesBelow(place.root).map((path) => readFileSync(path, 'latin1'));
      for (const stranger of [place, other]) {
        expect(await failure(stranger, 'save', 'user', 'two')).toBe('DECRYPT');
        expect(await failure(stranger, 'list')).toBe('DECRYPT');
        expect(await failure(stranger, 'decrypt', '--yes')).toBe('DECRYPT');
      }
      expect(filesBelow(place.root).map((path) => readFileSync(path, 'latin1'))).toEqual(before);
      expect((await errorOf(other, 'list')).hint).toContain('Set DAYBOOK_KEY_FILE');
      expect((await errorOf(place, 'list')).hint).toContain('Set DAYBOOK_KEY_FILE');
      const short = withKey(place, keyIn(place, DIGITS.slice(1), 'short'));
      expect(await failure(short, 'list')).toBe('VALIDATION_ERROR');
      const gone = await errorOf(withKey(place, `${key}.gone`), 'list');
      expect(gone).toMatchObject({ code: 'DECRYPT', details: { from: 'key-file' } });
    });
  });

  it('cannot be opened with the old key after it got a new one', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', 'one raven');
      await run(place, 'mb', 'add', 'a.md', 'a note');
      const [old, next] = [keyIn(place), keyIn(place, 'b2'.repeat(32), 'next')];
      await run(place, 'encrypt', '--key-file', old, '--yes');
      await run(withKey(place, old), 'encrypt', '--key-file', next, '--yes');
      expect(await failure(withKey(place, old), 'list')).toBe('DECRYPT');
      expect(await run(withKey(place, next), 'search', 'raven')).toContain('one raven');
      expect(await run(withKey(place, next), 'mb', 'read', 'a.md')).toContain('a note');
      const passphrase = { ...place, env: { ...place.env, DAYBOOK_PASSPHRASE: 'correct horse' } };
      const short = { ...place, env: { ...place.env, DAYBOOK_PASSPHRASE: 'correct' } };
      const refused = await failure(withKey(short, next), 'encrypt', '--passphrase', '--yes');
      expect(refused).toBe('VALIDATION_ERROR');
      await run(withKey(passphrase, next), 'encrypt', '--passphrase', '--yes');
      expect(await run(passphrase, 'search', 'raven')).toContain('one raven');
      expect(await failure(withKey(place, next), 'list')).toBe('DECRYPT');
    });
  });
});

describe('servers that run while a store is encrypted', () => {
  it('refuse every later call with LOCKED, and keep what they had saved', async () => {
    await withPlace(async (place) => {
      const key = keyIn(place);
      await withClient(place, async (first) => {
        await withClient(place, async (second) => {
          await first.call('save_message', { conversationId: 'k', role: 'user', content: 'one' });
          await second.call('save_message', { conversationId: 'k', role: 'user', content: 'two' });
          await run(place, 'encrypt', '--key-file', key, '--yes');
          const calls: readonly [string, object][] = [
            ['save_message', { conversationId: 'k', role: 'user', content: 'MarkNeverSaved' }],
            ['save_message', { role: 'user', content: 'a new one' }],
            ['save_insight', { content: 'MarkNeverSaved', context: 'global' }],
            ['mb_add', { path: 'n.md', content: 'MarkNeverSaved' }],
            ['kg_add', { triples: [{ subject: 's', predicate: 'p', object: 'MarkNeverSaved' }] }],
            ['set_state', { values: { a: 'MarkNeverSaved' } }],
            ['delete_conversation', { conversationId: 'k' }],
            ['get_conversation', { conversationId: 'k' }],
          ];
          for (const { failure: fails } of [first, second]) {
            for (const [name, input] of calls) {
              expect([name, await fails(name, { ...input })]).toMatchObject([
                name,
                { code: 'LOCKED' },
              ]);
            }
          }
        });
      });
      await withClient(withKey(place, key), async ({ call }) => {
        const { messages } = await call('get_conversation', { conversationId: 'k' });
        expect((messages as { content: string }[]).map(({ content }) => content)).toEqual([
          'one',
          'two',
        ]);
      });
      expect(filesWith('MarkNeverSaved', [place.root])).toEqual([]);
    });
  });
});
