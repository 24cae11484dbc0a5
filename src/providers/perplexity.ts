/**
 * Creates the client for Perplexity, with one interface for two API formats: `agent` is Perplexity's API,
 * `chat-completions` the older format of some gateways. A request is checked and converted before it is
 * sent, so that an invalid one costs nothing. A create is never repeated if it may have reached the server.
 */
import { AppError } from '../base/errors.js';
import { createHttpClient, type HttpCall } from './http-client.js';
import { createAgentBackend } from './perplexity-agent.js';
import { createChatBackend } from './perplexity-chat.js';
import { refusalOf, unusable } from './perplexity-errors.js';
import type { Perplexity, PerplexityOptions, Wire } from './perplexity-types.js';

export function createPerplexity(options: PerplexityOptions): Perplexity {
  const wire = createWire(options);
  return options.backend === 'agent'
    ? createAgentBackend(wire, options)
    : createChatBackend(wire, options);
}

function createWire(options: PerplexityOptions): Wire {
  const apiKey = options.apiKey.trim();
  const { baseUrl, backend, clock, retryDelayMs } = options;
  const secrets = [apiKey];
  const send = createHttpClient({ secrets, ...(retryDelayMs !== undefined && { retryDelayMs }) });
  const request = async (
    call: Omit<HttpCall, 'url' | 'headers'>,
    path: string,
  ): Promise<unknown> => {
    const headers = { authorization: `Bearer ${checkedKey(apiKey)}` };
    const reply = await send({ ...call, url: baseUrl + path, headers });
    if (reply.status < 200 || reply.status > 299) {
      throw refusalOf(reply, { backend, secrets, nowMs: clock.now() });
    }
    if (reply.json === undefined) throw unusable('The answer of Perplexity is not JSON.');
    return reply.json;
  };
  return {
    post: (path, body, timeoutMs, control) =>
      request({ method: 'POST', body, timeoutMs, ...control }, path),
    get: (path, timeoutMs, signal) =>
      request({ method: 'GET', timeoutMs, ...(signal && { signal }) }, path),
  };
}

/** With an invalid character in the key, fetch would throw an error whose message has the key. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new AppError(
    'NOT_CONFIGURED',
    'PERPLEXITY_API_KEY is empty or has a character that a key cannot have.',
    { details: { outcome: 'not_sent' } },
  );
}
