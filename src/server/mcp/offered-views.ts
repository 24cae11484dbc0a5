/**
 * The views of the extension MCP Apps (`io.modelcontextprotocol/ui`, SEP-1865). A client that does not
 * declare this extension receives tools and resources without views.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Tool as ToolListing } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ResourceKind } from '../../resources/resource-kind.js';
import {
  VIEW_MIME_TYPE,
  VIEWS,
  type View,
  viewResources,
  viewUri,
} from '../../resources/view-resources.js';
import type { Tool } from '../../tools/define-tool.js';
import { type LoadTools, toolListing } from './offered-tools.js';
import { CAPABILITIES_KEY } from './stateless/stateless-request.js';

export const VIEWS_EXTENSION = 'io.modelcontextprotocol/ui';

const capabilitiesSchema = z.looseObject({
  extensions: z.looseObject({
    [VIEWS_EXTENSION]: z.looseObject({ mimeTypes: z.array(z.string()) }),
  }),
});

export class OfferedViews {
  readonly kind: ResourceKind;
  readonly #load: LoadTools;

  /** `file`: path of the HTML document. A view is offered if all tools that it needs can be called. */
  constructor(file: string, load: LoadTools) {
    this.#load = load;
    this.kind = viewResources(file, () => this.#views());
  }

  /** The entries of `tools/list` for a client that can show views. */
  async listings(tools: readonly Tool[]): Promise<ToolListing[]> {
    const offered = (await this.#views()).map(({ name }) => name);
    return tools.map((tool) => {
      const listing = toolListing(tool);
      const { view } = tool;
      if (view === undefined || !offered.includes(view)) return listing;
      return { ...listing, _meta: { ui: { resourceUri: viewUri(view) } } };
    });
  }

  async #views(): Promise<readonly View[]> {
    const names = (await this.#load()).callable.map(({ name }) => name);
    return VIEWS.filter(({ needs }) => needs.every((name) => names.includes(name)));
  }
}

/** True if the client can show views. `meta`: `_meta` of the request, for the stateless protocol. */
export function canShowViews(server: Server, meta: Record<string, unknown> | undefined): boolean {
  const capabilities = server.getClientCapabilities() ?? meta?.[CAPABILITIES_KEY];
  const declared = capabilitiesSchema.safeParse(capabilities);
  if (!declared.success) return false;
  return declared.data.extensions[VIEWS_EXTENSION].mimeTypes.includes(VIEW_MIME_TYPE);
}
