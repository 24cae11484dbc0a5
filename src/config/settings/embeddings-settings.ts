/**
 * The settings for embeddings, their part of the configuration, and notices about the data that is sent to
 * other machines.
 */
import { z } from 'zod';
import { isLoopback } from '../../base/loopback.js';
import {
  oneOf,
  onOff,
  SERVER_ADDRESS,
  serverAddress,
  setting,
  settingError,
  text,
  type ValuesOf,
} from './define-setting.js';

const EMBEDDINGS = ['off', 'local', 'openai', 'ollama'] as const;

export const EMBEDDINGS_SETTINGS = {
  embeddings: setting({
    ...oneOf(EMBEDDINGS),
    // `PERSISTENCE_ENABLE_EMBEDDINGS` has yes or no: yes is `local`.
    schema: () =>
      oneOf(EMBEDDINGS)
        .schema()
        .or(onOff.schema().transform((isOn) => (isOn ? 'local' : 'off'))),
    default: 'off',
    about:
      'Whether messages are also found by meaning (default `off`). The vectors for this are made on this machine (`local`, see `daybook embeddings`), by a server with the OpenAI API (`openai`) or by Ollama (`ollama`). With `openai` and `ollama` the text of all messages is sent to that server.',
    env: ['DAYBOOK_EMBEDDINGS', 'PERSISTENCE_ENABLE_EMBEDDINGS'],
  }),
  embeddingsModel: setting({
    schema: text,
    takes:
      'a folder with model.onnx and tokenizer.json, or for openai and ollama the name of a model',
    about:
      'The model that makes the vectors (default: all-MiniLM-L6-v2; for openai `text-embedding-3-small`, for ollama `all-minilm`).',
    env: ['DAYBOOK_EMBEDDINGS_MODEL'],
  }),
  embeddingsEndpoint: setting({
    schema: serverAddress,
    takes: SERVER_ADDRESS,
    about:
      'The address of the server that makes the vectors (default: the usual address of OpenAI or Ollama).',
    env: ['DAYBOOK_EMBEDDINGS_ENDPOINT'],
  }),
  embeddingsKeyEnv: setting({
    schema: () =>
      z
        .string()
        .trim()
        .regex(/^[A-Z][A-Z0-9_]{2,63}$/),
    takes: 'the NAME of an environment variable in capital letters, never a key',
    about:
      'The environment variable with the key of the server that makes the vectors (default: OPENAI_API_KEY for OpenAI).',
    env: ['DAYBOOK_EMBEDDINGS_KEY_ENV'],
    isHidden: true,
  }),
};

export interface EmbeddingsConfig {
  readonly mode: (typeof EMBEDDINGS)[number];
  /** For `local`: the path of a folder, or `undefined` for the default. Otherwise the model's name. */
  readonly model: string | undefined;
  readonly endpoint: string;
  /** The variable of the key; `undefined` if the server needs none. */
  readonly keyVariable: string | undefined;
  readonly apiKey: string | undefined;
}

const ENDPOINTS = { openai: 'https://api.openai.com/v1', ollama: 'http://127.0.0.1:11434/v1' };
const MODELS = { openai: 'text-embedding-3-small', ollama: 'all-minilm' };
const KEY = 'OPENAI_API_KEY';

/** VALIDATION_ERROR for an endpoint to which a key would be sent unencrypted. */
export function embeddingsConfig(
  values: ValuesOf<typeof EMBEDDINGS_SETTINGS>,
  variable: (name: string) => string | undefined,
  expand: (path: string) => string,
): EmbeddingsConfig {
  const { embeddings: mode, embeddingsModel: model } = values;
  if (mode === 'off' || mode === 'local') {
    const folder = model === undefined ? undefined : expand(model);
    return Object.freeze({
      mode,
      model: folder,
      endpoint: '',
      keyVariable: undefined,
      apiKey: undefined,
    });
  }
  const endpoint = values.embeddingsEndpoint ?? ENDPOINTS[mode];
  // The key in OPENAI_API_KEY is sent only to OpenAI. For another endpoint the user must name the variable.
  const { protocol, hostname } = new URL(endpoint);
  const isOpenAi = hostname === new URL(ENDPOINTS.openai).hostname;
  const keyVariable = values.embeddingsKeyEnv ?? (isOpenAi ? KEY : undefined);
  const apiKey = keyVariable === undefined ? undefined : variable(keyVariable)?.trim() || undefined;
  if (apiKey !== undefined && protocol === 'http:' && !isLoopback(hostname)) {
    throw settingError(
      'DAYBOOK_EMBEDDINGS_ENDPOINT must be an https address, because a key is sent to another machine.',
      { setting: 'embeddingsEndpoint' },
    );
  }
  return Object.freeze({ mode, model: model ?? MODELS[mode], endpoint, keyVariable, apiKey });
}

/** Returns a notice if texts are sent to another machine, because the user may have set this long ago. */
export function embeddingsNotices({ mode, endpoint, model }: EmbeddingsConfig): readonly string[] {
  if (mode === 'off' || mode === 'local') return [];
  return [
    `Embeddings: the text of all messages is sent to ${new URL(endpoint).host} (model ${model}), because DAYBOOK_EMBEDDINGS=${mode} is set.`,
  ];
}
