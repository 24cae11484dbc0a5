/**
 * The tool `configure_llm_provider`: lists and changes the language models that may write summaries.
 * A text can trick an assistant into adding a server that collects conversations. Therefore a provider
 * outside this machine gets no text before the user allows it at the command line.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { disclosureOf } from '../../context/summaries/disclosure.js';
import { needsPermission, PROVIDER_KINDS } from '../../providers/llm/provider-kinds.js';
import {
  type Provider,
  type ProviderList,
  shownEndpoint,
} from '../../stores/llm-providers/provider-list.js';
import {
  CHANGES,
  defineTool,
  optionalFlag,
  optionalInt,
  optionalText,
  success,
} from '../define-tool.js';

const providerSchema = z.object({
  name: z.string(),
  kind: z.enum(PROVIDER_KINDS),
  endpoint: z.string(),
  model: z.string(),
  apiKeyEnv: z.string().exactOptional(),
  isKeySet: optionalFlag('Whether the environment variable of the key is set.'),
  priority: z.int().describe('The provider with the highest priority is asked first.'),
  isActive: z.boolean(),
  isAllowed: z.boolean().describe('False: nothing is sent to it yet.'),
  contextTokens: z.int(),
  maxTokens: z.int(),
  createdAt: z.string(),
  lastUsedAt: z.string().exactOptional(),
});

export const configureLlmProvider = defineTool({
  name: 'configure_llm_provider',
  toolset: 'context',
  title: 'Language models for summaries',
  description:
    'Lists, sets or removes the language models that write summaries; without a provider no model is used. Show the user the field disclosure.',
  input: () =>
    z.strictObject({
      action: z.enum(['list', 'set', 'remove']).describe('The action.').default('list'),
      name: optionalText('Name of the provider in the list.'),
      kind: z.enum(PROVIDER_KINDS).describe('Kind of server.').exactOptional(),
      model: optionalText('Model name.'),
      endpoint: optionalText('Base URL.'),
      apiKeyEnv: optionalText('NAME of the environment variable with the key.'),
      priority: optionalInt('The highest is asked first.'),
      isActive: optionalFlag('Whether the provider is used.'),
    }),
  output: () =>
    z.object({
      success,
      providers: z.array(providerSchema).describe('In the order in which they are asked.'),
      path: z.string().describe('The file of the list.'),
      disclosure: optionalText('What will be sent, and where. Show it to the user.'),
      nextStep: optionalText('What the user must do first.'),
    }),
  annotations: CHANGES,
  async run(
    { action, name, ...change },
    { languageModels: { providers, isKeySet } },
    { isRemote },
  ) {
    requireMatching(action, name, change);
    const list = async () => (await providers.list()).map((each) => toView(each, isKeySet(each)));
    if (action === 'list') return { providers: await list(), path: providers.path };
    if (name === undefined) throw missing('name');
    if (action === 'remove') {
      if (!(await providers.remove(name))) throw unknown(name);
      return { providers: await list(), path: providers.path };
    }
    const provider = await set(providers, { name, ...change }, isRemote);
    return {
      providers: await list(),
      path: providers.path,
      disclosure: disclosureOf(provider),
      ...(!provider.isAllowed && {
        nextStep: `The user must run: daybook providers allow ${name}`,
      }),
    };
  },
});

/** Otherwise a caller who forgot `action: "set"` would take the list for a confirmation. VALIDATION_ERROR. */
function requireMatching(action: string, name: string | undefined, change: object): void {
  const [unused] = Object.keys(action === 'list' ? defined({ name, ...change }) : change);
  if (action === 'set' || unused === undefined) return;
  throw new AppError('VALIDATION_ERROR', `The action \`${action}\` does not use \`${unused}\`.`, {
    hint: 'Nothing was changed. To add or change a provider, give `action: "set"`.',
    details: { field: unused },
  });
}

type Change = Parameters<ProviderList['set']>[0];

async function set(providers: ProviderList, change: Change, isRemote: boolean): Promise<Provider> {
  const known = (await providers.list()).find(({ name }) => name === change.name);
  if (known === undefined && change.model === undefined) throw missing('model');
  const provider = await providers.set(change);
  if (provider.isAllowed || needsPermission(provider, isRemote)) return provider;
  return providers.set({ name: provider.name, isAllowed: true });
}

const toView = (provider: Provider, isKeySet: boolean): z.output<typeof providerSchema> => ({
  ...provider,
  endpoint: shownEndpoint(provider),
  ...(provider.apiKeyEnv !== undefined && { isKeySet }),
});

function missing(field: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field} is missing.`, { details: { field } });
}

function unknown(name: string): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `There is no provider ${JSON.stringify(name.slice(0, 80))}.`,
    {
      hint: 'The action `list` shows all providers.',
      details: { field: 'name' },
    },
  );
}
