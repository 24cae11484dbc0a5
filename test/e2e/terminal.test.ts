/**
 * Every command in a real pseudo-terminal with and without colours, and with a pipe: its status, its output,
 * and that the output to a pipe has no escape sequences.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { fillIn } from '../../src/cli/tools/tool-groups.js';
import { hasColours, hasEscapes, runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, runProcess, withPlace } from './harness.js';

const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
const DOOMED = '7fa459ea-ee8a-4ca4-894e-db77e160355e';
const CONVERSATION = '20250124-1706102400123';
const DELETED = '20250125-1706102400123';

const TRIPLES = '[{"subject": "Ada", "predicate": "knows", "object": "Charles"}]';
const LINE = '{"subject":"Ada","predicate":"wrote","object":"notes"}';

interface Step {
  readonly args: readonly string[];
  readonly code?: number;
  /** The expected text on the screen, and in the pipes of stdout and stderr. */
  readonly shows: string | RegExp;
  /** The text that is typed at the start. */
  readonly types?: string;
  readonly json?: true;
  /** Tried only with a pipe, because on a terminal it asks a question (see the test below). */
  readonly isPiped?: true;
}

/** The steps run one after the other on one root. Each command has at least one step. */
const STEPS: readonly Step[] = [
  { args: ['help', 'search'], shows: 'Usage: daybook search' },
  { args: ['serve'], shows: /waits for an MCP client|^$/, types: '\u0004' },
  { args: ['init', '--print'], shows: '"mcpServers"' },
  { args: ['init', '--json'], shows: '"root"', json: true },
  { args: ['list'], shows: 'A Mad Tea-Party' },
  { args: ['list', 'tea'], shows: CONVERSATION },
  { args: ['list', 'coffee'], code: 1, shows: 'Nothing found.' },
  { args: ['list', '--pinned', 'false'], shows: 'A Mad Tea-Party' },
  { args: ['list', '--no-pinned', 'tea'], shows: 'A Mad Tea-Party' },
  { args: ['list', '--json'], shows: '"conversations"', json: true },
  { args: ['list', '--limit', 'many'], code: 2, shows: '--limit' },
  { args: ['list', '--limit', '250'], shows: 'times: ' },
  { args: ['list', '--all', '--utc'], shows: 'times: UTC' },
  { args: ['search', 'raven'], shows: 'raven' },
  { args: ['search', 'walrus'], code: 1, shows: 'Nothing found.' },
  {
    args: ['search', 'raven', '--offset', '9'],
    code: 1,
    shows: 'No result comes after --offset 9',
  },
  { args: ['search', 'raven', '--json'], shows: '"results"', json: true },
  { args: ['find', 'mad'], shows: 'A Mad Tea-Party' },
  { args: ['session-start'], shows: 'Insights:' },
  { args: ['session-start', '--module', 'walrus', '--json'], shows: '"found": false', json: true },
  { args: ['session-start', '--hook', 'codex'], shows: 'From Daybook' },
  { args: ['session-start', '--max-tokens', '1'], code: 2, shows: '--max-tokens' },
  { args: ['demo', 'made'], shows: '300 invented conversations' },
  { args: ['demo', 'made'], code: 2, shows: 'is not empty' },
  { args: ['stats'], shows: 'hours of the week' },
  { args: ['stats', '--json'], shows: '"totals"', json: true },
  { args: ['stats', '--csv', 'roles'], shows: /^user,\d/m },
  { args: ['stats', '--from', 'once'], code: 2, shows: '--from' },
  {
    args: ['stats', '--from', '2025-02-01', '--to', '2025-01-01'],
    code: 2,
    shows: '--from is after --to',
  },
  { args: ['stats', '--from', '2999-01-01'], code: 1, shows: 'No message' },
  { args: ['show', CONVERSATION], shows: 'A Mad Tea-Party' },
  { args: ['show', CONVERSATION, '--json'], shows: '"messages"', json: true },
  { args: ['show', '20250124-1706102400999'], code: 1, shows: '20250124-1706102400999' },
  {
    args: ['save', 'user', 'More', 'tea?', '--conversation-id', CONVERSATION],
    shows: /^Continued 20250124-1706102400123 "A Mad Tea-Party": message 3, in /m,
  },
  {
    args: ['save', 'user', '<private>x</private>', '--conversation-id', 'last', '--title', 'Pot'],
    shows:
      /keeps its title. To change a conversation, use daybook [\s\S]*rename[\s\S]*Not stored: 1 part/,
  },
  { args: ['save', 'nobody', 'x'], code: 2, shows: 'nobody' },
  { args: ['save', 'user', '  '], code: 2, shows: 'empty' },
  { args: ['save', 'user', 'y', '--json'], shows: '"messageId"', json: true },
  { args: ['rename', CONVERSATION, 'The', 'Mad', 'Party'], shows: 'title "The Mad Party"' },
  { args: ['rename', 'the mad party', 'A Mad Tea-Party'], shows: 'title "A Mad Tea-Party"' },
  { args: ['tag', 'A Mad', 'tea', 'hare'], shows: 'has the tags tea, hare' },
  { args: ['tag', 'A Mad', 'TEA', '#Pot', '--remove', 'Hare'], shows: 'has the tags tea, Pot' },
  { args: ['tag', 'A Mad', '--remove', 'pot'], shows: 'has the tag tea' },
  { args: ['tag', 'A Mad'], shows: 'has the tag tea' },
  { args: ['tag', 'A Mad', '#pot,cup'], shows: 'has the tags tea, pot, cup' },
  { args: ['tag', 'A Mad', '--remove', '#pot', 'cup'], shows: 'has the tag tea' },
  {
    args: ['tag', 'A Mad', '--remove', 'pot'],
    code: 1,
    shows: 'Not removed, because the conversation did not have it: "pot"',
  },
  { args: ['tag', 'A Mad', '#'], code: 2, shows: '"#" is not a tag' },
  { args: ['tag', 'A Mad', '--json'], shows: '"tags"', json: true },
  { args: ['pin', CONVERSATION], shows: 'is pinned' },
  { args: ['unpin', '20250124'], shows: 'is not pinned' },
  { args: ['history', 'A Mad'], code: 1, shows: 'no earlier versions' },
  { args: ['restore', CONVERSATION, '--version', '7'], code: 1, shows: 'no version 7' },
  { args: ['restore', CONVERSATION, '--version', 'x'], code: 2, shows: '--version' },
  { args: ['edit', CONVERSATION], shows: '4 messages, not changed' },
  { args: ['open', CONVERSATION, '--print'], shows: CONVERSATION },
  { args: ['delete', CONVERSATION], shows: ' restore 2' },
  { args: ['delete', CONVERSATION], code: 1, shows: CONVERSATION },
  { args: ['trash', 'list'], shows: 'A Mad Tea-Party' },
  { args: ['trash', '--json'], shows: '"sizeBytes"', json: true },
  { args: ['trash', 'empty', '--older-than', '30d'], shows: 'Nothing to remove.' },
  { args: ['trash', 'empty', '--older-than', 'old'], code: 2, shows: '--older-than' },
  { args: ['trash', 'restore', CONVERSATION], shows: 'was restored' },
  { args: ['delete', CONVERSATION, '--yes'], shows: ' restore 2' },
  { args: ['restore', CONVERSATION], shows: 'was restored' },
  { args: ['delete', 'nothing', '--json'], code: 1, shows: '"success": false', json: true },
  { args: ['insight', 'save', 'a', 'raven', '--tags', 'bird'], shows: 'Saved ' },
  { args: ['insight', 'save', 'xx'], code: 2, shows: 'content must have 3' },
  { args: ['insight', 'search', 'raven'], shows: 'raven' },
  { args: ['insight', 'search', 'walrus'], code: 1, shows: 'Nothing found.' },
  { args: ['insight', 'list', '--context', 'global'], shows: 'by hand' },
  {
    args: ['insight', 'list', '--context', 'global', '--offset', '9'],
    code: 1,
    shows: 'No result comes after --offset 9. In all: 2 results.',
  },
  { args: ['insight', 'list', '--context', '/nowhere'], code: 1, shows: 'global (2)' },
  { args: ['insight', 'get', ID], shows: 'by hand' },
  { args: ['insight', 'get', '6FA4'], shows: 'by hand' },
  {
    args: ['insight', 'get', 'x'],
    code: 2,
    shows: /"x" is not the id of an insight[\s\S]*at least its first four/,
  },
  { args: ['insight', 'get', '0fa4'], code: 1, shows: 'No insight has an id that begins' },
  { args: ['insight', 'get', ID, '--json'], shows: '"found": true', json: true },
  { args: ['insight', 'get', ID.replace('6', '0')], code: 1, shows: 'Nothing found.' },
  { args: ['insight', 'update', ID, '--metadata', '{"n": 1}'], shows: '{"n":1}' },
  {
    args: ['insight', 'update', ID, '--metadata', '{n}'],
    code: 2,
    shows: '--metadata must be JSON',
  },
  { args: ['insight', 'update', ID], code: 2, shows: 'No field to change' },
  { args: ['insight', 'delete', DOOMED], shows: 'Deleted: ' },
  { args: ['insight', 'delete', DOOMED], code: 1, shows: 'is in the trash' },
  { args: ['insight', 'export', '--context', 'global'], shows: '"content":"by hand"' },
  {
    args: ['insight', 'export', '-o', 'insights.jsonl'],
    shows: /^2 insights in .*insights\.jsonl$/,
  },
  {
    args: ['insight', 'import', 'insights.jsonl'],
    shows: '0 added, 0 updated, 2 unchanged, 0 refused',
  },
  { args: ['insight', 'import', 'insights.jsonl', '--json'], shows: '"unchanged"', json: true },
  { args: ['insight', 'import', 'nothing.jsonl'], code: 2, shows: 'check the path' },
  { args: ['insight', 'import', 'wrong.jsonl'], code: 1, shows: /^line 1: \S.*\(CORRUPT\)$/m },
  { args: ['restore', 'conversation-logs'], code: 2, shows: 'is a folder' },
  { args: ['insight', 'import'], code: 2, shows: 'missing required argument' },
  { args: ['insight', 'bogus'], code: 2, shows: 'bogus' },
  { args: ['kg', 'add', 'Ada', 'lives in', 'London town'], shows: 'London town' },
  { args: ['kg', 'add', 'Ada', 'lives', 'in', 'London'], code: 2, shows: '"lives in"' },
  { args: ['kg', 'add', '--triples', TRIPLES, '--json'], shows: '"success"', json: true },
  { args: ['kg', 'add', 'Ada', 'lives in'], code: 2, shows: 'daybook: ' },
  { args: ['kg', 'add'], code: 2, shows: /For example: daybook [\s\S]*kg add Ada/ },
  { args: ['kg', 'delete', 'Ada'], code: 2, shows: /For example: daybook [\s\S]*kg delete Ada/ },
  { args: ['kg', 'import', 'no.jsonl'], code: 2, shows: /There is no file .*no\.jsonl/ },
  { args: ['kg', 'import'], code: 2, shows: /daybook [\s\S]*kg import facts.jsonl/ },
  { args: ['kg', 'query', '--subject', 'Ada'], shows: 'London town' },
  { args: ['kg', 'query', 'Ada', 'lives in'], shows: 'London town' },
  { args: ['kg', 'query', '--subject', 'Bob'], code: 1, shows: /daybook [\s\S]*kg subjects/ },
  { args: ['kg', 'neighbors', 'Bob'], code: 1, shows: 'Nothing found.' },
  { args: ['kg', 'delete', 'Bob', 'knows', 'Ada'], code: 1, shows: 'Names must be exact.' },
  { args: ['kg', 'neighbors', 'Ada', '--json'], shows: 'Charles', json: true },
  { args: ['kg', 'subjects'], shows: 'Ada' },
  { args: ['kg', 'stats'], shows: /\d/ },
  { args: ['kg', 'save'], shows: /\d/ },
  { args: ['kg', 'export'], shows: 'London town' },
  { args: ['kg', 'export', '--format', 'mermaid'], shows: 'Ada' },
  { args: ['kg', 'import', '--text', LINE], shows: /\d/ },
  { args: ['kg', 'import', '--text', `${LINE}\n{"subject":""}`], code: 1, shows: '1 refused' },
  { args: ['kg', 'import', '--text', '{}'], code: 2, shows: /a line of daybook [\s\S]*kg export/ },
  { args: ['kg', 'delete', 'Ada', 'knows', 'Charles'], shows: 'deleted: Ada / knows / Charles' },
  { args: ['mb', 'add', 'ideas/garden.md', '# The', 'garden'], shows: 'ideas/garden.md' },
  { args: ['mb', 'list'], shows: 'ideas/garden.md' },
  { args: ['mb', 'read', 'ideas/garden.md'], shows: /^# The garden$/m },
  { args: ['mb', 'read', 'ideas/garden'], code: 2, shows: 'such as "ideas/garden.md"' },
  { args: ['mb', 'add', 'ideas/garden.md/x.md', 'y'], code: 2, shows: 'must be a folder' },
  {
    args: ['mb', 'read', 'ideas/garden.md', '--start-line', '9'],
    code: 1,
    shows: 'The note has 1 line, so there is no line 9.',
  },
  {
    args: ['mb', 'edit', 'ideas/garden.md', '--content', 'x'],
    code: 2,
    shows: 'mb read ideas/garden.md --json',
  },
  {
    args: ['mb', 'edit', 'ideas/garden.md', '--old-text', 'Sea', '--new-text', 'Lake'],
    code: 2,
    shows: 'the text of --old-text',
  },
  { args: ['mb', 'read', '../escape.md'], code: 2, shows: 'escape.md' },
  { args: ['mb', 'history', 'ideas/garden.md'], code: 1, shows: 'no git repository' },
  { args: ['mb', 'search', 'garden'], shows: 'ideas/garden.md' },
  { args: ['mb', 'search', '--mode', 'exact', '# The'], shows: /# The\S* garden/ },
  {
    args: ['mb', 'edit', 'ideas/garden.md', '--old-text', 'The', '--new-text', 'My'],
    shows: 'hash',
  },
  { args: ['mb', 'reindex'], shows: /\d/ },
  { args: ['mb', 'delete', 'ideas/garden.md'], shows: 'ideas/garden.md' },
  { args: ['restore', 'ideas/garden.md'], shows: 'was restored' },
  { args: ['restore', DOOMED], shows: 'The insight was restored' },
  { args: ['restore', DELETED, '--json'], shows: '"conversationId"', json: true },
  { args: ['export', CONVERSATION, '-f', 'markdown'], shows: '# A Mad Tea-Party' },
  { args: ['export', '-o', 'all.jsonl'], shows: '3 conversations' },
  { args: ['restore', 'all.jsonl', '--dry-run'], shows: '0 to be restored, 3 unchanged' },
  { args: ['restore', 'no.jsonl', '--dry-run'], code: 2, shows: 'no.jsonl is not a file' },
  { args: ['import', 'all.jsonl', '--dry-run'], shows: 'unchanged' },
  { args: ['import', 'wrong.jsonl'], code: 2, shows: 'use --from' },
  { args: ['encrypt', '--yes'], code: 2, shows: 'No key is given' },
  { args: ['encrypt', '--passphrase', '--yes'], code: 2, shows: 'DAYBOOK_PASSPHRASE is not set' },
  { args: ['decrypt', '--yes'], shows: /0 files changed\. The store \S+ is not encrypted\./ },
  { args: ['decrypt', '--yes', '--json'], shows: '"converted": 0', json: true },
  { args: ['backup', '--json'], shows: '"sizeBytes"', json: true },
  { args: ['backup', '--to', 'no/such/folder'], code: 2, shows: 'There is no folder' },
  { args: ['backup', '--to', 'elsewhere'], shows: 'read back and compared' },
  { args: ['info'], shows: /backups +\d of this store;[\s\S]*health +good/ },
  { args: ['info', '--json'], shows: /"archives": ?1,/, json: true },
  { args: ['doctor', '--repair', '--yes'], shows: 'There are no problems' },
  { args: ['doctor'], shows: /ok +conversations/ },
  { args: ['scan'], shows: 'No secret' },
  { args: ['scan', '--json'], shows: '"secrets"', json: true },
  { args: ['redact', 'walrus', '--dry-run'], code: 1, shows: 'No file contains' },
  { args: ['redact', 'garden', '--dry-run', '--json'], shows: '"done": false', json: true },
  { args: ['doctor', '--json'], shows: '"steps"', json: true },
  {
    args: ['providers', 'add', 'local', '--kind', 'ollama', '--model', 'm', '--yes'],
    shows: 'local',
  },
  { args: ['providers', 'list', '--json'], shows: '"isAllowed": true', json: true },
  { args: ['providers', 'allow', 'local', '--yes'], shows: 'local' },
  { args: ['providers', 'test', 'nothing'], code: 1, shows: 'nothing' },
  { args: ['providers', 'remove', 'local'], shows: 'local removed' },
  { args: ['embeddings', 'status'], shows: 'off' },
  { args: ['embeddings', 'enable'], code: 2, shows: '--yes', isPiped: true },
  { args: ['embeddings', 'update'], code: 2, shows: 'DAYBOOK_EMBEDDINGS' },
  { args: ['embeddings', 'disable'], shows: 'removed' },
  { args: ['completion', 'bash'], shows: 'complete' },
  { args: ['complete', '--', 'show', 'A'], shows: 'A Mad Tea-Party' },
  { args: ['prune', '--older-than', '9000d', '--dry-run'], shows: '0 conversations' },
  { args: ['prune', '--module', 'none', '--yes', '--json'], shows: '"moved": []', json: true },
  { args: ['prune'], code: 2, shows: 'no retention policy' },
  { args: ['retention'], shows: 'moves nothing automatically' },
  { args: ['retention', 'add'], code: 2, shows: '--older-than' },
  {
    args: ['retention', 'add', '--older-than', '9000d', '--yes'],
    shows: 'no message for 9000 days',
  },
  { args: ['retention', 'show', '--json'], shows: '"wouldMove"', json: true },
  { args: ['retention', 'clear'], shows: 'moves nothing automatically' },
  { args: ['archive', '--older-than', '9000d'], shows: '0 conversations to archive' },
  { args: ['archive', '--older-than', '9000d', '--json'], shows: '"archived": []', json: true },
  { args: ['archive'], code: 2, shows: '--older-than' },
  { args: ['search', 'raven', '--archive'], code: 1, shows: 'There are no archives.' },
  { args: ['trash', 'empty', '--yes', '--json'], shows: '"removed"', json: true },
  { args: ['unlock'], shows: 'There are no locks.' },
  { args: ['unlock', '--json'], shows: '"locks"', json: true },
  { args: ['unlock', 'nothing'], code: 1, shows: 'There is no lock nothing.' },
];

/** The steps for a terminal without colours: they would show most colours, and need no earlier step. */
const READING: ReadonlySet<string> = new Set([
  'list',
  'search raven',
  'find mad',
  'stats',
  `show ${CONVERSATION}`,
  `insight get ${ID}`,
  'doctor --repair --yes',
  'doctor',
  'info',
]);

function prepare({ folder, root }: Place): void {
  writeFileSync(join(folder, 'wrong.jsonl'), '{"context":"global"}\n');
  mkdirSync(join(folder, 'conversation-logs'));
  const conversations = join(root, 'conversation-logs');
  const messages = [
    { role: 'user', content: 'Why is a raven like a *writing-desk*?' },
    { role: 'assistant', content: 'Nobody knows \u001b]0;not even the terminal\u0007' },
  ];
  const write = (folder: string, content: object) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify(content));
  };
  write(join(conversations, CONVERSATION), { title: 'A Mad Tea-Party', messages });
  write(join(conversations, '.trash', DELETED), { messages: [] });
  const insights = join(root, 'memory-bank', 'insights');
  mkdirSync(insights, { recursive: true });
  for (const [id, content] of [
    [ID, 'by hand'],
    [DOOMED, 'doomed'],
  ]) {
    writeFileSync(join(insights, `${id}.json`), JSON.stringify({ content, context: 'global' }));
  }
}

