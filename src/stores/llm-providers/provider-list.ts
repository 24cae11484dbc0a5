/**
 * The language models that the user named: `providers.json` in the user's own configuration folder,
 * never in a root, so that no cloned repository can choose where conversations are sent. It holds names
 * of environment variables, never keys. A provider is used only while it is allowed (`isAllowed`).
 */
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { parseDocument, readWhole } from '../../files/read/json-doc.js';
import { KIND_FACTS, PROVIDER_KINDS, staysHere } from '../../providers/llm/provider-kinds.js';

const MAX_PROVIDERS = 50;
/** Last use is a hint for people: writing the file at every request would gain nothing. */
const LAST_USE_INTERVAL_MS = 60_000;

export const providerName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be letters, digits, dots and hyphens')
  .refine((name) => name !== 'extractive', 'is reserved for summaries without a model');

const providerSchema = z.object({
  name: providerName,
  kind: z.enum(PROVIDER_KINDS),
  endpoint: z.url({ protocol: /^https?$/ }),
  model: z.string().trim().min(1).max(200),
  /** Upper case, so that a key that is put here by mistake is refused. */
  apiKeyEnv: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{2,63}$/, 'must be the name of an environment variable, never a key')
    .exactOptional(),
  /** The greatest is asked first. */
  priority: z.number().int().min(-1000).max(1000).default(0),
  isActive: z.boolean().default(true),
  isAllowed: z.boolean().default(false),
  contextTokens: z.number().int().min(1_000).max(10_000_000),
  maxTokens: z.number().int().min(64).max(100_000).default(4_096),
  createdAt: z.string(),
  lastUsedAt: z.string().exactOptional(),
});
export type Provider = z.output<typeof providerSchema>;

/** What is left out keeps its value, or takes the usual one of the kind. */
export type ProviderChange = Pick<Provider, 'name'> & Partial<Omit<Provider, 'createdAt'>>;

const fileSchema = z.object({ providers: z.array(providerSchema).max(MAX_PROVIDERS) });

export interface ProviderListOptions {
  /** Absolute path of `providers.json`; its folder is made at the first change. */
  readonly path: string;
  readonly clock: Clock;
}

export class ProviderList {
  readonly #options: ProviderListOptions;

  constructor(options: ProviderListOptions) {
    this.#options = options;
  }

  get path(): string {
    return this.#options.path;
  }

  /** In the order in which they are asked. CORRUPT names what is wrong in the file; nothing is used then. */
  async list(): Promise<Provider[]> {
    const { path } = this.#options;
    const found = await readWhole(path);
    if (found === undefined) return [];
    const parsed = fileSchema.safeParse(parseDocument(found.bytes, path, 'CORRUPT'));
    if (parsed.success) return parsed.data.providers.sort(byPriority);
    const [issue] = parsed.error.issues;
    const problem = `${issue?.path.join('.')}: ${issue?.message}`;
    throw new AppError('CORRUPT', `${path} cannot be used: ${problem}.`, {
      details: { path, problem },
    });
  }

  /**
   * The text of the file for a backup: only the fields that are known here, and addresses without a user,
   * a query or a fragment, so that it has no key that the file may contain. `undefined` if there
   * are no providers. CORRUPT.
   */
  async withoutSecrets(): Promise<string | undefined> {
    const providers = (await this.list()).map(({ endpoint, ...others }) => {
      const { origin, pathname } = new URL(endpoint);
      return { ...others, endpoint: `${origin}${pathname}` };
    });
    return providers.length === 0 ? undefined : fileText(providers);
  }

  /** Adds or changes one; durable when it resolves. VALIDATION_ERROR, CORRUPT, LOCKED, STORAGE_FULL. */
  async set(change: ProviderChange): Promise<Provider> {
    let changed: Provider | undefined;
    await this.#change((providers) => {
      const known = providers.find(({ name }) => name === change.name);
      changed = checked(mergedWith(known, change, isoTime(this.#options.clock.now())));
      const next = changed;
      return known === undefined
        ? [...providers, next]
        : providers.map((each) => (each === known ? next : each));
    });
    if (changed === undefined) throw new AppError('INTERNAL', 'No provider was written.');
    return changed;
  }

  /** False where there was none of that name. */
  async remove(name: string): Promise<boolean> {
    let isFound = false;
    await this.#change((providers) => {
      isFound = providers.some((each) => each.name === name);
      return providers.filter((each) => each.name !== name);
    });
    return isFound;
  }

  /** Notes that it was used now, to the minute. */
  async noteUse(name: string): Promise<void> {
    const now = this.#options.clock.now();
    const known = (await this.list()).find((each) => each.name === name);
    if (known === undefined || now - Date.parse(known.lastUsedAt ?? '1970') < LAST_USE_INTERVAL_MS)
      return;
    await this.#change((providers) =>
      providers.map((each) => (each.name === name ? { ...each, lastUsedAt: isoTime(now) } : each)),
    );
  }

  async #change(change: (providers: readonly Provider[]) => readonly Provider[]): Promise<void> {
    const { path } = this.#options;
    await makeFolder(dirname(path), { fsync: true });
    await withLock(join(dirname(path), '.locks'), 'providers', async (lock) => {
      const providers = change(await this.list());
      const bytes = Buffer.from(fileText(providers));
      await lock.replace(path, bytes, { fsync: true });
    });
  }
}

const fileText = (providers: readonly Provider[]) => `${JSON.stringify({ providers }, null, 2)}\n`;

/** Another address, key or kind is another receiver: what was allowed before does not hold for it. */
function mergedWith(known: Provider | undefined, change: ProviderChange, now: string): unknown {
  const kind = change.kind ?? known?.kind ?? 'openai';
  const facts = KIND_FACTS[kind];
  const endpoint = change.endpoint ?? known?.endpoint ?? facts.endpoint;
  const isDefaultEndpoint = endpoint === facts.endpoint;
  const usual = {
    kind,
    endpoint,
    contextTokens: facts.contextTokens,
    ...(isDefaultEndpoint && facts.apiKeyEnv !== undefined && { apiKeyEnv: facts.apiKeyEnv }),
    createdAt: now,
  };
  const merged = { ...usual, ...known, ...change };
  const isSameReceiver =
    known !== undefined &&
    known.kind === merged.kind &&
    known.endpoint === merged.endpoint &&
    known.apiKeyEnv === merged.apiKeyEnv;
  return { ...merged, isAllowed: change.isAllowed ?? (isSameReceiver && known.isAllowed) };
}

function checked(provider: unknown): Provider {
  const parsed = providerSchema.safeParse(provider);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = String(issue?.path[0] ?? 'provider');
    throw new AppError('VALIDATION_ERROR', `${field}: ${issue?.message}.`, { details: { field } });
  }
  const { endpoint, apiKeyEnv } = parsed.data;
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw wrongEndpoint('must be an address without a user, a query or a fragment');
  }
  if (url.protocol === 'http:' && apiKeyEnv !== undefined && !staysHere(endpoint)) {
    throw wrongEndpoint('must be an https address, because a key is sent to another machine');
  }
  return parsed.data;
}

function wrongEndpoint(takes: string): AppError {
  return new AppError('VALIDATION_ERROR', `endpoint ${takes}.`, { details: { field: 'endpoint' } });
}

const byPriority = (a: Provider, b: Provider) =>
  b.priority - a.priority || (a.name < b.name ? -1 : 1);
