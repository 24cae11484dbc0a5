/** `daybook init` and MCP clients: it asks on a terminal, and without one it needs an option. */
import { writeFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientsOf } from '../../src/cli/clients/clients.js';
import { runInTerminal } from '../support/terminal.js';
import { MAIN, type Place, runCommand, withClient, withPlace } from './harness.js';

const BEFORE = '// my servers\n{ "mcpServers": { "git": { "command": "g" } } }\n';

/** Makes a home folder in which Cursor and Windsurf have run. */
async function withClients(work: (place: Place, cursor: string) => Promise<void>): Promise<void> {
  await withPlace(async (place) => {
    await mkdir(join(place.folder, '.cursor'));
    await mkdir(join(place.folder, '.codeium/windsurf'), { recursive: true });
    const cursor = join(place.folder, '.cursor/mcp.json');
    await writeFile(cursor, BEFORE, { mode: 0o644 });
    await work(place, cursor);
  });
}
/** Makes a home folder in which Codex and Cursor have stored sessions; `config` is the configuration file. */
async function withLogs(work: (place: Place, config: string) => Promise<void>): Promise<void> {
  await withPlace(async (place) => {
    await mkdir(join(place.folder, '.codex/sessions'), { recursive: true });
    await mkdir(join(place.folder, '.cursor/projects'), { recursive: true });
    const folder = String(place.env['XDG_CONFIG_HOME'] ?? join(place.folder, '.config'));
    await work(place, join(folder, 'daybook', 'config.json'));
  });
}

const copies = async (place: Place) =>
  (await readdir(join(place.folder, '.cursor'))).filter((name) => name !== 'mcp.json');

