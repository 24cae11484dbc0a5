/** The commands that Daybook prints in hints, and its messages about items that were deleted or archived. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, type Place, runCommand, withPlace } from './harness.js';

const run = (place: Place, ...args: string[]) => runCommand(place, ['--root', place.root, ...args]);

/** The root of `withTea`, which is made once. */
let tea = '';
beforeAll(() =>
  withPlace(async (place) => {
    await mkdir(place.root);
    await run(place, 'save', 'user', 'Which pot?', '--conversation-id', 'tea');
    await run(place, 'rename', 'tea', 'Green tea in May');
    tea = await mkdtemp(join(tmpdir(), 'daybook-hints-'));
    await cp(place.root, tea, { recursive: true });
  }),
);
afterAll(() => rm(tea, { recursive: true, force: true }));

/** Makes a root whose path needs quotes, with the conversation `tea`. */
async function withTea(work: (place: Place, id: string) => Promise<void>): Promise<void> {
  await withPlace(async ({ folder, env }) => {
    const place = { folder, env, root: join(folder, 'my root') };
    await cp(tea, place.root, { recursive: true });
    const names = await readdir(join(place.root, 'conversation-logs'));
    await work(place, names.find((name) => /^\d/.test(name)) ?? '');
  });
}

/** Runs the printed command in a shell, in a folder outside the store. */
function runPrinted({ folder, env }: Place, text: string): string {
  const [, line = ''] = /run: daybook (.*)/.exec(text) ?? [];
  const command = `'${process.execPath}' '${MAIN}' ${line}`;
  return execFileSync('sh', ['-c', command], { env, cwd: join(folder, '..'), encoding: 'utf8' });
}

describe('a printed command that restores an item', () => {
  it.each([
    { made: ['mb', 'add', 'my tea.md', 'Pots'], undone: ['mb', 'delete', 'my tea.md'] },
    { made: [], undone: ['delete', 'tea'] },
    { made: ['tag', 'tea', 'green'], undone: ['prune', '--tag', 'green', '--yes'] },
  ])('has the root of $undone', async ({ made, undone }) => {
    await withTea(async (place) => {
      if (made.length > 0) await run(place, ...made);
      const { stdout } = await runCommand(place, ['--root', 'my root', ...undone]);
      expect(stdout).toContain(`daybook --root '${place.root}' restore `);
      expect(runPrinted(place, stdout)).toContain('restored');
    });
  });

  it('has the root of an insight', async () => {
    await withTea(async (place) => {
      const saved = await run(place, 'insight', 'save', 'Warm the pot', '--context', 'project:tea');
      const [, id = ''] = /Saved (\S+)/.exec(saved.stdout) ?? [];
      const { stdout } = await run(place, 'insight', 'delete', id);
      expect(runPrinted(place, stdout)).toContain('The insight was restored');
    });
  });
});

describe('a deleted conversation', () => {
  it.each(['green tea in may', 'Green tea', 'TEA', 'tea'])('is restored as %s', async (name) => {
    await withTea(async (place, id) => {
      await run(place, 'delete', 'tea');
      const restored = await run(place, 'restore', name);
      if (name === 'TEA') expect(restored.stderr).toContain('no deleted or archived conversation');
      else expect(restored.stdout).toContain(`${id} was restored`);
    });
  });

  it('is not restored by a title that two deleted conversations have', async () => {
    await withTea(async (place, id) => {
      await run(place, 'save', 'user', 'More', '--conversation-id', 'second');
      await run(place, 'rename', 'second', 'Green tea in June');
      for (const name of ['tea', 'second']) await run(place, 'delete', name);
      const { code, stderr } = await run(place, 'restore', 'green tea');
      expect(code).toBe(2);
      expect(stderr).toContain('matches 2 deleted conversations');
      expect(stderr).toContain(`${id} (Green tea in May)`);
    });
  });
});

it.each([
  ['list'],
  ['search', 'pot'],
  ['find', 'tea'],
  ['show', 'tea'],
])('explains what to do in an empty store: %s', (...command) =>
  withPlace(async (place) => {
    await mkdir(place.root);
    const { code, stderr } = await run(place, ...command);
    expect(code).toBe(1);
    expect(stderr).toContain('The store has no conversation.');
    expect(stderr).toMatch(/run daybook (.* )?save\./);
  }));

