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
import {
  conversationIdOf,
  listResources,
  readResource,
  resourceTemplates,
} from '../resources/conversation-resources.js';
import { ResourceNews } from '../resources/resource-news.js';
import type { Answering } from './answering.js';

export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

export function offerResources(server: Server, answering: Answering, log: Log): void {
  const unsent = (error: unknown) => log.debug({ err: error }, 'news of resources were not sent');
  const news = new ResourceNews({
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(unsent),
    listChanged: () => void server.sendResourceListChanged().catch(unsent),
  });
  const follow = followOnce(news, answering.endSignal);

  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...resourceTemplates],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => {
      const page = await listResources(app, params?.cursor);
      follow(app);
      news.listAsked([...app.conversations.known()].map(({ head }) => head));
      return page;
    }),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => ({ contents: [await readResource(app, params.uri)] })),
  );
  server.setRequestHandler(SubscribeRequestSchema, ({ params }, extra) =>
    answering.answer(extra, async (app) => {
      const conversationId = await conversationIdOf(app, params.uri);
      follow(app);
      news.subscribe(params.uri, conversationId);
      return {};
    }),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    news.unsubscribe(params.uri);
    return {};
  });
}

/** The store is followed from the first time that a client wants news, until the server ends. */
function followOnce(news: ResourceNews, end: AbortSignal): (app: App) => void {
  let isFollowing = false;
  return ({ conversations }) => {
    if (isFollowing || end.aborted) return;
    isFollowing = true;
    const unfollow = conversations.followFromNow((change) => news.apply(change));
    end.addEventListener('abort', () => {
      unfollow();
      news.close();
    });
  };
}
