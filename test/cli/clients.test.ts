/** What `daybook init` writes for MCP clients: where on each platform, and into files as people have them. */
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { type Client, clientsOf, entryOf, startOf, withEntry } from '../../src/cli/clients.js';
import { CLIENT_NAMES } from '../../src/cli/names.js';

const clientOf = (name: string): Client => {
  const found = clientsOf({ home: '/home/me', platform: 'linux', env: {} }).find(
    (client) => client.name === name,
  );
  if (found === undefined) throw new Error(name);
  return found;
};
const cursor = clientOf('cursor');
const entry = { command: '/usr/bin/node', args: ['/opt/daybook/main.js', '--root', '/home/me/r'] };

describe('where clients keep their servers', () => {
  const paths = (platform: string, home: string, env = {}) =>
    Object.fromEntries(clientsOf({ platform, home, env }).map(({ name, path }) => [name, path]));

  it('on Linux', () => {
    expect(paths('linux', '/home/me')).toEqual({
      'claude-desktop': '/home/me/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/me/.claude.json',
      cursor: '/home/me/.cursor/mcp.json',
      vscode: '/home/me/.config/Code/User/mcp.json',
      windsurf: '/home/me/.codeium/windsurf/mcp_config.json',
    });
    const moved = paths('linux', '/home/me', { XDG_CONFIG_HOME: '/cfg' });
    expect(moved['vscode']).toBe('/cfg/Code/User/mcp.json');
  });

  it('on macOS, where XDG_CONFIG_HOME moves nothing of them', () => {
    expect(paths('darwin', '/Users/me', { XDG_CONFIG_HOME: '/cfg' })).toMatchObject({
      'claude-desktop': '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/Users/me/Library/Application Support/Code/User/mcp.json',
    });
  });

  it('on Windows', () => {
    // join() here writes slashes; on Windows it writes backslashes.
    expect(paths('win32', 'C:/Users/me', { APPDATA: 'D:/Roaming' })).toMatchObject({
      'claude-desktop': 'D:/Roaming/Claude/claude_desktop_config.json',
      vscode: 'D:/Roaming/Code/User/mcp.json',
      cursor: 'C:/Users/me/.cursor/mcp.json',
    });
    expect(paths('win32', 'C:/Users/me')['claude-desktop']).toContain(
      'C:/Users/me/AppData/Roaming',
    );
  });

  it('is known of each that can be named', () => {
    expect(clientsOf().map(({ name }) => name)).toEqual(CLIENT_NAMES);
  });
});

describe('how a client starts Daybook', () => {
  const root = '/home/me/notes';
  it('is by absolute paths, or through npx from its own cache', () => {
    const node = '/opt/node';
    expect(startOf(root, { node, main: '/opt/daybook/dist/cli/main.js' })).toEqual({
      command: node,
      args: ['/opt/daybook/dist/cli/main.js', '--root', root],
    });
    const main = '/home/me/.npm/_npx/ab12/node_modules/.bin/daybook';
    expect(startOf(root, { node, main, platform: 'linux' })).toEqual({
      command: 'npx',
      args: ['-y', 'daybook', '--root', root],
    });
    const windows = { node, main: 'C:\\npm\\_npx\\ab\\main.js', platform: 'win32' };
    expect(startOf(root, windows)).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', '-y', 'daybook', '--root', root],
    });
  });

  it('has a type where the client wants one', () => {
    expect(entryOf(clientOf('vscode'), { command: 'c', args: [] })).toEqual({
      ...{ type: 'stdio', command: 'c', args: [] },
    });
    expect(entryOf(cursor, { command: 'c', args: ['a'] })).toEqual({ command: 'c', args: ['a'] });
  });
});

describe('an entry', () => {
  it('is written into a file that is not there, or is empty', () => {
    for (const text of ['', '  \n']) {
      const written = withEntry(text, cursor, entry);
      expect(JSON.parse(written)).toEqual({ mcpServers: { daybook: entry } });
      expect(written.endsWith('}\n')).toBe(true);
    }
  });

  it('leaves comments, other entries, indentation and line ends as they are', () => {
    const before =
      '// mine\r\n{\r\n\t"theme": "dark", // keep\r\n\t"mcpServers": {\r\n\t\t/* other */\r\n\t\t"git": { "command": "g", },\r\n\t},\r\n}\r\n';
    const after = withEntry(before, cursor, entry);
    expect(parse(after)).toEqual({
      ...{ theme: 'dark', mcpServers: { git: { command: 'g' }, daybook: entry } },
    });
    for (const part of ['// mine\r\n', '// keep', '/* other */', '"theme": "dark", // keep']) {
      expect(after).toContain(part);
    }
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(after).toMatch(/\r\n\t\t"daybook": \{\r\n\t\t\t"command"/);
  });

  it('leaves a byte order mark where it is', () => {
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
  ])('is refused where a name on its way stands twice: %s', (text) => {
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

  it('keeps what else its user has put into it', () => {
    const own = { env: { DAYBOOK_FSYNC: 'off' }, disabled: true };
    const before = JSON.stringify({ mcpServers: { daybook: { command: 'old', ...own } } });
    const after = withEntry(before, cursor, entry);
    expect(JSON.parse(after)).toEqual({ mcpServers: { daybook: { ...entry, ...own } } });
    expect(withEntry(after, cursor, entry)).toBe(after);
  });

  it.each(['{', '[]', '"text"', '{"mcpServers": []}', '{"mcpServers": {"a" 1}}', '{} trailing'])(
    'is refused for a file that its client cannot read: %s',
    (text) => {
      expect(() => withEntry(text, cursor, entry)).toThrow(AppError);
    },
  );
});
