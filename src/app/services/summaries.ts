/** Makes the services for summaries: their store, the language models, and the background work. */
import { dirname, join } from 'node:path';
import type { GracePeriod } from '../../base/async/grace-period.js';
import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import { type AutoSummaries, startAutoSummaries } from '../../context/summaries/auto-summaries.js';
import { ModelWriter, type NamedModel } from '../../context/summaries/model-fallback.js';
import { SummaryService } from '../../context/summaries/summary-service.js';
import { leasePathIn } from '../../files/locks/lock-folders.js';
import type { SecretMasker } from '../../privacy/secret-masker.js';
import type { RequestOutcome } from '../../providers/http-client.js';
import { createLanguageModel } from '../../providers/llm/create-language-model.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import {
  brokenEndpointRule,
  type Provider,
  ProviderList,
} from '../../stores/llm-providers/provider-list.js';
import { SummaryStore } from '../../stores/summaries/summary-store.js';

export interface SummaryParts {
  readonly summaries: SummaryService;
  /** The files of the summaries. */
  readonly store: SummaryStore;
  /** The language models that the user configured. */
  readonly providers: ProviderList;
  /** The model of a provider, also if it is not allowed. Its calls throw NOT_CONFIGURED without a key. */
  modelOf(provider: Provider): NamedModel;
  /** True if the environment variable with the key of the provider is set. */
  isKeySet(provider: Provider): boolean;
  /** Starts automatic summaries, if the configuration has them on. */
  start(): void;
  close(): Promise<void>;
}

export interface SummaryOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly masker: SecretMasker;
  readonly grace: GracePeriod;
}

export function openSummaries(
  config: Config,
  conversations: ConversationStore,
  { clock, log, masker, grace }: SummaryOptions,
): SummaryParts {
  const { logsDir: logsFolder, fsync } = config;
  const store = new SummaryStore({ logsFolder, conversations, fsync, masker });
  const providers = new ProviderList({
    path: join(dirname(config.configFile), 'providers.json'),
    clock,
  });
  const modelOf = (provider: Provider) => namedModel(provider, config, clock);
  const writer = new ModelWriter({
    models: async () => (await providers.list()).filter(isUsable).map(modelOf),
    recordUse: (name) => providers.recordUse(name),
    failures: store,
    grace,
    clock,
    log,
  });
  const summaries = new SummaryService({ conversations, store, writer, grace, clock, log });
  let auto: AutoSummaries | undefined;
  return {
    summaries,
    store,
    providers,
    modelOf,
    isKeySet: ({ apiKeyEnv }) => keyOf(config, apiKeyEnv) !== undefined,
    start() {
      if (!config.autoSummarise) return;
      const leasePath = leasePathIn(logsFolder, 'summaries');
      auto = startAutoSummaries({ conversations, summaries, store, leasePath, clock, log });
    },
    async close() {
      await auto?.close();
      await summaries.close();
    },
  };
}

const isUsable = ({ isActive, isAllowed }: Provider) => isActive && isAllowed;

function namedModel(provider: Provider, config: Config, clock: Clock): NamedModel {
  const { name, kind, endpoint, model, apiKeyEnv, contextTokens, maxTokens } = provider;
  const apiKey = keyOf(config, apiKeyEnv);
  const fault = faultOf(provider, apiKey);
  return {
    name,
    receiver: new URL(endpoint).host,
    settings: JSON.stringify([kind, endpoint, model, contextTokens, maxTokens]),
    contextTokens,
    maxTokens,
    model:
      fault === undefined
        ? createLanguageModel({ name, kind, endpoint, model, apiKey, clock })
        : { complete: () => Promise.reject(fault) },
  };
}

const NOT_SENT = { outcome: 'not_sent' satisfies RequestOutcome };

/** Why nothing is sent. Without a key, the provider would receive the text and then refuse it. */
function faultOf(provider: Provider, apiKey: string | undefined): AppError | undefined {
  const { name, apiKeyEnv } = provider;
  const rule = brokenEndpointRule(provider);
  if (rule !== undefined) {
    return new AppError('NOT_CONFIGURED', `Nothing is sent to ${name}: its endpoint ${rule}.`, {
      hint: `Run daybook providers add ${name} with another --endpoint.`,
      details: { ...NOT_SENT, provider: name, field: 'endpoint' },
    });
  }
  if (apiKeyEnv === undefined || apiKey !== undefined) return undefined;
  return new AppError('NOT_CONFIGURED', `The key of ${name} is missing: ${apiKeyEnv} is not set.`, {
    hint: `Set ${apiKeyEnv} in the environment in which the MCP client starts Daybook.`,
    details: { ...NOT_SENT, provider: name, variable: apiKeyEnv },
  });
}

function keyOf(config: Config, variable: string | undefined): string | undefined {
  const key = variable === undefined ? undefined : config.variable(variable)?.trim();
  return key === '' ? undefined : key;
}