function shows(text: string, expected: string | RegExp, about: string): void {
  if (typeof expected === 'string') expect(text, about).toContain(expected);
  else expect(text, about).toMatch(expected);
}

/** Two hundred processes run one after the other, which takes a minute on an idle machine. */
const MAX_WAIT_MS = 1_200_000;

describe('every command', () => {
  it.each(['with colours', 'with NO_COLOR'])(
    'works in a terminal %s',
    async (way) => {
      const env = way === 'with NO_COLOR' ? { NO_COLOR: '1' } : {};
      await withPlace(async (place) => {
        prepare(place);
        let colourful = 0;
        // The test with a pipe checks the errors, which have the same statuses.
        const steps = STEPS.filter(
          ({ args, code, isPiped }) =>
            !isPiped && (way === 'with colours' ? code === undefined : READING.has(args.join(' '))),
        );
        expect(steps.length).toBeGreaterThanOrEqual(way === 'with colours' ? 80 : READING.size);
        for (const { args, shows: expected, types } of steps) {
          const about = args.join(' ');
          const answers = types === undefined ? [] : [{ after: 'waits', type: types }];
          const all = ['--root', place.root, ...args];
          const run = await runInTerminal(place, all, { env, answers });
          expect(run.code, `${about}: ${run.screen}`).toBe(0);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: colours can be anywhere in the output
          const text = run.screen.replace(/\u001b\[[\d;]*[mK]|\r/g, '').trim();
          if (types === undefined) shows(text, expected, about);
          if (hasColours(run.screen)) colourful += 1;
          expect(run.screen.includes('\u001b]') || run.screen.includes('\u0007'), about).toBe(
            false,
          );
        }
        if (way === 'with NO_COLOR') expect(colourful).toBe(0);
        else expect(colourful).toBeGreaterThan(8);
      });
    },
    MAX_WAIT_MS,
  );

  it(
    'works with a pipe, without escape sequences',
    async () => {
      await withPlace(async (place) => {
        prepare(place);
        for (const { args, code = 0, shows: expected, json, isPiped } of STEPS) {
          const about = args.join(' ');
          // The test above runs the others as processes.
          const start = code === 0 && !isPiped ? runCommand : runProcess;
          const run = await start(place, ['--root', place.root, ...args]);
          expect(run.code, `${about}: ${run.stdout}${run.stderr}`).toBe(code);
          shows(`${run.stdout}${run.stderr}`.trim(), expected, about);
          if (/^(export|show)/.test(about) && !json) continue; // they write stored texts unchanged
          expect(hasEscapes(run.stdout + run.stderr), about).toBe(false);
          if (json) expect(JSON.parse(run.stdout), about).toBeTypeOf('object');
        }
      });
    },
    MAX_WAIT_MS,
  );

  it('named embeddings enable asks before it installs the model', async () => {
    await withPlace(async (place) => {
      prepare(place);
      const answers = [{ after: '[y/N]', type: 'n\n' }];
      const run = await runInTerminal(place, ['--root', place.root, 'embeddings', 'enable'], {
        answers,
      });
      expect(run.code, run.screen).toBe(1);
      expect(run.screen).toContain('Nothing was installed.');
      const status = await runCommand(place, ['--root', place.root, 'embeddings', 'status']);
      expect(status.stdout).toContain('off');
    });
  });

  it('has at least one step in this file', () => {
    const program = createProgram();
    for (const command of program.commands) fillIn(command, () => ({}));
    const namesOf = (command: Command): string[] =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.flatMap((each) =>
            namesOf(each).map((name) => `${command.name()} ${name}`),
          );
    const tried = STEPS.map(({ args }) => args.join(' '));
    const untried = program.commands
      .flatMap(namesOf)
      .filter((name) => !tried.some((line) => line === name || line.startsWith(`${name} `)));
    expect(untried).toEqual([]);
  });
});
