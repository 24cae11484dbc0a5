/**
 * The known servers of language models: their usual address, the usual environment variable of their key,
 * their API format and their context. Any other server with OpenAI's API has the kind `openai` and its own
 * endpoint.
 */
import { isLoopback } from '../../base/loopback.js';

export const PROVIDER_KINDS = [
  'openai',
  'anthropic',
  'ollama',
  'lmstudio',
  'llamacpp',
  'vllm',
  'openrouter',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

interface KindFacts {
  readonly endpoint: string;
  readonly apiKeyEnv?: string;
  /** Default of the tokens that one request may have, including the answer. */
  readonly contextTokens: number;
}

/** Ollama's default context is 4 096 tokens; it truncates longer prompts without an error. */
const LOCAL_CONTEXT = 4_096;
const HOSTED_CONTEXT = 64_000;

export const KIND_FACTS: Readonly<Record<ProviderKind, KindFacts>> = {
  openai: {
    endpoint: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    contextTokens: HOSTED_CONTEXT,
  },
  anthropic: {
    endpoint: 'https://api.anthropic.com',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
    contextTokens: HOSTED_CONTEXT,
  },
  ollama: { endpoint: 'http://127.0.0.1:11434/v1', contextTokens: LOCAL_CONTEXT },
  lmstudio: { endpoint: 'http://127.0.0.1:1234/v1', contextTokens: LOCAL_CONTEXT },
  llamacpp: { endpoint: 'http://127.0.0.1:8080/v1', contextTokens: LOCAL_CONTEXT },
  vllm: { endpoint: 'http://127.0.0.1:8000/v1', contextTokens: LOCAL_CONTEXT },
  openrouter: {
    endpoint: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    contextTokens: HOSTED_CONTEXT,
  },
};

/** Whether this address is on this machine. */
export const isLocalEndpoint = (endpoint: string): boolean =>
  isLoopback(new URL(endpoint).hostname);

/** A model on this machine needs no permission if it has no key and the caller is not remote. */
export const needsPermission = (
  { endpoint, apiKeyEnv }: { readonly endpoint: string; readonly apiKeyEnv?: string },
  isRemote: boolean,
): boolean => !isLocalEndpoint(endpoint) || apiKeyEnv !== undefined || isRemote;
