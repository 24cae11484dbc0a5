/** Thinking and tool calls in Markdown: one line, all of it, or nothing, as the reader asks. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { openBench } from './bench.js';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
const ID = '20250124-1737724800123';
const CONVERSATION = {
  title: 'Shed',
  messages: [
    { role: 'user', content: 'Build a shed' },
    {
      role: 'assistant',
      content: 'Done.',
      metadata: {
        thinking: 'First look.\n## User · 2025',
        tools: [
          { name: 'Bash', input: 'ls', result: '```\nboards' },
          { name: 'Bash', input: { command: 'saw' }, result: 'no saw', isError: true },
          { name: 'my_*tool*\n## x' },
        ],
      },
    },
    { role: 'assistant', content: '', metadata: { tools: [{ name: 'Read' }] } },
    { role: 'assistant', content: 'Bye.', metadata: { tools: 'odd', thinking: 7 } },
  ],
};
const body = (text: string) => text.slice(text.indexOf('## Assistant')).split('\n');

it('a folded activity of the assistant is one line in Markdown', async () => {
  const { put, exported } = await openBench();
  put(ID, CONVERSATION);
  expect(body(await exported('markdown', { activity: 'folded' }))).toEqual([
    ...['## Assistant · 2025-01-24 13:20', ''],
    ...['*[thinking, Bash 2 times, my_ tool ## x]*', '', 'Done.', ''],
    ...['## Assistant · 2025-01-24 13:20', '', '*[Read]*', ''],
    ...['## Assistant · 2025-01-24 13:20', '', 'Bye.', ''],
  ]);
  expect(await exported('markdown')).not.toContain('Bash');
});

it('a tool whose name is no text is shown as a tool', async () => {
  const { put, exported } = await openBench();
  const metadata = { tools: [{ name: { toString: null } }] };
  put(ID, { messages: [{ role: 'assistant', content: 'Done.', metadata }] });
  for (const activity of ['folded', 'all'] as const)
    expect(await exported('markdown', { activity })).toMatch(/\[tool\]|\*\*tool\*\*/);
});

it('a whole activity of the assistant is in its turn, and adds no heading', async () => {
  const { put, exported } = await openBench();
  put(ID, CONVERSATION);
  const text = await exported('markdown', { activity: 'all' });
  expect(text).toContain(
    '> First look.\n> ## User · 2025\n\n**Bash**\n\n```\nls\n```\n\n````\n```\nboards',
  );
  expect(text).toContain(
    '**Bash** (failed)\n\n```\n{\n  "command": "saw"\n}\n```\n\n```\nno saw\n```',
  );
  expect(text.match(/^## /gm)).toHaveLength(4);
});

it('daybook show folds the activity, and shows it with --tools', async () => {
  const root = tempFolder();
  const { put } = await openBench({ logsFolder: join(root, 'conversation-logs') });
  put(ID, CONVERSATION);
  const show = (...options: string[]) =>
    execFileSync(process.execPath, [MAIN, 'show', ID, '--root', root, ...options], {
      encoding: 'utf8',
      env: { ...process.env, HOME: root },
    });
  expect(show()).toContain('*[thinking, Bash 2 times, ');
  expect(show()).not.toContain('boards');
  expect(show('--tools')).toContain('boards');
});
