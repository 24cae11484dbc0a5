/**
 * Resources over MCP: listing, reading, subscriptions and their notifications. Their content is
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
import type { App } from '../../app.js';
import type { AppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { ResourceKind } from '../../resources/resource-kind.js';
import { ResourceNotifications } from '../../resources/resource-notifications.js';
import {
  listResources,
  requireKind,
  resourceKinds,
  resourceTemplates,
} from '../../resources/resources.js';
import { type RequestRunner, refuseCursor } from './request-runner.js';
import { toRpcError } from './rpc-error.js';

export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

/** `hasSession` is false where the server lives for one request: nobody can subscribe then. */
export function registerResources(
  server: Server,
  runner: RequestRunner,
  log: Log,
  hasSession = true,
): void {
  const notSent = (error: unknown) => log.debug({ err: error }, 'a notification was not sent');
  const notifier = new ResourceNotifications({
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(notSent),
    listChanged: () => void server.sendResourceListChanged().catch(notSent),
  });
  const follow = hasSession ? followOnce(notifier, runner.endSignal) : () => undefined;

  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: [...resourceTemplates] };
  });
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    runner.run(extra, async (app) => {
      const page = await listResources(app, params?.cursor);
      follow(app);
      if (hasSession) notifier.listAsked(await knownOf(app));
      return page;
    }),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, extra) =>
    runner.run(
      extra,
      async (app) => {
        const kind = requireKind(uri);
        const content = { ...(await kind.read(app, uri)) };
        if (kind.notice === undefined) return { contents: [content] };
        const notice = { uri, mimeType: 'text/plain', text: kind.notice };
        return { contents: [content, notice] };
      },
      failWith(uri),
    ),
  );
  if (hasSession) registerSubscriptions(server, runner, notifier, follow);
}

function registerSubscriptions(
  server: Server,
  runner: RequestRunner,
  notifier: ResourceNotifications,
  follow: (app: App) => void,
): void {
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }, extra) =>
    runner.run(
      extra,
      async (app) => {
        const kind = requireKind(uri);
        const key = await kind.keyOf(app, uri);
        follow(app);
        notifier.subscribe(uri, keyIn(kind, key));
        return {};
      },
      failWith(uri),
    ),
  );
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    notifier.unsubscribe(params.uri);
    return {};
  });
}

/** The specification asks for the resource's address in the error's data. */
const failWith = (uri: string) => (error: AppError) => {
  throw toRpcError(error, { uri });
};

/** Everything a list would show, under keys that are unique across the kinds. */
async function knownOf(app: App): Promise<[string, string][]> {
  const kinds = resourceKinds.map(async (kind) =>
    (await kind.known(app)).map(([key, listing]): [string, string] => [keyIn(kind, key), listing]),
  );
  return (await Promise.all(kinds)).flat();
}

const keyIn = ({ name }: ResourceKind, key: string) => `${name}:${key}`;

/** Follows the stores from the first list or subscription of a client until the server ends. */
function followOnce(notifier: ResourceNotifications, end: AbortSignal): (app: App) => void {
  let isFollowing = false;
  return (app) => {
    if (isFollowing || end.aborted) return;
    isFollowing = true;
    const unfollow = resourceKinds.map((kind) =>
      kind.follow(app, {
        changed: (key) =>
          key === undefined
            ? notifier.allChanged(keyIn(kind, ''))
            : notifier.changed(keyIn(kind, key)),
        listed: (key, listing) => notifier.listed(keyIn(kind, key), listing),
      }),
    );
    end.addEventListener('abort', () => {
      for (const stop of unfollow) stop();
      notifier.close();
    });
  };
}