describe('daybook init', () => {
  it('asks for each client and follows the answers', async () => {
    await withClients(async (place, cursor) => {
      const answers = [
        { after: 'Add this to Cursor? [y/N]', type: 'y\n' },
        { after: 'Add this to Windsurf? [y/N]', type: 'n\n' },
      ];
      const { code, screen } = await runInTerminal(place, ['init', place.root], { answers });
      expect(code, screen).toBe(0);
      expect(screen).toContain('Cursor: written');
      expect(screen).toContain('Windsurf: left alone');
      expect(screen).toContain('Restart Cursor. To check, ask there:');
      const text = await readFile(cursor, 'utf8');
      expect(text.startsWith('// my servers\n')).toBe(true);
      expect(JSON.parse(text.split('\n').slice(1).join('\n'))).toEqual({
        mcpServers: {
          git: { command: 'g' },
          daybook: { command: process.execPath, args: [MAIN, '--root', place.root] },
        },
      });
      expect((await stat(cursor)).mode & 0o777).toBe(0o644);
      const [copy = ''] = await copies(place);
      expect(copy).toMatch(/^mcp\.json\.before-daybook-\d{8}T\d{9}Z$/);
      expect(await readFile(join(place.folder, '.cursor', copy), 'utf8')).toBe(BEFORE);
      await expect(stat(join(place.folder, '.codeium/windsurf/mcp_config.json'))).rejects.toThrow();
    });
  });

  it('keeps settings that a client wrote while the question was on the screen', async () => {
    await withClients(async (place, cursor) => {
      const yes = {
        after: 'Add this to Cursor? [y/N]',
        get type() {
          writeFileSync(cursor, '{ "mcpServers": { "late": { "command": "l" } } }\n');
          return 'y\n';
        },
      };
      const args = ['init', place.root, '--client', 'cursor'];
      const { code, screen } = await runInTerminal(place, args, { answers: [yes] });
      expect(code, screen).toBe(0);
      const { mcpServers } = JSON.parse(await readFile(cursor, 'utf8'));
      expect(Object.keys(mcpServers)).toEqual(['late', 'daybook']);
    });
  });

  it('registers each of several folders at once', async () => {
    await withPlace(async (place) => {
      const roots = Array.from({ length: 6 }, (_, n) => join(place.folder, `root${n}`));
      const done = await Promise.all(roots.map((root) => runCommand(place, ['init', root])));
      expect(done.map(({ code }) => code)).toEqual(roots.map(() => 0));
      const config = String(place.env['XDG_CONFIG_HOME'] ?? join(place.folder, '.config'));
      const { folders } = JSON.parse(
        await readFile(join(config, 'daybook', 'folders.json'), 'utf8'),
      );
      expect(folders.sort()).toEqual(roots);
    });
  });

  it('changes no client without a yes: after an end of input, Enter, no terminal, or --print', async () => {
    await withClients(async (place, cursor) => {
      for (const type of ['\n', 'nonsense\n', '\u0004']) {
        const answers = [
          { after: 'Add this to Cursor?', type },
          { after: 'Add this to Windsurf?', type },
        ];
        await runInTerminal(place, ['init', place.root], { answers });
      }
      const piped = await runCommand(place, ['init', place.root]);
      expect(piped).toMatchObject({ code: 0, stderr: '' });
      expect(piped.stdout).toContain(
        `Found Cursor and Windsurf: to add Daybook to them, run daybook init ${place.root} --yes`,
      );
      expect(piped.stdout).toContain(`${place.root} --print --client cursor windsurf.`);
      const byOption = await runCommand(place, ['--root', place.root, 'init']);
      expect(byOption.stdout).toContain(`run daybook init ${place.root} --yes`);
      const named = await runCommand(place, ['init', place.root, '--client', 'cursor']);
      expect(named.code).toBe(2);
      expect(named.stderr).toContain('--yes');
      const printed = await runCommand(place, ['init', place.root, '--print']);
      for (const { title } of clientsOf()) {
        expect(printed.stdout).toContain(`${title}: `);
      }
      expect(await readFile(cursor, 'utf8')).toBe(BEFORE);
      expect(await copies(place)).toEqual([]);
    });
  });

  it('says which clients have the folder already, and offers to add it to the others only', async () => {
    await withClients(async (place) => {
      await runCommand(place, ['init', place.root, '--client', 'cursor', '--yes']);
      const again = await runCommand(place, ['init', place.root]);
      expect(again.stdout).toContain('Cursor has Daybook with this folder already.\n');
      expect(again.stdout).toContain('Found Windsurf: to add Daybook to it, run');
      await runCommand(place, ['init', place.root, '--yes']);
      const all = await runCommand(place, ['init', place.root]);
      expect(all.stdout).toContain('Cursor and Windsurf have Daybook with this folder already.\n');
      expect(all.stdout).not.toContain('Found');
    });
  });

  it('uses DAYBOOK_ROOT if no folder is given, and prints which folder Daybook uses', async () => {
    await withPlace(async (place) => {
      const set = { ...place, env: { ...place.env, DAYBOOK_ROOT: place.root } };
      const printed = await runCommand(set, ['init', '--print', '--json']);
      expect(JSON.parse(printed.stdout).start.args).toEqual([MAIN, '--root', place.root]);
      const made = await runCommand(set, ['init', '--yes']);
      expect(made.stdout).toContain(`Daybook keeps its files in ${place.root}\n`);
      expect(made.stdout).toContain('wherever it starts: it is set in DAYBOOK_ROOT');
      const other = join(place.folder, 'other');
      const beside = await runCommand(set, ['init', other, '--yes']);
      expect(beside.stdout).toContain(`Daybook keeps its files in ${other}\n`);
      expect(beside.stdout).toContain(`But Daybook uses ${place.root} wherever it starts`);
    });
  });

  it('makes no store inside another store, and commands and servers make none either', async () => {
    await withPlace(async (place) => {
      await runCommand(place, ['init', place.root, '--yes']);
      await runCommand(place, ['--root', place.root, 'save', 'user', 'Which pot?']);
      for (const part of ['conversation-logs', 'memory-bank']) {
        const root = join(place.root, part);
        const before = await readdir(root);
        for (const args of [
          ['init', root, '--yes'],
          ['--root', root, 'list'],
        ]) {
          const { code, stderr } = await runCommand(place, args);
          expect(code).toBe(2);
          expect(stderr).toContain(`Use ${place.root} as the root.`);
        }
        await withClient({ ...place, root }, async ({ failure }) => {
          expect(await failure('store_info')).toMatchObject({
            code: 'VALIDATION_ERROR',
            details: { root: place.root },
          });
        });
        expect(await readdir(root)).toEqual(before);
      }
    });
  });

  it('finds Antigravity by the folder of its editor or of its command line', async () => {
    await withPlace(async (place) => {
      await mkdir(join(place.folder, '.gemini/antigravity-cli'), { recursive: true });
      const { stdout } = await runCommand(place, ['init', place.root, '--yes']);
      const path = join(place.folder, '.gemini/config/mcp_config.json');
      expect(stdout).toContain(`Antigravity: written (${path})`);
      expect(JSON.parse(await readFile(path, 'utf8')).mcpServers.daybook.args[0]).toBe(MAIN);
    });
  });

  it('reports that there is no client, also with --yes', async () => {
    await withPlace(async (place) => {
      const { code, stdout } = await runCommand(place, ['init', place.root, '--yes']);
      expect(code).toBe(0);
      expect(stdout).toContain('No MCP client was found.');
      expect(stdout).toContain(`run daybook init ${place.root} --print`);
    });
  });

  it('prints how to import the sessions of other tools once, and continuously', async () => {
    await withLogs(async (place, config) => {
      const { stdout } = await runCommand(place, ['init', place.root]);
      expect(stdout).toContain('Conversations of Codex, Cursor are on this machine.');
      expect(stdout).toContain(`run daybook --root ${place.root} import\n`);
      expect(stdout).toContain(`run daybook init ${place.root} --import-watch\n`);
      await writeFile(config, '// mine\n{ "logLevel": "warn", }');
      const watch = ['init', place.root, '--import-watch'];
      const watched = await runCommand(place, watch);
      expect(watched.stdout).toContain(`${config} has "importWatch": "all" now.`);
      const text = await readFile(config, 'utf8');
      expect(text).toBe('// mine\n{\n  "logLevel": "warn",\n  "importWatch": "all",\n}');
      const copies = (await readdir(dirname(config))).filter((name) => name.includes('before'));
      expect(copies).toHaveLength(1);
      const again = await runCommand(place, ['init', place.root]);
      expect(again.stdout).toContain('Conversations of Codex, Cursor');
      expect(again.stdout).not.toContain('import-watch');
      expect((await runCommand(place, ['info'])).stdout).toMatch(/Codex in .*servers import them/);
      for (const other of ['--print', '--remove'])
        expect((await runCommand(place, [...watch, other])).code).toBe(2);
    });
  });

  it('asks on a terminal whether servers import new sessions of other tools', async () => {
    await withLogs(async (place, config) => {
      const question = 'delete them? [y/N]';
      const clients = ['Codex', 'Cursor', 'Codex (hook)'].map((title) => ({
        after: `Add this to ${title}? [y/N]`,
        type: 'n\n',
      }));
      const init = (...answers: { after: string; type: string }[]) =>
        runInTerminal(place, ['init', place.root], { answers: [...clients, ...answers] });
      const asked = (type: string) => init({ after: question, type });
      expect((await asked('n\n')).screen).toContain('--import-watch');
      await expect(stat(config)).rejects.toThrow();
      const { code, screen } = await asked('y\n');
      expect(code, screen).toBe(0);
      expect(JSON.parse(await readFile(config, 'utf8'))).toEqual({ importWatch: 'all' });
      expect((await init()).screen).not.toContain(question);
    });
  });

  it('with --print makes and registers nothing, also as JSON', async () => {
    await withPlace(async (place) => {
      const printed = await runCommand(place, ['init', place.root, '--print', '--json']);
      const { start, clients } = JSON.parse(printed.stdout);
      expect(start.args).toEqual([MAIN, '--root', place.root]);
      expect(clients).toHaveLength(clientsOf().length);
      expect(clients[0].add).toEqual({ mcpServers: { daybook: start } });
      expect((await runCommand(place, ['init', place.root, '--print'])).code).toBe(0);
      expect(await readdir(place.folder)).toEqual([]);
    });
  });

  it('registers once with all clients for --yes, or with the client that is named', async () => {
    await withClients(async (place, cursor) => {
      const first = await runCommand(place, ['init', place.root, '--yes', '--json']);
      const told = JSON.parse(first.stdout) as { clients: { client: string; outcome: string }[] };
      expect(told.clients.map(({ client, outcome }) => [client, outcome])).toEqual([
        ['Cursor', 'written'],
        ['Windsurf', 'written'],
      ]);
      const after = await readFile(cursor, 'utf8');
      const again = await runCommand(place, ['init', place.root, '--yes']);
      expect(again.stdout).toContain('Cursor: unchanged');
      expect(await readFile(cursor, 'utf8')).toBe(after);
      expect(await copies(place)).toHaveLength(1);
      const vscode = ['init', place.root, '--yes', '--client', 'vscode', 'claude-code'];
      expect((await runCommand(place, vscode)).code).toBe(0);
      const settings = await readFile(join(place.folder, 'config/Code/User/mcp.json'), 'utf8');
      expect(JSON.parse(settings).servers.daybook.type).toBe('stdio');
      const code = JSON.parse(await readFile(join(place.folder, '.claude.json'), 'utf8'));
      expect(code.mcpServers.daybook.command).toBe(process.execPath);
      const other = await runCommand(place, ['init', place.folder, '--remove', '--yes']);
      expect(other.stdout).toContain(`To remove it, run: daybook init ${place.root} --remove`);
      // The settings file exists, although the folder of the client does not.
      const removed = await runCommand(place, ['init', place.root, '--remove', '--yes']);
      expect(removed.stdout).toContain('Claude Code: removed');
      const wrong = await runCommand(place, ['init', '--client', 'emacs']);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('claude-desktop');
    });
  });

  it('adds the toolsets that are given, and says how to offer fewer tools to a client with a limit', async () => {
    await withClients(async (place, cursor) => {
      const init = (...args: string[]) => runCommand(place, ['init', place.root, ...args]);
      const args = async () =>
        JSON.parse((await readFile(cursor, 'utf8')).replace(/^.*\n/, '')).mcpServers.daybook.args;
      const all = await init('--client', 'cursor', 'windsurf', '--yes');
      const fewer = '--toolsets conversations,memory_bank';
      for (const [name, limit] of [
        ['cursor', 'Cursor limits the number of tools of all MCP servers together (80'],
        ['windsurf', 'Windsurf limits the number of tools of all MCP servers together (100)'],
      ]) {
        expect(all.stdout).toContain(limit);
        expect(all.stdout).toContain(`daybook init ${place.root} --client ${name} ${fewer}\n`);
      }
      const few = await init('--client', 'cursor', '--yes', ...fewer.split(' '));
      expect(few.stdout).not.toContain('limits');
      const expected = [MAIN, '--root', place.root, '--toolsets', 'conversations,memory_bank'];
      expect(await args()).toEqual(expected);
      expect((await init('--yes')).stdout).toContain('Cursor: unchanged');
      const hint = await init('--toolsets', 'kg');
      expect(hint.stdout).toContain(`run daybook init ${place.root} --toolsets kg --yes`);
      await init('--toolsets', 'kg', '--client', 'cursor', '--yes');
      expect(await args()).toEqual([MAIN, '--root', place.root, '--toolsets', 'kg']);
      const other = join(place.folder, 'other');
      const left = await runCommand(place, ['init', other, '--toolsets', 'kg', '--yes']);
      expect(left.stdout).toContain(
        `daybook init ${other} --client cursor --toolsets kg --yes --replace`,
      );
      expect((await init('--toolsets', 'vegetables')).stderr).toContain('no toolset "vegetables"');
    });
  });

  it('does not change a settings file that the client cannot read, and keeps a link as a link', async () => {
    await withClients(async (place, cursor) => {
      await writeFile(cursor, '{ "mcpServers": ');
      const real = join(place.folder, 'dotfiles.json');
      await writeFile(real, '{}');
      await symlink(real, join(place.folder, '.codeium/windsurf/mcp_config.json'));
      const { code, stdout } = await runCommand(place, ['init', place.root, '--yes']);
      expect(code).toBe(1);
      expect(stdout).toContain('Cursor: refused');
      expect(await readFile(cursor, 'utf8')).toBe('{ "mcpServers": ');
      expect(JSON.parse(await readFile(real, 'utf8')).mcpServers.daybook).toBeDefined();
      const link = await lstat(join(place.folder, '.codeium/windsurf/mcp_config.json'));
      expect(link.isSymbolicLink()).toBe(true);
    });
  });
});
