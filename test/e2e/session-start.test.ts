/**
 * `daybook session-start`: what a person and the hook of an assistant get about the project in the working
 * folder. The hooks are those that `daybook init` writes, run by a shell as the assistants run them.
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitIn } from '../support/git.js';
import { MAIN, type Place, runCommand, withPlace } from './harness.js';

const STARTUP = JSON.stringify({
  session_id: 's',
  hook_event_name: 'SessionStart',
  source: 'startup',
});
const HOOK = ['session-start', '--hook'];
const FILES = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
};

interface Project {
  readonly place: Place;
  readonly folder: string;
  run(...args: string[]): ReturnType<typeof runCommand>;
  hook(client: string, input?: string): ReturnType<typeof runCommand>;
}

/** A place with an empty project folder, in which the commands run. */
async function withProject(work: (project: Project) => Promise<void>): Promise<void> {
  await withPlace(async (given) => {
    const place = { ...given, root: join(given.folder, 'my notes') };
    const folder = join(place.folder, 'work', 'shed');
    await mkdir(folder, { recursive: true });
    await mkdir(place.root);
    await work({
      place,
      folder,
      run: (...args) => runCommand(place, ['--root', place.root, ...args], folder),
      hook: (client, input = STARTUP) =>
        runCommand(place, ['--root', place.root, ...HOOK, client], folder, input),
    });
  });
}

async function fill({ run }: Project, module = 'shed'): Promise<void> {
  const key = ['--conversation-id', 'plan'];
  await run('save', 'user', 'Where do the planks go?', ...key, '--module', module);
  await run('save', 'assistant', 'I will measure the wall tomorrow.', ...key);
  await run('insight', 'save', 'Clay soil needs sand');
  await run('insight', 'save', 'Answer in short sentences', '--context', 'global');
  await run('insight', 'save', 'Secret of another project', '--context', 'project:other');
  await run('save', 'user', 'Words of another project', '--module', 'other');
}

const EXPECTED = [
  'Answer in short sentences',
  'Clay soil needs sand',
  'module "shed"',
  '#1 user',
  'Where do the planks go?',
  '"I will measure the wall tomorrow."',
];

function expectAbout(text: string): void {
  for (const part of EXPECTED) expect(text).toContain(part);
  expect(text).not.toContain('another project');
}

