/**
 * The entries that `daybook init` writes for MCP clients: the path of the file on each platform, and files as
 * people write them.
 */
import { parse } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/errors.js';
import { type Client, clientsOf, entryOf, rootOf } from '../../../src/cli/clients/clients.js';
import {
  blockOf,
  readEntry,
  withEntry,
  withoutEntry,
} from '../../../src/cli/clients/entry-files.js';
import { startCommand } from '../../../src/cli/clients/start-command.js';
import { CLIENT_NAMES } from '../../../src/cli/definitions/init.js';

const clientOf = (name: string): Client => {
  const found = clientsOf({ home: '/home/me', platform: 'linux', env: {} }).find(
    (client) => client.name === name,
  );
  if (found === undefined) throw new Error(name);
  return found;
};
const cursor = clientOf('cursor');
const entry = { command: '/usr/bin/node', args: ['/opt/daybook/main.js', '--root', '/home/me/r'] };

describe('the settings files of clients', () => {
  const paths = (platform: string, home: string, env = {}) =>
    Object.fromEntries(clientsOf({ platform, home, env }).map(({ name, path }) => [name, path]));

  it('are found on Linux', () => {
    expect(paths('linux', '/home/me')).toEqual({
      'claude-desktop': '/home/me/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/me/.claude.json',
      codex: '/home/me/.codex/config.toml',
      cursor: '/home/me/.cursor/mcp.json',
      antigravity: '/home/me/.gemini/config/mcp_config.json',
      devin: '/home/me/.config/devin/mcp_config.json',
      kiro: '/home/me/.kiro/settings/mcp.json',
      'lm-studio': '/home/me/.lmstudio/mcp.json',
      gemini: '/home/me/.gemini/settings.json',
      vscode: '/home/me/.config/Code/User/mcp.json',
      windsurf: '/home/me/.codeium/windsurf/mcp_config.json',
      zed: '/home/me/.config/zed/settings.json',
    });
    const moved = paths('linux', '/home/me', { XDG_CONFIG_HOME: '/cfg' });
    expect(moved['vscode']).toBe('/cfg/Code/User/mcp.json');
  });

  it('are found on macOS, where XDG_CONFIG_HOME has no effect', () => {
    expect(paths('darwin', '/Users/me', { XDG_CONFIG_HOME: '/cfg' })).toMatchObject({
      'claude-desktop': '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/Users/me/Library/Application Support/Code/User/mcp.json',
      zed: '/Users/me/.config/zed/settings.json',
    });
  });

  it('are found on Windows', () => {
    // join() here writes slashes; on Windows it writes backslashes.
    expect(paths('win32', 'C:/Users/me', { APPDATA: 'D:/Roaming' })).toMatchObject({
      'claude-desktop': 'D:/Roaming/Claude/claude_desktop_config.json',
      vscode: 'D:/Roaming/Code/User/mcp.json',
      devin: 'D:/Roaming/devin/mcp_config.json',
      cursor: 'C:/Users/me/.cursor/mcp.json',
    });
    expect(paths('win32', 'C:/Users/me')['claude-desktop']).toContain(
      'C:/Users/me/AppData/Roaming',
    );
  });

  it('are known for each client that can be named', () => {
    expect(clientsOf().map(({ name }) => name)).toEqual(CLIENT_NAMES);
  });
});

