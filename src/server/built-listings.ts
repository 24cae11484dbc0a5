/**
 * The entries of `tools/list`, by tool name. The build replaces this empty object (rolldown.config.js),
 * so that a built server does not make JSON schemas at run time.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';

export const builtListings: Readonly<Record<string, ToolListing>> = {};
