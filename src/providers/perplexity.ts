/**
 * Creates the client for Perplexity, with one interface for two API formats: `agent` is Perplexity's API,
 * `chat-completions` the older format of some gateways. A request is checked and converted before it is
 * sent, so that an invalid one costs nothing. A create is never repeated if it may have reached the server.
 */
import { AppError } from '../base/errors.js';
import { createHttpClient, type HttpReply } from './http-client.js';
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
  const secrets = [apiKey];
  const base = options.baseUrl.replace(/\/+$/, '');
  const send = createHttpClient({
    secrets,
    ...(options.retryDelayMs === undefined ? {} : { retryDelayMs: options.retryDelayMs }),
  });
  const headers = () => ({ authorization: `Bearer ${checkedKey(apiKey)}` });
  const read = (reply: HttpReply) => {
    if (reply.status < 200 || reply.status > 299) {
      const { backend, clock } = options;
      throw refusalOf(reply, { backend, secrets, nowMs: clock.now() });
    }
    if (reply.json === undefined) throw unusable('The answer of Perplexity is not JSON.');
    return reply.json;
  };
  return {
    post: async (path, body, timeoutMs, control) =>
      read(
        await send({
          method: 'POST',
          url: base + path,
          headers: headers(),
          body,
          timeoutMs,
          ...control,
        }),
      ),
    get: async (path, timeoutMs, signal) =>
      read(
        await send({
          method: 'GET',
          url: base + path,
          headers: headers(),
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
  };
}

/** With an invalid character in the key, fetch would throw an error whose message has the key. */
function checkedKey(apiKey: string): string {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new AppError(
    'NOT_CONFIGURED',
    'PERPLEXITY_API_KEY is empty or has a character that a key cannot have.',
    {
      details: { outcome: 'not_sent' },
    },
  );
}
