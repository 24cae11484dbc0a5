/** Commands for users: init, edit, info, kg, insight and help, their input and output, and their errors. */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, type Place, runCommand, withPlace } from './harness.js';

describe('daybook init', () => {
  it('makes a store that later commands in and below this folder use', async () => {
    await withPlace(async (place) => {
      const project = join(place.folder, 'project');
      const below = join(project, 'src', 'deep');
      await mkdir(below, { recursive: true });
      expect((await runCommand(place, ['init'], project)).code).toBe(0);
      expect((await runCommand(place, ['init', '.'], project)).code).toBe(0);
      expect(await readFile(join(project, 'conversation-logs', '.gitignore'), 'utf8')).toBe('*\n');
      expect((await stat(join(project, 'memory-bank'))).isDirectory()).toBe(true);
      const register = await readFile(join(place.folder, 'config/daybook/folders.json'), 'utf8');
      expect(JSON.parse(register)).toEqual({ folders: [project] });
      const inside = await runCommand(place, ['info'], below);
      expect(inside.stdout).toContain(`${project} (registered with daybook init)`);
      const outside = await runCommand(place, ['info']);
      expect(outside.stdout).toContain(join(place.folder, '.daybook'));
    });
  });

  it('makes the folder that --root names, and refuses a second folder', async () => {
    await withPlace(async (place) => {
      expect((await runCommand(place, ['--root', place.root, 'init'])).code).toBe(0);
      expect((await stat(join(place.root, 'memory-bank'))).isDirectory()).toBe(true);
      const register = await readFile(join(place.folder, 'config/daybook/folders.json'), 'utf8');
      expect(JSON.parse(register)).toEqual({ folders: [place.root] });
      const twice = await runCommand(place, ['--root', place.root, 'init', 'elsewhere']);
      expect(twice).toMatchObject({ code: 2, stdout: '' });
      expect(twice.stderr).toContain('elsewhere');
      await expect(stat(join(place.folder, 'elsewhere'))).rejects.toThrow();
    });
  });

  it('refuses a folder inside a package cache', async () => {
    await withPlace(async (place) => {
      const { code, stderr } = await runCommand(place, ['init', 'node_modules/x']);
      expect(code).toBe(2);
      expect(stderr).toContain('package cache');
    });
  });
});

