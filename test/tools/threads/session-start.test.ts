/** The tool `session_start` through the official client and the built command. */
import { describe, expect, it } from 'vitest';
import { type Session, withClient, withPlace } from '../../e2e/harness.js';

const inSession = (work: (session: Session) => Promise<void>) => () =>
  withPlace((place) => withClient(place, work));

interface Snapshot {
  found: boolean;
  notes: string[];
  thread?: { id: string; title?: string; module?: string };
  session?: { messages: number; durationMinutes: number };
  distinctiveWords: string[];
  openQuestions: { text: string; threadId: string; messageId: string; seq: number }[];
  promises: { text: string; messageId: string; due?: string; rule: string }[];
  related: { text: string; threadId: string; words: string[] }[];
  lastTurns: { seq: number; content: string; isCut?: boolean }[];
}

async function thread(session: Session, module: string, title: string, ...bodies: string[]) {
  const { id } = await session.call('history_threads_create', { module, title });
  for (const [index, body] of bodies.entries()) {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    await session.call('history_threads_append_message', { threadId: id, role, body });
  }
  return String(id);
}

const start = async (session: Session, args: Record<string, unknown> = {}) =>
  (await session.call('session_start', args)) as unknown as Snapshot;

describe('session_start', () => {
  it(
    'returns what is needed to continue the last session of a module',
    inSession(async (session) => {
      const id = await thread(
        session,
        'discuss',
        'Q1 goal planning',
        'Let us plan the Q1 goals, above all the Tipz initiative.',
        'The Tipz initiative has three risks. I will send updated OKRs by Friday.',
        'Tipz is what worries me. I am tired.',
        'Shall we review the Tipz risks tomorrow?',
      );
      await thread(session, 'execute', 'Release', 'Release the script.', 'Done.');
      const snapshot = await start(session, { module: 'discuss' });
      expect(snapshot).toMatchObject({
        found: true,
        thread: { id, title: 'Q1 goal planning', module: 'discuss' },
        session: { messages: 4 },
        openQuestions: [{ text: 'Shall we review the Tipz risks tomorrow?', threadId: id, seq: 4 }],
        promises: [
          { text: 'I will send updated OKRs by Friday.', rule: 'commitment', due: 'by Friday' },
        ],
        lastTurns: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }],
      });
      expect(snapshot.distinctiveWords).toContain('tipz');
      const read = await session.call('history_threads_get', { threadId: id });
      const messages = read['messages'] as { id: string; content: string }[];
      for (const { text, messageId } of [...snapshot.openQuestions, ...snapshot.promises]) {
        expect(messages.find((message) => message.id === messageId)?.content).toContain(text);
      }
    }),
  );

  it(
    'says which parts are empty, and searches the threads before',
    inSession(async (session) => {
      expect(await start(session)).toMatchObject({ found: false, lastTurns: [], promises: [] });
      const older = await thread(session, 'plan', 'Older', 'Hello', 'When do we meet?');
      const newer = await thread(session, 'plan', 'Newer', 'Good day', 'Good day.');
      const both = await start(session, { module: 'plan' });
      expect(both).toMatchObject({ thread: { id: newer }, openQuestions: [{ threadId: older }] });
      expect(both.promises).toEqual([]);
      expect(both.notes.join(' ')).toContain('promise');
      expect(await start(session, { threads: 1 })).toMatchObject({ openQuestions: [] });
      expect(await start(session, { currentThreadId: newer })).toMatchObject({
        thread: { id: older },
      });
      // The first call waits half a second for the index of passages, which is being built.
      const notes = async () => (await start(session)).notes;
      await expect.poll(notes).toContainEqual(expect.stringContaining('another thread'));
      // The key of a session in which nothing was saved yet.
      expect(await start(session, { currentThreadId: 'next-week' })).toMatchObject({
        thread: { id: newer },
      });
    }),
  );

  it(
    'returns what earlier threads said about the same subject, once, also in other word forms',
    inSession(async (session) => {
      const said = 'Martin measured the greenhouse: twelve tomatoes fit along its southern wall.';
      const about = await thread(session, 'garden', 'Measuring', said, 'Noted.');
      const copy = await thread(session, 'garden', 'A copy', said, 'Noted.');
      await thread(session, 'garden', 'Shed', 'The roof of the shed leaks.', 'I see.');
      await thread(session, 'kitchen', 'Soup', 'A tomato soup for the greenhouse party.', 'Good.');
      const id = await thread(
        session,
        'garden',
        'Planting',
        'Each tomato needs half a metre in the greenhouse.',
        'Then a tomato of the greenhouse gets half a metre.',
      );
      // A start waits half a second for the index of passages, which is being built since the first call.
      const related = async () => (await start(session, { module: 'garden' })).related;
      await expect.poll(related).not.toEqual([]);
      const all = await start(session, { module: 'garden' });
      expect(all.thread?.id).toBe(id);
      expect(all.related).toMatchObject([{ threadId: copy, text: said }]);
      expect(all.related[0]?.words).toEqual(expect.arrayContaining(['greenhouse', 'tomato']));
      const other = await start(session, { module: 'garden', currentThreadId: copy });
      expect(other.related).toMatchObject([{ threadId: about, text: said }]);
      const read = await session.call('history_threads_get', { threadId: id });
      const messageId = (read['messages'] as { id: string }[]).at(-1)?.id;
      await session.call('branch_conversation', { conversationId: id, messageId });
      const ofBranch = await start(session, { module: 'garden' });
      expect(ofBranch.thread?.id).not.toBe(about);
      expect(ofBranch.related).toMatchObject([{ threadId: copy, text: said }]);
    }),
  );

  it(
    'handles a changed title, and does not exceed its budget',
    inSession(async (session) => {
      const long = 'The quick brown fox jumps over the lazy dog. '.repeat(300);
      const first = await thread(session, 'plan', 'First', 'Hello', 'Hello.');
      const id = await thread(session, 'plan', 'Second', long, long, long, long);
      await session.call('update_conversation', { conversationId: first, title: 'Renamed' });
      const listed = await session.call('history_threads_list');
      expect(listed['threads']).toMatchObject([{ id: first }, { id }]);
      const snapshot = await start(session, { maxTokens: 500 });
      expect(snapshot.thread?.id).toBe(id);
      expect(snapshot.lastTurns.at(-1)).toMatchObject({ seq: 4, isCut: true });
      expect(JSON.stringify(snapshot).length / 4).toBeLessThan(800);
      expect(snapshot.notes.join(' ')).toContain('did not fit into the answer');
    }),
  );

  it(
    'does not call a part empty if it only did not fit',
    inSession(async (session) => {
      await thread(session, 'plan', 'Beds', 'Hello', 'Shall I order the larch planks tomorrow?');
      const text = async (maxTokens: number) => {
        const answer = await session.client.callTool({
          name: 'session_start',
          arguments: { maxTokens },
        });
        return JSON.stringify(answer.content);
      };
      expect(await text(3000)).toContain('Questions without an answer');
      expect(await text(300)).toMatch(/1 open question did not fit(?!.*Questions without)/s);
    }),
  );

  it(
    'states once that a session has no distinctive words',
    inSession(async (session) => {
      await thread(session, 'plan', 'Beds', 'And so on.');
      const { content } = await session.client.callTool({ name: 'session_start', arguments: {} });
      expect(JSON.stringify(content).match(/distinctive words/gi)).toHaveLength(1);
    }),
  );
});
