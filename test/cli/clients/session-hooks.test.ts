/** The hooks that `daybook init` writes: in files as people write them, and removed without a trace. */
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/errors.js';
import { entryOf, rootOf } from '../../../src/cli/clients/clients.js';
import {
  blockOf,
  readEntry,
  withEntry,
  withoutEntry,
} from '../../../src/cli/clients/entry-files.js';
import { type SessionHook, sessionHooksOf } from '../../../src/cli/clients/session-hooks.js';
import { shellLine, shellWords } from '../../../src/cli/clients/shell-line.js';

const hookOf = (name: string): SessionHook => {
  const found = sessionHooksOf({ home: '/home/me' }).find((hook) => hook.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};
const claude = hookOf('claude-code');
const start = {
  command: '/usr/bin/node',
  args: ['/opt/day book/main.js', '--root', '/home/me/my notes', '--toolsets', 'kg'],
};
const LINE =
  "/usr/bin/node '/opt/day book/main.js' session-start --hook claude-code --root '/home/me/my notes'";
const OWN = { type: 'command', command: LINE, timeout: 20 };
const OTHER = { type: 'command', command: 'echo hello' };
const add = (text: string, hook = claude) =>
  withEntry(text, hook, entryOf(hook, start, readEntry(text, hook)));
const parsed = (text: string) => parse(text, [], { allowTrailingComma: true });

describe('the hook of a coding assistant', () => {
  it('is in the file that the assistant reads, with the time limit in its unit', () => {
    const found = sessionHooksOf({ home: '/home/me' });
    expect(found.map(({ path, fields }) => [path, fields['timeout']])).toEqual([
      ['/home/me/.claude/settings.json', 20],
      ['/home/me/.codex/hooks.json', 20],
      ['/home/me/.gemini/settings.json', 20_000],
    ]);
  });

  it('is added to an empty file and beside other hooks, and only once', () => {
    expect(parsed(add(''))).toEqual({ hooks: { SessionStart: [{ hooks: [OWN] }] } });
    expect(JSON.parse(blockOf(claude, entryOf(claude, start)))).toEqual(parsed(add('')));
    const text =
      '{\n  // mine\n  "hooks": {\n    "Stop": [],\n    "SessionStart": [\n      { "matcher": "clear", "hooks": [{ "type": "command", "command": "echo hello" }] },\n    ]\n  }\n}\n';
    const added = add(text);
    expect(added).toContain('// mine');
    expect(parsed(added)).toEqual({
      hooks: {
        Stop: [],
        SessionStart: [{ matcher: 'clear', hooks: [OTHER] }, { hooks: [OWN] }],
      },
    });
    expect(add(added)).toBe(added);
  });

  it('gets a new root, program and time limit, and keeps options of the user', () => {
    const mine = LINE.replace('/home/me/my notes', '/else').replace('/opt', '/old');
    const text = JSON.stringify({
      hooks: {
        SessionStart: [
          {
            matcher: 'x',
            hooks: [OTHER, { ...OWN, command: `${mine} --max-tokens 900`, timeout: 5 }],
          },
        ],
      },
    });
    const existing = readEntry(text, claude);
    expect(existing && rootOf(existing)).toBe('/else');
    const [group] = parsed(add(text)).hooks.SessionStart;
    expect(group).toEqual({
      matcher: 'x',
      hooks: [OTHER, { ...OWN, command: `${LINE} --max-tokens 900` }],
    });
  });

  it.each([
    ['{}', '{}'],
    ['{ "a": 1 }', '{ "a": 1 }'],
    ['{ "hooks": { "Stop": [] } }', '{ "hooks": { "Stop": [] } }'],
    [
      `{ "hooks": { "SessionStart": [{ "hooks": [${JSON.stringify(OTHER)}] }] } }`,
      `{ "hooks": { "SessionStart": [{ "hooks": [${JSON.stringify(OTHER)}] }] } }`,
    ],
  ])('is removed from %s without a trace', (text, left) => {
    const removed = withoutEntry(add(text), claude);
    expect(parsed(removed)).toEqual(JSON.parse(left));
    expect(withoutEntry(removed, claude)).toBe(removed);
  });

  it.each([
    [0, undefined],
    [1, undefined],
    [2, undefined],
    [0, 2],
    [1, 2],
    [2, 2],
  ])('is removed from place %i of a list (indented by %s), and the others stay', (at, indent) => {
    const others = [OTHER, { ...OTHER, timeout: 1 }];
    const inGroup = JSON.stringify(
      { hooks: { SessionStart: [{ hooks: others.toSpliced(at, 0, OWN) }] } },
      null,
      indent,
    );
    expect(parsed(withoutEntry(inGroup, claude))).toEqual({
      hooks: { SessionStart: [{ hooks: others }] },
    });
    const groups = others.map((hook) => ({ hooks: [hook] }));
    const inGroups = JSON.stringify(
      { hooks: { SessionStart: groups.toSpliced(at, 0, { hooks: [OWN] }) } },
      null,
      indent,
    );
    expect(parsed(withoutEntry(`\ufeff${inGroups}`, claude).slice(1))).toEqual({
      hooks: { SessionStart: groups },
    });
  });

  it.each([
    ['{ "hooks": [] }', 'a value in "hooks" that is not an object'],
    ['{ "hooks": { "SessionStart": {} } }', 'a value in "SessionStart" that is not a list'],
    ['{ "hooks": {}, "hooks": {} }', 'the name "hooks" twice'],
    ['{ "hooks": { "SessionStart": [], "SessionStart": [] } }', 'the name "SessionStart" twice'],
    ['{ "hooks": ', 'not valid JSON'],
  ])('is not added to %s', (text, reason) => {
    expect(() => add(text)).toThrow(AppError);
    expect(() => add(text)).toThrow(reason);
  });

  it('is not mistaken for hooks in forms that Daybook does not know', () => {
    const odd = [
      null,
      7,
      'x',
      { hooks: 1 },
      { hooks: [null, 3, {}, { command: 7 }] },
      { hooks: [{ command: `${LINE}x` }] },
    ];
    const text = JSON.stringify({ hooks: { SessionStart: odd } });
    expect(readEntry(text, claude)?.['args']).toContain('--root');
    const others = JSON.stringify({ hooks: { SessionStart: odd.slice(0, -1) } });
    expect(readEntry(others, claude)).toBeUndefined();
    expect(parsed(add(others)).hooks.SessionStart).toEqual([...odd.slice(0, -1), { hooks: [OWN] }]);
  });

  it.each([
    'linux',
    'win32',
  ])('has a command from which its words are read again (%s)', (platform) => {
    const words = ['node', 'a b', "it's", "'", '', 'C:\\x y\\z', '--root', 'ä 日本'].filter(
      (word) => platform === 'linux' || word !== '',
    );
    for (const quotesPaths of [false, true]) {
      const line = shellLine(words, platform, quotesPaths);
      expect(shellWords(line, platform)).toEqual(words);
    }
    expect(shellLine(['C:\\n\\node.exe', 'a'], 'win32', true)).toBe('"C:\\n\\node.exe" a');
  });
});
