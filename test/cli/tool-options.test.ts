/** Commands made from tools: any schema becomes arguments and options, which become the input of the tool. */
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProgram } from '../../src/cli/program.js';
import { EXAMPLES } from '../../src/cli/tools/tool-examples.js';
import { fillIn } from '../../src/cli/tools/tool-groups.js';
import { addFields, fieldsOf, inputFrom } from '../../src/cli/tools/tool-options.js';
import { ADDS, defineTool, success, type Tool } from '../../src/tools/define-tool.js';
import { jsonObject } from '../../src/tools/fields/json-object.js';
import { tools } from '../../src/tools/index.js';

const probe: Tool = defineTool({
  name: 'probe_probe',
  toolset: 'insights',
  title: 'Probe',
  description: 'A tool that takes one of everything.',
  input: () =>
    z.strictObject({
      id: z.uuid().describe('Which one.'),
      kind: z.enum(['small', 'large']).describe('How large.'),
      body: z.string().describe('Text.'),
      limit: z.number().int().min(1).max(9).describe('How many.').default(3),
      wide: z.boolean().describe('Wide.').default(false),
      deep: z.boolean().describe('Deep.').default(true),
      open: z.boolean().describe('Either.').exactOptional(),
      tags: z.array(z.string()).describe('Words.').exactOptional(),
      meta_data: jsonObject('Anything.').exactOptional(),
      items: z
        .array(z.strictObject({ a: z.number() }))
        .describe('Things.')
        .exactOptional(),
      until: z.string().nullable().describe('When.').exactOptional(),
      matchType: z.enum(['auto', 'any']).describe('How.').default('auto'),
    }),
  output: () => z.object({ success }),
  annotations: ADDS,
  run: async () => ({}),
});

/** The input of the tool for these words on the command line. */
function typed(...words: string[]): Record<string, unknown> {
  const fields = fieldsOf(probe);
  const command = new Command('probe')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  addFields(command, fields);
  command.action(() => undefined);
  command.parse(words, { from: 'user' });
  const given = { args: command.processedArgs, options: command.opts() };
  return inputFrom(probe, fields, given, {});
}

const ID = '6fa459ea-ee8a-4ca4-894e-db77e160355e';
const NEEDED = [ID, 'small', 'some', 'words'];
const DEFAULTS = { limit: 3, wide: false, deep: true, matchType: 'auto' };

