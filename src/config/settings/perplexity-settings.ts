/** The settings for Perplexity, and their part of the configuration. */
import {
  oneOf,
  SERVER_ADDRESS,
  serverAddress,
  setting,
  text,
  type ValuesOf,
  wholeNumber,
} from './define-setting.js';

const BACKENDS = ['agent', 'chat-completions'] as const;
/** When the tools that need a Perplexity key are listed. */
const LISTINGS = ['auto', 'always'] as const;
const PRESETS = ['fast', 'low', 'medium', 'high', 'xhigh', 'wide-research'] as const;

export const PERPLEXITY_SETTINGS = {
  perplexityApiKey: setting({
    schema: text,
    takes: 'an API key of Perplexity',
    about: 'The API key for the Perplexity tools; nothing else needs it.',
    env: ['PERPLEXITY_API_KEY'],
    secret: true,
  }),
  perplexityTools: setting({
    ...oneOf(LISTINGS),
    default: 'auto',
    about:
      'Whether the four `perplexity_*` tools are listed: `auto` lists them if a key is set (default), `always` also without a key.',
    env: ['DAYBOOK_PERPLEXITY_TOOLS'],
  }),
  perplexityBaseUrl: setting({
    schema: serverAddress,
    default: 'https://api.perplexity.ai',
    takes: SERVER_ADDRESS,
    about:
      'The address of the Perplexity API or of a gateway to it (default `https://api.perplexity.ai`).',
    env: ['PERPLEXITY_BASE_URL'],
  }),
  perplexityBackend: setting({
    ...oneOf(BACKENDS),
    default: 'agent',
    about: 'Which API of Perplexity is used (default `agent`; `chat-completions` is for gateways).',
    env: ['PERPLEXITY_BACKEND'],
  }),
  perplexityModel: setting({
    schema: text,
    takes: 'the name of a model, such as perplexity/sonar',
    about: 'The model to use (default: the model of the preset).',
    env: ['PERPLEXITY_MODEL'],
  }),
  perplexitySearchPreset: setting({
    ...oneOf(PRESETS),
    default: 'low',
    about:
      'The preset for quick searches (default `low`). A preset is a model with limits and tools, as Perplexity defines it.',
    env: ['PERPLEXITY_SEARCH_PRESET'],
  }),
  perplexityResearchPreset: setting({
    ...oneOf(PRESETS),
    default: 'high',
    about: 'The preset for deep research (default `high`).',
    env: ['PERPLEXITY_RESEARCH_PRESET'],
  }),
  perplexityWaitMs: setting({
    ...wholeNumber(0, 3_600_000, 'milliseconds'),
    default: 45_000,
    about:
      'How long a deep-research call waits for the result before it returns "in_progress" (default `45000`).',
    env: ['PERPLEXITY_WAIT_MS'],
  }),
  perplexityTimeoutMs: setting({
    ...wholeNumber(1_000, 3_600_000, 'milliseconds'),
    default: 120_000,
    about: 'How long one request to the API may take (default `120000`).',
    env: ['PERPLEXITY_TIMEOUT_MS'],
  }),
};

export interface PerplexityConfig {
  readonly apiKey: string | undefined;
  /** Whether `tools/list` contains the tools that need the key. */
  readonly isListed: boolean;
  readonly baseUrl: string;
  readonly backend: (typeof BACKENDS)[number];
  readonly model: string | undefined;
  readonly searchPreset: string;
  readonly researchPreset: string;
  readonly waitMs: number;
  readonly timeoutMs: number;
}

export function perplexityConfig(values: ValuesOf<typeof PERPLEXITY_SETTINGS>): PerplexityConfig {
  return Object.freeze({
    apiKey: values.perplexityApiKey,
    isListed: values.perplexityApiKey !== undefined || values.perplexityTools === 'always',
    baseUrl: values.perplexityBaseUrl.replace(/\/+$/, ''),
    backend: values.perplexityBackend,
    model: values.perplexityModel,
    searchPreset: values.perplexitySearchPreset,
    researchPreset: values.perplexityResearchPreset,
    waitMs: values.perplexityWaitMs,
    timeoutMs: values.perplexityTimeoutMs,
  });
}
