/** The embeddings part of the configuration, and notices about the data that it sends to other machines. */
import { AppError } from '../base/errors.js';
import type { SettingValues } from './settings.js';

export interface EmbeddingsConfig {
  readonly mode: 'off' | 'local' | 'openai' | 'ollama';
  /** For `local`: the path of a folder, or `undefined` for the default. Otherwise the model's name. */
  readonly model: string | undefined;
  readonly endpoint: string;
  readonly apiKey: string | undefined;
}

const ENDPOINTS = { openai: 'https://api.openai.com/v1', ollama: 'http://127.0.0.1:11434/v1' };
const MODELS = { openai: 'text-embedding-3-small', ollama: 'all-minilm' };
const KEY = 'OPENAI_API_KEY';

/** VALIDATION_ERROR for an endpoint to which a key would be sent unencrypted. */
export function embeddingsConfig(
  values: SettingValues,
  variable: (name: string) => string | undefined,
  expand: (path: string) => string,
): EmbeddingsConfig {
  const { embeddings: mode, embeddingsModel: model } = values;
  if (mode === 'off' || mode === 'local') {
    const folder = model === undefined ? undefined : expand(model);
    return Object.freeze({ mode, model: folder, endpoint: '', apiKey: undefined });
  }
  const endpoint = values.embeddingsEndpoint ?? ENDPOINTS[mode];
  // The key in OPENAI_API_KEY is sent only to OpenAI. For another endpoint the user must name the variable.
  const keyName = values.embeddingsKeyEnv ?? (endpoint === ENDPOINTS.openai ? KEY : undefined);
  const apiKey = keyName === undefined ? undefined : variable(keyName)?.trim() || undefined;
  const { protocol, hostname } = new URL(endpoint);
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (apiKey !== undefined && protocol === 'http:' && !isHere) {
    throw new AppError(
      'VALIDATION_ERROR',
      'DAYBOOK_EMBEDDINGS_ENDPOINT must be an https address, because a key is sent to another machine.',
    );
  }
  return Object.freeze({ mode, model: model ?? MODELS[mode], endpoint, apiKey });
}

/** Returns a notice if texts are sent to another machine, because the user may have set this long ago. */
export function embeddingsNotices({ mode, endpoint, model }: EmbeddingsConfig): readonly string[] {
  if (mode === 'off' || mode === 'local') return [];
  return [
    `Embeddings: the text of all messages is sent to ${new URL(endpoint).host} (model ${model}), because DAYBOOK_EMBEDDINGS=${mode} is set.`,
  ];
}