describe('a tool on the command line', () => {
  it('has arguments for required inputs; the remaining words are one text', () => {
    expect(typed(...NEEDED)).toEqual({ id: ID, kind: 'small', body: 'some words', ...DEFAULTS });
  });

  it.each<[string[], Record<string, unknown>]>([
    [['--limit', '9'], { limit: 9 }],
    [['--wide'], { wide: true }],
    [['--no-deep'], { deep: false }],
    [['--open'], { open: true }],
    [['--no-open'], { open: false }],
    [['--open', 'false'], { open: false }],
    [['--open=false'], { open: false }],
    [['--open', 'true'], { open: true }],
    [['--wide', 'false'], { wide: false }],
    [['--deep', 'true'], { deep: true }],
    [['--deep=false', '--open'], { deep: false, open: true }],
    [['--open', 'more'], { open: true, body: 'some words more' }],
    [['--wide', '--', '--open', 'false'], { wide: true, body: 'some words --open false' }],
    [['--tags', 'a', '--tags', 'b c'], { tags: ['a', 'b c'] }],
    [['--tags', 'a,b', '--tags', ' c, a'], { tags: ['a', 'b', 'c'] }],
    [['--tags', '#a'], { tags: ['a'] }],
    [['--tags', ''], { tags: [] }],
    [['--meta-data', '{"x": [1]}'], { meta_data: { x: [1] } }],
    [['--items', '[{"a": 1}]'], { items: [{ a: 1 }] }],
    [['--until', 'null'], { until: null }],
    [['--until', '2025-01-01'], { until: '2025-01-01' }],
    [['--match-type', 'any'], { matchType: 'any' }],
  ])('has options for all other inputs: %j', (words, expected) => {
    const base = { id: ID, kind: 'small', body: 'some words', ...DEFAULTS };
    expect(typed(...NEEDED, ...words)).toEqual({ ...base, ...expected });
  });

  it('refuses an input that is given as a word and as an option', () => {
    const tool = tools.find(({ name }) => name === 'kg_query') as Tool;
    const fields = fieldsOf(tool, ['subject']);
    const given = (args: string[], options: object) =>
      inputFrom(tool, fields, { args, options: { ...options } }, {});
    expect(given(['Ada'], {})).toMatchObject({ subject: 'Ada' });
    expect(given([], { subject: 'Grace' })).toMatchObject({ subject: 'Grace' });
    expect(() => given(['Ada'], { subject: 'Grace' })).toThrow(
      'Give subject as a word or as --subject, not both.',
    );
  });

  it.each<[string[], string]>([
    [['no-uuid', 'small', 'x'], 'id is not valid'],
    [[...NEEDED, '--limit', '10'], '--limit must be at most 9'],
    [[...NEEDED, '--limit', '1.5'], '--limit must be a whole number'],
    [[...NEEDED, '--limit', 'ten'], '--limit must be a number'],
    [[...NEEDED, '--limit', ''], '--limit must be a number'],
    [[...NEEDED, '--meta-data', '[1]'], '--meta-data is not valid'],
    [[...NEEDED, '--meta-data', '{x}'], '--meta-data must be JSON'],
    [[...NEEDED, '--items', '[{"b": 1}]'], '--items is not valid'],
    [[...NEEDED, '--match-type', 'best'], '--match-type'],
    [[ID, 'medium', 'x'], 'kind'],
    [[ID, 'small'], 'body'],
    [[...NEEDED, '--nope'], '--nope'],
  ])('names the wrong argument or option: %j', (words, expected) => {
    expect(() => typed(...words)).toThrow(expected);
  });
});

describe('every tool', () => {
  it.each(
    tools.map((tool) => [tool.name, tool] as const),
  )('%s can be used on the command line', (_, tool) => {
    const fields = fieldsOf(tool);
    const command = new Command('probe');
    addFields(command, fields);
    const rests = command.registeredArguments.map(({ variadic }) => variadic);
    expect(rests.slice(0, -1).every((isRest) => !isRest)).toBe(true);
    expect(fields.map(({ name }) => name).sort()).toEqual(Object.keys(tool.input.shape).sort());
  });
});

describe('the examples of the help', () => {
  const program = createProgram();
  for (const command of program.commands) fillIn(command, () => ({}));
  const find = (words: readonly string[]): [Command, readonly string[]] => {
    const [first = '', second = ''] = words;
    const group = program.commands.find((each) => each.name() === first);
    const inside = group?.commands.find((each) => each.name() === second);
    if (inside !== undefined) return [inside, words.slice(2)];
    if (group === undefined) throw new Error(first);
    return [group, words.slice(1)];
  };
  /** As a shell splits them: without quotes and redirections. */
  const wordsOf = (line: string) =>
    [...line.replace(/ [<>] \S+/g, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, single, double, bare]) => single ?? double ?? bare ?? '',
    );

  it.each(
    Object.entries(EXAMPLES).flatMap(([name, lines]) => lines.map((line) => [line, name])),
  )('daybook %s', (line, name) => {
    const [command, rest] = find(wordsOf(line ?? ''));
    expect(line?.startsWith(name ?? '?')).toBe(true);
    command.exitOverride((error) => {
      throw error;
    });
    command.action(() => undefined);
    expect(() => command.parse([...rest], { from: 'user' })).not.toThrow();
  });

  it('exist for every command', () => {
    const without = program.commands
      .flatMap((command) => [command, ...command.commands])
      .filter((command) => {
        let help = '';
        const writeOut = (text: string) => {
          help += text;
        };
        command.configureOutput({ writeOut });
        command.outputHelp();
        return !/\nExamples?:\n {2}daybook /.test(help) && command.name() !== 'complete';
      })
      .map((command) => command.name());
    expect(without).toEqual([]);
  });
});
