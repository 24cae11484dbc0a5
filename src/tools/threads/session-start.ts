/**
 * The tool `session_start`: returns what the last session was about and what is still open. Each passage
 * has the message it is from; docs/CONTINUITY.md explains the rules.
 */
import { z } from 'zod';
import { startSession } from '../../context/session-start.js';
import { sessionStartText, viewOf } from '../../context/session-start-view.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { noSuchModule } from '../../stores/modules.js';
import { moduleField, threadSchema, toThread } from '../answers/thread-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import { timeZoneField } from '../fields/date-field.js';

const passage = {
  text: z.string(),
  threadId: z.string(),
  messageId: z.string(),
  seq: z.int(),
  role: z.enum(ROLES),
  createdAt: z.string(),
};
const place = { ...passage, text: passage.text.describe('The sentence as it was written.') };

const output = z.object({
  success,
  found: z.boolean().describe('False if there is no message yet.'),
  notes: z.array(z.string()).describe('Which parts are empty or incomplete, and why.'),
  thread: threadSchema.exactOptional(),
  session: z
    .object({
      startedAt: z.string(),
      endedAt: z.string(),
      startedAtLocal: z.string(),
      endedAtLocal: z.string(),
      durationMinutes: z.int(),
      fromSeq: z.int(),
      messages: z.int(),
    })
    .describe('The last messages of the thread, since the last pause of more than four hours.')
    .exactOptional(),
  distinctiveWords: z
    .array(z.string())
    .describe('Words of the session that are rare in other threads.'),
  openQuestions: z.array(
    z.object({
      ...place,
      rule: z.enum(['no-reply', 'put-off']),
      replyMessageId: z.string().exactOptional().describe('The reply that postponed the answer.'),
    }),
  ),
  promises: z
    .array(
      z.object({
        ...place,
        rule: z.enum(['commitment', 'agreement', 'reminder', 'task']),
        due: z.string().exactOptional().describe('The words that name a time.'),
      }),
    )
    .describe(
      'Sentences that look like promises; Daybook does not know whether they were fulfilled.',
    ),
  related: z
    .array(z.object({ ...passage, words: z.array(z.string()) }))
    .describe('Passages of earlier threads that have some of the distinctive words.'),
  lastTurns: z.array(
    z.object({
      messageId: z.string(),
      seq: z.int(),
      role: z.enum(ROLES),
      createdAt: z.string(),
      content: z.string(),
      isCut: z.boolean().exactOptional().describe('True if the middle of the text was cut.'),
    }),
  ),
});

export const sessionStart = defineTool({
  name: 'session_start',
  toolset: 'threads',
  title: 'Continue where we stopped',
  description:
    'Call this first in a new session: it returns the topic and the last messages of the last session, open questions, and sentences that look like promises. These are only candidates: judge them.',
  input: () =>
    z.strictObject({
      module: moduleField.describe('Only threads of this module.').exactOptional(),
      currentThreadId: optionalText('Thread of the new session, which is not searched.'),
      threads: z
        .int()
        .min(1)
        .max(10)
        .describe('How many of the latest threads to search for questions and promises.')
        .default(3),
      timeZone: timeZoneField,
      maxTokens: z
        .int()
        .min(300)
        .max(25_000)
        .describe('Approximate maximum length of the answer.')
        .default(3000),
    }),
  output: () => output,
  annotations: READS,
  quotesText: true,
  text: sessionStartText,
  async run({ timeZone, ...request }, app, { signal, progress }) {
    const maxTurns = await app.state.contextWindow();
    const bounded = { ...request, ...(maxTurns !== undefined && { maxTurns }) };
    const start = await startSession(app, bounded, { signal, progress });
    const { module, currentThreadId } = request;
    const { thread: _, ...view } = viewOf(start, {
      module,
      currentThreadId,
      timeZone: timeZone ?? app.timeZone(),
    });
    const unused = start === undefined && (await noSuchModule(app.conversations, module));
    const notes = [...(unused ? [unused] : view.notes), ...damagedNotes(app.conversations)];
    return { ...view, notes, ...(start && { thread: toThread(start.head) }) };
  },
});
