/**
 * The first hour of a new user, in a real terminal of 80 and of 120 columns: init, a second project, save,
 * search, edit, delete and restore, wrong commands, and damaged files.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { runInTerminal, type TerminalOptions } from '../support/terminal.js';
import { type Place, withPlace } from './harness.js';

/** The text on the screen without escape sequences. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are colours and cleared lines
const shown = (screen: string) => screen.replace(/\u001b\[[\d;]*[mKJG]|\r/g, '');

class Person {
  readonly #place: Place;
  readonly #columns: number;

  constructor(place: Place, columns: number) {
    this.#place = place;
    this.#columns = columns;
  }

  /** Runs a command. Returns the text on the terminal, and fails if the status is not `code`. */
  async types(args: readonly string[], code = 0, options: TerminalOptions = {}): Promise<string> {
    const run = await runInTerminal(this.#place, args, { columns: this.#columns, ...options });
    expect(run.code, `${args.join(' ')}: ${run.screen}`).toBe(code);
    return shown(run.screen);
  }
}

/** The beginning of the ids of new conversations. */
const YEAR = String(new Date().getUTCFullYear());

const conversationsIn = (root: string) => join(root, 'conversation-logs');

describe.each([80, 120])('the first hour, %i columns wide', (columns) => {
  const hour = (name: string, work: (person: Person, place: Place) => Promise<void>) =>
    it(name, () => withPlace((place) => work(new Person(place, columns), place)), 240_000);

  hour(
    'init connects clients, and changes the root of a client only after a question',
    async (person, place) => {
      const [notes, project] = [join(place.folder, 'notes'), join(place.folder, 'project')];
      for (const name of ['.cursor', '.codex', '.gemini']) mkdirSync(join(place.folder, name));
      const cursor = join(place.folder, '.cursor/mcp.json');
      const titles = ['Codex', 'Cursor', 'Gemini CLI', 'Codex (hook)', 'Gemini CLI (hook)'];
      const yes = titles.map((title) => ({
        after: `Add this to ${title}? [y/N]`,
        type: 'y\n',
      }));
      const first = await person.types(['init', notes], 0, { answers: yes });
      expect(first).toContain('Cursor: written');
      expect(first).toContain('Codex (hook): written');
      expect(readFileSync(join(place.folder, '.codex/config.toml'), 'utf8')).toContain(
        '[mcp_servers.daybook]',
      );
      const own = readFileSync(cursor, 'utf8').replace(
        `"${notes}"`,
        `"${notes}", "--log-level", "debug"`,
      );
      writeFileSync(cursor, own);
      const asked = await person.types(['init', project, '--client', 'cursor'], 0, {
        answers: [{ after: `Cursor uses ${notes} now. Change it?`, type: '\n' }],
      });
      expect(asked).toContain('- "args"');
      expect(asked).toContain('Cursor: left alone');
      expect(readFileSync(cursor, 'utf8')).toBe(own);
      const unasked = await person.types(['init', project, '--yes']);
      expect(unasked).toContain(`It uses ${notes}.`);
      expect(readFileSync(cursor, 'utf8')).toBe(own);
      await person.types(['init', project, '--yes', '--replace', '--client', 'cursor']);
      const changed = JSON.parse(readFileSync(cursor, 'utf8')).mcpServers.daybook.args;
      expect(changed.slice(1)).toEqual(['--root', project, '--log-level', 'debug']);
      const elsewhere = await person.types(['list'], 1);
      expect(elsewhere).toContain(
        `Cursor uses ${project}: to see that root, add --root ${project}`,
      );
      const removed = await person.types(['init', project, '--remove', '--yes']);
      expect(removed).toContain('Cursor: removed');
      expect(JSON.parse(readFileSync(cursor, 'utf8'))).toEqual({ mcpServers: {} });
      expect(existsSync(conversationsIn(project))).toBe(true);
    },
  );

  hour('init ends at Ctrl-C, and changes no read-only file', async (person, place) => {
    for (const name of ['.cursor', '.gemini']) mkdirSync(join(place.folder, name));
    const answers = [{ after: 'Add this to Cursor? [y/N]', type: '\u0003' }];
    const stopped = await person.types(['init', place.root], 130, { answers });
    expect(stopped).not.toContain('Gemini');
    const gemini = join(place.folder, '.gemini/settings.json');
    writeFileSync(gemini, '{}', { mode: 0o444 });
    const refused = await person.types(['init', place.root, '--yes'], 1);
    expect(refused).toContain('is read-only');
    expect(readFileSync(gemini, 'utf8')).toBe('{}');
  });

  hour('messages can be saved, found, changed, deleted and restored', async (person, place) => {
    const root = ['--root', place.root];
    await person.types([...root, 'init', '--print']);
    expect(existsSync(place.root)).toBe(false);
    const missing = [
      ['restore', 'x'],
      ['restore', 'x.md'],
      ['restore', 'x', '--dry-run'],
    ];
    for (const args of [
      ['list'],
      ['show', 'x'],
      ['save', 'user', 'x'],
      ['kg', 'query'],
      ...missing,
    ]) {
      const said = await person.types([...root, ...args], 2);
      expect(said).toContain('There is no folder');
      expect(said).toContain('init NEW-FOLDER --replace');
    }
    expect(existsSync(place.root)).toBe(false);
    mkdirSync(place.root);
    const title =
      'Everything about the tomatoes behind the shed and how they grow, 日本語, and more';
    const save = ['save', 'user', 'Sow peas', '--conversation-id', 'garden-plan', '--title', title];
    await person.types([...root, ...save, '--tags', 'spring']);
    await person.types([...root, 'save', 'assistant', 'In March.', '--conversation-id', 'last']);
    await person.types([...root, 'save', 'user', 'Other things']);
    const list = await person.types([...root, 'list']);
    expect(list).toContain('garden-plan');
    for (const line of list.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    for (const name of ['garden-plan', 'garden', 'everything about']) {
      const text = await person.types([...root, 'show', name]);
      expect(text).toContain('In March.');
      for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
    const [, day, time] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d).*garden-plan/.exec(list) ?? [];
    const env = { TZ: 'Asia/Tokyo' };
    const far = await person.types([...root, 'show', 'garden-plan'], 0, { env });
    expect(far).toContain('times: Asia/Tokyo');
    expect(far).toMatch(/garden-plan/);
    expect(far).not.toContain(`${day} ${time}`);
    expect(await person.types([...root, 'search', 'peas'])).toContain('garden-plan #1');
    const found = await person.types([...root, 'find', 'sprng', '--kind', 'conversation']);
    expect(found).toMatch(/garden-plan .*\(tag: spring\)/);
    await person.types([...root, 'rename', 'garden', 'Peas']);
    await person.types([...root, 'delete', 'Peas']);
    expect(await person.types([...root, 'search', 'peas'], 1)).toContain('Nothing found.');
    await person.types([...root, 'restore', 'garden-plan']);
    expect(await person.types([...root, 'show', 'peas'])).toContain('Sow peas');
    expect(await person.types([...root, 'show', '20'], 1)).toContain('No conversation has');
    expect(await person.types([...root, 'show', YEAR, '--json'], 2)).toContain('CONFLICT');
    expect(await person.types([...root, 'search', '🦉'], 1)).toContain('No message has: 🦉');
    expect(await person.types([...root, 'search', ''], 2)).toContain('The query is empty');
  });

  hour('damaged files, repeated keys and skipped files are reported', async (person, place) => {
    const root = ['--root', place.root];
    mkdirSync(place.root);
    await person.types([...root, 'save', 'user', 'one', '--conversation-id', 'plan']);
    const logs = conversationsIn(place.root);
    const write = (folder: string, text: string) => {
      mkdirSync(join(logs, folder));
      writeFileSync(join(logs, folder, 'conversation.json'), text);
    };
    write('20250101-1735689600000', '{ "messages": [');
    const graph = join(place.root, 'memory-bank', 'kg_wal.log');
    mkdirSync(join(place.root, 'memory-bank'), { recursive: true });
    writeFileSync(graph, 'not a fact\n');
    const facts = await person.types([...root, 'kg', 'query'], 1);
    expect(facts).toContain('No fact can be read');
    expect(facts.match(/damaged lines: 1/g)).toHaveLength(1);
    expect(await person.types([...root, 'kg', 'stats'], 1)).toContain('damaged lines: 1');
    write('My Garden', '{"messages": []}');
    const [own = ''] = readdirSync(logs).filter((n) => n.startsWith(YEAR));
    await cp(join(logs, own), join(logs, '20250102-1735776000000'), { recursive: true });
    for (const args of [['list'], ['info']]) {
      const text = (await person.types([...root, ...args], 1)).replace(/\s+/g, ' ');
      for (const part of [
        '20250101-1735689600000',
        'My Garden',
        'More than one conversation has the key plan',
      ]) {
        expect(text, args.join(' ')).toContain(part);
      }
      expect(text).not.toContain('health good');
    }
    expect(await person.types([...root, 'list'], 1)).toContain('a closing ] is missing');
    const save = ['save', 'user', 'two', '--conversation-id', 'plan'];
    expect(await person.types([...root, ...save], 2)).toContain(own);
    const named = await person.types([...root, 'find', 'plan'], 1);
    for (const id of [own, '20250102-1735776000000']) {
      expect(named).toMatch(new RegExp(`^conversation +${id} `, 'm'));
    }
    expect((await person.types([...root, 'show', 'last'])).replace(/\s+/g, ' ')).toContain(
      'a closing ] is missing. It was changed later than plan.',
    );
    const nothing = await person.types([...root, 'show', 'lost'], 1);
    expect(nothing).toContain('20250101-1735689600000');
  });

  hour('an output that is longer than the screen is shown in a pager', async (person, place) => {
    const root = ['--root', place.root];
    mkdirSync(place.root);
    const text = Array.from({ length: 60 }, (_, n) => `line ${n + 1}`).join('\n\n');
    await person.types([...root, 'save', 'user', text]);
    const env = { DAYBOOK_PAGER: "sed 's/^/paged: /'" };
    expect(await person.types([...root, 'show', 'last'], 0, { env })).toMatch(/paged: .*line 60/);
    expect(await person.types([...root, 'list'], 0, { env })).not.toContain('paged:');
    const missing = { DAYBOOK_PAGER: 'no-such-pager-here' };
    expect(await person.types([...root, 'show', 'last'], 0, { env: missing })).toContain('line 60');
  });
});
