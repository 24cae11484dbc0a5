/**
 * The tool `session_start`: where the last session ended, in one call. Only evidence, each piece with
 * the message it came from; the rules are in docs/CONTINUITY.md.
 */
import { z } from 'zod';
import { startSession } from '../../context/session-start.js';
import { sessionStartText, viewOf } from '../../context/session-start-view.js';
import { ROLES } from '../../stores/conversations/schema.js';
import { defineTool, READS, success } from '../define-tool.js';
import { moduleField, threadSchema, toThread } from '../thread-view.js';

const place = {
  text: z.string().describe('The sentence as it was written.'),
  threadId: z.string(),
  messageId: z.string(),
  seq: z.number().int(),
  role: z.enum(ROLES),
  createdAt: z.string(),
};

const output = z.object({
  success,
  found: z.boolean().describe('False where nothing was said yet.'),
  notes: z.array(z.string()).describe('What is empty or was left out, and why.'),
  thread: threadSchema.exactOptional(),
  session: z
    .object({
      startedAt: z.string(),
      endedAt: z.string(),
      durationMinutes: z.number().int(),
      fromSeq: z.number().int(),
      messages: z.number().int(),
    })
    .describe('The last messages of the thread, up to the last pause of over four hours.')
    .exactOptional(),
  distinctiveWords: z.array(z.string()).describe('Words of the session rare in the other threads.'),
  openQuestions: z.array(
    z.object({
      ...place,
      rule: z.enum(['no-reply', 'put-off']),
      replyMessageId: z.string().exactOptional().describe('The reply that put it off.'),
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
    .describe('Sentences that read like promises; whether they were kept is not known.'),
  lastTurns: z.array(
    z.object({
      messageId: z.string(),
      seq: z.number().int(),
      role: z.enum(ROLES),
      createdAt: z.string(),
      content: z.string(),
      isCut: z.boolean().exactOptional().describe('The middle was left out.'),
    }),
  ),
});

export const sessionStart = defineTool({
  name: 'session_start',
  toolset: 'threads',
  title: 'Pick up where we stopped',
  description:
    'Call this first in a new session: when the last one was and how long, its title and telling words, its last turns, questions nobody answered, and sentences that read like promises, each with its message. They are candidates: judge them, and greet the user accordingly. Read more with history_threads_get.',
  input: z.strictObject({
    module: moduleField.describe('Only threads of this module.').exactOptional(),
    currentThreadId: z
      .string()
      .describe('Thread of the session that is beginning, to be left out.')
      .exactOptional(),
    threads: z
      .number()
      .int()
      .min(1)
      .max(10)
      .describe('How many of the last threads to look through for questions and promises.')
      .default(3),
    maxTokens: z
      .number()
      .int()
      .min(300)
      .max(25_000)
      .describe('About how long the answer may be.')
      .default(3000),
  }),
  output,
  annotations: READS,
  quotesText: true,
  text: sessionStartText,
  async run(request, app, { signal, progress }) {
    const start = await startSession(app, request, { signal, progress });
    const { thread: _, ...view } = viewOf(start, request.module);
    return { ...view, ...(start && { thread: toThread(start.head) }) };
  },
});
