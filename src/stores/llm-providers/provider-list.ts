/**
 * The language models that the user configured: `providers.json` in the user's own configuration folder, not
 * in a root, so that a cloned repository cannot decide where conversations are sent. It contains names of
 * environment variables, never keys. A provider is used only if it is allowed (`isAllowed`).
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError, isAppError, withHint } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { readJson } from '../../files/read/json-document.js';
import { isLocalEndpoint, KIND_FACTS, PROVIDER_KINDS } from '../../providers/llm/provider-kinds.js';

const MAX_PROVIDERS = 50;
/** At most one write a minute for the time of the last use, which is only information. */
const LAST_USE_INTERVAL_MS = 60_000;

const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be letters, digits, dots and hyphens')
  .refine((name) => name !== 'extractive', 'is reserved for summaries without a model');

const wholeNumber = (from: number, to: number) => {
  const rule = `must be a whole number from ${from} to ${to}`;
  return z.int(rule).min(from, rule).max(to, rule);
};

const providerSchema = z.object({
  name: providerName,
  kind: z.enum(PROVIDER_KINDS),
  endpoint: z.url({
    protocol: /^https?$/,
    error: 'must be an address such as http://127.0.0.1:11434/v1',
  }),
  model: z.string().trim().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
  /** Only upper case, so that an API key in this field is refused. */
  apiKeyEnv: z
    .string()
    .regex(
      /^[A-Z][A-Z0-9_]{2,63}$/,
      'must be the name of an environment variable in capital letters, never a key',
    )
    .exactOptional(),
  /** The provider with the greatest priority is used first. */
  priority: wholeNumber(-1000, 1000).default(0),
  isActive: z.boolean().default(true),
  isAllowed: z.boolean().default(false),
  contextTokens: wholeNumber(1_000, 10_000_000),
  maxTokens: wholeNumber(64, 100_000).default(4_096),
  createdAt: z.string(),
  lastUsedAt: z.string().exactOptional(),
});
export type Provider = z.output<typeof providerSchema>;

/** Omitted fields keep their value, or get the default of the kind. */
export type ProviderChange = Pick<Provider, 'name'> & Partial<Omit<Provider, 'createdAt'>>;

const fileSchema = z.object({ providers: z.array(providerSchema).max(MAX_PROVIDERS) });

export interface ProviderListOptions {
  /** The absolute path of `providers.json`. Its folder is created at the first change. */
  readonly path: string;
  readonly clock: Clock;
}

/** `daybook restore` never restores the list, because it decides where text is sent. */
const DAMAGED_HINT =
  'The file was not changed. Correct it, or move it to another place and run daybook providers add.';

export class ProviderList {
  readonly #options: ProviderListOptions;

  constructor(options: ProviderListOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  /** In the order of their use. CORRUPT with the fault in `details`; then none is used. */
  async list(): Promise<Provider[]> {
    const { path } = this.#options;
    const value = await readJson(path).catch((error: unknown) => {
      throw isAppError(error, 'CORRUPT') ? withHint(error, DAMAGED_HINT) : error;
    });
    if (value === undefined) return [];
    const parsed = fileSchema.safeParse(value);
    if (parsed.success) return parsed.data.providers.sort(byPriority);
    const [issue] = parsed.error.issues;
    const problem = `${issue?.path.join('.')}: ${issue?.message}`;
    throw new AppError('CORRUPT', `${path} cannot be used: ${problem}.`, {
      hint: DAMAGED_HINT,
      details: { path, problem },
    });
  }

  /**
   * Returns the text of the file for a backup: only known fields, and URLs without user, query and fragment,
   * so that it contains no key. Returns `undefined` if there are no providers. CORRUPT.
   */
  async withoutSecrets(): Promise<string | undefined> {
    const providers = (await this.list()).map((each) => ({
      ...each,
      endpoint: shownEndpoint(each),
    }));
    return providers.length === 0 ? undefined : fileText(providers);
  }

  /**
   * Adds or changes a provider. Durable when it resolves. VALIDATION_ERROR, CORRUPT, LOCKED, STORAGE_FULL.
   */
  set(change: ProviderChange): Promise<Provider> {
    return this.#change((providers) => {
      const known = providers.find(({ name }) => name === change.name);
      const next = checked(mergedWith(known, change, isoTime(this.#options.clock.now())));
      const others = providers.map((each) => (each === known ? next : each));
      return { providers: known === undefined ? [...providers, next] : others, result: next };
    });
  }

  /** Removes a provider. Durable when it resolves. Returns false if there is none with this name. */
  async remove(name: string): Promise<boolean> {
    const isThere = (all: readonly Provider[]) => all.some((each) => each.name === name);
    if (!isThere(await this.list())) return false; // and the file stays as it is
    return this.#change((all) => {
      return { providers: all.filter((each) => each.name !== name), result: isThere(all) };
    });
  }

