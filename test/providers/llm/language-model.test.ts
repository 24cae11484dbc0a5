/** Both wire formats against the stand-in: what is sent, what is understood, what each refusal becomes. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import {
  createLanguageModel,
  type LanguageModelOptions,
} from '../../../src/providers/llm/create-language-model.js';
import { refusalOf } from '../../../src/providers/llm/llm-errors.js';
import { isTruncated, minTokens } from '../../../src/providers/llm/token-floor.js';
import { errorOf } from '../../support/error-of.js';
import { type LlmStandIn, type Mood, startLlm } from '../../support/llm-stand-in.js';

const FORMATS = [
  { kind: 'vllm', base: '/v1', path: '/v1/chat/completions' },
  { kind: 'anthropic', base: '', path: '/v1/messages' },
] as const;

const model = (
  api: LlmStandIn,
  { kind, base }: (typeof FORMATS)[number],
  change: Partial<LanguageModelOptions> = {},
) =>
  createLanguageModel({
    name: 'mine',
    kind,
    endpoint: `${api.url}${base}`,
    model: 'small',
    apiKey: 'sk-secret-key-1',
    clock: systemClock,
    retryDelayMs: 1,
    timeoutMs: 5_000,
    ...change,
  });

const REQUEST = { system: 'Be brief.', prompt: 'What was it about?', maxTokens: 200 };

describe.each(FORMATS)('a model over the format of $kind', (format) => {
  it('is sent the question and understood', async () => {
    const api = await startLlm({ key: 'sk-secret-key-1' });
    const answer = await model(api, format).complete(REQUEST);
    expect(answer.text).toBe('They spoke about a bed of larch at the south wall.');
    expect(answer.model).toBe('small');
    expect(answer.promptTokens).toBeGreaterThan(0);
    expect(api.received).toHaveLength(1);
    expect(api.received[0]).toMatchObject({
      path: format.path,
      system: 'Be brief.',
      prompt: 'What was it about?',
    });
  });

  it.each([
    ['a wrong key', { key: 'other' }, {}, 'NOT_CONFIGURED'],
    ['an unknown model', {}, { model: 'huge' }, 'NOT_CONFIGURED'],
    ['a text that is too long', { contextTokens: 205 }, {}, 'TOO_LARGE'],
    ['a limit of requests that lasts', { busy: 9 }, {}, 'RATE_LIMITED'],
    ['a limit that asks for a day', { busy: 1, retryAfter: '86400' }, {}, 'RATE_LIMITED'],
  ])('tells %s apart', async (_, server, change, code) => {
    const api = await startLlm(server);
    const error = await errorOf(model(api, format, change).complete(REQUEST));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.details])).not.toContain('sk-secret');
  });

  it('says how long to wait if a server asks for a long wait', async () => {
    const api = await startLlm({ busy: 1, retryAfter: '3600' });
    expect((await errorOf(model(api, format).complete(REQUEST))).message).toContain('Wait 3600 s.');
  });

  it('waits as a busy server wishes, and then is answered', async () => {
    const api = await startLlm({ busy: 2, retryAfter: '0.01' });
    expect((await model(api, format).complete(REQUEST)).text).toContain('larch');
    expect(api.received).toHaveLength(3);
  });

  it.each<[Mood, string, Partial<LanguageModelOptions>]>([
    ['hangs', 'TIMEOUT', { timeoutMs: 1_000 }],
    ['garbage', 'PROVIDER', {}],
    ['cut', 'PROVIDER', {}],
    ['half', 'PROVIDER', {}],
    ['empty', 'PROVIDER', {}],
    ['breaks', 'PROVIDER', {}],
    ['fails', 'PROVIDER', {}],
    ['moved', 'NOT_CONFIGURED', {}],
  ])('gives no answer where the server %s', async (mood, code, change) => {
    const api = await startLlm();
    api.mood = mood;
    const error = await errorOf(model(api, format, change).complete(REQUEST));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(/mine|127/)]);
    expect(api.received).toHaveLength(1); // what may have been carried out is not repeated
  });

  it('can be left at once', async () => {
    const api = await startLlm();
    api.mood = 'hangs';
    const signal = AbortSignal.timeout(100);
    expect((await errorOf(model(api, format).complete({ ...REQUEST, signal }))).code).toBe(
      'CANCELLED',
    );
  });

  it('never sends a key that is none', async () => {
    const api = await startLlm();
    const error = await errorOf(model(api, format, { apiKey: 'sk-a\nb' }).complete(REQUEST));
    expect(error.code).toBe('NOT_CONFIGURED');
    expect(api.received).toEqual([]);
  });
});

describe('a model', () => {
  it('gets its token limit in the field that its server expects', async () => {
    const api = await startLlm();
    await model(api, FORMATS[0], { kind: 'openai' }).complete(REQUEST);
    await model(api, FORMATS[0], { kind: 'ollama' }).complete(REQUEST);
    expect(
      api.received.map(({ body }) => [body['max_completion_tokens'], body['max_tokens']]),
    ).toEqual([
      [200, undefined],
      [undefined, 200],
    ]);
  });

  it('does not hand out what it thought aloud', async () => {
    const api = await startLlm();
    api.mood = 'thinks';
    expect((await model(api, FORMATS[0]).complete(REQUEST)).text).toMatch(/^They spoke/);
  });

  it('does not hand out its thinking if only the end of it is marked', async () => {
    const api = await startLlm({ answer: () => 'Hm, a bed.\n</think>\n\nThey spoke of a bed.' });
    const { text } = await model(api, FORMATS[0]).complete(REQUEST);
    expect(text).toBe('They spoke of a bed.');
  });

  it.each([
    'They spoke about the mark </think> in answers.',
    'They spoke about <think> and\n</think>\nin answers.',
  ])('may write about the mark of thinking: %s', async (said) => {
    const api = await startLlm({ answer: () => said });
    expect((await model(api, FORMATS[0]).complete(REQUEST)).text).toBe(said);
  });

  it('may answer with a list of parts', async () => {
    const api = await startLlm();
    api.mood = 'parts';
    const { text } = await model(api, FORMATS[0]).complete(REQUEST);
    expect(text).toBe('They spoke about a bed of larch at the south wall.');
  });

  it('is not found at another path', async () => {
    const api = await startLlm();
    const wrong = createLanguageModel({
      name: 'x',
      kind: 'vllm',
      endpoint: api.url,
      model: 'small',
      clock: systemClock,
    });
    expect((await errorOf(wrong.complete(REQUEST))).code).toBe('NOT_CONFIGURED');
  });
});

describe('a truncated request', () => {
  const text =
    'In week 12 the harbour of Bremen reported 345 ships. 来週の京都旅行の計画を立てたいです。';

  it('is noticed where fewer tokens were counted than any tokenizer makes', () => {
    expect(minTokens(text)).toBeGreaterThan(15);
    expect(minTokens(text)).toBeLessThan(32);
    expect(isTruncated(text, 10)).toBe(true);
    expect(isTruncated(text, 30)).toBe(false);
  });

  it('is not suspected where the server does not count', () => {
    expect(isTruncated(text, undefined)).toBe(false);
    expect(isTruncated(text, 0)).toBe(false);
  });
});

it.each([
  [408, 'unknown'],
  [429, 'refused'],
  [500, 'unknown'],
  [503, 'refused'],
  [529, 'refused'],
])('a request that is answered with status %i has the outcome %s', (status, outcome) => {
  const reply = { status, headers: new Headers(), json: undefined };
  const context = { name: 'here', secrets: [], waitMs: undefined };
  expect(refusalOf(reply, context).details).toMatchObject({ outcome });
});

it.each([
  [400, false],
  [422, false],
  [408, true],
  [500, true],
])('an error with status %i may be repeated: %s', (status, retryable) => {
  const reply = { status, headers: new Headers(), json: undefined, text: '' } as never;
  const context = { name: 'here', secrets: [], waitMs: undefined };
  expect(refusalOf(reply, context)).toMatchObject({ code: 'PROVIDER', retryable });
});