describe('the command in an entry', () => {
  const root = '/home/me/notes';
  const node = '/opt/node';
  const main = '/opt/daybook/dist/cli/main.js';

  it('has absolute paths', () => {
    const start = { command: node, args: [main, '--root', root] };
    expect(startCommand(root, { node, main })).toEqual(start);
  });

  it('is refused from the cache of npx, because anybody could publish the name that it would need', () => {
    const cached = '/home/me/.npm/_npx/ab12/node_modules/.bin/daybook';
    expect(() => startCommand(root, { node, main: cached })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
    const windows = 'C:\\npm\\_npx\\ab\\main.js';
    expect(() => startCommand(root, { node, main: windows })).toThrow(AppError);
  });

  it('has the fields that each client requires', () => {
    const start = { command: 'c', args: ['a'] };
    expect(entryOf(clientOf('vscode'), start)).toEqual({ type: 'stdio', ...start });
    expect(entryOf(clientOf('zed'), start)).toEqual({ source: 'custom', ...start });
    expect(entryOf(cursor, start)).toEqual(start);
    expect(entryOf(clientOf('devin'), start)).toEqual(start);
  });

  it.each<[readonly string[], readonly string[]]>([
    [[main, '--root', '/old'], []],
    [
      [main, '--root=/old', '--toolsets', 'kg'],
      ['--toolsets', 'kg'],
    ],
    [
      [main, '--toolsets', 'kg', '--root', '/old'],
      ['--toolsets', 'kg'],
    ],
    [
      ['-y', 'daybook', '--log-level', 'debug'],
      ['--log-level', 'debug'],
    ],
    [[], []],
  ])('keeps the arguments that the user added: %j', (args, own) => {
    const start = startCommand(root, { node, main });
    const changed = entryOf(cursor, start, { command: 'old', args, env: { A: 'b' } });
    expect(changed).toEqual({ command: node, args: [...start.args, ...own], env: { A: 'b' } });
    expect(rootOf(changed)).toBe(root);
  });

  it.each([
    ['--toolsets', 'kg'],
    ['--toolsets=kg'],
  ])('gets the toolsets that were given: %j', (...old) => {
    const start = { command: node, args: [main, '--root', root, '--toolsets', 'insights'] };
    const args = [main, ...old, '--log-level', 'debug', '--root', '/old'];
    const changed = entryOf(cursor, start, { command: 'old', args });
    expect(changed).toEqual({ command: node, args: [...start.args, '--log-level', 'debug'] });
  });

  it('has a root from its arguments or its environment', () => {
    expect(rootOf({ args: [main, '--root', '/a'] })).toBe('/a');
    expect(rootOf({ args: [main, '--root=/a'] })).toBe('/a');
    expect(rootOf({ args: [main], env: { DAYBOOK_ROOT: '/b' } })).toBe('/b');
    expect(rootOf({ args: [main] })).toBeUndefined();
  });
});

describe('an entry', () => {
  it('is written into a file that is missing or empty', () => {
    for (const text of ['', '  \n']) {
      const written = withEntry(text, cursor, entry);
      expect(JSON.parse(written)).toEqual({ mcpServers: { daybook: entry } });
      expect(written.endsWith('}\n')).toBe(true);
    }
  });

  it('does not change comments, other entries, indentation and line ends', () => {
    const before =
      '// mine\r\n{\r\n\t"theme": "dark", // keep\r\n\t"mcpServers": {\r\n\t\t/* other */\r\n\t\t"git": { "command": "g", },\r\n\t},\r\n}\r\n';
    const after = withEntry(before, cursor, entry);
    expect(parse(after)).toEqual({
      theme: 'dark',
      mcpServers: { git: { command: 'g' }, daybook: entry },
    });
    for (const part of ['// mine\r\n', '// keep', '/* other */', '"theme": "dark", // keep']) {
      expect(after).toContain(part);
    }
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).toMatch(/\r\n\t\t"daybook": \{\r\n\t\t\t"command"/);
  });

  it('keeps a byte-order mark', () => {
    const after = withEntry('\ufeff{ "theme": "dark" }\r\n', cursor, entry);
    expect(after.startsWith('\ufeff{')).toBe(true);
    expect(JSON.parse(after.slice(1))).toEqual({ theme: 'dark', mcpServers: { daybook: entry } });
    expect(withEntry(after, cursor, entry)).toBe(after);
    expect(withEntry('\ufeff', cursor, entry).startsWith('\ufeff{')).toBe(true);
  });

  it.each([
    '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}',
    '{"mcpServers": {"daybook": {"command": "a"}, "daybook": {"command": "b"}}}',
    '{"mcpServers": {"daybook": {"command": "a", "command": "b"}}}',
  ])('is refused if a name on its path occurs twice: %s', (text) => {
    expect(() => withEntry(text, cursor, entry)).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });

  it('is not written twice, and replaces an older one', () => {
    const once = withEntry('{}', cursor, entry);
    expect(withEntry(once, cursor, entry)).toBe(once);
    const moved = withEntry(once, cursor, { ...entry, args: ['elsewhere'] });
    expect(JSON.parse(moved)).toEqual({
      mcpServers: { daybook: { ...entry, args: ['elsewhere'] } },
    });
  });

  it('keeps other fields that the user has added', () => {
    const own = { env: { DAYBOOK_FSYNC: 'off' }, disabled: true };
    const before = JSON.stringify({ mcpServers: { daybook: { command: 'old', ...own } } });
    const after = withEntry(before, cursor, entry);
    expect(JSON.parse(after)).toEqual({ mcpServers: { daybook: { ...entry, ...own } } });
    expect(withEntry(after, cursor, entry)).toBe(after);
  });

  it.each([
    '{',
    '[]',
    '"text"',
    '{"mcpServers": []}',
    '{"mcpServers": {"a" 1}}',
    '{} trailing',
  ])('is refused for a file that its client cannot read: %s', (text) => {
    expect(() => withEntry(text, cursor, entry)).toThrow(AppError);
  });

  it('is removed without changing the rest', () => {
    const before = '{\n  // mine\n  "mcpServers": { "git": { "command": "g" } }\n}\n';
    const removed = withoutEntry(withEntry(before, cursor, entry), cursor);
    expect(parse(removed)).toEqual({ mcpServers: { git: { command: 'g' } } });
    expect(removed).toContain('// mine');
    expect(withoutEntry(before, cursor)).toBe(before);
  });
});

describe('an object of servers that is empty after a removal', () => {
  const again = (text: string) => withoutEntry(withEntry(text, cursor, entry), cursor);

  it.each([
    '{\n  "theme": "dark"\n}\n',
    '{\n  // mine\n  "theme": "dark", // keep\n}\n',
    '\ufeff{\r\n\t"theme": "dark"\r\n}\r\n',
  ])('is removed, so that the file is as it was before: %j', (text) => {
    expect(again(text)).toBe(text);
  });

  it.each([
    '',
    '{}',
    '{ "mcpServers": {} }',
  ])('stays if the file has no other content: %j', (text) => {
    expect(JSON.parse(again(text))).toEqual({ mcpServers: {} });
  });

  it('stays if it has a comment', () => {
    expect(again('{ "a": 1, "mcpServers": {\n  // mine\n} }')).toContain('// mine');
  });
});

describe('an entry in TOML', () => {
  const codex = clientOf('codex');
  const before =
    '# mine\nmodel = "o5" # keep\n\n[mcp_servers.git]\ncommand = "g"\nargs = [\n  "a", # first\n]\n';

  it('is added at the end, and the rest is not changed', () => {
    for (const text of ['', before, before.trimEnd()]) {
      const after = withEntry(text, codex, entry);
      expect(after.startsWith(text)).toBe(true);
      expect(readEntry(after, codex)).toEqual(entry);
      expect(withEntry(after, codex, entry)).toBe(after);
    }
  });

  it('is changed with its sub-tables, and keeps fields that the user has added', () => {
    const own = '\n[mcp_servers.daybook]\ncommand = "old"\n\n[mcp_servers.daybook.env]\nA = "b"\n';
    const after = withEntry(`${before}${own}\n# the end\n[tools]\n`, codex, {
      ...entry,
      env: { A: 'b' },
    });
    expect(readEntry(after, codex)).toEqual({ ...entry, env: { A: 'b' } });
    expect(parseToml(after)).toMatchObject({ model: 'o5' });
    for (const part of ['# mine', '# keep', '# first', '# the end\n[tools]']) {
      expect(after).toContain(part);
    }
    expect(after).not.toContain('"old"');
  });

  it('is removed, and the rest is as it was before', () => {
    expect(withoutEntry(withEntry(before, codex, entry), codex).trimEnd()).toBe(before.trimEnd());
    expect(withoutEntry(before, codex)).toBe(before);
  });

  it.each([
    'mcp_servers = { git = { command = "g" } }',
    'mcp_servers.daybook = { command = "x" }',
    '[mcp_servers]\ndaybook = { command = "x" }',
    'model = ',
  ])('is refused if the file could not be changed safely: %s', (text) => {
    expect(() => withEntry(text, codex, entry)).toThrow(
      expect.objectContaining({ code: 'CORRUPT' }),
    );
  });

  it('is not reported as invalid TOML if only no table can be added', () => {
    const text = 'mcp_servers = { git = { command = "g" } }';
    expect(() => withEntry(text, codex, entry)).toThrow(/cannot change safely/);
  });

  it('is printed as TOML', () => {
    expect(parseToml(blockOf(codex, entry))).toEqual({ mcp_servers: { daybook: entry } });
  });
});