it.each([
  ['encrypt', '--yes', '--key-file', 'missing'],
  ['restore', 'x', '--identity', 'missing'],
])('the error of %s names a missing key file', async (...args) => {
  await withPlace(async (place) => {
    await mkdir(place.root);
    const { code, stderr } = await runCommand(place, ['--root', place.root, ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^daybook: Could not read \S+missing \(it does not exist, ENOENT\)\./);
  });
});

const ID = '20250124-1706102400123';
const TEA = JSON.stringify({ title: 'Tea', messages: [{ role: 'user', content: 'one' }] });

async function withTea(text: string, work: (place: Place, path: string) => Promise<void>) {
  await withPlace(async (place) => {
    const path = join(place.root, 'conversation-logs', ID, 'conversation.json');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await work(place, path);
  });
}

const editWith = ({ env, ...place }: Place, editor: string, name = 'tea') =>
  runCommand({ ...place, env: { ...env, EDITOR: editor } }, ['--root', place.root, 'edit', name]);

describe('daybook edit', () => {
  it.each([
    [`sed -i.old 's/one/two/'`, 0, 'conversation.json: 1 message, saved.'],
    ['true', 0, 'conversation.json: 1 message, not changed.'],
    ['true', 0, 'The editor ended immediately.'],
    ['exit 3 #', 2, 'Nothing was changed.'],
    ['no-such-editor', 2, 'Set EDITOR to the command of your editor.'],
    [`sed -i 's/{/{{/'`, 2, 'The conversation was not changed. Your text is in'],
  ])('with the editor %s reports what was stored', async (editor, status, text) => {
    await withTea(TEA, async (place, path) => {
      const run = await editWith(place, editor);
      expect(run.code).toBe(status);
      expect(run.stdout + run.stderr).toContain(text);
      if (status !== 0) expect(await readFile(path, 'utf8')).toBe(TEA);
    });
  });

  it('does not start vi without a terminal', async () => {
    await withTea(TEA, async (place) => {
      const run = await editWith(place, '');
      expect(run.code).toBe(2);
      expect(run.stderr).toContain('The editor vi needs a terminal.');
    });
  });

  it('keeps a message that was added while the editor was open', async () => {
    await withTea(TEA, async (place, path) => {
      const save = `${process.execPath} ${MAIN} --root ${place.root} save assistant meanwhile --conversation-id ${ID}`;
      const run = await editWith(place, `${save} >&2; sed -i.old 's/one/edited/'`);
      expect(run.stdout).toContain('2 messages, saved. Messages that were added');
      const { messages } = JSON.parse(await readFile(path, 'utf8'));
      const texts = messages.map(({ content }: { content: string }) => content);
      expect(texts).toEqual(['edited', 'meanwhile']);
    });
  });

  it('stores nothing if both changed the same message, and leaves the text of the editor', async () => {
    await withTea(TEA, async (place, path) => {
      const run = await editWith(
        place,
        `sed -i 's/one/other/' ${path}; sed -i.old 's/one/edited/'`,
      );
      expect(run.code).not.toBe(0);
      const [copy = ''] = /\S+conversation\.json$/m.exec(run.stderr) ?? [];
      expect(await readFile(copy, 'utf8')).toContain('edited');
      expect(await readFile(path, 'utf8')).toContain('other');
    });
  });

  it('says where the text of the editor is if the conversation was deleted meanwhile', async () => {
    await withTea(TEA, async (place) => {
      const remove = `${process.execPath} ${MAIN} --root ${place.root} delete ${ID} --yes`;
      const run = await editWith(place, `${remove} >&2; sed -i.old 's/one/edited/'`);
      expect(run.code).not.toBe(0);
      expect(run.stderr).toContain(`restore ${ID}`);
      const [copy = ''] = /\S+conversation\.json$/m.exec(run.stderr) ?? [];
      expect(await readFile(copy, 'utf8')).toContain('edited');
    });
  });

  it('opens a damaged file by its id, and stores what can be read', async () => {
    await withTea(`${TEA}}`, async (place, path) => {
      expect((await editWith(place, `sed -i.old 's/}}$/}/'`, ID)).stdout).toContain('saved');
      expect(await readFile(path, 'utf8')).toBe(TEA);
    });
  });
});

describe('daybook info', () => {
  it('shows the folders of the data and the settings', async () => {
    await withPlace(async (place) => {
      await mkdir(place.root);
      const { code, stdout } = await runCommand(place, ['info', '--root', place.root]);
      expect(code).toBe(0);
      expect(stdout).toContain(`${place.root} (set with --root)`);
      expect(stdout).toMatch(/fsync +off/);
      expect(stdout).toMatch(/Perplexity +no key for this command; a server uses the key in the/);
    });
  });
});

describe('daybook kg', () => {
  const fact = (n: number) =>
    JSON.stringify({ subject: `s${n}`, predicate: 'has a long name', object: `${n}`.repeat(30) });

  it('imports a file, and exports all facts to a pipe', async () => {
    await withPlace(async (place) => {
      const lines = Array.from({ length: 2_000 }, (_, n) => fact(n));
      await writeFile(join(place.folder, 'facts.jsonl'), lines.join('\n'));
      const imported = await runCommand(place, ['kg', 'import', '--file', 'facts.jsonl']);
      expect(imported.stdout).toContain('2000 added');
      const exported = await runCommand(place, ['kg', 'export']);
      expect(exported).toMatchObject({ code: 0, stderr: '' });
      const subjects = exported.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).subject);
      expect(new Set(subjects).size).toBe(2_000);
      const page = await runCommand(place, ['kg', 'export', '--offset', '1']);
      expect(page.stderr).toMatch(
        /^There are more results; to see them, use --all or --offset \d+\n$/,
      );
      const nowhere = await runCommand(place, ['kg', 'import', '--file', 'nothing.jsonl']);
      expect(nowhere).toMatchObject({ code: 2 });
    });
  });

  it('imports facts from the standard input', async () => {
    await withPlace(async (place) => {
      const args = ['kg', 'import', '-'];
      const run = await runCommand(place, args, place.folder, `${fact(1)}\n${fact(2)}\n`);
      expect(run).toMatchObject({ code: 0, stdout: '2 added, 0 already stored, 0 refused\n' });
      const more = fact(3).replace('}', ',"valid_from":"1833"}');
      const { code, stdout } = await runCommand(place, args, place.folder, more);
      expect({ code, lines: stdout.trim().split('\n') }).toEqual({
        code: 0,
        lines: [
          '1 added, 0 already stored, 0 refused',
          'not imported: the unknown field "valid_from" of 1 line',
        ],
      });
    });
  });

  it('imports a file by a link to the file or to its folder', async () => {
    await withPlace(async (place) => {
      const folder = join(place.folder, 'facts');
      await mkdir(folder);
      await writeFile(join(folder, 'a.jsonl'), fact(1));
      await symlink(join(folder, 'a.jsonl'), join(place.folder, 'link.jsonl'));
      await symlink(folder, join(place.folder, 'here'));
      const first = await runCommand(place, ['kg', 'import', 'link.jsonl']);
      expect(first.stdout).toContain('1 added');
      const second = await runCommand(place, ['kg', 'import', join('here', 'a.jsonl')]);
      expect(second.stdout).toContain('1 already stored');
    });
  });
});