describe('a conversation that is in no list', () => {
  it('is shown to be in the trash, with the command that restores it', async () => {
    await withTea(async (place, id) => {
      await run(place, 'delete', 'tea');
      for (const name of [id, 'tea', 'Green tea']) {
        const { code, stderr } = await run(place, 'show', name);
        expect(code).toBe(1);
        expect(stderr).toContain(`The conversation ${id} (Green tea in May) is in the trash.`);
      }
      for (const command of [['list'], ['search', 'pot'], ['find', 'tea'], ['show', 'last']]) {
        const { stderr } = await run(place, ...command);
        expect(stderr).toContain('Not included: 1 conversation in the trash.');
      }
      expect((await run(place, 'list', '--json')).stderr).toBe('');
      expect(runPrinted(place, (await run(place, 'show', 'tea')).stderr)).toContain('restored');
      expect((await run(place, 'search', 'nothing')).stderr).not.toContain('Not included');
    });
  });

  it('is shown to be archived, with the command that restores it', async () => {
    await withTea(async (place, id) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      for (const name of [id, 'tea', 'Green tea']) {
        const { code, stderr } = await run(place, 'tag', name, 'green');
        expect(code).toBe(1);
        expect(stderr).toContain(`The conversation ${id} (Green tea in May) is archived.`);
      }
      for (const command of [['list'], ['search', 'pot'], ['find', 'tea'], ['show', 'last']]) {
        const { stderr } = await run(place, ...command);
        expect(stderr).toContain('Not included: the conversations in 1 archive.');
      }
      expect(runPrinted(place, (await run(place, 'show', 'tea')).stderr)).toContain('restored');
    });
  });

  it('is named in the answer if a message is saved with its id or its key', async () => {
    await withTea(async (place, id) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      const save = (name: string) => run(place, 'save', 'user', 'x', '--conversation-id', name);
      expect((await save(id)).stderr).toContain(
        `The conversation ${id} (Green tea in May) is arch`,
      );
      const { stdout, stderr } = await save('tea');
      expect(stdout).toContain('Started tea');
      expect(stderr).toContain(`An earlier conversation with this key is archived: ${id}.`);
      expect((await save('tea')).stderr).toBe('');
    });
  });

  it('is named in the answer if the restored conversation is removed permanently', async () => {
    await withTea(async (place) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      await run(place, 'restore', 'tea');
      const { stdout, stderr } = await run(place, 'delete', 'tea', '--permanent', '--yes');
      expect(stdout).toContain('Removed permanently: tea');
      expect(stderr).toContain('still has a copy');
    });
  });

  it('is named by its id after it was restored without the key that it had in the archive', async () => {
    await withTea(async (place, id) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      const save = () => run(place, 'save', 'user', 'another', '--conversation-id', 'tea');
      await save();
      await run(place, 'restore', 'tea');
      await run(place, 'delete', 'tea', '--permanent', '--yes');
      const { code, stderr } = await run(place, 'show', 'tea');
      expect(code).toBe(1);
      expect(runPrinted(place, stderr)).toContain('pot');
      expect(stderr).toContain(`Conversation ${id} had it when it was archived.`);
      expect((await save()).stderr).toBe('');
    });
  });

  it('is not imported again while it is archived', async () => {
    await withTea(async (place) => {
      const path = join(place.folder, 'all.json');
      await writeFile(path, (await run(place, 'export', '--format', 'json')).stdout);
      await run(place, 'archive', '--older-than', '0', '--yes');
      const report = await run(place, 'import', '--yes', '--json', path);
      expect(JSON.parse(report.stdout)).toMatchObject({ added: 0, skipped: 1 });
    });
  });

  it('is restored from an archive by its title', async () => {
    await withTea(async (place, id) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      const { stdout } = await run(place, 'restore', 'green tea in');
      expect(stdout).toContain(`${id} was restored`);
    });
  });
});

