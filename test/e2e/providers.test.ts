/** `daybook providers`: adds language models, shows what would be sent to which server, and allows it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startLlm } from '../support/llm-stand-in.js';
import { runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, withPlace } from './harness.js';

const providers = (place: Place, ...args: string[]) =>
  runCommand(place, ['--root', place.root, 'providers', ...args]);

const list = async (place: Place) => {
  const { stdout } = await providers(place, 'list', '--json');
  return JSON.parse(stdout) as { path: string; providers: { name: string; isAllowed: boolean }[] };
};

describe('daybook providers', () => {
  it('adds a server on this machine, tests it without data of the user, and removes it', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      expect((await providers(place)).stdout).toContain('No language model is used.');
      const api = await startLlm({ answer: () => 'Blue.' });
      const endpoint = `${api.url}/v1`;
      const args = ['local', '--kind', 'llamacpp', '--model', 'small', '--endpoint', endpoint];
      const added = await providers(place, 'add', ...args);
      expect(added).toMatchObject({ code: 0, stdout: 'local is used for summaries\n' });
      expect(added.stderr).toContain('on this machine');
      expect((await providers(place)).stdout).toContain(`local: llamacpp small at ${endpoint}`);
      expect((await providers(place, 'test', 'local')).stdout).toContain('Blue.');
      expect(api.received).toHaveLength(1);
      expect((await providers(place, 'remove', 'local')).code).toBe(0);
      expect((await list(place)).providers).toEqual([]);
    });
  });

  it('shows what would be sent to another machine, and allows it only after a yes', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      const args = ['gpt', '--kind', 'openai', '--model', 'gpt-5-mini'];
      const unasked = await providers(place, 'add', ...args);
      expect(unasked.code).toBe(2);
      expect(unasked.stderr).toMatch(/to api\.openai\.com .*LEAVE THIS MACHINE/);
      expect((await list(place)).providers).toMatchObject([{ name: 'gpt', isAllowed: false }]);
      const allow = ['--root', place.root, 'providers', 'allow', 'gpt'];
      const no = await runInTerminal(place, allow, { answers: [{ after: '[y/N]', type: 'n\n' }] });
      expect(no.screen).toContain('gpt is not used');
      await runInTerminal(place, allow, { answers: [{ after: '[y/N]', type: 'y\n' }] });
      const {
        path,
        providers: [first],
      } = await list(place);
      expect(first?.isAllowed).toBe(true);
      expect(readFileSync(path, 'utf8')).not.toContain('sk-');
      const test = await providers(place, 'test', 'gpt');
      expect(test.code).toBe(2);
      expect(test.stderr).toContain('OPENAI_API_KEY');
    });
  });

  it('reports an option with a wrong value and the values that it can have', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      for (const [option, value, rule] of [
        ['--model', ' ', 'must not be empty'],
        ['--key-env', 'sk-123', 'must be the name of an environment variable'],
        ['--endpoint', 'here', 'must be an address'],
        ['--priority', 'high', 'must be a whole number from -1000 to 1000'],
      ] as const) {
        const args = ['--kind', 'vllm', '--model', 'm', option, value];
        const { code, stderr } = await providers(place, 'add', 'x', ...args);
        expect({ code, stderr }).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(`daybook: ${option} ${rule}`),
        });
      }
    });
  });

  it.each([
    [['add', 'x', '--kind', 'vllm']],
    [['add', 'x', '--kind', 'vllm', '--model', 'm', '--key-env', 'sk-1234567890']],
    [['add', 'x', '--kind', 'vllm', '--model', 'm', '--priority', 'high']],
  ])('refuses %j', async (args) => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      expect((await providers(place, ...args)).code).toBe(2);
      expect((await list(place)).providers).toEqual([]);
    });
  });

  it.each(['remove', 'test'])('%s ends with 1 if the provider does not exist', async (action) => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      expect((await providers(place, action, 'nobody')).code).toBe(1);
    });
  });
});
