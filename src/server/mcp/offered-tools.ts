/**
 * The tools of one server, and each as `tools/list` shows it: names, hints, and the JSON schemas made
 * from the zod schemas. The catalogue is loaded by the first request that needs it: `initialize` is
 * answered without, and a client waits for that answer in every session.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.js';

export interface OfferedTools {
  /** Tools that exist, offered or not: a call of one that is switched off gets a hint. */
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

/** The catalogue is loaded once. */
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

/** The listing of one tool, as the build made it or made once from its schemas. */
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

/** Removes the bounds that zod adds to every whole number; each repetition costs tokens. */
function leaveOutSafeIntegers(schema: { minimum?: number; maximum?: number }): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Any result may say it, while the store cannot be written. */
const durable = {
  type: 'boolean',
  const: false,
  description: 'Present while a write is not yet on the disk.',
};

const withDurable = (schema: ToolListing['inputSchema']) => ({
  ...schema,
  properties: { ...schema.properties, durable },
});

/** Draft 7 without `$schema`: every client's validator accepts this dialect. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ToolListing['inputSchema'] {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-7',
    unrepresentable: 'any',
    override: ({ jsonSchema: each }) => leaveOutSafeIntegers(each),
  });
  return { ...rest, type: 'object' } as ToolListing['inputSchema'];
}
