/**
 * `npm run demo`: the main job of Daybook from beginning to end, through a real MCP client.
 * Starts the built server on a temporary root, saves and continues conversations, edits a file
 * by hand in between, searches, restarts the server, reads everything back, and prints what it did
 * and the files that came out. Ends with status 1 at the first thing that differs from what is expected.
 */
import { deepStrictEqual } from 'node:assert';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const HERE = import.meta.dirname;
const MAIN = resolve(HERE, '../../dist/cli/main.js');
const scratch = mkdtempSync(join(tmpdir(), 'daybook-demo-'));
const root = join(scratch, 'root');

const say = (text) => console.log(text);
const chapter = (title) => say(`\n— ${title}`);
function expectSame(what, actual, expected) {
  deepStrictEqual(actual, expected, `${what}: not as expected`);
  say(`  ✓ ${what}`);
}

/** `Speaker: text` lines; one speaker is the user, everyone else answers. */
function dialogue(file, user) {
  const lines = readFileSync(join(HERE, 'dialogues', file), 'utf8')
    .trim()
    .split('\n');
  return lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const colon = line.indexOf(': ');
      const speaker = line.slice(0, colon);
      const role = speaker === user ? 'user' : 'assistant';
      return { role, content: line.slice(colon + 2), metadata: { speaker } };
    });
}

async function startServer() {
  const startedAt = performance.now();
  const client = new Client({ name: 'daybook-demo', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, '--root', root],
      env: { ...process.env, XDG_CONFIG_HOME: join(scratch, 'config') },
    }),
  );
  say(
    `  server started: initialize answered after ${Math.round(performance.now() - startedAt)} ms`,
  );
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return result.isError ? JSON.parse(result.content[0].text) : result.structuredContent;
  };
  return { client, call };
}

const shown = ({ role, content, metadata }) => ({ role, content, metadata });

async function readAll(call, conversationId) {
  const pages = [];
  let beforeMessageId;
  do {
    const page = await call('get_conversation', {
      conversationId,
      messageLimit: 10,
      ...(beforeMessageId && { beforeMessageId }),
    });
    pages.unshift(page.messages);
    beforeMessageId = page.nextBeforeMessageId;
  } while (beforeMessageId);
  return { messages: pages.flat(), pages: pages.length };
}

async function saveDialogues(call) {
  chapter('Save a conversation, message by message');
  const tea = dialogue('mad-tea-party.txt', 'Alice');
  const first = await call('save_message', {
    ...tea[0],
    title: 'A Mad Tea-Party',
    tags: ['alice'],
  });
  expectSame('the first message starts it', [first.created, first.seq], [true, 1]);
  const teaId = first.conversationId;
  for (const message of tea.slice(1, 20)) {
    await call('save_message', { conversationId: teaId, ...message });
  }
  say(`  saved 20 lines of the mad tea-party as ${teaId}`);

  chapter('Save under a key of our own');
  const [line1, ...rest] = dialogue('humpty-dumpty.txt', 'Alice');
  const started = await call('save_message', { conversationId: 'humpty-dumpty', ...line1 });
  expectSame('the key starts a conversation on first use', started.created, true);
  for (const message of rest) {
    const next = await call('save_message', { conversationId: 'humpty-dumpty', ...message });
    expectSame('and continues the same one', next.conversationId, started.conversationId);
  }
  const analects = dialogue('analects.txt', '子貢');
  const { conversationId: analectsId } = await call('save_message', analects[0]);
  await call('save_message', { conversationId: analectsId, ...analects[1] });
  return { tea, teaId, analects, analectsId };
}

