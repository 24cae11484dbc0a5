/** Anthropic's Messages API, version 2023-06-01: `POST <endpoint>/v1/messages`, without streaming. */
import { numberIn, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import type {
  ChatOptions,
  Completion,
  CompletionRequest,
  LanguageModel,
} from './language-model.js';
import { unusable } from './llm-errors.js';
import { headerKey, type RetryingClient } from './retrying-client.js';

const API_VERSION = '2023-06-01';

export function createAnthropic(
  client: RetryingClient,
  { name, model, apiKey }: ChatOptions,
): LanguageModel {
  return {
    async complete({ system, prompt, maxTokens, ...control }: CompletionRequest) {
      const key = headerKey(apiKey, name);
      const body = {
        model,
        max_tokens: maxTokens,
        system,
        messages: [{ role: 'user', content: prompt }],
      };
      const headers = {
        'anthropic-version': API_VERSION,
        ...(key !== undefined && { 'x-api-key': key }),
      };
      return toCompletion(await client.post('/v1/messages', body, headers, control), model, name);
    },
  };
}

function toCompletion(reply: unknown, asked: string, name: string): Completion {
  const response = objectIn(reply);
  const stop = textIn(response['stop_reason']);
  if (stop !== 'end_turn' && stop !== 'stop_sequence') {
    throw unusable(name, `an incomplete answer (stop_reason ${stop ?? 'absent'})`);
  }
  const text = objectsIn(response['content'])
    .flatMap((block) => (block['type'] === 'text' ? (textIn(block['text']) ?? []) : []))
    .join('')
    .trim();
  if (text === '') throw unusable(name, 'an empty answer');
  const usage = objectIn(response['usage']);
  // Tokens that Anthropic read from its cache are part of the request too.
  const counts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const [input, ...cached] = counts.map((name) => numberIn(usage[name]));
  return {
    text,
    model: textIn(response['model']) ?? asked,
    ...(input !== undefined && {
      promptTokens: cached.reduce<number>((sum, count) => sum + (count ?? 0), input),
    }),
  };
}
