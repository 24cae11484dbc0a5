/**
 * A local server of language models, made from the published formats of OpenAI's chat completions and
 * Anthropic's messages. It has state and refuses what the real servers refuse: a wrong key, an unknown model,
 * a text that is too long, too many requests. A test can also make it misbehave.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Mood =
  | 'well'
  | 'hangs'
  | 'garbage'
  | 'cut'
  | 'half'
  | 'empty'
  | 'breaks'
  | 'thinks'
  | 'parts'
  | 'rambles'
  | 'moved'
  | 'fails';

export interface LlmStandInOptions {
  readonly key?: string;
  readonly models?: readonly string[];
  /** The token limit of a request. A longer one is refused with 400, or cut if `isSilent` is set. */
  readonly contextTokens?: number;
  /** Reads only the last so many tokens without an error, as Ollama does. */
  readonly isSilent?: boolean;
  /** The first requests that are answered with 429. */
  readonly busy?: number;
  readonly retryAfter?: string;
  /** Each request is carried out, and its answer waits for this. */
  readonly until?: Promise<unknown>;
  answer?(prompt: string): string;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly system: string;
  readonly prompt: string;
  readonly body: Record<string, unknown>;
}

export interface LlmStandIn {
  readonly url: string;
  readonly received: Received[];
  mood: Mood;
}

/** Close to the token counts of real tokenizers for English. */
export const countTokens = (text: string) =>
  Math.round((text.match(/\p{L}+|\d|[^\s\p{L}\d]/gu) ?? []).length * 1.1);

export async function startLlm(options: LlmStandInOptions = {}): Promise<LlmStandIn> {
  const received: Received[] = [];
  const state = { busy: options.busy ?? 0 };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) =>
      handle(standIn, options, state, { request, response, body }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const standIn: LlmStandIn = { url: `http://127.0.0.1:${port}`, received, mood: 'well' };
  return standIn;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Record<string, unknown>;
}

function handle(
  standIn: LlmStandIn,
  options: LlmStandInOptions,
  state: { busy: number },
  exchange: Exchange,
) {
  const { request, response, body } = exchange;
  const path = request.url ?? '';
  const isAnthropic = path === '/v1/messages';
  const texts = (body['messages'] ?? []) as { role: string; content: string }[];
  const system = isAnthropic
    ? String(body['system'])
    : (texts.find(({ role }) => role === 'system')?.content ?? '');
  const prompt = texts.find(({ role }) => role === 'user')?.content ?? '';
  standIn.received.push({ path, headers: request.headers, system, prompt, body });
  const refuse = (status: number, type: string, message: string, headers = {}) =>
    json(
      response,
      status,
      isAnthropic
        ? { type: 'error', error: { type, message } }
        : { error: { message, type, code: type, param: null } },
      headers,
    );
  if (!isAnthropic && path !== '/v1/chat/completions')
    return refuse(404, 'not_found_error', `Unknown path ${path}`);
  const key = isAnthropic
    ? request.headers['x-api-key']
    : request.headers.authorization?.replace('Bearer ', '');
  if (options.key !== undefined && key !== options.key)
    return refuse(
      401,
      isAnthropic ? 'authentication_error' : 'invalid_api_key',
      'Incorrect API key provided: sk-wrong…',
    );
  if (isAnthropic && request.headers['anthropic-version'] !== '2023-06-01')
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required');
  const model = String(body['model']);
  if (!(options.models ?? ['small']).includes(model))
    return refuse(
      404,
      isAnthropic ? 'not_found_error' : 'model_not_found',
      `The model ${model} does not exist`,
    );
  const most = body['max_tokens'] ?? body['max_completion_tokens'];
  if (typeof most !== 'number')
    return refuse(400, 'invalid_request_error', 'max_tokens: field required');
  if (state.busy > 0) {
    state.busy -= 1;
    return refuse(
      429,
      'rate_limit_error',
      'Rate limit reached',
      options.retryAfter === undefined ? {} : { 'retry-after': options.retryAfter },
    );
  }
  const tokens = countTokens(system) + countTokens(prompt);
  const room = options.contextTokens ?? 1_000_000;
  if (tokens + most > room && !options.isSilent) {
    return isAnthropic
      ? refuse(
          400,
          'invalid_request_error',
          `prompt is too long: ${tokens} tokens > ${room} maximum`,
        )
      : refuse(
          400,
          'context_length_exceeded',
          `This model's maximum context length is ${room} tokens.`,
        );
  }
  const text = options.answer?.(prompt) ?? 'They spoke about a bed of larch at the south wall.';
  const answer = { response, isAnthropic, model, text, tokens: Math.min(tokens, room) };
  if (options.until === undefined) return misbehaving(standIn.mood, answer);
  void options.until.then(() => misbehaving(standIn.mood, answer));
}

interface Answer {
  readonly response: ServerResponse;
  readonly isAnthropic: boolean;
  readonly model: string;
  readonly text: string;
  readonly tokens: number;
}

function misbehaving(mood: Mood, answer: Answer) {
  const { response } = answer;
  switch (mood) {
    case 'hangs':
      return;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"choices":[{"delta":{"content":"Th\u0000\uFFFD\n\n<html>');
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"id":"x","choices":[{"message":{"content":"They spoke ab');
      setTimeout(() => response.destroy(), 10);
      return;
    case 'moved':
      response.writeHead(307, { location: '/elsewhere' }).end();
      return;
    case 'breaks':
      response.destroy();
      return;
    case 'fails':
      return json(response, 500, {
        error: { message: 'CUDA out of memory', type: 'server_error' },
      });
    case 'half':
      return json(response, 200, whole(answer, answer.text.slice(0, 10), false));
    case 'empty':
      return json(response, 200, whole(answer, '  ', true));
    case 'thinks':
      return json(
        response,
        200,
        whole(answer, `<think>Hm, a bed.</think>\n\n${answer.text}`, true),
      );
    case 'parts':
      return json(response, 200, whole(answer, partsOf(answer.text), true));
    case 'rambles':
      return json(response, 200, whole(answer, 'And on and on it goes. '.repeat(2000), true));
    case 'well':
      return json(response, 200, whole(answer, answer.text, true));
  }
}

/** A list of parts with thinking, as Mistral answers. */
const partsOf = (text: string) => [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm, a bed.' }] },
  { type: 'text', text },
];

function whole(
  { isAnthropic, model, tokens }: Answer,
  text: string | ReturnType<typeof partsOf>,
  isEnded: boolean,
) {
  const counted = countTokens(typeof text === 'string' ? text : JSON.stringify(text));
  return isAnthropic
    ? {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text }],
        stop_reason: isEnded ? 'end_turn' : 'max_tokens',
        stop_sequence: null,
        usage: { input_tokens: tokens, output_tokens: counted },
      }
    : {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: text },
            finish_reason: isEnded ? 'stop' : 'length',
          },
        ],
        usage: {
          prompt_tokens: tokens,
          completion_tokens: counted,
          total_tokens: tokens + counted,
        },
      };
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}');
}