describe('insights with a pipe', () => {
  it('are found with their text on several lines', async () => {
    await withPlace(async (place) => {
      const text = 'Sand for clay\n\n\tspread(10);\n';
      await runCommand(place, ['insight', 'save', text, '--context', 'global']);
      const { stdout } = await runCommand(place, [
        'insight',
        'search',
        'spread',
        '--context',
        'global',
      ]);
      expect(stdout).toContain('    Sand for clay\n    \n        spread(10);');
    });
  });

  it('are found by a tag with the first line of their text', async () => {
    await withPlace(async (place) => {
      const args = ['--context', 'global'];
      const text = `Clay holds water.\nMix in sand.${' Then wait.'.repeat(40)} Ask for marl.`;
      await runCommand(place, ['insight', 'save', text, '--tags', 'soil', ...args]);
      const byTag = await runCommand(place, ['insight', 'search', 'soil', ...args]);
      expect(byTag.stdout).toContain('#soil\n    Clay holds water.\n    soil\n');
      const byText = await runCommand(place, ['insight', 'search', 'marl', ...args]);
      expect(byText.stdout).not.toContain('Clay holds water.');
    });
  });

  it('are imported from the standard input', async () => {
    await withPlace(async (place) => {
      const line = JSON.stringify({ content: 'Peas first', context: 'global' });
      const options = { env: place.env, cwd: place.folder, encoding: 'utf8' } as const;
      const args = [MAIN, 'insight', 'import', '-'];
      const input = `${line}\nnonsense\n`;
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...options, input });
      expect([status, stdout]).toEqual([1, '1 added, 0 updated, 0 unchanged, 1 refused\n']);
      expect(stderr).toContain('line 2');
      expect((await runCommand(place, ['insight', 'export'])).stdout).toContain('Peas first');
    });
  });
});

it('daybook list marks a branch, which has the title of its source', async () => {
  await withPlace(async (place) => {
    const id = '20250124-1737730800123';
    const head = { title: 'Garden', branchOf: { conversationId: id, messageId: 'm1' } };
    for (const [name, fields] of Object.entries({
      [id]: { title: 'Garden' },
      '20250125-1737817200123': head,
    })) {
      await mkdir(join(place.root, 'conversation-logs', name), { recursive: true });
      const document = { ...fields, messages: [{ id: 'm1', role: 'user', content: 'x' }] };
      const path = join(place.root, 'conversation-logs', name, 'conversation.json');
      await writeFile(path, JSON.stringify(document));
    }
    const { stdout } = await runCommand(place, ['--root', place.root, 'list']);
    expect(stdout).toMatch(/20250125-1737817200123 {2}Garden {2}\(branch\)\n/);
    expect(stdout).toMatch(/20250124-1737730800123 {2}Garden\n/);
  });
});

