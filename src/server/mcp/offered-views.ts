/**
 * Which views are offered to whom: the extension MCP Apps (`io.modelcontextprotocol/ui`, SEP-1865). A
 * client that does not declare it sees tools and resources without views.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ResourceKind } from '../../resources/resource-kind.js';
import { VIEW_MIME_TYPE, VIEWS, viewResources, viewUri } from '../../resources/view-resources.js';
import type { Tool } from '../../tools/define-tool.js';
import { CAPABILITIES_KEY } from './stateless-request.js';
import { toolListing } from './tool-listing.js';

export const VIEWS_EXTENSION = 'io.modelcontextprotocol/ui';

const capabilitiesSchema = z.looseObject({
  extensions: z.looseObject({
    [VIEWS_EXTENSION]: z.looseObject({ mimeTypes: z.array(z.string()) }),
  }),
});

export class OfferedViews {
  readonly kind: ResourceKind;
  readonly #names: ReadonlySet<string>;

  /** `file` is the built document. A view is offered where all tools that it needs can be called. */
  constructor(file: string, callable: readonly Tool[]) {
    const names = callable.map(({ name }) => name);
    const views = VIEWS.filter(({ needs }) => needs.every((name) => names.includes(name)));
    this.#names = new Set(views.map(({ name }) => name));
    this.kind = viewResources(file, views);
  }

  /** The tool as `tools/list` shows it to a client that can show views. */
  listing(tool: Tool): ToolListing {
    const { view } = tool;
    const listing = toolListing(tool);
    if (view === undefined || !this.#names.has(view)) return listing;
    return { ...listing, _meta: { ui: { resourceUri: viewUri(view) } } };
  }
}

/** Whether the client can show views. `meta`: of its request, where the protocol is stateless. */
export function canShowViews(server: Server, meta: Record<string, unknown> | undefined): boolean {
  const capabilities = server.getClientCapabilities() ?? meta?.[CAPABILITIES_KEY];
  const declared = capabilitiesSchema.safeParse(capabilities);
  if (!declared.success) return false;
  return declared.data.extensions[VIEWS_EXTENSION].mimeTypes.includes(VIEW_MIME_TYPE);
}