  /** Stores the present time as the last use, at most once a minute. */
  async recordUse(name: string): Promise<void> {
    const now = this.#options.clock.now();
    const known = (await this.list()).find((each) => each.name === name);
    if (known === undefined || now - Date.parse(known.lastUsedAt ?? '1970') < LAST_USE_INTERVAL_MS)
      return;
    const used = (each: Provider) =>
      each.name === name ? { ...each, lastUsedAt: isoTime(now) } : each;
    await this.#change((all) => ({ providers: all.map(used), result: undefined }));
  }

  async #change<Result>(
    change: (all: readonly Provider[]) => { providers: readonly Provider[]; result: Result },
  ): Promise<Result> {
    const { path } = this.#options;
    await makeFolder(dirname(path), { fsync: true });
    return withLock(locksFolderIn(dirname(path)), 'providers', async (lock) => {
      const { providers, result } = change(await this.list());
      await lock.replace(path, Buffer.from(fileText(providers)), { fsync: true });
      return result;
    });
  }
}

/** The address without a user, a query and a fragment, which can contain a key. */
export function shownEndpoint({ endpoint }: Provider): string {
  const { origin, pathname } = new URL(endpoint);
  return `${origin}${pathname}`;
}

const fileText = (providers: readonly Provider[]) => `${JSON.stringify({ providers }, null, 2)}\n`;

/** Resets `isAllowed` if endpoint, key variable or kind changes: the data goes to another receiver. */
function mergedWith(known: Provider | undefined, change: ProviderChange, now: string): unknown {
  const kind = change.kind ?? known?.kind ?? 'openai';
  const facts = KIND_FACTS[kind];
  const kept = known !== undefined && known.kind !== kind ? withoutDefaults(known) : known;
  const given = change.endpoint ?? kept?.endpoint;
  const endpoint = given === undefined ? facts.endpoint : withPath(given, facts.endpoint);
  const isDefaultEndpoint = endpoint === facts.endpoint;
  const defaults = {
    kind,
    endpoint,
    contextTokens: facts.contextTokens,
    ...(isDefaultEndpoint && facts.apiKeyEnv !== undefined && { apiKeyEnv: facts.apiKeyEnv }),
    createdAt: now,
  };
  const merged = { ...defaults, ...kept, ...change, endpoint };
  const isSameReceiver =
    known !== undefined &&
    known.kind === merged.kind &&
    known.endpoint === merged.endpoint &&
    known.apiKeyEnv === merged.apiKeyEnv;
  return { ...merged, isAllowed: change.isAllowed ?? (isSameReceiver && known.isAllowed) };
}

/**
 * What stays if the kind changes. Otherwise a provider whose kind becomes `ollama` would still send
 * everything to OpenAI, and a key for OpenAI would be sent to Anthropic.
 */
function withoutDefaults({ endpoint, apiKeyEnv, contextTokens, ...others }: Provider) {
  const facts = KIND_FACTS[others.kind];
  return {
    ...others,
    ...(endpoint !== facts.endpoint && defined({ endpoint, apiKeyEnv })),
    ...(contextTokens !== facts.contextTokens && { contextTokens }),
  };
}

/** Gives an address without a path the path of the default address, such as `/v1` for Ollama. */
function withPath(endpoint: string, defaultEndpoint: string): string {
  if (!URL.canParse(endpoint) || new URL(endpoint).pathname !== '/') return endpoint;
  return `${endpoint.replace(/\/+$/, '')}${new URL(defaultEndpoint).pathname.replace(/\/$/, '')}`;
}

function checked(provider: unknown): Provider {
  const parsed = providerSchema.safeParse(provider);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? 'provider');
    throw new AppError('VALIDATION_ERROR', `\`${field}\` ${issue?.message}.`, {
      details: { field },
    });
  }
  const rule = brokenEndpointRule(parsed.data);
  if (rule === undefined) return parsed.data;
  throw new AppError('VALIDATION_ERROR', `\`endpoint\` ${rule}.`, {
    details: { field: 'endpoint' },
  });
}

/**
 * Why nothing may be sent to the address of a provider; `undefined` if it is correct. It is not a part of the
 * schema, so that a list with such an address, which a person wrote, can be read and corrected.
 */
export function brokenEndpointRule({ endpoint, apiKeyEnv }: Provider): string | undefined {
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'must be an address without a user, a query or a fragment';
  }
  if (url.protocol === 'http:' && apiKeyEnv !== undefined && !isLocalEndpoint(endpoint)) {
    return 'must be an https address, because a key is sent to another machine';
  }
  return undefined;
}

const byPriority = (a: Provider, b: Provider) =>
  b.priority - a.priority || (a.name < b.name ? -1 : 1);
