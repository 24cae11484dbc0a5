/**
 * Resources over MCP: listing, reading, subscriptions and their notifications. What they are is
 * defined in `resources/`.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import type { Log } from '../base/log.js';
import type { ResourceKind } from '../resources/resource-kind.js';
import { ResourceNews } from '../resources/resource-news.js';
import {
  listResources,
  requireKind,
  resourceKinds,
  resourceTemplates,
} from '../resources/resources.js';
import type { Answering } from './answering.js';

export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

/** Without `withNews` nobody can subscribe: there is no later in which to be told. */
export function offerResources(
  server: Server,
  answering: Answering,
  log: Log,
  withNews = true,
): void {
  const unsent = (error: unknown) => log.debug({ err: error }, 'news of resources were not sent');
  const news = new ResourceNews({
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(unsent),
    listChanged: () => void server.sendResourceListChanged().catch(unsent),
  });
  const follow = withNews ? followOnce(news, answering.endSignal) : () => undefined;

  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...resourceTemplates],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => {
      const page = await listResources(app, params?.cursor);
      follow(app);
      if (withNews) news.listAsked(await knownOf(app));
      return page;
    }),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => ({
      contents: [{ ...(await requireKind(params.uri).read(app, params.uri)) }],
    })),
  );
  if (!withNews) return;
  server.setRequestHandler(SubscribeRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => {
      const kind = requireKind(params.uri);
      const key = await kind.keyOf(app, params.uri);
      follow(app);
      news.subscribe(params.uri, keyIn(kind, key));
      return {};
    }),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    news.unsubscribe(params.uri);
    return {};
  });
}

/** Keys of different kinds never meet. */
async function knownOf(app: App): Promise<[string, string][]> {
  const kinds = resourceKinds.map(async (kind) =>
    (await kind.known(app)).map(([key, listing]): [string, string] => [keyIn(kind, key), listing]),
  );
  return (await Promise.all(kinds)).flat();
}

const keyIn = ({ name }: ResourceKind, key: string) => `${name}:${key}`;

/** The stores are followed from the first time that a client wants news, until the server ends. */
function followOnce(news: ResourceNews, end: AbortSignal): (app: App) => void {
  let isFollowing = false;
  return (app) => {
    if (isFollowing || end.aborted) return;
    isFollowing = true;
    const unfollow = resourceKinds.map((kind) =>
      kind.follow(app, {
        changed: (key) =>
          key === undefined ? news.allChanged(keyIn(kind, '')) : news.changed(keyIn(kind, key)),
        listed: (key, listing) => news.listed(keyIn(kind, key), listing),
      }),
    );
    end.addEventListener('abort', () => {
      for (const stop of unfollow) stop();
      news.close();
    });
  };
}
