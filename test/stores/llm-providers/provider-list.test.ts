/** The list of language models: what it accepts and refuses, and that a permission is not inherited. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProviderList } from '../../../src/stores/llm-providers/provider-list.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';

function openList() {
  const path = join(tempFolder(), 'config', 'providers.json');
  let now = Date.parse('2025-01-24T13:20:00.000Z');
  const clock = { now: () => now, monotonic: () => 0 };
  const pass = (ms: number) => {
    now += ms;
  };
  return {
    list: new ProviderList({ path, clock }),
    another: new ProviderList({ path, clock }),
    path,
    pass,
  };
}

describe('the list of providers', () => {
  it('is empty at first, and accepts the usual content of a kind', async () => {
    const { list, another, path } = openList();
    expect(await list.list()).toEqual([]);
    expect(existsSync(path)).toBe(false);
    await list.set({ name: 'local', kind: 'ollama', model: 'llama3.2' });
    await list.set({ name: 'gpt', kind: 'openai', model: 'gpt-5-mini', priority: 5 });
    expect(await another.list()).toMatchObject([
      {
        name: 'gpt',
        endpoint: 'https://api.openai.com/v1',
        apiKeyEnv: 'OPENAI_API_KEY',
        isAllowed: false,
      },
      {
        name: 'local',
        endpoint: 'http://127.0.0.1:11434/v1',
        contextTokens: 4096,
        maxTokens: 4096,
      },
    ]);
    expect(await list.remove('gpt')).toBe(true);
    expect(await list.remove('gpt')).toBe(false);
  });

  it('loses neither of two changes at the same time', async () => {
    const { list, another } = openList();
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? list : another).set({ name: `p${n}`, kind: 'vllm', model: 'm' }),
      ),
    );
    expect(await list.list()).toHaveLength(10);
  });

  it('withdraws the permission if the receiver changes, and only then', async () => {
    const { list } = openList();
    await list.set({ name: 'gpt', kind: 'openai', model: 'a', isAllowed: true });
    expect((await list.set({ name: 'gpt', model: 'b', priority: 3 })).isAllowed).toBe(true);
    expect((await list.set({ name: 'gpt', endpoint: 'https://evil.example/v1' })).isAllowed).toBe(
      false,
    );
    await list.set({ name: 'gpt', isAllowed: true });
    expect((await list.set({ name: 'gpt', apiKeyEnv: 'OTHER_KEY' })).isAllowed).toBe(false);
  });

  it('replaces the defaults of the old kind if the kind changes, and keeps other values', async () => {
    const { list } = openList();
    await list.set({ name: 'a', kind: 'openai', model: 'gpt-5-mini', priority: 3 });
    expect(await list.set({ name: 'a', kind: 'ollama', model: 'llama3.2' })).toMatchObject({
      endpoint: 'http://127.0.0.1:11434/v1',
      contextTokens: 4_096,
      priority: 3,
    });
    expect((await list.list())[0]).not.toHaveProperty('apiKeyEnv');
    expect(await list.set({ name: 'a', kind: 'anthropic', model: 'claude' })).toMatchObject({
      endpoint: 'https://api.anthropic.com',
      apiKeyEnv: 'ANTHROPIC_API_KEY',
      contextTokens: 64_000,
    });
    const own = { endpoint: 'https://gpu.example/v1', apiKeyEnv: 'MY_KEY', contextTokens: 9_000 };
    await list.set({ name: 'b', kind: 'vllm', model: 'm', ...own });
    expect(await list.set({ name: 'b', kind: 'llamacpp' })).toMatchObject(own);
  });

  it.each([
    [
      'a key instead of the name of a variable',
      { apiKeyEnv: 'sk-proj-1234567890abcdef' },
      'apiKeyEnv',
    ],
    ['a key of small letters', { apiKeyEnv: 'abcdef0123456789' }, 'apiKeyEnv'],
    [
      'a key over plain http to another machine',
      { endpoint: 'http://gpu.example/v1', apiKeyEnv: 'MY_KEY' },
      'endpoint',
    ],
    ['a key in the address', { endpoint: 'https://u:secret@gpu.example/v1' }, 'endpoint'],
    ['no address', { endpoint: 'file:///etc/passwd' }, 'endpoint'],
    ['the name of no model', { name: 'extractive' }, 'name'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
  ])('refuses %s', async (_, change, field) => {
    const { list, path } = openList();
    const error = await errorOf(list.set({ name: 'x', kind: 'vllm', model: 'm', ...change }));
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.details).toMatchObject({ field });
    expect(existsSync(path)).toBe(false);
  });

  it('accepts a server of the local network without a key', async () => {
    const { list } = openList();
    const set = await list.set({
      name: 'nas',
      kind: 'ollama',
      model: 'm',
      endpoint: 'http://192.168.1.5:11434/v1',
    });
    expect(set.apiKeyEnv).toBeUndefined();
    const short = await list.set({ name: 'nas', endpoint: 'http://192.168.1.5:11434/' });
    expect(short.endpoint).toBe('http://192.168.1.5:11434/v1');
    const other = await list.set({ name: 'nas', endpoint: 'http://192.168.1.5:11434/other' });
    expect(other.endpoint).toBe('http://192.168.1.5:11434/other');
  });

  it('is never overwritten if it is damaged', async () => {
    const { list, path } = openList();
    mkdirSync(dirname(path));
    for (const content of ['{ broken', '{"providers": [{"name": "x"}]}', '[]']) {
      writeFileSync(path, content);
      const damaged = await errorOf(list.list());
      expect(damaged).toMatchObject({ code: 'CORRUPT', isGeneralHint: false });
      expect((await errorOf(list.set({ name: 'a', kind: 'vllm', model: 'm' }))).code).toBe(
        'CORRUPT',
      );
      expect(readFileSync(path, 'utf8')).toBe(content);
    }
  });

  it('is not written if the provider to remove is not in it', async () => {
    const { list, path } = openList();
    expect(await list.remove('a')).toBe(false);
    expect(existsSync(path)).toBe(false);
    await list.set({ name: 'a', kind: 'vllm', model: 'm' });
    const own = readFileSync(path, 'utf8').replace('"name"', '"comment": "mine",\n"name"');
    writeFileSync(path, own);
    expect(await list.remove('b')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(own);
    expect(await list.remove('a')).toBe(true);
  });

  it('records the last use, at most once a minute', async () => {
    const { list, pass } = openList();
    await list.set({ name: 'a', kind: 'vllm', model: 'm' });
    await list.recordUse('a');
    pass(1_000);
    await list.recordUse('a');
    expect((await list.list())[0]?.lastUsedAt).toBe('2025-01-24T13:20:00.000Z');
    pass(60_000);
    await list.recordUse('a');
    expect((await list.list())[0]?.lastUsedAt).toBe('2025-01-24T13:21:01.000Z');
    await list.recordUse('gone');
  });
});
