/**
 * The tools of one server, found by name or alias, and their entries in `tools/list`, with JSON schemas made
 * from the zod schemas. The first request that needs the catalogue loads it, so that `initialize`, for which
 * a client waits in every session, is answered sooner.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import type { Tool } from '../../tools/define-tool.js';
import { toRpcError } from './errors/rpc-error.js';

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

const hasName = (name: string) => (tool: Tool) =>
  tool.name === name || (tool.aliases?.includes(name) ?? false);

/**
 * Finds a tool by its name or an alias. Throws an RpcError (-32602) for a tool that does not exist or is
 * switched off.
 */
export function findTool(name: string, { callable, all }: OfferedTools): Tool {
  const tool = callable.find(hasName(name));
  if (tool) return tool;
  const hidden = all.find(hasName(name));
  const known = callable.map((other) => other.name);
  throw toRpcError(
    hidden
      ? new AppError(
          'VALIDATION_ERROR',
          `The tool ${hidden.name} is in the toolset "${hidden.toolset}", which is switched off.`,
          {
            hint: `To use it, set DAYBOOK_TOOLSETS to all or to a list with ${hidden.toolset}, and restart the server.`,
          },
        )
      : new AppError(
          'VALIDATION_ERROR',
          `There is no tool ${JSON.stringify(name.slice(0, 80))}. The tools are ${known.join(', ')}.`,
          { hint: 'Call one of these tools by its exact name.', details: { known } },
        ),
  );
}

const listings = new WeakMap<Tool, ToolListing>();

/** All tools. If a module cannot be loaded once, Node never loads it again in this process. */
export async function loadCatalogue(): Promise<readonly Tool[]> {
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
