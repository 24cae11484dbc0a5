/**
 * A tool as `tools/list` shows it: names, hints, and the JSON schemas made from the zod schemas.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Tool } from '../../tools/define-tool.js';

const listings = new WeakMap<Tool, ToolListing>();

/** The listing of one tool. It is computed once for each tool. */
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
  description: 'Present while something is not on the disk.',
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
