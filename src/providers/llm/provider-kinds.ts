/**
 * The servers of language models that are known by name: where they usually listen, what their key is
 * usually called, and which of the two wire formats they speak. Any other server of the OpenAI format
 * is the kind `openai` with an endpoint of its own.
 */
import { isIP } from 'node:net';

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
  /** Tokens that one request may have, answer included, unless the settings give another number. */
  readonly contextTokens: number;
}

/** Ollama loads models with 4 096 unless a request sets it, and cuts longer prompts without an error. */
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

/** Whether what is sent to this address stays on this machine. */
export function staysHere(endpoint: string): boolean {
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
