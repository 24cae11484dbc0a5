/**
 * The catalogue as `tools/list` shows it, by the name of the tool. Empty in the sources: the build makes
 * it and puts it in this place (rolldown.config.js), so that a server makes no schemas for a list.
 */
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';

export const builtListings: Readonly<Record<string, ToolListing>> = {};
