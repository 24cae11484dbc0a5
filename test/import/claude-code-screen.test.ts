/** What `/export` of Claude Code writes, in the forms of its versions. */
import { describe, expect, it } from 'vitest';
import { fileWith, openImportBench, said } from './bench.js';

const LOGO = [
  ' ▐▛███▜▌   Claude Code v2.1.119',
  '▝▜█████▛▘  Opus 4.6 (1M context) · Claude Max',
  '  ▘▘ ▝▝    ~/work/garden',
  '',
  '  /remote-control is active',
  '',
];
const BOX = [
  '╭─── Claude Code v2.1.150 ─────────────────────────────────╮',
  '│                                │ Tips for getting        │',
  '│            ▐▛███▜▌             │ started                 │',
  '│           ▝▜█████▛▘            │ Run /init to create a … │',
  '│             ▘▘ ▝▝              │ /release-notes for more │',
  '│  Haiku 4.5 · Claude Pro        │                         │',
  '│        C:\\work\\garden          │                         │',
  '╰──────────────────────────────────────────────────────────╯',
  '',
];
const WELCOME = [
  '╭───────────────────────────────────────────────────╮',
  '│ ✻ Welcome to Claude Code!                         │',
  '│                                                   │',
  '│   /help for help, /status for your current setup  │',
  '│                                                   │',
  '│   cwd: /work/garden                               │',
  '╰───────────────────────────────────────────────────╯',
  '',
  ' ※ Tip: Use /theme to change the color theme',
  '',
];
const DIALOGUE = ['❯ Which wall?', '', '⏺ The south wall.', ''];

/** Imports the lines, and again, which changes nothing. */
async function imported(lines: readonly string[]) {
  const bench = await openImportBench();
  const path = fileWith(lines.join('\n'), '2026-01-02-walls.txt');
  const report = await bench.import(path);
  expect(report).toMatchObject({ added: 1, problems: [], sources: [{ kind: 'markdown' }] });
  const hash = bench.hash();
  expect(await bench.import(path)).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
  expect(bench.hash()).toBe(hash);
  return { made: bench.bySource('2026-01-02-walls.txt'), report };
}

describe("an export of Claude Code's screen", () => {
  it.each([
    ['the logo', LOGO, 'Opus 4.6 (1M context)'],
    ['the box', BOX, 'Haiku 4.5'],
    ['the welcome of version 1', WELCOME, undefined],
  ])('begins with %s, which names the folder', async (_what, banner, model) => {
    const { made } = await imported([...banner, ...DIALOGUE]);
    expect(said(made)).toEqual(['user: Which wall?', 'assistant: The south wall.']);
    expect(made.module).toBe('garden');
    expect(made.messages[1].metadata?.model).toBe(model);
  });

  it('has no module if the folder has no name', async () => {
    const { made } = await imported([...LOGO.with(2, '  ▘▘ ▝▝    /'), ...DIALOGUE]);
    expect(made.module).toBeUndefined();
  });

  it('has prompts and answers of several lines, in both forms', async () => {
    const { made } = await imported([
      ...LOGO,
      '❯ Which wall is the one that gets                    ',
      '  the most sun?                                      ',
      '',
      '  Not the shed.                                      ',
      '',
      '⏺ The south wall:',
      '',
      '  - dry',
      '    - and warm',
      '',
      '> And the',
      '> other one?',
      'https://example.org',
      '',
      '● Cold.',
    ]);
    expect(said(made)).toEqual([
      'user: Which wall is the one that gets\nthe most sun?\n\nNot the shed.',
      'assistant: The south wall:\n\n- dry\n  - and warm',
      'user: And the\nother one?\nhttps://example.org',
      'assistant: Cold.',
    ]);
  });

  it('keeps tool calls, their results and thinking as activity', async () => {
    const { made, report } = await imported([
      ...LOGO,
      '❯ Look.',
      '',
      '✻ Thinking…',
      '',
      'Two files may say it.',
      '',
      '⏺ I look.',
      '',
      '⏺ Bash(grep -n wall notes.md |',
      '      head -3)',
      '  ⎿  1: the south wall',
      '     2: the north wall',
      '',
      '     … +3 lines (ctrl+o to expand)',
      '  ⎿  (timeout 5m)',
      '',
      '  Read 2 files (ctrl+o to expand)',
      '',
      '⏺ github - get_issue (MCP)(id: 1)',
      '',
      '⏺ Update Todos',
      '  ⎿  ☐ paint',
      '',
      '⏺ wallOf(x) is right.',
      '  ⎿  Interrupted · What should Claude do instead?',
      '',
      '✻ Brewed for 46s',
    ]);
    expect(said(made)).toEqual([
      'user: Look.',
      'assistant: I look.',
      'assistant: wallOf(x) is right.',
    ]);
    expect(made.messages[1].metadata.thinking).toBe('Two files may say it.');
    expect(made.messages[2].metadata.tools).toEqual([
      {
        name: 'Bash',
        input: 'grep -n wall notes.md |\n    head -3',
        result:
          '1: the south wall\n2: the north wall\n\n… +3 lines (ctrl+o to expand)\n(timeout 5m)',
      },
      { name: 'Claude Code', result: 'Read 2 files (ctrl+o to expand)' },
      { name: 'github - get_issue (MCP)', input: 'id: 1' },
      { name: 'Update Todos', result: '☐ paint' },
    ]);
    expect(report.leftOut).toMatchObject({ 'status lines': 1 });
  });

  it('has commands as typed, without their output', async () => {
    const { made, report } = await imported([
      ...LOGO,
      '❯ /model                ',
      '  ⎿  Set model to Opus',
      '! npm test              ',
      '  ⎿  ok',
      '',
      ...DIALOGUE,
    ]);
    expect(said(made)).toEqual([
      'user: /model',
      'user: ! npm test',
      'user: Which wall?',
      'assistant: The south wall.',
    ]);
    expect(report.leftOut).toMatchObject({ 'outputs of commands': 2 });
  });

  it('is not a text with a logo in its middle', async () => {
    const bench = await openImportBench();
    const text = ['## User', 'What is this?', ...LOGO, '## Assistant', 'A logo.'].join('\n');
    await bench.import(fileWith(text, 'a.md'));
    expect(said(bench.bySource('a.md')).at(-1)).toBe('assistant: A logo.');
  });
});
