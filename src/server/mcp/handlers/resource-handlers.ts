/**
 * The MCP handlers of resources: lists, reading, subscriptions and notifications. `resources/` defines
 * their content.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../../../app.js';
import type { AppError } from '../../../base/errors.js';
import type { Log } from '../../../base/log.js';
import type { ResourceKind } from '../../../resources/resource-kind.js';
import { ResourceNotifications } from '../../../resources/resource-notifications.js';
import {
  listResources,
  requireKind,
  resourceKinds,
  resourceTemplates,
} from '../../../resources/resources.js';
import { toRpcError } from '../errors/rpc-error.js';
import { canShowViews, type OfferedViews } from '../offered-views.js';
import { type RequestRunner, refuseCursor } from '../request-runner.js';

export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

export interface ResourceOptions {
  /** False if the server answers one request; then clients cannot subscribe. */
  readonly hasSession: boolean;
  readonly views: OfferedViews | undefined;
}

export function registerResources(
  server: Server,
  runner: RequestRunner,
  log: Log,
  { hasSession, views }: ResourceOptions,
): void {
  const kinds = views === undefined ? resourceKinds : [...resourceKinds, views.kind];
  const notSent = (error: unknown) => log.debug({ err: error }, 'a notification was not sent');
  const notifier = new ResourceNotifications({
    updated: (uri) => void server.sendResourceUpdated({ uri }).catch(notSent),
    listChanged: () => void server.sendResourceListChanged().catch(notSent),
  });
  const follow = hasSession ? followOnce(kinds, notifier, runner.endSignal) : () => undefined;

  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: [...resourceTemplates] };
  });
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }, extra) =>
    runner.run(extra, async (app) => {
      const listed = canShowViews(server, params?._meta) ? kinds : resourceKinds;
      follow(app);
      // Before the page is made: a later change is in the page, or the client is notified of it.
      if (hasSession) await notifier.listAsked(() => knownOf(app, kinds));
      return listResources(app, params?.cursor, listed);
    }),
  );
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, extra) =>
    runner.run(
      extra,
      async (app) => {
        const kind = requireKind(uri, kinds);
        const content = { ...(await kind.read(app, uri)) };
        if (kind.notice === undefined) return { contents: [content] };
        const notice = { uri, mimeType: 'text/plain', text: kind.notice };
        return { contents: [content, notice] };
      },
      failWith(uri),
    ),
  );
  if (hasSession) registerSubscriptions(server, runner, { kinds, notifier, follow });
}

interface SubscriptionOptions {
  readonly kinds: readonly ResourceKind[];
  readonly notifier: ResourceNotifications;
  readonly follow: (app: App) => void;
}

function registerSubscriptions(
  server: Server,
  runner: RequestRunner,
  { kinds, notifier, follow }: SubscriptionOptions,
): void {
  server.setRequestHandler(SubscribeRequestSchema, ({ params: { uri } }, extra) =>
    runner.run(
      extra,
      async (app) => {
        const kind = requireKind(uri, kinds);
        const key = await kind.keyOf(app, uri);
        follow(app);
        notifier.subscribe(uri, keyIn(kind, key));
        const name = kind.nameIn?.(uri);
        if (name !== undefined) notifier.subscribe(uri, keyIn(kind, name));
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

/** The MCP specification requires the URI of the resource in the data of the error. */
const failWith = (uri: string) => (error: AppError) => {
  throw toRpcError(error, { uri });
};

/** All resources of a list, with keys that are unique across the kinds. */
async function knownOf(app: App, kinds: readonly ResourceKind[]): Promise<[string, string][]> {
  const known = kinds.map(async (kind) =>
    (await kind.known(app)).map(([key, listing]): [string, string] => [keyIn(kind, key), listing]),
  );
  return (await Promise.all(known)).flat();
}

const keyIn = ({ name }: ResourceKind, key: string) => `${name}:${key}`;

/** Returns a function that follows the stores from its first call until `end` is aborted. */
function followOnce(
  kinds: readonly ResourceKind[],
  notifier: ResourceNotifications,
  end: AbortSignal,
): (app: App) => void {
  let isFollowing = false;
  return (app) => {
    if (isFollowing || end.aborted) return;
    isFollowing = true;
    const unfollow = kinds.map((kind) =>
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
