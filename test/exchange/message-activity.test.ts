/** What machines did, in the text for readers: folded, or all of it; never in what is exported otherwise. */
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

it('is one line where it is folded', async () => {
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

it('is there as a whole where that is asked for, and forms no turn of its own', async () => {
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

it('is folded by daybook show, and shown with --tools', async () => {
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
