/**
 * Makes an MCP bundle of the built command: one file that Claude Desktop installs by itself, with its own
 * Node (https://github.com/modelcontextprotocol/mcpb). `npm run mcpb` builds first and writes the bundle to
 * the folder in which it is run; another folder can be given as the argument.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, '..');
const TOOL = join(HERE, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
/** What the command needs when it runs; `npm ci` adds the packages that are not in its bundle. */
const CONTENT = [
  'dist/cli',
  'dist/mcp-app',
  'dist/page',
  'LICENSE',
  'package.json',
  'package-lock.json',
];

const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const npmCi = (cwd, ...options) =>
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...options], {
    cwd,
    shell: process.platform === 'win32', // npm is a script there
    stdio: 'inherit',
  });

const { version, description, license, keywords, homepage } = json(join(ROOT, 'package.json'));
const stage = mkdtempSync(join(tmpdir(), 'daybook-mcpb-'));
try {
  npmCi(HERE);
  for (const path of CONTENT) cpSync(join(ROOT, path), join(stage, path), { recursive: true });
  npmCi(stage, '--omit=dev');
  cpSync(join(HERE, 'icon.png'), join(stage, 'icon.png'));
  const manifest = {
    ...json(join(HERE, 'manifest.json')),
    version,
    description,
    license,
    keywords,
    homepage,
  };
  writeFileSync(join(stage, 'manifest.json'), JSON.stringify(manifest, null, 2));
  const bundle = resolve(process.argv[2] ?? '.', `daybook-${version}.mcpb`);
  execFileSync(process.execPath, [TOOL, 'pack', stage, bundle], { stdio: 'inherit' });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
