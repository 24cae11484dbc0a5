/** The configuration: which source wins, where the root is, and what a wrong value says. */
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { loadConfig } from '../../src/config/config.js';
import { parseFolders } from '../../src/config/find-root.js';
import { expandPath } from '../../src/config/given-path.js';
import type { ConfigSources } from '../../src/config/settings/find-settings.js';
import { SETTINGS, WATCHED_TOOLS } from '../../src/config/settings/settings.js';
import { cacheFolder, configFolder } from '../../src/config/user-folders.js';

const HOME = '/home/alice';
const FILE = '/home/alice/.config/daybook/config.json';
const FOLDERS = '/home/alice/.config/daybook/folders.json';

function load(given: Partial<ConfigSources> & { files?: Record<string, unknown> } = {}) {
  const files = given.files ?? {};
  return loadConfig({
    env: {},
    cwd: '/home/alice/work/project',
    home: HOME,
    platform: 'linux',
    knownToolsets: ['conversations', 'threads', 'admin'],
    readFile: (path) => {
      const content = files[path];
      return typeof content === 'string' || content === undefined
        ? content
        : JSON.stringify(content);
    },
    ...given,
  });
}

function failure(given: Parameters<typeof load>[0]): string {
  try {
    load(given);
  } catch (error) {
    if (isAppError(error, 'VALIDATION_ERROR')) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

describe('the files of the graph', () => {
  it.each([
    ['/kg/one.json', '/kg/one.json'],
    ['/kg/one.json', '/kg/one.log'],
  ])('%s and %s would overwrite each other', (MCP_KG_SNAPSHOT, MCP_KG_WAL) => {
    expect(failure({ env: { MCP_KG_SNAPSHOT, MCP_KG_WAL } })).toContain('MCP_KG_WAL');
  });
});

describe('sources', () => {
  it('has the defaults of the design', () => {
    const config = load();
    expect(config).toMatchObject({
      root: '/home/alice/.daybook',
      rootSource: 'home',
      logsDir: '/home/alice/.daybook/conversation-logs',
      toolsets: ['conversations', 'threads'],
      logLevel: 'info',
      fsync: true,
      maxMessages: 10_000,
      notices: [],
    });
    expect(config.perplexity).toMatchObject({
      apiKey: undefined,
      backend: 'agent',
      searchPreset: 'low',
      researchPreset: 'high',
      waitMs: 45_000,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('lets flags win over the environment, and that over the file', () => {
    const files = { [FILE]: { root: '/file', maxMessages: 7, logLevel: 'error' } };
    const env = { DAYBOOK_ROOT: '/env', DAYBOOK_MAX_MESSAGES: '8' };
    expect(load({ files, env, flags: { root: '/flag' } })).toMatchObject({
      root: '/flag',
      rootSource: 'flag',
      maxMessages: 8,
      logLevel: 'error',
    });
    expect(load({ files, env })).toMatchObject({ root: '/env', rootSource: 'environment' });
    expect(load({ files })).toMatchObject({ root: '/file', rootSource: 'file', maxMessages: 7 });
  });

  it('accepts the older names of variables, after the preferred ones', () => {
    expect(load({ env: { PERSISTENCE_LOG_LEVEL: 'WARN' } }).logLevel).toBe('warn');
    const both = { PERSISTENCE_LOG_LEVEL: 'warn', DAYBOOK_LOG_LEVEL: 'debug' };
    expect(load({ env: both }).logLevel).toBe('debug');
    expect(load({ env: { CONVERSATION_LOGS_DIR: '~/logs' } }).logsDir).toBe('/home/alice/logs');
  });

  it('treats the placeholder of an empty field of an MCP bundle as not set, but no other one', () => {
    const rootOf = (value: string) => load({ env: { DAYBOOK_ROOT: value } }).root;
    expect(rootOf(`\${user_config.root}`)).toBe('/home/alice/.daybook');
    expect(rootOf(`\${HOME}/x`)).toBe(`/home/alice/work/project/\${HOME}/x`);
  });

  it('treats an empty variable as not set', () => {
    expect(load({ env: { DAYBOOK_ROOT: ' ', DAYBOOK_FSYNC: '' } })).toMatchObject({
      rootSource: 'home',
      fsync: true,
    });
  });

  it.each([
    ['0', false],
    ['1', true],
    ['off', false],
    ['True', true],
  ])('reads DAYBOOK_FSYNC=%s', (value, fsync) => {
    expect(load({ env: { DAYBOOK_FSYNC: value } }).fsync).toBe(fsync);
  });
});

describe('the root', () => {
  it('is the nearest registered folder at or above the working directory', () => {
    const files = { [FOLDERS]: { folders: ['/home/alice', '/home/alice/work', '/other'] } };
    expect(load({ files })).toMatchObject({ root: '/home/alice/work', rootSource: 'registered' });
    expect(load({ files, cwd: '/home/alice/worker' }).root).toBe('/home/alice');
    expect(load({ files, cwd: '/elsewhere' }).rootSource).toBe('home');
  });

  it('the root is never chosen because of files in the working directory', () => {
    const asked: string[] = [];
    load({
      readFile: (path) => {
        asked.push(path);
        return undefined;
      },
    });
    expect(asked.every((path) => path.startsWith('/home/alice/.config/daybook/'))).toBe(true);
  });

  it('expands ~ and relative paths', () => {
    expect(load({ env: { DAYBOOK_ROOT: '~/notes' } }).root).toBe('/home/alice/notes');
    expect(load({ flags: { root: '../other' } }).root).toBe('/home/alice/work/other');
    expect(expandPath('~', '/cwd', HOME)).toBe(HOME);
    expect(expandPath('~bob/x', '/cwd', HOME)).toBe('/cwd/~bob/x');
  });

  it.each([
    '/home/alice/.npm/_npx/1a2b/data',
    '/srv/app/node_modules/daybook',
  ])('is never inside a package cache: %s', (root) => {
    expect(failure({ env: { DAYBOOK_ROOT: root } })).toMatch(/^DAYBOOK_ROOT .*package cache/);
    expect(failure({ env: { CONVERSATION_LOGS_DIR: root } })).toMatch(/^CONVERSATION_LOGS_DIR/);
  });

  it('reads only absolute paths from the list of roots, and reports a damaged list', () => {
    expect(parseFolders('{"folders":["relative","/abs"]}', FOLDERS)).toEqual(['/abs']);
    expect(failure({ files: { [FOLDERS]: '{"folders":' } })).toContain(FOLDERS);
    expect(failure({ files: { [FOLDERS]: '[]' } })).toContain(FOLDERS);
  });
});

describe('wrong values', () => {
  it.each([
    ['DAYBOOK_FSYNC', 'maybe', '1 or 0'],
    ['DAYBOOK_MAX_MESSAGES', '0', 'a whole number'],
    ['DAYBOOK_MAX_MESSAGES', '1.5', 'a whole number'],
    ['DAYBOOK_LOG_LEVEL', 'loud', 'debug, info'],
    ['PERSISTENCE_LOG_LEVEL', 'loud', 'debug, info'],
    ['DAYBOOK_TOOLSETS', 'conversations,nope', 'conversations, threads, admin'],
    ['PERPLEXITY_BASE_URL', 'ftp://x', 'http or https'],
    ['PERPLEXITY_BACKEND', 'sonar', 'agent, chat-completions'],
    ['PERPLEXITY_SEARCH_PRESET', 'turbo', 'fast, low'],
    ['PERPLEXITY_WAIT_MS', '-1', 'milliseconds'],
  ])('%s=%s is refused with the values that are allowed', (name, value, takes) => {
    const message = failure({ env: { [name]: value } });
    expect(message).toMatch(new RegExp(`^${name} must be `));
    expect(message).toContain(takes);
    expect(message).toContain(value.split(',').at(-1));
  });

  it.each([
    [{ fsync: 1, indexCache: 0, views: false, kgFsync: 'On' }],
    [{ maxSizeMb: 5, httpPort: ' 4000 ' }],
  ])('the file may have numbers and texts as values: %o', (file) => {
    const { fsync, indexCache, views, kg, keeping, http } = load({ files: { [FILE]: file } });
    const read = { fsync, indexCache, views, kgFsync: kg.fsync };
    const isOnOff = 'fsync' in file;
    expect(isOnOff ? read : [keeping.maxSizeBytes, http.port]).toEqual(
      isOnOff ? { fsync: true, indexCache: false, views: false, kgFsync: true } : [5_000_000, 4000],
    );
  });

  it.each([
    null,
    true,
    false,
    [],
    [7],
    '',
    ' ',
    '7 days',
    { toString: 1 },
  ])('a number cannot be %o', (value) => {
    for (const name of ['maxSizeMb', 'kgTtlDays', 'httpPort'])
      expect(failure({ files: { [FILE]: { [name]: value } } })).toContain(' must be ');
  });

  it.each(['fsync', 'embeddings', 'logLevel'])('%s cannot be an object', (name) => {
    expect(failure({ files: { [FILE]: { [name]: { toString: 1 } } } })).toContain('{"toString":1}');
  });

  it('leaves the password of an address out of the error', () => {
    const address = 'ftp://me:open-sesame@example.org';
    for (const given of [
      { env: { PERPLEXITY_BASE_URL: address } },
      { files: { [FILE]: { perplexityBaseUrl: address } } },
    ]) {
      expect(failure(given)).toContain('"ftp://***@example.org"');
      expect(failure(given)).not.toContain('sesame');
    }
  });

  it('a key in place of the name of its variable is refused and not shown', () => {
    const name = 'DAYBOOK_EMBEDDINGS_KEY_ENV';
    expect(failure({ env: { [name]: 'sk-open-sesame' } })).not.toContain('sesame');
    const file = { embeddingsKeyEnv: 'sk-open-sesame' };
    expect(failure({ files: { [FILE]: file } })).not.toContain('sesame');
    const env = { DAYBOOK_EMBEDDINGS: 'openai', MY_KEY: 'k', [name]: ' MY_KEY ' };
    expect(load({ env }).embeddings).toMatchObject({ keyVariable: 'MY_KEY', apiKey: 'k' });
  });

  it.each([
    'https://api.openai.com/v1/',
    'https://API.openai.com/v1',
  ])('the key of OpenAI is used for its address in another spelling: %s', (address) => {
    const env = { DAYBOOK_EMBEDDINGS: 'openai', OPENAI_API_KEY: 'k' };
    const { embeddings } = load({ env: { ...env, DAYBOOK_EMBEDDINGS_ENDPOINT: address } });
    expect(embeddings.apiKey).toBe('k');
  });

  it.each([
    'PERPLEXITY_BASE_URL',
    'DAYBOOK_EMBEDDINGS_ENDPOINT',
  ])('%s with a user or a query, which cannot be sent, is refused', (name) => {
    for (const address of ['https://me:open-sesame@example.org/v1', 'https://example.org/v1?a=b'])
      expect(failure({ env: { [name]: address } })).toMatch(new RegExp(`^${name} must be `));
    for (const secret of ['https://me:open-sesame@example.org/v1', 'https://h.org/v1?k=sesame'])
      expect(failure({ env: { [name]: secret } })).not.toContain('sesame');
  });

  it('names the file and its setting', () => {
    expect(failure({ files: { [FILE]: { fsync: 'maybe' } } })).toContain(`"fsync" in ${FILE}`);
    expect(failure({ files: { [FILE]: { fsynk: true } } })).toContain('"fsynk"');
    expect(failure({ files: { [FILE]: '{\n  "fsync": true,\n  oops\n}' } })).toContain(
      'line 3, column 3',
    );
    expect(failure({ files: { [FILE]: '[]' } })).toContain('one JSON object');
  });

  it('reads no key of a provider from the file, and shows none', () => {
    expect(failure({ files: { [FILE]: { perplexityApiKey: 'pplx-1' } } })).toContain(
      'only in the environment',
    );
  });
});

describe('toolsets', () => {
  it.each([
    ['all', ['conversations', 'threads', 'admin']],
    [' threads , conversations ', ['conversations', 'threads']],
    ['admin', ['admin']],
  ])('reads %s', (value, toolsets) => {
    expect(load({ env: { DAYBOOK_TOOLSETS: value } }).toolsets).toEqual(toolsets);
  });
});

describe('the configuration file', () => {
  it('may have comments, trailing commas and a list of toolsets', () => {
    const text =
      '// mine\n{ "toolsets": ["threads", "conversations"], /* quick */ "fsync": false, }';
    const config = load({ files: { [FILE]: text } });
    expect(config.toolsets).toEqual(['conversations', 'threads']);
    expect(config.fsync).toBe(false);
    expect(failure({ files: { [FILE]: { toolsets: ['threads', 'x'] } } })).toContain('"x"');
  });
});

describe('a variable with a typing error', () => {
  it.each([
    ['DAYBOOK_MAX_MESSAGE', 'DAYBOOK_MAX_MESSAGES'],
    ['DAYBOOK_BACKUP_DRI', 'DAYBOOK_BACKUP_DIR'],
  ])('%s is said to have no effect', (name, meant) => {
    const [notice] = load({ env: { [name]: '5' } }).notices;
    expect(notice).toContain(`${name} has no effect`);
    expect(notice).toContain(`Similar: ${meant}.`);
  });

  it.each(['DAYBOOK_MY_SCRIPT', 'DAYBOOK_PAGER', 'DAYBOOK_MAX_MESSAGES'])('%s is none', (name) => {
    expect(load({ env: { [name]: '5' } }).notices).toEqual([]);
  });
});

describe('variables of the older designs', () => {
  it.each(['PERSISTENCE_DB_PATH', 'INSIGHTS_MCP_DB_PATH'])('%s is recognised', (name) => {
    const [notice] = load({ env: { [name]: '~/conversations.db' } }).notices;
    expect(notice).toMatch(new RegExp(`^${name} names a database`));
    expect(notice).toContain('docs/IMPORTING.md');
  });

  it('--db-path is recognised', () => {
    expect(load({ flags: { dbPath: '/x/insights.db' } }).notices).toHaveLength(1);
  });
});

describe('the configuration folder', () => {
  it.each([
    ['linux', {}, '/home/alice/.config/daybook'],
    ['linux', { XDG_CONFIG_HOME: '/cfg' }, '/cfg/daybook'],
    ['linux', { XDG_CONFIG_HOME: 'relative' }, '/home/alice/.config/daybook'],
    ['darwin', {}, '/home/alice/Library/Application Support/daybook'],
    ['win32', { APPDATA: '/appdata' }, '/appdata/daybook'],
    ['win32', { APPDATA: '' }, '/home/alice/AppData/Roaming/daybook'],
    ['win32', { APPDATA: 'appdata' }, '/home/alice/AppData/Roaming/daybook'],
  ])('on %s with %o', (platform, env, expected) => {
    expect(configFolder({ platform, env, home: HOME })).toBe(expected);
  });

  it.each([
    '',
    'local',
  ])('LOCALAPPDATA=%s names no folder, and no file of the working folder', (LOCALAPPDATA) => {
    const env = { LOCALAPPDATA };
    expect(cacheFolder({ platform: 'win32', env, home: HOME })).toBe(
      '/home/alice/AppData/Local/daybook/Cache',
    );
  });
});

it('accepts the tools that servers watch as a list, and off or all', () => {
  const watched = (value: string) => load({ env: { DAYBOOK_IMPORT_WATCH: value } }).imports.watched;
  expect(load().imports.watched).toEqual([]);
  expect(watched('off')).toEqual([]);
  expect(watched('Codex, claude-code')).toEqual(['claude-code', 'codex']);
  expect(watched('all')).toEqual(WATCHED_TOOLS);
  expect(failure({ env: { DAYBOOK_IMPORT_WATCH: 'codex,emacs' } })).toContain('claude-code');
});

it('describes every setting', () => {
  for (const { about, takes, env } of Object.values(SETTINGS)) {
    expect(about.length).toBeGreaterThan(10);
    expect(takes.length).toBeGreaterThan(2);
    expect(env.every((name) => /^[A-Z_]+$/.test(name))).toBe(true);
  }
});

describe('over HTTP', () => {
  const TOKEN = 'a-token-of-sixteen';
  const http = (env: Record<string, string> = {}) => load({ env }).http;

  it('listens only on this machine, without token or rate limit, by default', () => {
    expect(load()).toMatchObject({ mode: 'stdio' });
    expect(http()).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      token: undefined,
      isStateless: false,
      allowedHosts: [],
      allowedOrigins: [],
      maxBodyBytes: 64 * 1024 * 1024,
      sessionIdleMs: 24 * 3_600_000,
      ratePerMinute: 0,
    });
  });

  it('requires a token and limits the rate on every host that is not this machine', () => {
    const mode = { DAYBOOK_MODE: 'http' };
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', 'LOCALHOST'])
      expect(http({ ...mode, DAYBOOK_HTTP_HOST: host }).ratePerMinute, host).toBe(0);
    for (const host of [
      '0.0.0.0',
      '::',
      '[::]',
      '192.168.0.2',
      'localhost.example',
      '127.example',
    ]) {
      const env = { ...mode, DAYBOOK_HTTP_HOST: host };
      expect(failure({ env }), host).toContain('DAYBOOK_HTTP_TOKEN');
      expect(http({ ...env, DAYBOOK_HTTP_TOKEN: TOKEN }).ratePerMinute, host).toBe(600);
    }
    const local = http({ ...mode, DAYBOOK_HTTP_HOST: '0:0:0:0:0:0:0:1' });
    expect(local).toMatchObject({ host: '::1', ratePerMinute: 0 });
    const limited = { DAYBOOK_HTTP_RATE_LIMIT: '30' };
    expect(http(limited).ratePerMinute).toBe(30);
  });

  it('names the setting, not the command, if a list or a file cannot be used', () => {
    const file = (content: string) => ({ readFile: () => content });
    for (const given of [
      { env: { DAYBOOK_HTTP_ALLOWED_ORIGINS: '*' } },
      { env: { DAYBOOK_HTTP_ALLOWED_HOSTS: 'http://notes.example' } },
      { env: { MCP_KG_SNAPSHOT: '/a/kg.json', MCP_KG_WAL: '/a/kg.log' } },
      file('[]'),
    ]) {
      expect(() => load(given)).toThrow(expect.objectContaining({ isGeneralHint: false }));
    }
  });

  it('accepts lists of hosts and origins, and the older names', () => {
    const env = {
      INSIGHTS_MCP_MODE: 'HTTP',
      INSIGHTS_MCP_PORT: '8123',
      DAYBOOK_HTTP_ALLOWED_HOSTS: ' Notes.example, proxy:8443 ,',
      DAYBOOK_HTTP_ALLOWED_ORIGINS: 'https://notes.example:443, http://localhost:6274/',
    };
    expect(failure({ env })).toContain('not "http://localhost:6274/"');
    const right = { ...env, DAYBOOK_HTTP_ALLOWED_ORIGINS: 'https://Notes.example:443' };
    expect(load({ env: right })).toMatchObject({
      mode: 'http',
      http: {
        port: 8123,
        allowedHosts: ['notes.example', 'proxy:8443'],
        allowedOrigins: ['https://notes.example'],
      },
    });
  });

  it('names similar settings for one that does not exist', () => {
    expect(() => load({ files: { [FILE]: { toolset: 'kg' } } })).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Similar settings: toolsets.') }),
    );
  });

  it('reads the token from the environment only, and never repeats it', () => {
    const files = { [FILE]: { httpToken: TOKEN } };
    expect(failure({ files })).toContain('"httpToken" in');
    const spaced = 'a token with spaces in it';
    expect(failure({ env: { DAYBOOK_HTTP_TOKEN: spaced } })).not.toContain(spaced);
  });
});