describe('an item that cannot be restored because another item has its place', () => {
  /** Follows the hint: deletes the existing item, then restores the item that the hint names. */
  async function restoreAsHinted(place: Place, what: string, remove: string[]): Promise<string> {
    const { code, stderr } = await run(place, 'restore', what);
    expect(code).toBe(2);
    const [, name = ''] = /then restore (?:the whole archive )?(\S.*)\.\n/.exec(stderr) ?? [];
    await run(place, ...remove);
    return (await run(place, 'restore', name)).stderr;
  }

  it('can be an earlier note, and the hint restores it', async () => {
    await withTea(async (place) => {
      await run(place, 'mb', 'add', 'pots.md', 'The old pot');
      await run(place, 'mb', 'delete', 'pots.md');
      await run(place, 'mb', 'add', 'pots.md', 'The new pot');
      expect(await restoreAsHinted(place, 'pots.md', ['mb', 'delete', 'pots.md'])).toBe('');
      expect((await run(place, 'mb', 'read', 'pots.md')).stdout).toContain('The old pot');
    });
  });

  it.each([
    'delete',
    'archive',
  ])('is a conversation after %s, and the hint restores it', async (how) => {
    await withTea(async (place, id) => {
      await run(place, 'backup');
      const [backup = ''] = (await readdir(join(place.root, 'backups'))).filter((name) =>
        /gz$/.test(name),
      );
      await run(place, 'save', 'assistant', 'The blue pot', '--conversation-id', 'tea');
      const options = how === 'archive' ? ['--older-than', '0', '--yes'] : ['tea', '--yes'];
      await run(place, how, ...options);
      await run(place, 'restore', backup);
      expect(await restoreAsHinted(place, id, ['delete', id, '--yes'])).toBe('');
      expect((await run(place, 'show', id)).stdout).toContain('The blue pot');
    });
  });

  it('can be a file for trash restore, and the hint restores it', async () => {
    await withTea(async (place) => {
      await run(place, 'backup');
      const [backup = ''] = await readdir(join(place.root, 'backups')).then((names) =>
        names.filter((name) => /gz$/.test(name)),
      );
      const path = join(place.root, 'backups', backup);
      const { code, stderr } = await run(place, 'trash', 'restore', path);
      expect(code).toBe(1);
      expect(stderr).not.toContain('is not a file');
      expect(runPrinted(place, stderr)).toContain('unchanged');
    });
  });

  it('can be moved again by the policy, and the printed command keeps it', async () => {
    await withTea(async (place, id) => {
      const file = join(place.root, 'conversation-logs', id, 'conversation.json');
      const old = JSON.stringify({
        messages: [{ role: 'user', content: 'Old', createdAt: '2020-01-01T00:00:00Z' }],
      });
      await writeFile(file, old);
      await run(place, 'retention', 'add', '--older-than', '365', '--yes');
      await run(place, 'prune', '--yes');
      runPrinted(place, (await run(place, 'restore', id)).stderr);
      expect((await run(place, 'prune', '--yes')).stdout).toContain('0 conversations');
      await run(place, 'delete', id, '--yes');
      expect((await run(place, 'restore', id)).stderr).toBe('');
    });
  });

  it('can be in a damaged archive, and the hint of the doctor restores it from a backup', async () => {
    await withTea(async (place, id) => {
      await run(place, 'archive', '--older-than', '0', '--yes');
      await run(place, 'backup');
      const [backup = ''] = await readdir(join(place.root, 'backups')).then((names) =>
        names.filter((name) => /gz$/.test(name)),
      );
      const [name = ''] = await readdir(join(place.root, 'archive')).then((names) =>
        names.filter((each) => /gz$/.test(each)),
      );
      const archive = join(place.root, 'archive', name);
      await writeFile(archive, (await readFile(archive)).subarray(0, 100));
      const hint =
        'restore BACKUP --to FOLDER, then replace this file by the one in FOLDER/archive';
      expect((await run(place, 'doctor')).stdout).toContain(hint);
      const withKey = { ...place, env: { ...place.env, DAYBOOK_PASSPHRASE: 'fish and chips' } };
      const encrypted = await run(withKey, 'encrypt', '--passphrase', '--yes');
      expect([encrypted.code, encrypted.stderr.includes(`not changed: ${archive}`)]).toEqual([
        1,
        true,
      ]);
      const folder = join(place.folder, 'extracted');
      await run(withKey, 'restore', backup, '--to', folder);
      await cp(join(folder, 'archive', name), archive);
      expect((await run(withKey, 'restore', id)).stdout).toContain('was restored');
    });
  });
});

it('import refuses a backup of Daybook, and its error has the command that restores it', async () => {
  await withTea(async (place) => {
    const archive = (await run(place, 'backup')).stdout.split('\n')[0] ?? '';
    const { stderr } = await run(place, 'import', archive, '--yes');
    expect(stderr).toContain(`daybook --root '${place.root}' restore "${archive}"`);
  });
});

