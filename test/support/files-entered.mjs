/**
 * Prints the files of the built package with a function that one call of `save_message` to an existing
 * conversation calls. V8 counts the calls. Argument: the folder for the store.
 */
import { Session } from 'node:inspector/promises';
import { openConversationStore } from '../../dist/stores/conversations/conversations.js';
import { saveMessage } from '../../dist/tools/conversations/save-message.js';

const [logsFolder] = process.argv.slice(2);
const conversations = await openConversationStore({
  logsFolder,
  maxMessages: 100,
  fsync: true,
  requireRoom: async () => undefined,
});
const save = (input) => saveMessage.run({ role: 'user', ...input }, { conversations });
const { conversationId } = await save({ content: 'one' });
await save({ conversationId, content: 'two' });

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await save({ conversationId, content: 'three' });
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();

const dist = new URL('../../dist/', import.meta.url).href;
const wasCalled = ({ functionName, ranges: [range] }) => functionName !== '' && range.count > 0;
const entered = result
  .filter(({ url, functions }) => url.startsWith(dist) && functions.some(wasCalled))
  .map(({ url }) => url.slice(dist.length).replace(/\.js$/, '.ts'));
console.log(JSON.stringify(entered.sort()));
await conversations.close();
