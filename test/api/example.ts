/**
 * Daybook in a program of your own. Compiled against the package as npm would install it, and run,
 * by `example.test.ts`.
 */
import { AppError, type MessageHit, openDaybook } from 'daybook';

const daybook = await openDaybook({ root: process.argv[2] ?? './my-daybook' });

// A conversation under a key of your own: the first message starts it, the next ones continue it.
await daybook.conversations.append(
  'garden-plan',
  [
    { role: 'user', content: 'Where should the tomatoes go?' },
    { role: 'assistant', content: 'Along the south wall: they want six hours of sun.' },
  ],
  { create: { title: 'The garden', module: 'plan' } },
);

// Safe on disk by now. Search follows the folder, also what other processes and editors write.
const { total, hits } = await daybook.search('tomatoes OR "south wall"', { limit: 5 });
const tell = ({ role, snippet }: MessageHit) => console.log(`${role}: ${snippet}`);
console.log(`${total} messages`);
hits.forEach(tell);

// Notes of a project; nothing of one context is found in another.
const context = '/home/me/garden';
const { id } = await daybook.insights.save({
  context,
  content: 'Clay soil: add sand',
  tags: ['soil'],
});
await daybook.insights.update(id, { content: 'Clay soil: add sand and compost' });
const found = await daybook.searchInsights('compost', { context });
console.log(found.hits.map(({ insight }) => insight.content).join('\n'));

// Every tool of the server, by name.
const { total: conversations } = await daybook.call('get_conversations', { module: 'plan' });
console.log(`${conversations} conversation`);

// Failures have a code, a message for people, and a hint.
try {
  await daybook.conversations.load('20250124-1706102400123');
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.log(error.code, error.retryable, error.hint.length > 0);
}

await daybook.close();