describe('a deleted note', () => {
  it('is shown to be in the trash, with the command that restores it', async () => {
    await withTea(async (place) => {
      await run(place, 'mb', 'add', 'my tea.md', 'Pots');
      await run(place, 'mb', 'delete', 'my tea.md');
      const { code, stderr } = await run(place, 'mb', 'read', 'my tea.md');
      expect(code).toBe(1);
      expect(stderr).toContain('The note my tea.md is in the trash.');
      expect(runPrinted(place, stderr)).toContain('restored');
      expect((await run(place, 'mb', 'read', 'my tea.md')).stdout).toContain('Pots');
    });
  });
});

describe('wrong words', () => {
  it.each([
    { args: ['note', '--help'], shows: "unknown command 'note'" },
    { args: ['mb', 'note', '--help'], shows: "unknown command 'note'" },
    { args: ['help', 'mb', 'note'], shows: "unknown command 'note'" },
    { args: ['import', '-\u009b31m\u202e'], shows: "unknown option '-\\u009b31m\\u202e'" },
    { args: ['import', '--from', 'nothing'], shows: 'The sources are chatgpt' },
    { args: ['stats', '--csv'], json: true, shows: "cannot be used with option '--json'" },
    { args: ['kg', 'add', '--triples', 'x'], shows: '[{"subject": "Ada"' },
    { args: ['kg', 'add', '--triples', '[{"subject":"A"}]'], shows: 'predicate of entry 1 must' },
  ])('$args are refused with what fits', async ({ args, shows, json = false }) => {
    await withPlace(async (place) => {
      const run = await runCommand(place, json ? [...args, '--json'] : args);
      expect(run.code).toBe(2);
      expect(json ? JSON.parse(run.stdout).error.message : run.stderr).toContain(shows);
    });
  });
});

