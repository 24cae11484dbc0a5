/**
 * `daybook providers`: manages the language models that may write summaries. Before a provider is
 * allowed, the command shows what will be sent, and where.
 */

import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { disclosureOf } from '../../context/summaries/disclosure.js';
import { needsPermission, type ProviderKind } from '../../providers/llm/provider-kinds.js';
import {
  type Provider,
  type ProviderChange,
  type ProviderList,
  shownEndpoint,
} from '../../stores/llm-providers/provider-list.js';
import { reportFailure } from '../errors/failure.js';
import type { Flags } from '../options/configuration.js';
import { withRoot } from '../terminal/command-line.js';
import { confirm, requireTerminal } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp, withReadingApp } from '../with-app.js';

export interface AddOptions extends ConsentOptions {
  kind?: ProviderKind;
  model?: string;
  endpoint?: string;
  keyEnv?: string;
  priority?: string;
  contextTokens?: string;
}

const TEST_SYSTEM = 'Answer with one word.';
const TEST_PROMPT = 'What colour is the sky on a clear day?';
/** Enough for a model that writes its reasoning before the answer. */
const TEST_TOKENS = 1_000;

export async function listProviders(options: { json?: boolean }, flags: Flags): Promise<void> {
  await withReadingApp(flags, async ({ languageModels: { providers, isKeySet } }) => {
    const list = await providers.list();
    const facts = list.map((each) => ({
      ...each,
      endpoint: shownEndpoint(each),
      isKeySet: isKeySet(each),
    }));
    report({ path: providers.path, providers: facts }, options.json, () => {
      for (const each of facts) console.log(line(each, each.isKeySet));
      if (list.length === 0)
        console.log(
          withRoot(flags, 'No language model is used. To add one, run daybook providers add.'),
        );
    });
  });
}

/**
 * Throws VALIDATION_ERROR without a terminal for the question. Then the provider is in the list, but it
 * is not allowed, and nothing is sent to it.
 */
export async function addProvider(name: string, options: AddOptions, flags: Flags): Promise<void> {
  await withApp(flags, async ({ languageModels: { providers } }) => {
    const isKnown = (await providers.list()).some((each) => each.name === name);
    if (!isKnown && options.model === undefined) {
      throw new AppError('VALIDATION_ERROR', '--model is missing.', {
        hint: 'To see all options, run daybook providers add --help.',
      });
    }
    await allow(providers, await providers.set(changeOf(name, options)), options);
  }).catch((error: unknown) => reportFailure(error, flags, OPTIONS));
}

/** Shows what will be sent, and where, and asks. Throws the errors of `addProvider`. */
export async function allowProvider(
  name: string,
  options: ConsentOptions,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ languageModels: { providers } }) => {
    await allow(providers, await required(providers, name), options);
  });
}

export async function removeProvider(
  name: string,
  options: { json?: boolean },
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ languageModels: { providers } }) => {
    await required(providers, name);
    await providers.remove(name);
    report({ removed: name }, options.json, () => console.log(`${name} removed`));
  });
}

/** Also tests a provider that is not allowed, because no user data is sent. Throws as `complete` does. */
export async function testProvider(
  name: string,
  options: { json?: boolean },
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ languageModels: { providers, modelOf } }, signal) => {
    const provider = await required(providers, name);
    const { model } = modelOf(provider);
    const request = { system: TEST_SYSTEM, prompt: TEST_PROMPT, maxTokens: TEST_TOKENS, signal };
    const answer = await model.complete(request);
    const facts = { name, model: answer.model, answer: answer.text };
    report(facts, options.json, () =>
      console.log(escapeControls(`${name} answers (model ${answer.model}): ${answer.text}`)),
    );
  });
}

async function allow(
  providers: ProviderList,
  provider: Provider,
  options: ConsentOptions,
): Promise<void> {
  const { name } = provider;
  console.error(escapeControls(disclosureOf(provider)));
  const mayUse = provider.isAllowed || options.yes || !needsPermission(provider, false);
  const isAllowed = mayUse || (await isWanted(name));
  const result = isAllowed ? await providers.set({ name, isAllowed }) : provider;
  report({ provider: result }, options.json, () =>
    console.log(isAllowed ? `${name} is used for summaries` : `${name} is not used`),
  );
}

async function isWanted(name: string): Promise<boolean> {
  requireTerminal(`${name} is in the list, but it is not allowed, so nothing is sent to it.`);
  return confirm(`Allow ${name}?`);
}

async function required(providers: ProviderList, name: string): Promise<Provider> {
  const found = (await providers.list()).find((each) => each.name === name);
  if (found !== undefined) return found;
  const message = `There is no provider ${JSON.stringify(name.slice(0, 80))}.`;
  throw new AppError('VALIDATION_ERROR', message, {
    hint: 'To see all providers, run daybook providers list.',
    details: { missing: 'provider' },
  });
}

function changeOf(name: string, options: AddOptions): ProviderChange {
  const { kind, model, endpoint, keyEnv, priority, contextTokens } = options;
  return {
    ...defined({ name, kind, model, endpoint, apiKeyEnv: keyEnv }),
    ...(priority !== undefined && { priority: Number(priority) }),
    ...(contextTokens !== undefined && { contextTokens: Number(contextTokens) }),
  };
}

function line(provider: Provider, isKeySet: boolean): string {
  const { name, kind, model, apiKeyEnv, isActive, isAllowed, lastUsedAt } = provider;
  const key = apiKeyEnv === undefined ? [] : [`key ${apiKeyEnv}${isKeySet ? '' : ' (not set)'}`];
  const use = isAllowed ? [] : ['not allowed'];
  const rest = isActive ? [] : ['switched off'];
  const last = lastUsedAt === undefined ? [] : [`last used ${lastUsedAt.slice(0, 16)}`];
  return escapeControls(
    [
      `${name}: ${kind} ${model} at ${shownEndpoint(provider)}`,
      ...key,
      ...use,
      ...rest,
      ...last,
    ].join(', '),
  );
}

/** The option for each field of a provider. */
const OPTIONS = {
  kind: '--kind',
  model: '--model',
  endpoint: '--endpoint',
  apiKeyEnv: '--key-env',
  priority: '--priority',
  contextTokens: '--context-tokens',
};
