/**
 * The views of MCP Apps (SEP-1865): HTML documents that a host shows with the result of a tool. All views
 * are the same built document (page/src/mcp-app); `read` writes the name of the view into it.
 */
import { AppError } from '../base/errors.js';
import { readGivenText } from '../files/safe-access/given-file.js';
import type { ResourceKind } from './resource-kind.js';

const PREFIX = 'ui://daybook/';
export const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';
/** The text in the built document that is replaced by the name of the view. */
const PLACE = 'data-view=""';

/** For hosts: the view loads nothing from other origins, and needs only the permission to copy. */
const _meta = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    permissions: { clipboardWrite: {} },
    prefersBorder: true,
  },
};

export interface View {
  /** The value of `view` in a tool. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tools that the view calls. */
  readonly needs: readonly string[];
}

export const VIEWS: readonly View[] = [
  {
    name: 'conversation',
    title: 'A conversation to read',
    description: 'The messages with their sources, branches, a summary and a search.',
    needs: ['get_conversation', 'get_conversation_history'],
  },
  {
    name: 'graph',
    title: 'The knowledge graph as a picture',
    description: 'The facts as a graph and as a table, by predicate and by day.',
    needs: ['kg_query', 'kg_neighbors', 'kg_stats'],
  },
  {
    name: 'figures',
    title: 'Figures of the store',
    description: 'A calendar, the hours of the week, sums, cost and topics.',
    needs: ['get_analytics'],
  },
];

export const viewUri = (name: string) => `${PREFIX}${name}`;

/** `file`: path of the built document, which is read only when a view is read. */
export function viewResources(file: string, offered: () => Promise<readonly View[]>): ResourceKind {
  const find = async (uri: string) => {
    const views = await offered();
    const view = views.find(({ name }) => viewUri(name) === uri);
    if (view !== undefined) return view;
    throw new AppError('VALIDATION_ERROR', `${JSON.stringify(uri.slice(0, 200))} is not a view.`, {
      hint: `The views are ${views.map(({ name }) => viewUri(name)).join(', ')}.`,
    });
  };
  return {
    name: 'view',
    templates: [],
    completers: {},
    owns: (uri) => uri.startsWith(PREFIX),
    async list() {
      const resources = (await offered()).map(({ name, title, description }) => ({
        uri: viewUri(name),
        name,
        title,
        description,
        mimeType: VIEW_MIME_TYPE,
        _meta,
      }));
      return { resources };
    },
    async read(_app, uri) {
      const { name } = await find(uri);
      const text = readGivenText(file).replace(PLACE, `data-view="${name}"`);
      return { uri, mimeType: VIEW_MIME_TYPE, text, _meta };
    },
    keyOf: async (_app, uri) => (await find(uri)).name,
    // The views never change while a server runs, so `follow` reports nothing.
    known: async () => (await offered()).map(({ name }) => [name, ''] as const),
    follow: () => () => undefined,
  };
}
