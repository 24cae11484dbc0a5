/** The stand-in must refuse what the API refuses. Otherwise our tests would prove nothing. */
import { afterEach, expect, it } from 'vitest';
import { type StandIn, startStandIn } from './perplexity-stand-in.js';

let api: StandIn;
afterEach(() => api.close());

const post = (path: string, body: unknown, key = api.key) =>
  fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
const refusal = async (path: string, body: unknown) => {
  const response = await post(path, body);
  const { error } = (await response.json()) as { error?: { type: string; param?: string } };
  return [response.status, error?.type];
};
const filtered = (filters: object) => ({
  preset: 'low',
  input: 'x',
  tools: [{ type: 'web_search', filters }],
});

it('refuses what the Agent API refuses', async () => {
  api = await startStandIn();
  const cases: [unknown, string][] = [
    [{ preset: 'low', input: 'x', search_mode: 'academic' }, 'invalid_request'],
    [{ model: 'sonar-pro', input: 'x' }, 'invalid_model'],
    [{ input: 'x' }, 'invalid_request'],
    [filtered({ search_after_date_filter: '2025-01-31' }), 'invalid_date_format'],
    [filtered({ search_domain_filter: ['https://a.com'] }), 'invalid_search_domain_filter'],
    [filtered({ search_domain_filter: Array(21).fill('a.com') }), 'invalid_search_domain_filter'],
    [
      filtered({ search_recency_filter: 'day', search_after_date_filter: '01/31/2025' }),
      'invalid_request',
    ],
    [filtered({ search_mode: 'web' }), 'invalid_request'],
  ];
  for (const [body, type] of cases) expect(await refusal('/v1/agent', body)).toEqual([400, type]);
  const unknown = await post('/v1/agent', { preset: 'low', input: 'x', nope: 1 });
  expect(await unknown.json()).toEqual({
    error: {
      message: 'invalid request body: json: unknown field "nope"',
      type: 'invalid_request',
      code: 400,
      param: 'nope',
    },
  });
  expect(await refusal('/chat/completions', {})).toEqual([403, 'chat_completions_not_available']);
  expect(await refusal('/v1/sonar', {})).toEqual([403, 'chat_completions_not_available']);
  expect((await post('/v1/agent', { preset: 'low', input: 'x' }, 'wrong')).status).toBe(401);
  expect(api.creates).toBe(0);
});

it('as a gateway, requires that questions and answers alternate', async () => {
  api = await startStandIn({ gateway: true });
  const chat = (...roles: string[]) => ({
    model: 'sonar',
    messages: roles.map((role) => ({ role, content: 'x' })),
  });
  for (const roles of [
    ['assistant'],
    ['user', 'user'],
    ['user', 'assistant'],
    ['user', 'system'],
    [],
  ]) {
    expect(await refusal('/chat/completions', chat(...roles))).toEqual([400, 'invalid_message']);
  }
  const good = await post(
    '/chat/completions',
    chat('system', 'system', 'user', 'assistant', 'user'),
  );
  expect(good.status).toBe(200);
});

it('streams events without names and without a final [DONE]', async () => {
  api = await startStandIn();
  const text = await (await post('/v1/agent', { preset: 'low', input: 'x', stream: true })).text();
  const events = text.trim().split('\n\n');
  expect(events.every((event) => event.startsWith('data: {'))).toBe(true);
  const parsed = events.map((event) => JSON.parse(event.slice(6)) as Record<string, unknown>);
  expect(parsed.map((event) => event['sequence_number'])).toEqual([0, 1, 2]);
  expect(parsed.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { status: 'completed' },
  });
});