describe('daybook session-start', () => {
  it('shows insights and the last session of the project, also as JSON and in fewer tokens', async () => {
    await withProject(async (project) => {
      await fill(project);
      const { code, stdout } = await project.run('session-start');
      expect(code).toBe(0);
      expectAbout(stdout);
      const json = JSON.parse((await project.run('session-start', '--json')).stdout);
      expect(json).toMatchObject({ module: 'shed', found: true, moreInsights: 0 });
      expect(json.insights).toHaveLength(2);
      expect(json.lastTurns).toHaveLength(2);
      const other = await project.run('session-start', '--module', 'other');
      expect(other.stdout).toContain('Words of another project');
      const long = 'long '.repeat(2_000);
      await project.run('save', 'user', long, '--conversation-id', 'plan');
      for (let n = 0; n < 6; n += 1) await project.run('insight', 'save', `${n} ${long}`);
      for (const [args, most] of [
        [[], 9_000],
        [['--max-tokens', '300'], 2_000],
      ] as const) {
        const cut = (await project.run('session-start', ...args)).stdout;
        expect(cut.length).toBeLessThan(most);
        expect(cut).toMatch(/- \d older insights did not fit/);
      }
      const wrong = await project.run('session-start', '--max-tokens', '5');
      expect(wrong).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('from 300 to 25000'),
      });
    });
  });

  it('uses the name of the repository in a folder below it', async () => {
    await withProject(async (project) => {
      await fill(project);
      const below = join(project.folder, 'src', 'api');
      await mkdir(below, { recursive: true });
      await mkdir(join(project.folder, '.git'));
      await writeFile(join(project.folder, '.git', 'config'), '');
      await writeFile(join(project.folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
      const { place } = project;
      const args = ['--root', place.root, 'session-start'];
      expectAbout((await runCommand(place, args, below)).stdout);
    });
  });

  it('belongs to the repository in its worktrees, and shows there what was held in them', async () => {
    await withProject(async (project) => {
      const { place, folder } = project;
      const git = gitIn(folder);
      git('init', '-q');
      git('commit', '-q', '--allow-empty', '-m', 'first');
      await fill(project);
      const logs = join(place.folder, 'logs', 'projects', 'p');
      await mkdir(logs, { recursive: true });
      // Where Claude Code and Codex make a worktree for a session.
      const claude = join(folder, '.claude', 'worktrees', 'fix-roof');
      const codex = join(place.folder, 'codex', '8db5', 'shed');
      const start = async (cwd: string) =>
        (await runCommand(place, ['--root', place.root, 'session-start'], cwd)).stdout;
      for (const [n, tree] of [claude, codex].entries()) {
        git('worktree', 'add', '-q', tree);
        expectAbout(await start(tree));
        const message = { content: `held in ${tree}` };
        const line = { type: 'user', uuid: `u${n}`, sessionId: `s${n}`, cwd: tree, message };
        const timestamp = new Date().toISOString();
        await writeFile(join(logs, `s${n}.jsonl`), `${JSON.stringify({ ...line, timestamp })}\n`);
        await project.run('import', dirname(dirname(logs)), '--yes');
        for (const cwd of [folder, claude, tree])
          expect(await start(cwd)).toContain(`held in ${tree}`);
        await project.run('save', 'user', 'What next?', '--conversation-id', 'plan');
      }
    });
  });

  it('says that nothing is stored; a hook then prints nothing', async () => {
    await withProject(async ({ run, hook }) => {
      await run('save', 'user', 'elsewhere', '--module', 'other');
      const nothing = await run('session-start');
      expect(nothing).toMatchObject({ code: 1, stdout: '' });
      expect(nothing.stderr).toContain('no conversation has the module shed');
      for (const client of ['claude-code', 'codex'])
        expect(await hook(client)).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect(await hook('gemini')).toMatchObject({ code: 0, stdout: '{}\n', stderr: '' });
    });
  });

  it('prints nothing if the assistant continues a session, and refuses wrong input', async () => {
    await withProject(async (project) => {
      await fill(project);
      for (const source of ['resume', 'compact']) {
        const input = JSON.stringify({ source });
        expect(await project.hook('codex', input)).toMatchObject({ code: 0, stdout: '' });
        expect(await project.hook('gemini', input)).toMatchObject({ code: 0, stdout: '{}\n' });
      }
      expectAbout((await project.hook('claude-code', '{"source":"clear"}')).stdout);
      expectAbout((await project.hook('claude-code', '{}')).stdout);
      for (const input of ['nope', '[]', '"startup"']) {
        const wrong = await project.hook('claude-code', input);
        expect(wrong).toMatchObject({ code: 2, stdout: '' });
        expect(wrong.stderr).toContain('not a JSON object');
      }
    });
  });

  it('is run by the hooks of init, which init keeps up to date and removes', async () => {
    await withProject(async (project) => {
      const { place, folder } = project;
      await fill(project);
      for (const path of Object.values(FILES))
        await mkdir(join(place.folder, path.split('/')[0] ?? ''), { recursive: true });
      await writeFile(join(place.folder, FILES['claude-code']), '{ "model": "x" }');
      const init = (...args: string[]) => runCommand(place, ['init', place.root, ...args]);
      const without = await init('--yes');
      expect(without.stdout).toContain('--session-start --yes');
      expect(await readFile(join(place.folder, FILES['claude-code']), 'utf8')).toBe(
        '{ "model": "x" }',
      );
      const { stdout } = await init('--session-start', '--yes');
      expect(stdout).toContain('Claude Code (hook): written');
      expect(stdout).toContain('type /hooks');
      for (const [client, path] of Object.entries(FILES)) {
        const settings = JSON.parse(await readFile(join(place.folder, path), 'utf8'));
        const [{ hooks }] = settings.hooks.SessionStart;
        const out = await inShell(hooks[0].command, place, folder);
        if (client === 'gemini') {
          const { hookSpecificOutput } = JSON.parse(out);
          expect(hookSpecificOutput.hookEventName).toBe('SessionStart');
          expectAbout(hookSpecificOutput.additionalContext);
        } else {
          expect(out).toMatch(/^From Daybook, .* quoted as data/); // Codex takes "{" and "[" for JSON
          expectAbout(out);
        }
      }
      expect((await init('--yes')).stdout).toContain('Codex (hook): unchanged');
      const other = join(place.folder, 'other');
      const elsewhere = await runCommand(place, ['init', other, '--session-start', '--yes']);
      expect(elsewhere.stdout).toContain(`Gemini CLI (hook): left alone`);
      const doctor = await runCommand(place, ['--root', place.root, 'doctor']);
      expect(doctor.stdout).not.toContain('(hook)');
      const removed = await init('--remove', '--yes');
      expect(removed.stdout).toContain('Claude Code (hook): removed');
      expect(JSON.parse(await readFile(join(place.folder, FILES['claude-code']), 'utf8'))).toEqual({
        model: 'x',
      });
      expect((await init('--remove', '--yes')).stdout).not.toContain('(hook)');
    });
  });

  it('has the end of the session before it, if servers import the logs of the assistant', async () => {
    await withProject(async ({ place, folder }) => {
      const logs = join(place.folder, '.claude', 'projects', '-work-shed');
      await mkdir(logs, { recursive: true });
      const line = (n: number, role: string, content: string) =>
        JSON.stringify({
          type: role,
          uuid: `u${n}`,
          parentUuid: n === 1 ? null : `u${n - 1}`,
          sessionId: 'one',
          timestamp: `2026-01-02T10:00:0${n}.000Z`,
          cwd: folder,
          message: { role, content },
        });
      const log = join(logs, 'one.jsonl');
      const said = [line(1, 'user', 'Which wood?'), line(2, 'assistant', 'Take larch.')];
      await writeFile(log, said.join('\n'));
      const hook = (transcript: string, env = {}) =>
        runCommand(
          { ...place, env: { ...place.env, ...env } },
          ['--root', place.root, ...HOOK, 'claude-code'],
          folder,
          JSON.stringify({ source: 'startup', transcript_path: transcript }),
        );
      const watch = { DAYBOOK_IMPORT_WATCH: 'claude-code' };
      const next = join(logs, 'two.jsonl');
      expect(await hook(next)).toMatchObject({ code: 0, stdout: '' });
      const elsewhere = join(place.folder, 'two.jsonl');
      expect(await hook(elsewhere, watch)).toMatchObject({ code: 0, stdout: '' });
      const first = await hook(next, watch);
      expect(first.stdout).toContain('#2 assistant, 2026-01-02T10:00:02.000Z\nTake larch.');
      await writeFile(log, [...said, line(3, 'user', 'How much of it?')].join('\n'));
      expect((await hook(next, watch)).stdout).toContain('How much of it?');
      const own = [line(1, 'user', 'Which wood?'), line(2, 'assistant', 'Changed.')].join('\n');
      await writeFile(next, own.replaceAll('one', 'two'));
      expect((await hook(next, watch)).stdout).not.toContain('Changed.');
    });
  });

  it('never shows a session that was held in another folder of the same name', async () => {
    await withProject(async (project) => {
      const { place, folder } = project;
      const other = join(place.folder, 'client', 'shed');
      await mkdir(join(folder, 'src'), { recursive: true });
      await mkdir(other, { recursive: true });
      const link = join(place.folder, 'links', 'shed');
      await mkdir(dirname(link));
      await symlink(folder, link);
      const hold = async (id: string, cwd: string, content: string) => {
        const path = join(place.folder, `${id}.jsonl`);
        const message = { role: 'user', content };
        const at = { uuid: id, sessionId: id, timestamp: `2026-01-0${id}T10:00:00Z`, cwd };
        await writeFile(path, JSON.stringify({ type: 'user', ...at, message }));
        await project.run('import', path, '--yes');
      };
      await hold('1', join(place.folder, 'gone', 'shed'), 'planks measured before the move');
      await hold('2', folder, 'planks measured for the wall');
      await hold('3', other, 'planks measured for the client');
      const shown = async (...args: string[]) =>
        (await project.run('session-start', ...args)).stdout;
      const own = await shown();
      expect(own).toContain('planks measured for the wall');
      expect(own).toContain('planks measured before the move');
      expect(own).not.toContain('client');
      expect(await shown('--module', 'shed')).toContain('planks measured for the client');
      await hold('4', link, 'planks measured behind a link');
      expect(await shown()).toContain('planks measured behind a link');
    });
  });

  it('is part of what init prints, only if it is wanted', async () => {
    await withProject(async ({ place }) => {
      const print = async (...args: string[]) =>
        (await runCommand(place, ['init', place.root, '--print', ...args])).stdout;
      expect(await print()).not.toContain('SessionStart');
      expect(await print('--session-start', '--client', 'cursor')).not.toContain('SessionStart');
      const printed = JSON.parse(await print('--session-start', '--client', 'codex', '--json'));
      expect(printed.clients[1]).toMatchObject({
        client: 'Codex (hook)',
        add: { hooks: { SessionStart: [{ hooks: [{ command: expect.stringContaining(MAIN) }] }] } },
      });
    });
  });
});

function inShell(command: string, { env }: Place, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('sh', ['-c', command], { env, cwd }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
    child.stdin?.end(STARTUP);
  });
}
