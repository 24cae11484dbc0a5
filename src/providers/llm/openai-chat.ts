/**
 * OpenAI's chat completions API, which Ollama, LM Studio, llama.cpp, vLLM and OpenRouter support too: `POST
 * <endpoint>/chat/completions`, without streaming.
 */
import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import type {
  ChatOptions,
  Completion,
  CompletionRequest,
  LanguageModel,
} from './language-model.js';
import { unusable } from './llm-errors.js';
import { headerKey, type RetryingClient } from './retrying-client.js';

/**
 * The thinking that local reasoning models write before their answer. It has no opening mark if the prompt
 * template of the server ends with this mark; then a line ends after the closing mark.
 */
const THINKING = /^(?:\s*<think>[\s\S]*?<\/think>|(?![\s\S]*<think>)[\s\S]*?<\/think>[^\S\n]*\n)/i;
const OPEN_THINKING = /^\s*<think>/i;

export function createOpenAiChat(
  client: RetryingClient,
  { name, model, kind, apiKey }: ChatOptions,
): LanguageModel {
  return {
    async complete({ system, prompt, maxTokens, ...control }: CompletionRequest) {
      const key = headerKey(apiKey, name);
      const body = {
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        // OpenAI's newer models accept only `max_completion_tokens`; most other servers know only
        // `max_tokens`.
        ...(kind === 'openai' ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
        stream: false,
      };
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return toCompletion(
        await client.post('/chat/completions', body, headers, control),
        model,
        name,
      );
    },
  };
}

function toCompletion(reply: unknown, asked: string, name: string): Completion {
  const response = objectIn(reply);
  const choice = objectsIn(response['choices'])[0];
  if (choice === undefined)
    throw unusable(
      name,
      'an answer without choices: check that the endpoint is one for chat completions',
    );
  const finish = textIn(choice['finish_reason']);
  if (finish !== 'stop')
    throw unusable(name, `an incomplete answer (finish_reason ${finish ?? 'absent'})`);
  const text = contentOf(objectIn(choice['message'])).replace(THINKING, '').trim();
  if (text === '' || OPEN_THINKING.test(text)) throw unusable(name, 'an empty answer');
  const promptTokens = numberIn(objectIn(response['usage'])['prompt_tokens']);
  return {
    text,
    model: textIn(response['model']) ?? asked,
    ...(promptTokens !== undefined && { promptTokens }),
  };
}

/** The text of a message. Some endpoints (Mistral) answer with a list of parts, of which only some are text. */
const contentOf = ({ content }: JsonObject): string =>
  textIn(content) ??
  objectsIn(content)
    .map((part) => (part['type'] === 'text' ? (textIn(part['text']) ?? '') : ''))
    .join('');
