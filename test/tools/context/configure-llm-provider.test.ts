/** Adding a language model with the tool; nothing is sent to it before the user allowed it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configureLlmProvider } from '../../../src/tools/context/configure-llm-provider.js';
import { getProgressiveDetail } from '../../../src/tools/context/get-progressive-detail.js';
import { startLlm } from '../../support/llm-stand-in.js';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const raw = (name: string, input: object) =>
  opened.session.client.callTool({ name, arguments: { ...input } });
const configure = async (input: object) =>
  configureLlmProvider.output.parse((await raw('configure_llm_provider', input)).structuredContent);
const detail = async (input: object) =>
  getProgressiveDetail.output.parse((await raw('get_progressive_detail', input)).structuredContent);

describe('configure_llm_provider', () => {
  it('uses a server on this machine at once, after it has said what is sent to it', async () => {
    const api = await startLlm();
    expect((await configure({})).providers).toEqual([]);
    const set = await configure({
      action: 'set',
      name: 'local',
      kind: 'llamacpp',
      model: 'small',
      endpoint: `${api.url}/v1`,
    });
    expect(set.disclosure).toContain(new URL(api.url).host);
    expect(set.nextStep).toBeUndefined();
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'A bed at the wall.' });
    const { summary } = await detail({ conversationId: 'a' });
    expect(summary).toMatchObject({ provider: 'local', model: 'small' });
    expect((await configure({})).providers[0]?.lastUsedAt).toBeDefined();
    await configure({ action: 'remove', name: 'local' });
    const again = await detail({ conversationId: 'a', refresh: true });
    expect(again.summary?.provider).toBe('extractive');
    expect(api.received).toHaveLength(1);
  });

  it('refuses fields that the action does not use, so that no list is taken for a change', async () => {
    const provider = { name: 'local', kind: 'llamacpp', model: 'small' };
    for (const wrong of [provider, { name: 'local' }, { ...provider, action: 'remove' }]) {
      expect((await raw('configure_llm_provider', wrong)).isError).toBe(true);
    }
    expect((await configure({ ...provider, action: 'set' })).providers).toHaveLength(1);
    expect((await configure({ action: 'list' })).providers).toHaveLength(1);
  });

  it('sends no text to a server elsewhere, and no key to any server, before the user allowed it', async () => {
    const api = await startLlm();
    const elsewhere = await configure({
      action: 'set',
      name: 'gpt',
      kind: 'openai',
      model: 'gpt-5-mini',
    });
    expect(elsewhere.providers[0]).toMatchObject({
      isAllowed: false,
      apiKeyEnv: 'OPENAI_API_KEY',
      isKeySet: false,
    });
    expect(elsewhere.disclosure).toContain('api.openai.com');
    expect(elsewhere.nextStep).toContain('daybook providers allow gpt');
    await configure({
      action: 'set',
      name: 'thief',
      kind: 'vllm',
      model: 'small',
      endpoint: `${api.url}/v1`,
      apiKeyEnv: 'HOME',
    });
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'A bed at the wall.' });
    expect((await detail({ conversationId: 'a' })).summary?.provider).toBe('extractive');
    expect(api.received).toEqual([]);
  });

  it.each([
    { action: 'set', name: 'x', kind: 'vllm' },
    { action: 'set', kind: 'vllm', model: 'm' },
    { action: 'set', name: 'x', kind: 'vllm', model: 'm', apiKeyEnv: 'sk-12345678' },
    { action: 'remove', name: 'nobody' },
  ])('refuses %j', async (input) => {
    const { isError } = await raw('configure_llm_provider', input);
    expect(isError).toBe(true);
    expect((await configure({})).providers).toEqual([]);
  });

  it('reports a damaged list of providers; summaries continue without it', async () => {
    const { path } = await configure({ action: 'set', name: 'l', kind: 'vllm', model: 'm' });
    writeFileSync(path, '{ broken');
    expect((await raw('configure_llm_provider', {})).isError).toBe(true);
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'A bed at the wall.' });
    expect((await detail({ conversationId: 'a' })).summary).toMatchObject({
      provider: 'extractive',
      problem: { code: 'CORRUPT' },
    });
    expect(path.endsWith(join('daybook', 'providers.json'))).toBe(true);
  });

  it.each([
    ['http://me:hunter2@127.0.0.1:1/v1', undefined],
    ['http://127.0.0.1:1/v1?key=hunter2', undefined],
    ['http://192.0.2.1:1/v1', 'PATH'],
  ])('sends nothing to an address that was written into the list by hand: %s', async (endpoint, apiKeyEnv) => {
    const { path } = await configure({ action: 'set', name: 'l', kind: 'vllm', model: 'm' });
    const { providers } = JSON.parse(readFileSync(path, 'utf8'));
    const byHand = { ...providers[0], endpoint, ...(apiKeyEnv && { apiKeyEnv }) };
    writeFileSync(path, JSON.stringify({ providers: [byHand] }));
    expect(JSON.stringify(await configure({}))).not.toContain('hunter2');
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'A bed at the wall.' });
    expect((await detail({ conversationId: 'a' })).summary).toMatchObject({
      provider: 'extractive',
      problem: {
        code: 'NOT_CONFIGURED',
        message: expect.stringContaining('endpoint'),
        hint: expect.stringContaining('daybook providers add l'),
      },
    });
  });

  it('keeps the summary by a model if the list of providers is damaged later', async () => {
    const { url } = await startLlm();
    const set = { action: 'set', name: 'l', kind: 'vllm', model: 'small', endpoint: `${url}/v1` };
    const { path } = await configure(set);
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'A bed at the wall.' });
    expect((await detail({ conversationId: 'a' })).summary?.provider).toBe('l');
    writeFileSync(path, '{ broken');
    await raw('save_message', { conversationId: 'a', role: 'user', content: 'Of larch.' });
    const { summary } = await detail({ conversationId: 'a', refresh: true });
    expect(summary).toMatchObject({ provider: 'l', isStale: true, problem: { code: 'CORRUPT' } });
  });
});