it('daybook doctor prints advice that holds for several findings once', async () => {
  await withPlace(async (place) => {
    const logs = join(place.root, 'conversation-logs');
    await mkdir(join(logs, '20250124-1737730800123'), { recursive: true, mode: 0o755 });
    const path = join(logs, '20250124-1737730800123', 'conversation.json');
    await writeFile(path, '{ "messages": [{ "role": "user", "content": "x" }] }', { mode: 0o644 });
    const { stdout } = await runCommand(place, ['--root', place.root, 'doctor']);
    expect(stdout.match(/Other users of this machine can open it/g)).toHaveLength(3);
    expect(stdout.match(/removes these permissions/g)).toHaveLength(1);
  });
});

describe('a text that is not UTF-8', () => {
  it('is refused, because it could not be stored unchanged', async () => {
    await withPlace(async (place) => {
      const options = {
        env: place.env,
        cwd: place.folder,
        input: Buffer.from('caf\xe9', 'latin1'),
      };
      const { status, stderr } = spawnSync(process.execPath, [MAIN, 'save', 'user', '-'], options);
      expect(status).toBe(2);
      expect(String(stderr)).toContain('not UTF-8');
      expect((await runCommand(place, ['list'])).stdout).toBe('');
    });
  });
});

it('a byte-order mark before a text from the standard input is not stored', async () => {
  await withPlace(async (place) => {
    for (const args of [
      ['save', 'user', '-', '--conversation-id', 'mark'],
      ['mb', 'add', 'mark.md', '-'],
    ])
      expect((await runCommand(place, args, place.folder, '\uFEFFHello')).code).toBe(0);
    const { stdout } = await runCommand(place, ['show', 'mark', '--json']);
    expect(JSON.parse(stdout).messages).toMatchObject([{ content: 'Hello' }]);
    expect((await runCommand(place, ['mb', 'read', 'mark.md'])).stdout).toBe('Hello\n');
  });
});

it.each([
  ['lines', 'a\n=\n'.repeat(8_000)],
  ['one line', '=a'.repeat(16_000)],
])('a note of %s that is longer than an answer is read in parts', async (_form, text) => {
  await withPlace(async (place) => {
    await runCommand(place, ['mb', 'add', 'long.md', '-'], place.folder, text);
    let read = '';
    for (let options: string[] | undefined = []; options !== undefined; ) {
      const { stdout, stderr } = await runCommand(place, ['mb', 'read', 'long.md', ...options]);
      const more = /^There are more lines; to see them, use (--start-line .*)\n$/.exec(stderr)?.[1];
      if (more === undefined) expect(stderr).toBe('');
      options = more?.split(' ');
      read += options?.includes('--start-column') ? stdout.slice(0, -1) : stdout;
    }
    expect(read).toBe(text.endsWith('\n') ? text : `${text}\n`);
  });
});

describe('output that cannot be written', () => {
  it.each([
    ['list', 2],
    ['list --json', 2],
    ['search hello', 2],
    ['kg query', 2],
    ['kg export', 2],
    ['export', 2],
    ['info', 2],
    ['info --json', 2],
    ['unlock', 2],
    ['backup', 2],
    ['init --print', 2],
    ['init . --yes', 2],
  ])('lets a command fail: %s', async (command, code) => {
    await withPlace(async (place) => {
      await runCommand(place, ['save', 'user', 'hello']);
      await runCommand(place, ['kg', 'add', 'Ada', 'knows', 'Charles']);
      const script = `'${process.execPath}' '${MAIN}' ${command} > /dev/full`;
      const { status, stderr } = spawnSync('sh', ['-c', script], {
        env: place.env,
        cwd: place.folder,
      });
      expect(status, String(stderr)).toBe(code);
      expect(String(stderr)).toContain('could not write the output');
    });
  });
});

