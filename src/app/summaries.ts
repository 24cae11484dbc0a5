/** Summaries and language models put together: their lists and stores, and what runs in the background. */
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { Config } from '../config/config.js';
import { type AutoSummaries, startAutoSummaries } from '../context/summaries/auto-summaries.js';
import { ModelWriter, type NamedModel } from '../context/summaries/model-writer.js';
import { SummaryService } from '../context/summaries/summary-service.js';
import { MessageScreen } from '../privacy/screen.js';
import { createLanguageModel } from '../providers/llm/language-model.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { type Provider, ProviderList } from '../stores/llm-providers/provider-list.js';
import { SummaryStore } from '../stores/summaries/summary-store.js';

export interface SummaryParts {
  readonly summaries: SummaryService;
  /** Their files. */
  readonly store: SummaryStore;
  /** The language models that the user named. */
  readonly providers: ProviderList;
  /** The model of a provider, allowed or not. NOT_CONFIGURED where its key is not set. */
  modelOf(provider: Provider): NamedModel;
  /** Whether the variable that a provider names as that of its key has a value. */
  isKeySet(provider: Provider): boolean;
  /** Begins the work in the background, where the configuration wants it. */
  start(): void;
  close(): Promise<void>;
}

export function openSummaries(
  config: Config,
  conversations: ConversationStore,
  clock: Clock,
  log: Log,
): SummaryParts {
  const { logsDir: logsFolder, fsync } = config;
  const store = new SummaryStore({
    ...{ logsFolder, conversations, fsync },
    screen: new MessageScreen(config),
  });
  const providers = new ProviderList({
    path: join(dirname(config.configFile), 'providers.json'),
    clock,
  });
  const modelOf = (provider: Provider) => namedModel(provider, config, clock);
  const writer = new ModelWriter({
    models: async () => (await providers.list()).filter(isUsable).map(modelOf),
    noteUse: (name) => providers.noteUse(name),
    log,
  });
  const summaries = new SummaryService({ conversations, store, writer, clock, log });
  let auto: AutoSummaries | undefined;
  return {
    summaries,
    store,
    providers,
    modelOf,
    isKeySet: ({ apiKeyEnv }) => keyOf(config, apiKeyEnv) !== undefined,
    start() {
      if (!config.autoSummarise) return;
      const leasePath = join(logsFolder, '.leases', 'summaries');
      auto = startAutoSummaries({ conversations, summaries, store, leasePath, clock, log });
    },
    close: async () => auto?.close(),
  };
}

const isUsable = ({ isActive, isAllowed }: Provider) => isActive && isAllowed;

function namedModel(provider: Provider, config: Config, clock: Clock): NamedModel {
  const { name, kind, endpoint, model, apiKeyEnv, contextTokens, maxTokens } = provider;
  const apiKey = keyOf(config, apiKeyEnv);
  return {
    name,
    receiver: new URL(endpoint).host,
    contextTokens,
    maxTokens,
    model:
      apiKeyEnv !== undefined && apiKey === undefined
        ? { complete: () => Promise.reject(keyMissing(name, apiKeyEnv)) }
        : createLanguageModel({ name, kind, endpoint, model, apiKey, clock }),
  };
}

function keyOf(config: Config, variable: string | undefined): string | undefined {
  const key = variable === undefined ? undefined : config.variable(variable)?.trim();
  return key === '' ? undefined : key;
}

/** Nothing is sent: without its key the server would only refuse what it was shown. */
function keyMissing(name: string, variable: string): AppError {
  return new AppError('NOT_CONFIGURED', `The key of ${name} is missing: ${variable} is not set.`, {
    hint: `Set ${variable} in the environment in which the MCP client starts Daybook.`,
    details: { provider: name, variable },
  });
}