async function editByHand(call, { tea, teaId }) {
  chapter('Edit the file by hand while the server runs');
  const path = join(root, 'conversation-logs', teaId, 'conversation.json');
  const file = JSON.parse(readFileSync(path, 'utf8'));
  file.title = 'A Mad Tea-Party (my copy)';
  file.messages.push({ role: tea[20].role, content: tea[20].content });
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`);
  say('  changed the title, and added a message of just "role" and "content" at the end');
  const seen = await call('get_conversation', { conversationId: teaId });
  expectSame('the server sees the new title', seen.title, file.title);
  expectSame('and the message', seen.messages.at(-1).content, tea[20].content);
  const next = await call('save_message', { conversationId: teaId, ...tea[21] });
  expectSame('the next message comes after it', next.seq, 22);
  for (const message of tea.slice(22)) {
    await call('save_message', { conversationId: teaId, ...message });
  }
}

async function search(call, { tea, teaId, analectsId }) {
  chapter('Search what was said');
  const find = async (query, more = {}) => {
    const found = await call('search_messages', { query, ...more });
    for (const { conversationId, seq, snippet } of found.results.slice(0, 2))
      say(`  ${query}  →  ${conversationId} #${seq}: ${snippet}`);
    return found;
  };
  const raven = await find('raven NEAR/5 desk');
  expectSame('two words near each other', raven.results[0].conversationId, teaId);
  const words = tea[20].content.match(/\p{L}{4,}/gu).slice(0, 6);
  const byHand = await find(`"${words[0]}" ${words.slice(1).join(' ')}`, { conversationId: teaId });
  expectSame('the message that was added by hand', byHand.results[0].seq, 21);
  const title = await find('title : copy', { limit: 1 });
  expectSame('the title that was changed by hand', title.total, tea.length);
  const chinese = await find('終身');
  expectSame('Chinese by two characters', chinese.results[0].conversationId, analectsId);
  const nothing = await find('zeppelin');
  expectSame(
    'a word nobody said',
    [nothing.total, /zeppelin/.test(nothing.explanation)],
    [0, true],
  );
}

async function readBack(call, { tea, teaId, analects, analectsId }) {
  chapter('Restart the server and read everything back');
  const { messages, pages } = await readAll(call, teaId);
  const expected = tea.map((line, index) =>
    index === 20 ? { role: line.role, content: line.content, metadata: undefined } : line,
  );
  expectSame(
    `${tea.length} messages in ${pages} pages, each as it was said`,
    messages.map(shown),
    expected,
  );
  expectSame(
    'numbered from 1',
    messages.map(({ seq }) => seq),
    tea.map((_, index) => index + 1),
  );
  const chinese = await readAll(call, analectsId);
  expectSame('Chinese text is the same', chinese.messages.map(shown), analects);
  const missing = await call('get_conversation', { conversationId: '20200101-1577836800000' });
  expectSame(
    'a conversation that is not there is an error with a code',
    missing.error.code,
    'CONVERSATION_NOT_FOUND',
  );
  const info = await call('store_info', {});
  expectSame('the store counts', [info.conversations, info.messages], [3, tea.length + 5]);
}

function printFiles() {
  chapter('The files that came out');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files) {
    const stat = statSync(join(root, file));
    say(`  ${file}${stat.isDirectory() ? '/' : `  (${stat.size} bytes)`}`);
  }
  const logs = files.filter((file) => file.endsWith('conversation.json'));
  const smallest = logs.toSorted(
    (a, b) => statSync(join(root, a)).size - statSync(join(root, b)).size,
  );
  for (const file of smallest.slice(0, 2)) {
    say(`\n${relative(scratch, join(root, file))}`);
    say(readFileSync(join(root, file), 'utf8'));
  }
}

try {
  chapter('Start the built server as an MCP client does');
  const before = await startServer();
  const { tools } = await before.client.listTools();
  say(`  tools: ${tools.map(({ name }) => name).join(', ')}`);
  const saved = await saveDialogues(before.call);
  await editByHand(before.call, saved);
  await search(before.call, saved);
  await before.client.close();

  const after = await startServer();
  await readBack(after.call, saved);
  await after.client.close();
  printFiles();
  say('The demo went as expected.');
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
// A server of a failed run would keep this process waiting.
process.exit();
