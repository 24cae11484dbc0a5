/**
 * The door to Perplexity: one interface, two wire formats. `agent` is Perplexity's API;
 * `chat-completions` is the older form that gateways still speak. A request is prepared (checked,
 * translated) first, so that a wrong one costs nothing; creating is never repeated once it may
 * have reached the server.
 */
import { AppError } from '../base/errors.js';
import { createHttpClient, type HttpReply } from './http.js';
import { createAgentBackend } from './perplexity-agent.js';
import { createChatBackend } from './perplexity-chat.js';
import { refusalOf, unusable } from './perplexity-errors.js';
import type { Perplexity, PerplexityOptions, Wire } from './perplexity-types.js';

const DEFAULT_BASE_URL = 'https://api.perplexity.ai';

export function createPerplexity(options: PerplexityOptions): Perplexity {
  const wire = createWire(options);
  return options.backend === 'agent'
    ? createAgentBackend(wire, options)
    : createChatBackend(wire, options);
}

function createWire(options: PerplexityOptions): Wire {
  const apiKey = options.apiKey.trim();
  const secrets = [apiKey];
  const base = (options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '');
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
    post: async (path, body, timeoutMs, signal) =>
      read(
        await send({
          method: 'POST',
          url: base + path,
          headers: headers(),
          body,
          timeoutMs,
          ...(signal === undefined ? {} : { signal }),
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

/** A key that cannot stand in a header would make fetch fail with the key in its message. */
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