it('the error for a root that is a file says so, and does not propose init', async () => {
  await withPlace(async (place) => {
    await writeFile(place.root, '');
    const { code, stderr } = await runCommand(place, ['--root', place.root, 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain(`${place.root} is not a folder (set with --root).`);
    expect(stderr).not.toContain('daybook init');
  });
});

describe('a damaged conversation', () => {
  it('is restored from the newest backup with the printed commands', async () => {
    await withTea(async (place, id) => {
      const file = join(place.root, 'conversation-logs', id, 'conversation.json');
      const before = await readFile(file, 'utf8');
      const backup = basename((await run(place, 'backup')).stdout.split('\n')[0] ?? '');
      await writeFile(file, 'nothing of it');
      const doctor = `daybook --root '${place.root}'`;
      const { stdout } = await run(place, 'doctor');
      expect(stdout).toContain(`run ${doctor} delete ${id}, then ${doctor} restore ${backup}.`);
      const refused = await run(place, 'restore', backup);
      expect(refused.stderr).toContain('ALREADY_EXISTS');
      expect(refused.stderr).toContain(`to the trash with: ${doctor} delete ${id}\n`);
      await run(place, 'delete', id);
      runPrinted(place, refused.stderr);
      expect(await readFile(file, 'utf8')).toBe(before);
    });
  });

  it('is not looked for in a backup that is older', async () => {
    await withTea(async (place, id) => {
      const file = join(place.root, 'conversation-logs', id, 'conversation.json');
      await writeFile(file, 'nothing of it');
      await mkdir(join(place.root, 'backups'));
      await writeFile(join(place.root, 'backups', 'daybook-20250101T000000Z.tar.gz'), '');
      const { stdout } = await run(place, 'doctor');
      expect(stdout).toContain('is older than the conversation.');
      expect(stdout).not.toContain(`delete ${id}`);
    });
  });
});

describe('a graph that git has written', () => {
  it('is not counted as a problem in the last line of the doctor', async () => {
    await withPlace(async (place) => {
      await mkdir(place.root);
      await run(place, 'kg', 'add', 'Ada', 'drinks', 'tea');
      await run(place, 'kg', 'save');
      const file = join(place.root, 'memory-bank', 'kg_snapshot.json');
      await writeFile(file, `${await readFile(file, 'utf8')}\n`);
      const { code, stdout } = await run(place, 'doctor');
      expect(code).toBe(0);
      expect(stdout).toContain('There are no problems. 1 finding can be repaired: run daybook');
    });
  });
});

describe('a check of the doctor that fails', () => {
  it('is counted in the last line, and its hint is shown', async () => {
    await withPlace(async (place) => {
      await mkdir(join(place.root, 'memory-bank', 'kg_snapshot.json'), { recursive: true });
      const { code, stdout } = await run(place, 'doctor');
      expect(code).toBe(2);
      expect(stdout).toContain('is a folder, not a file.\n           Move it to another place.');
      expect(stdout).toMatch(/^1 check failed\.$/m);
      expect(stdout).not.toContain('There are no problems');
    });
  });
});

describe('a folder with the name of a restored item', () => {
  it('does not prevent the restore, and can be imported with the printed command', async () => {
    await withTea(async (place) => {
      await run(place, 'export', '-f', 'markdown-files', '-o', join(place.folder, 'my files'));
      await mkdir(join(place.folder, 'tea'));
      await run(place, 'delete', 'tea');
      expect((await run(place, 'restore', 'tea')).stdout).toContain('was restored');
      const { stderr } = await run(place, 'restore', join(place.folder, 'my files'));
      const [, line = ''] = /run (daybook .*)/.exec(stderr) ?? [];
      const again = line.replace(place.root, join(place.folder, 'other'));
      await mkdir(join(place.folder, 'other'));
      expect(runPrinted(place, `run: ${again} --yes`)).toContain('1 conversation added');
    });
  });
});

it('a conversation with a typing error in its name is found with the suggested command', async () => {
  await withTea(async (place, id) => {
    const { stderr } = await run(place, 'show', 'gren tea');
    expect(stderr).toMatch(/daybook (.* )?find\./);
    expect((await run(place, 'find', 'gren', 'tea')).stdout).toMatch(new RegExp(`tea|${id}`));
  });
});

describe('the demo', () => {
  it('prints a command that opens it, also for a folder with spaces', async () => {
    await withTea(async (place) => {
      const { stdout } = await run(place, 'demo', join(place.folder, 'a  demo'));
      const list = stdout.replace(/open\s*$/, 'list --limit 1');
      expect(runPrinted(place, list)).toContain('msgs');
    });
  });

  it('has titles that are whole sentences', async () => {
    await withTea(async (place) => {
      const made = { ...place, root: join(place.folder, 'made') };
      await run(place, 'demo', made.root);
      const { stdout } = await run(made, 'list', '--all', '--json');
      const { conversations } = JSON.parse(stdout) as { conversations: { title: string }[] };
      expect(conversations).not.toEqual([]);
      const cut = conversations.filter(({ title }) => !/[.?]$/.test(title));
      expect(cut).toEqual([]);
    });
  });
});

describe('a note that is too large', () => {
  it('is reported once', async () => {
    await withTea(async (place) => {
      await mkdir(join(place.root, 'memory-bank'), { recursive: true });
      await writeFile(join(place.root, 'memory-bank', 'long.md'), 'x'.repeat(40_000));
      const { stderr } = await run(place, 'mb', 'list');
      expect(stderr.match(/long\.md/g)).toHaveLength(1);
    });
  });
});

describe('a client with another root', () => {
  it('is named only by a command that finds nothing, and by info', async () => {
    await withPlace(async (place) => {
      const other = join(place.folder, 'other');
      const entry = { command: 'daybook', args: ['--root', other] };
      await mkdir(other);
      await mkdir(join(place.folder, '.cursor'));
      await writeFile(
        join(place.folder, '.cursor/mcp.json'),
        JSON.stringify({ mcpServers: { daybook: entry } }),
      );
      const named = async (...args: string[]) =>
        (await runCommand(place, args)).stderr.includes(`add --root ${other}`);
      expect(await named('save', 'user', 'Which pot?', '--conversation-id', 'tea')).toBe(false);
      await runCommand(place, ['kg', 'add', 'Ada', 'drinks', 'tea']);
      for (const command of ['list', 'search pot', 'find tea', 'show tea', 'kg query', 'stats']) {
        expect([command, await named(...command.split(' '))]).toEqual([command, false]);
      }
      for (const command of [
        'list x',
        'search x',
        'find x',
        'show x',
        'kg query x',
        'mb read x.md',
      ]) {
        expect([command, await named(...command.split(' '))]).toEqual([command, true]);
      }
      expect(await named('info')).toBe(true);
    });
  });

  it('is named with a hint that this root does not exist', async () => {
    await withTea(async (place) => {
      await mkdir(join(place.folder, '.cursor'));
      const gone = join(place.folder, 'gone');
      await runCommand(place, ['init', gone, '--client', 'cursor', '--yes']);
      await rm(gone, { recursive: true });
      const { stderr } = await runCommand(place, ['list', 'x']);
      expect(stderr).toContain(`Cursor uses ${gone}, which does not exist.`);
    });
  });

  it('is not needed to name a registered folder', async () => {
    await withPlace(async (place) => {
      const notes = join(place.folder, 'notes');
      await runCommand(place, ['init', notes]);
      await run({ ...place, root: notes }, 'save', 'user', 'Which pot?');
      const elsewhere = await runCommand(place, ['list']);
      expect(elsewhere.stderr).toContain(
        `${notes} is registered with daybook init: to see that root, add --root ${notes}.`,
      );
      await rm(notes, { recursive: true });
      expect((await runCommand(place, ['list'])).stderr).not.toContain(notes);
    });
  });

  it('is named by init and by commands if it is the default root', async () => {
    await withPlace(async (place) => {
      const home = join(place.folder, '.daybook');
      const notes = join(place.folder, 'notes');
      expect((await runCommand(place, ['init', notes])).stdout).not.toContain(home);
      await runCommand(place, ['save', 'user', 'Which pot?']);
      const { stdout } = await runCommand(place, ['init', notes]);
      expect(stdout).toContain(`${home} has conversations that are not in the new folder`);
      const { stderr } = await runCommand(place, ['list'], notes);
      expect(stderr).toContain(
        `${home} is the default root: to see that root, add --root ${home}.`,
      );
    });
  });

  it('gets the root from a printed command, which changes no other client', async () => {
    await withTea(async (place) => {
      const file = join(place.folder, '.cursor/mcp.json');
      await mkdir(join(place.folder, '.cursor'));
      await mkdir(join(place.folder, '.gemini'));
      await run(place, 'init', '--client', 'cursor', '--yes');
      const other = join(place.folder, 'an other');
      const asked = await runCommand(place, ['init', other, '--client', 'cursor', '--yes']);
      expect(runPrinted(place, asked.stdout)).toContain('Cursor: changed');
      const { args } = JSON.parse(await readFile(file, 'utf8')).mcpServers.daybook;
      expect(args.slice(1)).toEqual(['--root', other]);
      expect(await readdir(join(place.folder, '.gemini'))).toEqual([]);
    });
  });

  it('is one finding of the doctor if this root does not exist, and the printed command works', async () => {
    await withTea(async (place) => {
      await mkdir(join(place.folder, '.cursor'));
      const gone = join(place.folder, 'gone');
      await runCommand(place, ['init', gone, '--client', 'cursor', '--yes']);
      await rm(gone, { recursive: true });
      const { stdout } = await run(place, 'doctor');
      expect(stdout).toContain('run daybook --root NEW-FOLDER init');
      expect(stdout.match(/Cursor uses/g)).toHaveLength(1);
      const [, line = ''] = /Run (daybook .*), which writes the entry again/.exec(stdout) ?? [];
      runPrinted(place, `run: ${line} --yes`);
      expect((await run(place, 'doctor')).stdout).not.toContain('Cursor uses');
    });
  });
});

describe('a restored backup', () => {
  it('is reported with its root; a file of another program is no error of the user', async () => {
    await withTea(async (place, id) => {
      const copy = `conversation-logs/${id}/conversation.json~`;
      await writeFile(join(place.root, copy), 'a copy of an editor');
      await run(place, 'backup');
      const [backup = ''] = (await readdir(join(place.root, 'backups'))).filter((name) =>
        name.endsWith('.gz'),
      );
      const empty = join(place.folder, 'empty');
      const path = join(place.root, 'backups', backup);
      const { stdout, stderr } = await runCommand(place, ['--root', empty, 'restore', path]);
      expect(stdout).toMatch(new RegExp(`^In ${empty}: \\d+ restored, .* 1 skipped`));
      expect(stderr).toMatch(new RegExp(`^${copy} is not a file of Daybook`));
    });
  });
});