it('daybook open prints why the store cannot be opened, once and without a log line', async () => {
  await withPlace(async (place) => {
    await mkdir(place.root, { recursive: true });
    await writeFile(join(place.root, 'conversation-logs'), 'a file');
    const { code, stderr } = await runCommand(place, ['--root', place.root, 'open', '--print']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^daybook: Could not create .*\n {2}This step changed nothing\..*\n$/);
  });
});

describe('help and mistakes', () => {
  it('prints help and version to stdout', async () => {
    await withPlace(async (place) => {
      const help = await runCommand(place, ['--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toMatch(/^ +init +create a store in a folder/m);
      expect((await runCommand(place, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });

  it.each([
    [['--nope'], '--nope'],
    [['nope'], 'nope'],
    [['lst'], 'Did you mean list?'],
    [['--nope'], '(daybook --help'],
    [['show', 'x', '--jsn'], 'Did you mean --json?'],
    [
      ['list', '--since', '2026-01-01'],
      "unknown option '--since'\n(Did you mean --updated-after?)",
    ],
    [['stats', '--since', '2026-01-01'], 'Did you mean --from?'],
    [['kg', 'query', '--to', '2026-01-01'], 'Did you mean --until?'],
    [['import', '--updated-after', '2026-01-01'], 'Did you mean --since?'],
    [['help', 'nope'], 'nope'],
    [['show'], '(To see its arguments and options, run daybook show --help)'],
    [['info', '--log-level', 'loud'], '--log-level must be one of debug'],
    [['--toolsets', 'x', 'info'], '--toolsets must be all'],
    [['save', 'robot', 'hi'], "role must be one of system, user, assistant, not 'robot'."],
    [['kg', 'add', 'Ada'], 'A fact has three parts (subject, predicate, object), but 1 is given.'],
    [['mb', 'edit', 'x.md'], 'No change was given.'],
    [['prune'], 'Give --older-than, --module, --tag or --by-size, or set a policy'],
    [['import', '--watch', '--dry-run'], '--dry-run imports nothing'],
    [['import', '', '--yes'], 'A path to import is empty.'],
    [['backup', '--to', ''], '--to is empty.'],
    [['restore', ''], 'The name of what to restore is empty.'],
    [['trash', 'restore', ''], 'The name of what to restore is empty.'],
    [['init', '--remove', '--print', '--yes'], '--print changes nothing'],
  ])('the error of %o is on stderr and names the problem', async (args, expected) => {
    await withPlace(async (place) => {
      const { code, stdout, stderr } = await runCommand(place, args);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^daybook: /);
      expect(stderr).toContain(expected);
    });
  });
});

describe('a command that changes a conversation', () => {
  it('reads none of the other conversations that are unchanged in the index cache', async () => {
    await withPlace(async (place) => {
      await mkdir(place.root);
      const run = (...args: string[]) => runCommand(place, [...args, '--root', place.root]);
      const save = async (key: string) => {
        const { stdout } = await run('save', 'user', 'hello', '--conversation-id', key, '--json');
        return join(JSON.parse(stdout).conversationPath, 'conversation.json');
      };
      const other = await save('other');
      const mine = await save('mine');
      // A store with fewer messages has no cache.
      const messages = Array.from({ length: 2_000 }, () => ({ role: 'user', content: 'hello' }));
      await writeFile(mine, JSON.stringify({ clientId: 'mine', messages }));
      await utimes(other, 1_700_000_000, 1_700_000_000);
      await run('search', 'hello');
      // The file keeps its length and time, so only a process that reads it notices the damage.
      await writeFile(other, ' '.repeat((await stat(other)).size));
      await utimes(other, 1_700_000_000, 1_700_000_000);
      expect((await run('rename', 'mine', 'Mine')).stdout).toContain(
        'mine has the title "Mine" now',
      );
      for (const args of [['pin'], ['delete']]) {
        const { stderr } = await run(...args, 'nothing');
        expect(stderr).toContain('No conversation has the key, id or title "nothing".');
        expect(stderr).not.toContain('cannot be read');
      }
      await utimes(other, 1_700_000_001, 1_700_000_001);
      expect((await run('pin', 'nothing')).stderr).toContain('1 conversation cannot be read');
    });
  });
});
