/**
 * The tools of one server and their entries in `tools/list`, with JSON schemas made from the zod schemas.
 * The first request that needs the catalogue loads it, so that `initialize`, for which a client waits in
 * every session, is answered sooner.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.js';

export interface OfferedTools {
  /** All tools that exist. A call of a tool that is switched off is refused with a hint. */
  readonly all: readonly Tool[];
  /** Tools that can be called. */
  readonly callable: readonly Tool[];
  /** Tools that `tools/list` shows. */
  readonly listed: readonly Tool[];
}

export interface ToolChoice {
  /** Names of the toolsets to offer. */
  readonly toolsets: readonly string[];
  /** Default: the catalogue. */
  readonly tools?: readonly Tool[];
  /** False: tools that need a key for Perplexity can be called and are not listed. Default true. */
  readonly listsPerplexity?: boolean;
}

export type LoadTools = () => Promise<OfferedTools>;

/** Returns a function that loads the tools at its first call. */
export function offeredTools({ toolsets, tools, listsPerplexity = true }: ToolChoice): LoadTools {
  let offered: Promise<OfferedTools> | undefined;
  const load = async () => {
    const all = tools ?? (await loadCatalogue());
    const callable = all.filter(
      ({ toolset, alwaysListed }) => alwaysListed || toolsets.includes(toolset),
    );
    const listed = callable.filter(({ needsPerplexity }) => !needsPerplexity || listsPerplexity);
    return { all, callable, listed };
  };
  return () => {
    offered ??= load();
    return offered;
  };
}

const listings = new WeakMap<Tool, ToolListing>();

async function loadCatalogue(): Promise<readonly Tool[]> {
  const [{ tools }, { builtListings }] = await Promise.all([
    import('../../tools/index.js'),
    import('../built-listings.js'),
  ]);
  for (const tool of tools) {
    const built = builtListings[tool.name];
    if (built !== undefined) listings.set(tool, built);
  }
  return tools;
}

/** The entry of a tool in `tools/list`, from the build or made once from its schemas. */
export function toolListing(tool: Tool): ToolListing {
  const known = listings.get(tool);
  if (known) return known;
  const listing: ToolListing = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: withDurable(jsonSchema(tool.output, 'output')),
    annotations: tool.annotations,
  };
  listings.set(tool, listing);
  return listing;
}

/** Removes the bounds that zod adds to each integer, because they cost tokens. */
function leaveOutSafeIntegers(schema: { minimum?: number; maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** A field of all results, while the store cannot be written (`store-notice.ts`). */
const durable = {
  type: 'boolean',
  const: false,
  description: 'Present while a write is not yet on the disk.',
};

const withDurable = (schema: ToolListing['inputSchema']) => ({
  ...schema,
  properties: { ...schema.properties, durable },
});

/** JSON Schema draft 7 without `$schema`, because the validators of all clients accept this dialect. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ToolListing['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema: each }) => leaveOutSafeIntegers(each),
  });
  return { ...rest, type: 'object' } as ToolListing['inputSchema'];
}
