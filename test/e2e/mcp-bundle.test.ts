/** The MCP bundle, started as by a host: with the official code that makes a command of its manifest. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { type Session, withPlace, withServerAt } from './harness.js';

const MCPB = resolve(import.meta.dirname, '../../mcpb');
/** pack.mjs installs it. */
const TOOL = join(MCPB, 'node_modules/@anthropic-ai/mcpb/dist');
const node = (...args: string[]) => promisify(execFile)(process.execPath, args);

describe('the MCP bundle', () => {
  it('is a complete server, whether the user fills in its fields or not', async () => {
    await withPlace(async ({ folder, root, env }) => {
      await node(join(MCPB, 'pack.mjs'), folder);
      const [bundle = ''] = (await readdir(folder)).filter((name) => name.endsWith('.mcpb'));
      const extensionPath = join(folder, 'extension');
      await node(join(TOOL, 'cli/cli.js'), 'unpack', join(folder, bundle), extensionPath);
      const manifest = JSON.parse(await readFile(join(extensionPath, 'manifest.json'), 'utf8'));
      const { getMcpConfigForManifest } = await import(join(TOOL, 'index.js'));

      const installedWith = async <T>(
        userConfig: Record<string, string>,
        work: (session: Session) => Promise<T>,
      ) => {
        const options = { manifest, extensionPath, systemDirs: {}, userConfig, pathSeparator: '/' };
        const config = await getMcpConfigForManifest(options);
        const transport = new StdioClientTransport({ ...config, env: { ...env, ...config.env } });
        return withServerAt(transport, work);
      };
      const rootAndTools = async ({ call, client }: Session) => {
        await call('save_message', { role: 'user', content: 'Hello' });
        const names = (await client.listTools()).tools.map(({ name }) => name);
        return { root: (await call('store_info'))['root'], names };
      };

      const empty = await installedWith({}, rootAndTools);
      expect(empty.root).toBe(join(folder, '.daybook'));
      expect(empty.names).not.toContain('perplexity_search');

      await mkdir(root);
      const filled = await installedWith({ root, perplexity_api_key: 'pplx-key' }, rootAndTools);
      expect(filled.root).toBe(root);
      expect(filled.names).toContain('perplexity_search');
      expect((await readdir(join(root, 'conversation-logs'))).length).toBeGreaterThan(0);
    });
  });
});
